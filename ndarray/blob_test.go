package ndarray_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/sim"
	nd "github.com/weft-nd/weft/ndarray"
)

var blobPlaces = []device.Device{device.CPU(0), device.Sim(0)}

// uniform fills a with numbers from -3 to 3 and returns them.
func uniform[T dtype.Float](a *nd.Array) []T {
	random := rand.New(rand.NewPCG(3, uint64(a.Count())))
	numbers := make([]T, a.Count())
	for i := range numbers {
		numbers[i] = T(random.Float64()*6 - 3)
	}
	nd.CopyInto(a, nd.FromSliceIn(a.Env(), numbers, a.Shape()...))
	return numbers
}

func item[T dtype.Element](t *testing.T, a *nd.Array) T {
	t.Helper()
	v, err := nd.Item[T](a)
	require.NoError(t, err)
	return v
}

// Caffe's tests of the mathematics of Blob, B3: SumOfSquares, Asum and ScaleData.
func TestBlobsComputeWhatCaffeDoes(t *testing.T) {
	t.Run("float32", caffeMath[float32])
	t.Run("float64", caffeMath[float64])
}

func caffeMath[T dtype.Float](t *testing.T) {
	const tolerance = 1e-6
	magnitudes := func(x T) float64 { return math.Abs(float64(x)) }
	squares := func(x T) float64 { return float64(x) * float64(x) }
	sum := func(numbers []T, of func(x T) float64, factor float64) (total float64) {
		for _, v := range numbers {
			total += of(v * T(factor))
		}
		return total
	}
	near := func(want float64, got *nd.Array) {
		t.Helper()
		require.InEpsilon(t, want, float64(item[T](t, got)), tolerance)
	}
	for _, d := range blobPlaces {
		b := nd.NewBlob[T](2, 3, 4, 5).To(d)
		zero := func(sums ...*nd.Array) {
			t.Helper()
			for _, a := range sums {
				require.Zero(t, item[T](t, a))
				require.Empty(t, a.Shape())
				require.Equal(t, d, a.Device())
			}
		}
		zero(b.SumsqData(), b.SumsqDiff(), b.AsumData(), b.AsumDiff())
		data := uniform[T](b.Data())
		near(sum(data, squares, 1), b.SumsqData())
		near(sum(data, magnitudes, 1), b.AsumData())
		zero(b.SumsqDiff(), b.AsumDiff())

		nd.CopyInto(b.Diff(), b.Data().MulScalar(7))
		near(sum(data, squares, 7), b.SumsqDiff())
		near(sum(data, magnitudes, 7), b.AsumDiff())

		require.True(t, item[bool](t, b.ScaleData(3)))
		near(3*sum(data, magnitudes, 1), b.AsumData())
		near(9*sum(data, squares, 1), b.SumsqData())
		near(7*sum(data, magnitudes, 1), b.AsumDiff())
		require.True(t, item[bool](t, b.ScaleDiff(1.0/7)))
		near(sum(data, magnitudes, 1), b.AsumDiff())

		before, diff := values[T](t, b.Data()), values[T](t, b.Diff())
		require.True(t, item[bool](t, b.Update()))
		for i, v := range values[T](t, b.Data()) {
			require.Equal(t, before[i]-diff[i], v)
		}
		require.Equal(t, diff, values[T](t, b.Diff()))
	}
}

func TestUnwrittenBlobsComputeWithoutMemory(t *testing.T) {
	before := sim.Default().Stats(0)
	b := nd.NewBlob[float32](500, 1000).To(device.Sim(0))
	for _, sum := range []*nd.Array{b.AsumData(), b.AsumDiff(), b.SumsqData(), b.SumsqDiff()} {
		require.Zero(t, item[float32](t, sum))
	}
	require.True(t, item[bool](t, b.ScaleData(math.NaN())))
	require.True(t, item[bool](t, b.ScaleDiff(2)))
	after := sim.Default().Stats(0)
	require.Equal(t, before.Fills, after.Fills)
	require.Less(t, after.InUse-before.InUse, 100_000)
	require.True(t, item[bool](t, b.Update()))
	require.Zero(t, item[float32](t, b.AsumData()))
}

