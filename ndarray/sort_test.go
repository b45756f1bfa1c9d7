package ndarray_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

var nan = math.NaN()

// requireFloats compares numbers, NaN with NaN, and zeros with their sign.
func requireFloats(t *testing.T, want []float64, got *nd.Array) {
	t.Helper()
	found := values[float64](t, got)
	require.Len(t, found, len(want))
	for i, w := range want {
		require.True(t, math.Float64bits(w) == math.Float64bits(found[i]) || w != w && found[i] != found[i], "element %d of %v", i, found)
	}
}

func TestSortingPutsNaNLastAndIsStable(t *testing.T) {
	x := nd.FromSlice([]float64{2, nan, 0, math.Copysign(0, -1), math.Inf(-1), math.Inf(1), 2, nan})
	requireFloats(t, []float64{math.Inf(-1), math.Copysign(0, -1), 0, 2, 2, math.Inf(1), nan, nan}, x.Sort(0))
	requireFloats(t, []float64{nan, nan, math.Inf(1), 2, 2, 0, math.Copysign(0, -1), math.Inf(-1)}, x.SortDescending(-1))
	require.Equal(t, []int64{4, 2, 3, 0, 6, 5, 1, 7}, values[int64](t, x.ArgSort(0)))
	require.Equal(t, []int64{1, 7, 5, 0, 6, 2, 3, 4}, values[int64](t, x.ArgSortDescending(0)))

	largest, at := x.TopK(4, 0)
	requireFloats(t, []float64{nan, nan, math.Inf(1), 2}, largest)
	require.Equal(t, []int64{1, 7, 5, 0}, values[int64](t, at))
	smallest, at := x.BottomK(3, 0)
	requireFloats(t, []float64{math.Inf(-1), 0, math.Copysign(0, -1)}, smallest)
	require.Equal(t, []int64{4, 2, 3}, values[int64](t, at))
}

func TestSortingAlongAnyAxisOfAnyView(t *testing.T) {
	x := nd.FromSlice([]int16{5, 1, 4, 2, 6, 3}, 2, 3)
	require.Equal(t, []int16{1, 4, 5, 2, 3, 6}, values[int16](t, x.Sort(1)))
	require.Equal(t, []int16{2, 1, 3, 5, 6, 4}, values[int16](t, x.Sort(0)))
	require.Equal(t, []int16{1, 2, 4, 3, 5, 6}, values[int16](t, x.T().Index(nd.SpanBy(2, nd.Open, -1)).Sort(0)))
	nd.SortInto(x, x, 1)
	require.Equal(t, []int16{1, 4, 5, 2, 3, 6}, values[int16](t, x))
	require.ErrorIs(t, nd.Try(func() { x.Sort(2) }), fault.ErrAxis)
	require.ErrorIs(t, nd.Try(func() { x.TopK(4, 1) }), fault.ErrParameter)
}

func TestPlacesInSortedLines(t *testing.T) {
	sorted := nd.FromSlice([]float64{1, 2, 2, 3, nan})
	wanted := nd.FromSlice([]float64{0, 2, 2.5, nan, 9, math.Inf(1)}, 2, 3)
	require.Equal(t, []int64{0, 1, 3, 4, 4, 4}, values[int64](t, nd.SearchSorted(sorted, wanted)))
	require.Equal(t, []int64{0, 3, 3, 5, 4, 4}, values[int64](t, nd.SearchSortedRight(sorted, wanted)))
	require.Equal(t, []int64{0, 3, 3, 4, 4, 4}, values[int64](t, wanted.Digitize(sorted.Index(nd.Span(0, 4))).Reshape(-1)))
	for _, edges := range [][]float64{{3, 2, 1}, {1, 3, 2}, {1, nan}} {
		require.ErrorIs(t, wanted.Digitize(nd.FromSlice(edges)).Wait(context.Background()), fault.ErrParameter, "edges %v", edges)
	}

	edges := nd.FromSlice([]float32{0, 1, 2, 4})
	x := nd.FromSlice([]float64{-1, 0, 0.5, 1, 4, 4, 3.9, 4.1, nan, 2, math.Inf(-1)})
	require.Equal(t, []int64{2, 1, 4}, values[int64](t, x.Histogram(edges)))
	require.ErrorIs(t, nd.Try(func() { x.Histogram(nd.FromSlice([]float32{1})) }), fault.ErrShape)
}

