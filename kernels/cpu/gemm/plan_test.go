package gemm

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMatricesArePackedWhereTheirRowsShareSetsOfTheFirstCache(t *testing.T) {
	for _, c := range []struct {
		m, n, k int
		packed  bool
	}{
		{256, 256, 256, false},
		{512, 512, 512, true},  // rows alternate between two sets, in matrices of a megabyte
		{128, 512, 512, true},  // those of B do, in panels that are larger than the first cache
		{256, 512, 256, false}, // in smaller ones
		{112, 512, 512, false}, // A is too small for a copy to pay
		{512, 480, 512, false}, // so is B
		{512, 544, 544, false}, // rows are spread
		{32, 1024, 64, true},   // all rows of B fall on the same sets
		{16, 1024, 64, false},  // which does not matter to so few rows of A
		{1024, 40, 16, true},   // many rows use what is packed once
	} {
		p := Product[float32]{M: c.m, N: c.n, K: c.k, A: Matrix{nil, c.k, 1}, B: Matrix{nil, c.n, 1}, C: Matrix{nil, c.n, 1}}
		require.Equal(t, c.packed, p.Scratch() > 0, "%dx%dx%d", c.m, c.k, c.n)
	}
}