func TestBlobsOfIntegersAreUpdated(t *testing.T) {
	for _, d := range blobPlaces {
		b := nd.NewBlob[int32](3).To(d)
		nd.CopyInto(b.Data(), nd.FromSliceIn(b.Env(), []int32{10, -20, 1 << 30}))
		nd.CopyInto(b.Diff(), nd.FromSliceIn(b.Env(), []int32{1, 2, 0}))
		require.True(t, item[bool](t, b.ScaleDiff(-3)))
		require.True(t, item[bool](t, b.Update()))
		require.True(t, item[bool](t, b.ScaleData(-1)))
		require.Equal(t, []int32{-13, 14, -1 << 30}, values[int32](t, b.Data()))
		require.EqualValues(t, 1<<30+27, item[int64](t, b.AsumData()))
		require.EqualValues(t, 9+36, item[int64](t, b.SumsqDiff()))
		require.ErrorIs(t, mistake(t, func() { b.ScaleData(0.5) }), fault.ErrParameter)
	}
	halves := nd.NewBlob[dtype.F16](3)
	for _, f := range []func() *nd.Array{nd.NewBlob[complex64](3).AsumData, nd.NewBlob[complex64](3).SumsqDiff, halves.Update, func() *nd.Array { return halves.ScaleData(2) }} {
		require.ErrorIs(t, mistake(t, func() { f() }), fault.ErrDType)
	}
}

// A step whose diff is in error leaves the data, and can be repeated.
func TestAnUpdateByADiffInErrorIsSkipped(t *testing.T) {
	b := nd.NewBlob[float32](3)
	nd.CopyInto(b.Data(), nd.FromSlice([]float32{1, 2, 3}))
	nd.CopyInto(b.Diff(), floats(3).Take(nd.FromSlice([]int64{0, 1, 9}), 0))
	require.ErrorIs(t, b.Update().Wait(t.Context()), fault.ErrIndex)
	require.ErrorIs(t, b.AsumDiff().Wait(t.Context()), fault.ErrIndex)
	require.Equal(t, []float32{1, 2, 3}, values[float32](t, b.Data()))
	nd.CopyInto(b.Diff(), floats(3))
	require.True(t, item[bool](t, b.Update()))
	require.Equal(t, []float32{1, 1, 1}, values[float32](t, b.Data()))
}

func TestBlobsKeepTheirContentsUntilTheyGrow(t *testing.T) {
	for _, d := range blobPlaces {
		b := nd.NewBlob[float32](2, 3).To(d)
		nd.CopyInto(b.Data(), floats(2, 3).To(d))
		old := b.Data()
		b.Reshape(2, 2)
		require.Equal(t, []float32{0, 1, 2, 3}, values[float32](t, b.Data()))
		require.EqualValues(t, 6, item[float32](t, b.AsumData()), "of the elements that it has")
		require.True(t, item[bool](t, b.ScaleData(-1)))
		b.Reshape(6)
		require.Equal(t, []float32{0, -1, -2, -3, 4, 5}, values[float32](t, b.Data()))
		b.Reshape(7)
		require.Equal(t, make([]float32, 7), values[float32](t, b.Data()))
		require.Equal(t, []float32{0, -1, -2, -3, 4, 5}, values[float32](t, old))
		require.Equal(t, []int{2, 3}, old.Shape())

		other := nd.NewBlob[float32]()
		other.ReshapeLike(b)
		other.ShareData(b)
		other.ShareDiff(b)
		nd.CopyInto(other.Data(), floats(7))
		nd.CopyInto(b.Diff(), floats(7).To(d))
		require.Equal(t, values[float32](t, floats(7)), values[float32](t, b.Data()))
		require.Equal(t, values[float32](t, floats(7)), values[float32](t, other.Diff()))
	}
}

func TestACopyCuresABlobWhoseMemoryIsLarger(t *testing.T) {
	source, bad := nd.NewBlob[float32](4), errors.New("bad")
	nd.CopyInto(source.Data(), floats(4))
	b := nd.NewBlob[float32](8)
	b.Reshape(4)
	require.ErrorIs(t, nd.Write(t.Context(), b.Data(), func([]float32) error { return bad }), bad)
	require.ErrorIs(t, b.Data().Wait(t.Context()), bad)
	b.CopyFrom(source, false, false)
	require.Equal(t, []float32{0, 1, 2, 3}, values[float32](t, b.Data()))
}

func TestBlobsAreCopiedOnTheirDevice(t *testing.T) {
	source := nd.NewBlob[float64](2, 3)
	nd.CopyInto(source.Data(), floats(2, 3).Cast(dtype.Float64))
	for _, d := range blobPlaces {
		b := nd.NewBlob[float64](3, 2).To(d)
		require.ErrorIs(t, mistake(t, func() { b.CopyFrom(source, false, false) }), fault.ErrShape)
		require.Equal(t, []int{3, 2}, b.Shape())
		b.CopyFrom(source, false, true)
		b.CopyFrom(source, true, false)
		require.Equal(t, []int{2, 3}, b.Shape())
		require.Equal(t, []float64{0, 1, 2, 3, 4, 5}, values[float64](t, b.Data()))
		require.Equal(t, make([]float64, 6), values[float64](t, b.Diff()))
	}
	for _, f := range []func(){
		func() { source.CopyFrom(nil, false, false) }, func() { source.ShareData(nil) }, func() { source.ShareDiff(nil) }, func() { source.ReshapeLike(nil) },
	} {
		require.ErrorIs(t, mistake(t, f), fault.ErrMisuse)
	}
}