func TestDifferentElementsWithTheirCountsAndPlaces(t *testing.T) {
	ctx := context.Background()
	x := nd.FromSlice([]float64{3, nan, math.Copysign(0, -1), 3, 0, nan}, 2, 3)
	d, err := nd.Unique(ctx, x)
	require.NoError(t, err)
	requireFloats(t, []float64{math.Copysign(0, -1), 3, nan, nan}, d.Values)
	require.Equal(t, []int64{2, 0, 1, 5}, values[int64](t, d.Indices))
	require.Equal(t, []int64{2, 2, 1, 1}, values[int64](t, d.Counts))
	require.Equal(t, []int64{1, 2, 0, 1, 0, 3}, values[int64](t, d.Inverse))
	require.Equal(t, []int{2, 3}, d.Inverse.Shape())

	none, err := nd.UniqueValues(ctx, nd.Zeros[bool](0, 3))
	require.NoError(t, err)
	require.Equal(t, []int{0}, none.Shape())
	bools, err := nd.UniqueValues(ctx, nd.FromSlice([]bool{true, false, true}))
	require.NoError(t, err)
	require.Equal(t, []bool{false, true}, values[bool](t, bools))
	_, err = nd.Unique(ctx, x.Take(nd.FromSlice([]int64{7}), 0))
	require.ErrorIs(t, err, fault.ErrIndex)
}

func TestNumbersAreCounted(t *testing.T) {
	ctx := context.Background()
	x := nd.FromSlice([]uint8{1, 3, 1, 0, 1, 5})
	counts, err := nd.Bincount(ctx, x, 0)
	require.NoError(t, err)
	require.Equal(t, []int64{1, 3, 0, 1, 0, 1}, values[int64](t, counts))
	counts, err = nd.Bincount(ctx, x.Reshape(2, 3), 8)
	require.NoError(t, err)
	require.Equal(t, []int64{1, 3, 0, 1, 0, 1, 0, 0}, values[int64](t, counts))
	counts, err = nd.Bincount(ctx, nd.Zeros[int32](0), 2)
	require.NoError(t, err)
	require.Equal(t, []int64{0, 0}, values[int64](t, counts))

	w := nd.FromSlice([]float64{1, 2, 3, 4, 5, 6})
	sums, err := nd.BincountWeighted(ctx, x, w, 0)
	require.NoError(t, err)
	requireFloats(t, []float64{4, 9, 0, 2, 0, 6}, sums)

	_, err = nd.Bincount(ctx, nd.FromSlice([]int64{1, -2}), 0)
	require.ErrorIs(t, err, fault.ErrIndex)
	require.ErrorContains(t, err, "number -2 is negative")
	require.ErrorIs(t, nd.Try(func() { _, _ = nd.Bincount(ctx, nd.Zeros[float32](3), 0) }), fault.ErrDType)
	require.ErrorIs(t, nd.Try(func() { _, _ = nd.BincountWeighted(ctx, x, nd.Zeros[float32](3), 0) }), fault.ErrShape)
}

func TestNumbersWithoutRoomForTheirCountsAreErrors(t *testing.T) {
	ctx := context.Background()
	for text, x := range map[string]*nd.Array{
		"number 18446744073709551615 ": nd.FromSlice([]uint64{3, math.MaxUint64}), "number 9223372036854775808 ": nd.FromSlice([]uint64{1 << 63}),
		"number 9223372036854775807 ": nd.FromSlice([]int64{math.MaxInt64, 0}), "number 2305843009213693952 ": nd.FromSlice([]int64{1 << 61}),
	} {
		_, err := nd.Bincount(ctx, x, 0)
		require.ErrorIs(t, err, fault.ErrOutOfMemory, text)
		require.ErrorContains(t, err, text)
		_, weighted := nd.BincountWeighted(ctx, x, nd.Ones[float32](x.Count()), 0)
		require.ErrorIs(t, weighted, fault.ErrOutOfMemory)
		require.ErrorContains(t, weighted, text)
	}
	require.ErrorIs(t, nd.Try(func() { _, _ = nd.Bincount(ctx, nd.FromSlice([]int8{1}), math.MaxInt) }), fault.ErrParameter)
	counts, err := nd.Bincount(ctx, nd.FromSlice([]uint64{2, 0, 2}), 0)
	require.NoError(t, err)
	require.Equal(t, []int64{1, 0, 2}, values[int64](t, counts))
}

func TestHistogramsOfManyNumbersCountEachOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	numbers := make([]float32, 20_000)
	for i := range numbers {
		numbers[i] = float32(r.IntN(1200)-100) / 1000 // some on edges, and some outside
	}
	x := nd.FromSlice(numbers)
	for _, edges := range [][]float32{values[float32](t, nd.Arange(0, 21, 1).DivScalar(20).Cast(dtype.Float32)), {0, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1}} {
		want := make([]int64, len(edges)-1)
		for _, v := range numbers {
			for bin := range want {
				if v >= edges[bin] && (v < edges[bin+1] || bin == len(want)-1 && v == edges[bin+1]) {
					want[bin]++
				}
			}
		}
		require.Equal(t, want, values[int64](t, x.Histogram(nd.FromSlice(edges))))
	}
}

