package gemm

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// setWaitsForInstructions makes plans those of processors of one kind until the test ends.
func setWaitsForInstructions(t *testing.T, waits bool) {
	before := waitsForInstructions
	waitsForInstructions = waits
	t.Cleanup(func() { waitsForInstructions = before })
}

func TestMatricesArePackedWhereTheirRowsShareSetsOfTheFirstCache(t *testing.T) {
	setWaitsForInstructions(t, false)
	low := best[float32]().isLow()
	for _, c := range []struct {
		m, n, k int
		packed  bool
	}{
		{256, 256, 256, false},
		{512, 512, 512, true},  // rows alternate between two sets, in matrices of a megabyte
		{128, 512, 512, true},  // those of B do, in panels that are larger than the first cache
		{128, 512, 256, false}, // in smaller ones
		{256, 512, 256, low},   // which are read more often by low tiles
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

func TestPanelsAreBroadWhereFewRowsOfAReadLess(t *testing.T) {
	setWaitsForInstructions(t, false)
	heights := &[widths]int{8, 14, 6, 1}
	wide64 := &family[float64]{kernels: &[widths]kernel{}, heights: heights, lanes: 8}
	wide32 := &family[float32]{kernels: &[widths]kernel{}, heights: heights, lanes: 16}
	for _, c := range []struct {
		m, n, k            int
		double, single     int  // vectors of a panel
		packsDouble, packs bool // A
	}{
		{64, 64, 64, 4, 4, false, false},
		{64, 64, 128, 4, 4, false, false},
		{64, 64, 256, 4, 2, false, false},    // a panel of float32 is larger than the first cache
		{128, 128, 128, 4, 2, false, false},  // so would two be
		{256, 256, 256, 2, 2, false, false},  // rows of B alternate between two places
		{512, 512, 512, 4, 2, false, true},   // the lines of few rows of A fit where they share a set
		{1024, 1024, 1024, 2, 2, true, true}, // A is too large to be used where it lies
		{14, 64, 64, 2, 2, false, false},     // one high tile
		{6, 64, 64, 4, 4, false, false},
	} {
		var g, h plan
		double := Product[float64]{M: c.m, N: c.n, K: c.k, A: Matrix{nil, c.k, 1}, B: Matrix{nil, c.n, 1}, C: Matrix{nil, c.n, 1}}
		single := Product[float32]{M: c.m, N: c.n, K: c.k, A: Matrix{nil, c.k, 1}, B: Matrix{nil, c.n, 1}, C: Matrix{nil, c.n, 1}}
		setPlan(&g, &double, wide64)
		setPlan(&h, &single, wide32)
		require.Equal(t, []any{c.double, c.single, c.packsDouble, c.packs}, []any{g.width / 8, h.width / 16, g.packA, h.packA}, "%dx%dx%d", c.m, c.k, c.n)
	}
	avx2 := &family[float64]{kernels: &[widths]kernel{}, heights: &[widths]int{12, 6, 2, 1}, lanes: 4}
	var g plan
	setPlan(&g, &Product[float64]{M: 128, N: 128, K: 128, A: Matrix{nil, 128, 1}, B: Matrix{nil, 128, 1}}, avx2)
	require.Equal(t, 2*4, g.width) // Tiles would have two rows.
}

func TestPanelsAreBroadWhereTilesWaitForInstructions(t *testing.T) {
	for _, c := range []struct {
		waits   bool
		heights [widths]int
		rows    int
		vectors int // of a panel
	}{
		{true, [widths]int{8, 14, 6, 1}, 64, 4},
		{true, [widths]int{8, 14, 6, 1}, 63, 2}, // few rows
		{true, [widths]int{12, 6, 2, 1}, 64, 2}, // of AVX2, whose broad tiles have two rows
		{false, [widths]int{8, 14, 6, 1}, 64, 2},
	} {
		setWaitsForInstructions(t, c.waits)
		var g plan
		product := &Product[float32]{M: c.rows, N: 640, K: 640, A: Matrix{nil, 640, 1}, B: Matrix{nil, 640, 1}}
		setPlan(&g, product, &family[float32]{kernels: &[widths]kernel{}, heights: &c.heights, lanes: 16})
		require.Equal(t, c.vectors, g.width/16, "%+v", c)
	}
}

func TestALargeBIsFetchedRowByRowOrPacked(t *testing.T) {
	setWaitsForInstructions(t, true)
	f := &family[float32]{kernels: &[widths]kernel{}, heights: &[widths]int{8, 14, 6, 1}, lanes: 16}
	for _, c := range []struct {
		m, n, k         int
		fetched, packed bool
	}{
		{14, 1000, 1000, true, false},
		{4, 1000, 1000, true, false},
		{3, 1000, 1000, false, false}, // tiles of few rows read far ahead by themselves
		{14, 300, 300, false, false},  // B stays in the second cache
		{14, 1024, 1024, true, false}, // a single tile reads a panel once
		{15, 1024, 1024, true, true},  // two would read what shares sets of the cache twice
		{15, 1000, 1000, true, false},
		{129, 1000, 1000, true, true},
	} {
		var g plan
		product := Product[float32]{M: c.m, N: c.n, K: c.k, A: Matrix{nil, c.k, 1}, B: Matrix{nil, c.n, 1}, C: Matrix{nil, c.n, 1}}
		setPlan(&g, &product, f)
		require.Equal(t, []bool{c.fetched, c.packed}, []bool{g.fetchesRows, g.packB}, "%dx%dx%d", c.m, c.k, c.n)
	}
}

func TestALargeAIsPackedForBroadTilesWhereItsRowsCrowdTheSecondCache(t *testing.T) {
	setWaitsForInstructions(t, true)
	f := &family[float32]{kernels: &[widths]kernel{}, heights: &[widths]int{8, 14, 6, 1}, lanes: 16}
	for _, c := range []struct {
		n      int
		packed bool
	}{{1000, false}, {1024, false}, {1536, false}, {2048, true}, {3000, false}, {4096, true}} {
		var g plan
		product := Product[float32]{M: c.n, N: c.n, K: c.n, A: Matrix{nil, c.n, 1}, B: Matrix{nil, c.n, 1}, C: Matrix{nil, c.n, 1}}
		setPlan(&g, &product, f)
		require.Equal(t, c.packed, g.packA, "%d", c.n)
	}
}