func TestElementsOfBlobsAreFoundByIndices(t *testing.T) {
	require.Equal(t, dtype.Int16, nd.NewBlob[int16](2).DType())
	for _, d := range blobPlaces {
		b := nd.NewBlob[float32](2, 3, 4).To(d)
		require.Equal(t, dtype.Float32, b.DType())
		nd.CopyInto(b.Data(), floats(2, 3, 4).To(d))
		for i, index := range [][]int{{}, {0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {0, 1}} {
			v, err := nd.DataAt[float32](b, index...)
			require.NoError(t, err)
			require.EqualValues(t, i, v)
		}
		v, err := nd.DataAt[float32](b, 1, 2, 3)
		require.NoError(t, err)
		require.EqualValues(t, 23, v)
		v, err = nd.DiffAt[float32](b, 1, 2, 3)
		require.NoError(t, err)
		require.Zero(t, v)
		require.ErrorIs(t, mistake(t, func() { nd.DataAt[float32](b, 0, 3) }), fault.ErrIndex)
		require.ErrorIs(t, mistake(t, func() { nd.DiffAt[float64](b) }), fault.ErrDType)
	}
}

func TestABlobSeesMemoryOfTheCaller(t *testing.T) {
	elements := []float32{1, 2, 3, 4, 5, 6}
	b := nd.NewBlob[float32](2, 3)
	nd.AdoptData(b, elements)
	near := b.To(device.Sim(0))
	require.EqualValues(t, 21, item[float32](t, near.AsumData()))
	nd.AdoptDiff(near, []float32{1, 1, 1, 1, 1, 1})
	require.True(t, item[bool](t, near.Update()))
	require.NoError(t, nd.Read(t.Context(), b.Data(), func(seen []float32) error {
		require.Same(t, &elements[0], &seen[0])
		return nil
	}))
	require.Equal(t, []float32{0, 1, 2, 3, 4, 5}, elements)

	freed, given := make(chan struct{}), []float32{6, 5, 4, 3, 2, 1}
	near.SetData(device.CPU(0), device.Pointer{Host: unsafe.Pointer(&given[0])}, func() { close(freed) })
	require.EqualValues(t, 21, item[float32](t, near.AsumData()))
	nd.AdoptData(b, elements)
	<-freed
	require.EqualValues(t, 15, item[float32](t, near.AsumData()))

	require.ErrorContains(t, mistake(t, func() { nd.AdoptData(b, elements[:5]) }), "5 elements, but the blob has 6")
	require.ErrorIs(t, mistake(t, func() { nd.AdoptData(b, elements[:5]) }), fault.ErrShape)
	require.ErrorIs(t, mistake(t, func() { nd.AdoptDiff(nil, elements) }), fault.ErrMisuse)
	require.ErrorIs(t, mistake(t, func() { nd.AdoptDiff(b, []float64{1, 2, 3, 4, 5, 6}) }), fault.ErrDType)
	require.ErrorIs(t, mistake(t, func() { b.SetDiff(device.CPU(0), device.Pointer{}, nil) }), fault.ErrMisuse)
}

func TestMistakesOfBlobsNameTheLine(t *testing.T) {
	b := nd.NewBlob[float32](2, 3)
	for _, f := range []func(){
		func() { nd.NewBlob[float32](-1) }, func() { nd.NewBlobIn(nil, dtype.Float32) }, func() { nd.NewBlobIn(nd.DefaultEnv(), dtype.Invalid, 2) },
		func() { b.Reshape(2, -3) }, func() { b.LegacyShape(4) }, func() { b.Offset(2) }, func() { b.LegacyOffset(2, 0, 0, 0) },
		func() { b.CanonicalAxis(2) }, func() { b.CountBetween(1, 3) }, func() { b.ShareData(nd.NewBlob[float32](5)) },
	} {
		require.Contains(t, mistake(t, f).Error(), "blob_test.go:")
		require.True(t, b.ShapeEquals(2, 3))
	}
	require.Equal(t, "2 3 (6)", b.ShapeString())
	require.Equal(t, 6, b.CountBetween(0, b.Axes()))
	require.True(t, b.LegacyShapeEquals(1, 1, 2, 3))
	require.Equal(t, []int{2, 3, 1, 1}, []int{b.Number(), b.Channels(), b.Height(), b.Width()})
	require.Equal(t, 1, b.CanonicalAxis(-1))
	require.Equal(t, 5, b.LegacyOffset(1, 2, 0, 0))
}