func TestHistogramsCountBetweenEdges(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	x := nd.FromSlice([]float64{0, 1, 1, 1.5, 2, 3, -1, nan, inf})
	require.Equal(t, []int64{1, 4}, values[int64](t, x.Histogram(nd.FromSlice([]float64{0, 1, 2}))))
	require.Equal(t, []int64{1, 0, 2}, values[int64](t, x.Histogram(nd.FromSlice([]int64{0, 1, 1, 1}))), "edges may be equal")
	require.Equal(t, []int64{1, 7}, values[int64](t, x.Histogram(nd.FromSlice([]float64{-inf, 0, inf}))))
	require.Equal(t, []int64{0}, values[int64](t, nd.Zeros[float32](0).Histogram(nd.FromSlice([]float32{0, 1}))))
	for text, edges := range map[string][]float64{"element 1 is less": {1, 0}, "element 2 is less": {0, 2, 1}, "element 1 of the line is NaN": {0, nan}, "element 0 of the line is NaN": {nan, 1, 2}} {
		for _, a := range []*nd.Array{x, nd.Zeros[float64](0)} {
			err := a.Histogram(nd.FromSlice(edges)).Wait(context.Background())
			require.ErrorIs(t, err, fault.ErrParameter, text)
			require.ErrorContains(t, err, text)
		}
	}
	for _, edges := range []*nd.Array{nd.Ones[float64](1), nd.Ones[float64](0), nd.Ones[float64](), nd.Ones[float64](2, 2)} {
		require.ErrorIs(t, nd.Try(func() { x.Histogram(edges) }), fault.ErrShape)
	}
}

func TestQuantilesAreInterpolated(t *testing.T) {
	x := nd.FromSlice([]float64{4, 1, 3, 2, 7, 5, nan, 6}, 2, 4)
	requireFloats(t, []float64{2.5, nan}, x.Median(1))
	requireFloats(t, []float64{1, nan}, x.Quantile(0, -1))
	requireFloats(t, []float64{1.75, nan}, x.Quantile(0.25, 1))
	requireFloats(t, []float64{5.5, 3, nan, 4}, x.Median(0))
	requireFloats(t, []float64{4}, nd.FromSlice([]int64{9, 4, 1}).Median(0).Reshape(1))
	requireFloats(t, []float64{math.Inf(1)}, nd.FromSlice([]float64{math.Inf(1), math.Inf(1)}).Median(0).Reshape(1))
	require.Equal(t, []float64{2}, values[float64](t, nd.FromSlice([]uint8{1, 3}).Median(0)))
	require.Equal(t, []float32{2}, values[float32](t, nd.FromSlice([]float32{1, 3}).Cast(dtype.Float16).Median(0)))
	require.ErrorIs(t, nd.Try(func() { x.Quantile(1.5, 0) }), fault.ErrParameter)
	require.ErrorIs(t, nd.Try(func() { x.Median(2) }), fault.ErrAxis)
	require.ErrorIs(t, nd.Try(func() { nd.Zeros[float32](0).Median(0) }), fault.ErrParameter)
}

func TestQuantilesLieBetweenTheirNeighbours(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		v, part := draw.NormFloat64(), draw.Float64()
		above := math.Nextafter(v, math.Inf(1))
		require.Equal(t, []float64{v}, values[float64](t, nd.Full(v, 7).Quantile(part, 0)))
		require.Equal(t, []float32{float32(v)}, values[float32](t, nd.Full(float32(v), 7).Quantile(part, 0)))
		require.Contains(t, []float64{v, above}, values[float64](t, nd.FromSlice([]float64{above, v}).Quantile(part, 0))[0])
	}
	most := 1.5e308
	for part, want := range map[float64][]float64{0.25: {math.Inf(-1), math.Inf(1), -most / 2}, 0.75: {math.Inf(-1), math.Inf(1), most / 2}} {
		x := nd.FromNested([][]float64{{math.Inf(-1), 1, -most}, {3, math.Inf(1), most}})
		requireFloats(t, want, x.Quantile(part, 0)) // the difference of both is not finite
	}
}

