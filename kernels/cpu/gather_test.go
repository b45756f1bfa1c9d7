package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

var selections = []struct {
	shape   []int
	axis    int
	indices []int
}{
	{[]int{5}, 0, []int{}}, {[]int{5}, 0, []int{7}}, {[]int{5, 3}, 0, []int{4}}, {[]int{5, 3}, 1, []int{2, 6}}, {[]int{2, 5, 130}, 1, []int{3, 2}},
	{[]int{2, 5, 3, 4}, 2, []int{9}}, {[]int{4, 0}, 0, []int{3}}, {[]int{0, 4}, 1, []int{3}}, {[]int{4, 3}, 0, []int{0}}, {[]int{0, 3}, 0, []int{0}},
}

func takenShape(shape []int, axis int, indices []int) []int {
	result := append([]int{}, shape[:axis]...)
	return append(append(result, indices...), shape[axis+1:]...)
}

// indexed makes indices that are legal in a mode, many of them out of range if that is.
func indexed(r *rand.Rand, shape []int, how layout, length int, mode int64) device.View {
	reach := length
	if mode != modeRaise {
		reach = 3 * length
	}
	return newFilled(r, shape, how, func(r *rand.Rand) int64 { return int64(r.IntN(2*reach) - reach) })
}

// takenFrom returns the index into the array for an index into what was taken.
func takenFrom(index []int, axis int, indices device.View, length int, mode int64) []int {
	behind := axis + len(indices.Shape)
	i := int(*(*int64)(address(indices, index[axis:behind])))
	if mode == modeClip {
		i = max(0, min(i, length-1))
	}
	for ; i < 0; i += length {
	}
	for ; i >= length; i -= length {
	}
	return append(append(append([]int{}, index[:axis]...), i), index[behind:]...)
}

func checkTake[T interface {
	dtype.Element
	comparable
}](t *testing.T, make func(*rand.Rand) T) {
	r := random()
	for _, c := range selections {
		for _, out := range outputLayouts {
			for _, in := range inputLayouts {
				for mode := int64(modeRaise); mode <= modeClip; mode++ {
					x := newFilled(r, c.shape, in, make)
					indices := indexed(r, c.indices, in, c.shape[c.axis], mode)
					dst := newView(r, dtype.Of[T](), takenShape(c.shape, c.axis, c.indices), out)
					run(t, name[T]("take"), &device.Arguments{Outputs: views(dst), Inputs: views(x, indices), Integers: []int64{int64(c.axis), mode}})
					each(dst.Shape, func(_ int, index []int) {
						want := *(*T)(address(x, takenFrom(index, c.axis, indices, c.shape[c.axis], mode)))
						require.Equal(t, want, *(*T)(address(dst, index)), "%v at %v in mode %d", c, index, mode)
					})
				}
			}
		}
	}
}

func TestTakeSelects(t *testing.T) {
	checkTake(t, finite[float32])
	checkTake(t, finite[float64])
	checkTake(t, finite[int64])
	checkTake(t, coin)
}

func checkScatterAdd[T dtype.Real](t *testing.T) {
	r := random()
	for _, c := range selections {
		for _, out := range outputLayouts {
			for _, in := range inputLayouts {
				for mode := int64(modeRaise); mode <= modeClip; mode++ {
					dst := newFilled(r, c.shape, out, finite[T])
					indices := indexed(r, c.indices, in, c.shape[c.axis], mode)
					updates := newFilled(r, takenShape(c.shape, c.axis, c.indices), in, finite[T])
					want := newView(r, dtype.Of[T](), c.shape, rowMajor)
					each(updates.Shape, func(_ int, index []int) {
						*(*T)(address(want, takenFrom(index, c.axis, indices, c.shape[c.axis], mode))) += *(*T)(address(updates, index))
					})
					run(t, name[T]("scatter_add"), &device.Arguments{
						Outputs: views(dst), Inputs: views(updates, indices), Integers: []int64{int64(c.axis), mode},
					})
					requireEqual(t, elements[T](want), elements[T](dst), c, mode)
				}
			}
		}
	}
}

func TestScatterAddAddsInOrder(t *testing.T) {
	checkScatterAdd[float32](t)
	checkScatterAdd[float64](t)
	checkScatterAdd[int64](t)
}

