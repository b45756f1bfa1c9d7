package gemm

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnitsFetchTheColumnsThatTheyPackNext(t *testing.T) {
	const start, rows, count, terms = 4096, 32, 150, 1200
	f := &family[float32]{kernels: &[widths]kernel{}, heights: &[widths]int{8, 14, 6, 1}, lanes: 16}
	j := &job[float32]{family: f, product: Product[float32]{M: rows, N: count, K: terms, A: Matrix{nil, terms, 1}, B: Matrix{nil, 1, terms}, C: Matrix{nil, count, 1}}}
	setPlan(&j.plan, &j.product, f)
	require.Equal(t, []int{32, 3}, []int{j.width, j.blocks})
	j.part.lastBlock = j.blocks
	u := unit{firstPanel: 1, lastPanel: 5}
	at := func(column, term int) uintptr { return uintptr(start + 4*(column*terms+term)) }
	for _, c := range []struct {
		panel, block int
		want         columns
	}{
		{1, 0, columns{at(2*32, 0), 4 * terms, 4}},
		{3, 1, columns{at(4*32, 400), 4 * terms, 3}}, // the last 22 columns
		{4, 0, columns{at(1*32, 400), 4 * terms, 4}}, // of the next block of k
		{4, 2, columns{}},
	} {
		require.Equal(t, c.want, j.columnsToCome(u, c.panel, c.block, start), "panel %d, block %d", c.panel, c.block)
	}
	j.product.N = 100 // B stays in the second cache
	setPlan(&j.plan, &j.product, f)
	require.Equal(t, columns{}, j.columnsToCome(u, 1, 0, start))
}