func TestQuantilesOfSeveralPartsAreThoseOfEach(t *testing.T) {
	qs := []float64{0.5, 0, 1, 0.3, 0.5}
	cube := nd.Arange(0.0, 60, 1).MulScalar(37).RemainderScalar(61).Reshape(3, 4, 5)
	nd.Set(cube, nan, 1, 2, 3)
	for name, x := range map[string]*nd.Array{
		"cube": cube, "view": cube.Transpose(2, 0, 1).Flip(1), "strided": cube.Index("::2, :, ::-2"), "broadcast": cube.Index(0).BroadcastTo(2, 4, 5), "no lines": cube.Index(":, 1:1"),
		"float32": cube.Cast(dtype.Float32), "float16": cube.Cast(dtype.Float16), "integers": cube.Cast(dtype.Int16),
	} {
		for axis := -3; axis < 3; axis++ {
			if x.Shape()[(axis+3)%3] == 0 {
				continue
			}
			each := make([]*nd.Array, len(qs))
			for i, q := range qs {
				each[i] = x.Quantile(q, axis)
			}
			got, want := x.Quantiles(qs, axis), nd.Stack(0, each...)
			require.Equal(t, want.DType(), got.DType(), name)
			require.Equal(t, want.Shape(), got.Shape(), name)
			require.Equal(t, want.String(), got.String(), name)
		}
	}
	none := cube.Cast(dtype.Int8).Quantiles(nil, 1)
	require.Equal(t, []int{0, 3, 5}, none.Shape())
	require.Equal(t, dtype.Float64, none.DType())
	require.ErrorIs(t, nd.Try(func() { cube.Quantiles([]float64{0.5, 50}, 0) }), fault.ErrParameter)
	require.ErrorIs(t, nd.Try(func() { cube.Quantiles([]float64{nan}, 0) }), fault.ErrParameter)
	require.ErrorIs(t, nd.Try(func() { cube.Quantiles(nil, 3) }), fault.ErrAxis)
	require.ErrorIs(t, nd.Try(func() { cube.Cast(dtype.Complex64).Quantiles(nil, 0) }), fault.ErrDType)
}

func TestHistogramEdgesGoFromTheSmallestToTheLargest(t *testing.T) {
	x := nd.FromSlice([]float64{4, 1, 3, 2, 7, 5, 6, 2.5}, 2, 4)
	requireFloats(t, []float64{1, 2.5, 4, 5.5, 7}, x.HistogramEdges(4))
	requireFloats(t, []float64{1, 7}, x.T().HistogramEdges(1))
	require.Equal(t, []int64{2, 2, 2, 2}, values[int64](t, x.Histogram(x.HistogramEdges(4))))
	requireFloats(t, []float64{2.5, 3, 3.5}, nd.Full(int8(3)).HistogramEdges(2))
	requireFloats(t, []float64{0, 127.5, 255}, nd.FromSlice([]uint8{255, 0}).HistogramEdges(2))
	requireFloats(t, []float64{-2, -0.5, 1}, nd.FromSlice([]float32{-2, 1}).HistogramEdges(2))
	requireFloats(t, []float64{0, 0.5, 1}, nd.FromSlice([]bool{true, false}).HistogramEdges(2))
	most := math.MaxFloat64
	wide := nd.FromSlice([]float64{-most, most, 3}) // whose distance is no number
	requireFloats(t, []float64{-most, 0, most}, wide.HistogramEdges(2))
	require.Equal(t, []int64{1, 0, 1, 1}, values[int64](t, wide.Histogram(wide.HistogramEdges(4))))
	for _, v := range []float64{nan, math.Inf(1), math.Inf(-1)} {
		bad := nd.FromSlice([]float64{1, v, 2})
		require.ErrorIs(t, bad.Histogram(bad.HistogramEdges(3)).Wait(context.Background()), fault.ErrParameter, "%v", v)
	}
	require.ErrorIs(t, nd.Try(func() { x.HistogramEdges(0) }), fault.ErrParameter)
	for _, bins := range []int{1 << 42, math.MaxInt} {
		require.ErrorIs(t, nd.Try(func() { x.HistogramEdges(bins) }), fault.ErrOutOfMemory)
	}
	require.ErrorIs(t, nd.Try(func() { nd.Zeros[float32](0, 3).HistogramEdges(3) }), fault.ErrParameter)
	require.ErrorIs(t, nd.Try(func() { nd.Zeros[complex64](3).HistogramEdges(3) }), fault.ErrDType)
}

func TestElementsThatAreNotZeroAreFound(t *testing.T) {
	ctx := context.Background()
	at, err := nd.Nonzero(ctx, nd.FromSlice([]float32{0, 2, float32(math.Copysign(0, -1)), float32(nan), 0, 1}, 2, 3))
	require.NoError(t, err)
	require.Equal(t, []int{2, 3}, at.Shape())
	require.Equal(t, []int64{0, 1, 1, 1, 0, 2}, values[int64](t, at))
	at, err = nd.Nonzero(ctx, nd.Zeros[dtype.F16](4))
	require.NoError(t, err)
	require.Equal(t, []int{1, 0}, at.Shape())
}