func TestScatterAddDoesNotDependOnWorkers(t *testing.T) {
	indices := newFilled(random(), []int{3000}, rowMajor, func(r *rand.Rand) int64 { return int64(r.IntN(50)) })
	updates := newFilled(random(), []int{3000, 400}, rowMajor, finite[float32])
	sameBits[float32](t, func(thread *parallel.Thread) device.View {
		dst := newView(random(), dtype.Float32, []int{50, 400}, rowMajor)
		require.NoError(t, call(t, thread, "scatter_add/float32", &device.Arguments{
			Outputs: views(dst), Inputs: views(updates, indices), Integers: []int64{0, modeRaise},
		}))
		return dst
	})
}

func TestIndicesOutOfRangeAreErrorsAndWriteNothing(t *testing.T) {
	matrix, row := newFilled(random(), []int{3, 2}, rowMajor, finite[float64]), fromSlice([]float64{8, 8}, 1, 2)
	vector, nothing := fromSlice([]float64{8}, 1), fromSlice([]float64{}, 0, 2)
	index := func(i int64) device.View { return fromSlice([]int64{i}, 1) }
	for _, c := range []struct {
		kernel string
		a      device.Arguments
		text   string
	}{
		{
			"take/float64", device.Arguments{Outputs: views(row), Inputs: views(matrix, index(9)), Integers: []int64{0, modeRaise}},
			"index 9 is out of range for axis 0 with 3 elements",
		},
		{
			"take/float64", device.Arguments{Outputs: views(row), Inputs: views(matrix, index(-4)), Integers: []int64{0, modeRaise}},
			"index -4 is out of range for axis 0 with 3 elements",
		},
		{
			"scatter_add/float64", device.Arguments{Outputs: views(matrix), Inputs: views(row, index(3)), Integers: []int64{0, modeRaise}},
			"index 3 is out of range for axis 0 with 3 elements",
		},
		{
			"take/float64", device.Arguments{Outputs: views(row), Inputs: views(nothing, index(5)), Integers: []int64{0, modeWrap}},
			"index 5 is out of range for axis 0 with 0 elements",
		},
		{
			"take/float64", device.Arguments{Outputs: views(row), Inputs: views(nothing, index(-5)), Integers: []int64{0, modeClip}},
			"index -5 is out of range for axis 0 with 0 elements",
		},
		{
			"one_hot/float64", device.Arguments{Outputs: views(row), Inputs: views(index(2))},
			"index 2 is out of range for depth 2",
		},
		{
			"softmax_cross_entropy/float64", device.Arguments{Outputs: views(vector), Inputs: views(fromSlice(make([]float64, 10), 1, 10), index(12))},
			"label 12 is out of range for 10 classes",
		},
	} {
		before := elements[float64](c.a.Outputs[0])
		err := call(t, parallel.Serial(), c.kernel, &c.a)
		require.EqualError(t, err, c.text)
		require.ErrorIs(t, err, fault.ErrIndex)
		require.Equal(t, before, elements[float64](c.a.Outputs[0]))
	}
}

func checkOneHot[T dtype.Real](t *testing.T) {
	r := random()
	for _, shape := range [][]int{{}, {0}, {7}, {3, 4}} {
		for _, depth := range []int{1, 5} {
			for _, how := range outputLayouts {
				indices := newFilled(r, shape, how, func(r *rand.Rand) int64 { return int64(r.IntN(depth)) })
				dst := newFilled(r, append(append([]int{}, shape...), depth), how, finite[T])
				run(t, name[T]("one_hot"), &device.Arguments{Outputs: views(dst), Inputs: views(indices)})
				each(dst.Shape, func(_ int, index []int) {
					want := T(0)
					if *(*int64)(address(indices, index[:len(shape)])) == int64(index[len(shape)]) {
						want = 1
					}
					require.Equal(t, want, *(*T)(address(dst, index)))
				})
			}
		}
	}
}

func TestOneHotHasOneOnePerIndex(t *testing.T) {
	checkOneHot[float32](t)
	checkOneHot[float64](t)
	checkOneHot[int64](t)
}
