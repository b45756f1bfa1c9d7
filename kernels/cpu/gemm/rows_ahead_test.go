package gemm

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// rowsJob returns a job for a product of so many rows by a B of so many columns by rows, in a part of all of it.
func rowsJob(rows, count, terms int) *job[float32] {
	f := &family[float32]{kernels: &[widths]kernel{}, heights: &[widths]int{8, 14, 6, 1}, lanes: 16}
	j := &job[float32]{family: f, product: Product[float32]{M: rows, N: count, K: terms, A: Matrix{nil, terms, 1}, B: Matrix{nil, count, 1}, C: Matrix{nil, count, 1}}}
	setPlan(&j.plan, &j.product, f)
	j.part.lastBlock, j.part.packsPanels = j.blocks, j.packB
	return j
}

func TestUnitsFetchTheRowsThatTheyReadNext(t *testing.T) {
	setWaitsForInstructions(t, false)
	const start, terms = 4096, 1200 // three blocks of k
	rows := func(count, column, term, depth, atOnce int) rowsAhead {
		return rowsAhead{start + uintptr(4*(term*count+column)), 4 * count, depth - fetchedSteps, atOnce}
	}
	none := rowsAhead{}
	for _, c := range []struct {
		rows, count   int
		panel, block  int
		packed        bool
		soon, later   rowsAhead
		whatIsFetched string
	}{
		{17, 1000, 1, 0, false, rows(1000, 32, stepsAhead, 400-stepsAhead, moreRows), rows(1000, 64, 0, 400, fewRows), "what is read first, and the next panel"},
		{17, 1000, 3, 1, false, none, rows(1000, 4*32, 400, 400, fewRows), "the next panel"},
		{17, 1000, 4, 1, false, none, rows(1000, 32, 800, 400, fewRows), "the first panel of the next block"},
		{17, 1000, 4, 2, false, none, none, "nothing after the last one"},
		{8, 1000, 1, 0, false, none, rows(1000, 64, 0, 400, moreRows), "all of the next panel by a single tile"},
		{8, 1024, 3, 1, false, rows(1024, 3*32, 400+stepsAhead, 400-stepsAhead, moreRows), none, "a panel's own rows where they share sets of the second cache"},
		{17, 1024, 1, 0, true, none, none, "nothing that would be pushed out before it is packed"},
		{200, 1000, 1, 0, true, none, rows(1000, (1+joinedBytes/128)*32, 0, 400, fewRows), "the panel of the next ones that are packed together"},
	} {
		j := rowsJob(c.rows, c.count, terms)
		require.Equal(t, []any{c.packed, 3}, []any{j.packB, j.blocks}, c.whatIsFetched)
		u := unit{lastRow: c.rows, firstPanel: 1, lastPanel: 5}
		if c.packed {
			u.lastPanel = 9
		}
		soon, later := j.rowsToCome(u, c.panel, c.block, start)
		require.Equal(t, []rowsAhead{c.soon, c.later}, []rowsAhead{soon, later}, c.whatIsFetched)
	}
}

func TestTheTilesOfAPanelFetchAllRows(t *testing.T) {
	for _, tiles := range []int{1, 2, 3, 5} {
		for _, depth := range []int{257, 400, 512} {
			const step = 4000
			atOnce := fewRows
			if tiles == 1 {
				atOnce = moreRows
			}
			var x tile[float32]
			x.depth, x.later = depth, rowsAhead{1, step, depth - fetchedSteps, atOnce}
			x.fetchNext()
			last := uintptr(0)
			for range tiles {
				if x.rowsAtOnce > 0 {
					require.Equal(t, x.soon.from, x.next)
					last = x.next + uintptr((depth-1)/fetchedSteps*x.rowsAtOnce*step)
				}
				x.hasFetched()
			}
			require.GreaterOrEqual(t, int(last), 1+(depth-fetchedSteps)*step, "%d tiles of %d steps", tiles, depth)
			require.Less(t, int(last), 1+(depth+fetchedSteps)*step, "%d tiles of %d steps", tiles, depth)
			require.Zero(t, x.rowsAtOnce)
		}
	}
}
