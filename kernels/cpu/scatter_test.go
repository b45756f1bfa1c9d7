package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/kernels/cpu/internal/levelstest"
	"github.com/weft-nd/weft/parallel"
)

// asType returns the integers of v, which the type d has, as elements of that type.
func asType(v device.View, d dtype.DType) device.View {
	converted := newView(randomAt(1), d, v.Shape, scattered)
	each(v.Shape, func(_ int, index []int) {
		bytes := (device.Pointer{Host: address(v, index)}).Bytes(8)
		copy((device.Pointer{Host: address(converted, index)}).Bytes(d.Size()), bytes) // the low bytes, on every processor weft runs on
	})
	return converted
}

func TestIndicesOfEveryIntegerTypeSelectTheSame(t *testing.T) {
	x := newFilled(random(), []int{9, 5}, rowMajor, finite[float32])
	indices := newFilled(random(), []int{3, 4}, rowMajor, func(r *rand.Rand) int64 { return int64(r.IntN(9)) })
	var want []float32
	for _, d := range dtype.All() {
		if !d.IsInteger() {
			continue
		}
		dst := newView(random(), dtype.Float32, []int{3, 4, 5}, rowMajor)
		run(t, "take/float32", &device.Arguments{Outputs: views(dst), Inputs: views(x, asType(indices, d)), Integers: []int64{0, modeRaise}})
		if want == nil {
			want = elements[float32](dst)
		}
		requireEqual(t, want, elements[float32](dst), d)
	}
}

func TestIndicesFarOutOfRangeFollowTheMode(t *testing.T) {
	x := fromSlice([]float64{10, 11, 12}, 3)
	take := func(indices device.View, mode int64) ([]float64, error) {
		dst := newView(random(), dtype.Float64, indices.Shape, rowMajor)
		err := call(t, parallel.Serial(), "take/float64", &device.Arguments{Outputs: views(dst), Inputs: views(x, indices), Integers: []int64{0, mode}})
		return elements[float64](dst), err
	}
	huge, least := fromSlice([]uint64{math.MaxUint64, 1 << 63}, 2), fromSlice([]int64{math.MinInt64, math.MaxInt64}, 2)
	for _, c := range []struct {
		indices device.View
		mode    int64
		want    []float64
	}{
		{huge, modeWrap, []float64{10, 12}}, {huge, modeClip, []float64{12, 12}}, {least, modeWrap, []float64{11, 11}}, {least, modeClip, []float64{10, 12}},
		{fromSlice([]int8{-128, 127}, 2), modeWrap, []float64{11, 11}}, {fromSlice([]int8{-3, 2}, 2), modeRaise, []float64{10, 12}},
	} {
		got, err := take(c.indices, c.mode)
		require.NoError(t, err)
		require.Equal(t, c.want, got, "%v in mode %d", c.indices.DType, c.mode)
	}
	for indices, text := range map[*device.View]string{&huge: "index 18446744073709551615 is", &least: "index -9223372036854775808 is"} {
		_, err := take(*indices, modeRaise)
		require.ErrorContains(t, err, text)
		require.ErrorIs(t, err, fault.ErrIndex)
	}
}

// The error names the first index out of range, wherever the work is cut.
func TestTheFirstOfManyIndicesOutOfRangeIsNamed(t *testing.T) {
	indices := newFilled(random(), []int{300_000}, rowMajor, func(*rand.Rand) int64 { return 1 })
	all := slice[int64](indices.Pointer.Host, 300_000)
	for i := 123_456; i < len(all); i += 7 {
		all[i] = int64(i)
	}
	x, dst := fromSlice([]float32{1, 2}, 2), newView(random(), dtype.Float32, []int{300_000}, rowMajor)
	for _, workers := range []int{1, 2, 8} {
		err := call(t, pools[workers].Thread(), "take/float32", &device.Arguments{Outputs: views(dst), Inputs: views(x, indices), Integers: []int64{0, modeRaise}})
		require.EqualError(t, err, "index 123456 is out of range for axis 0 with 2 elements")
	}
}

func TestRowsOfEveryLengthAreAddedAlikeAtAllLevels(t *testing.T) {
	r := random()
	for count := range 301 {
		singles := newFilled(r, []int{count + 1}, rowMajor, ordinary[float32])
		doubles := newFilled(r, []int{count + 1}, rowMajor, ordinary[float64])
		levelstest.RequireEqual(t, count, func(x []float32) {
			for i := range x {
				x[i] = float32(i) / 3
			}
			additions[dtype.Float32].row(unsafe.Pointer(unsafe.SliceData(x)), 4, singles.Pointer.Host, 4, count)
		})
		levelstest.RequireEqual(t, count, func(x []float64) {
			for i := range x {
				x[i] = float64(i) / 3
			}
			additions[dtype.Float64].row(unsafe.Pointer(unsafe.SliceData(x)), 8, doubles.Pointer.Host, 8, count)
		})
	}
}

func TestRowsOfEveryLengthAreTakenAtAllLevels(t *testing.T) {
	r := random()
	for length := 1; length <= 300; length += 1 + length/70 {
		x := numbered(dtype.Uint8, []int{20, length}, rowMajor)
		indices := newFilled(r, []int{1 + r.IntN(12)}, rowMajor, func(r *rand.Rand) int64 { return int64(r.IntN(20)) })
		features.Each(func(level features.Level) {
			dst := newView(r, dtype.Uint8, []int{indices.Shape[0], length}, layout(r.IntN(2)))
			run(t, "take/uint8", &device.Arguments{Outputs: views(dst), Inputs: views(x, indices), Integers: []int64{0, modeRaise}})
			for i, index := range elements[int64](indices) {
				requireSameElements(t, span(x, 0, int(index), int(index)+1), span(dst, 0, i, i+1), level, length)
			}
		})
	}
}

// A gradient of an embedding is so large that it goes past the caches; it must equal sums in the order of the indices.
func TestLargeSumsOfRowsEqualSumsInOrderAtAllLevels(t *testing.T) {
	const rows, columns, count = 16_500, 256, 2000
	indices := newFilled(random(), []int{count}, rowMajor, func(r *rand.Rand) int64 { return int64(r.IntN(1+r.IntN(rows))) % rows })
	updates := newFilled(random(), []int{count, columns}, rowMajor, finite[float32])
	want := make([]float32, rows*columns)
	for i, index := range elements[int64](indices) {
		for column, v := range slice[float32](updates.Pointer.Add(i*columns*4).Host, columns) {
			want[int(index)*columns+column] += v
		}
	}
	memory := aligned(rows*columns*4, 0)
	features.Each(func(level features.Level) {
		for _, workers := range []int{1, 8} {
			for i := range memory {
				memory[i] = 0xFF
			}
			dst := device.View{Pointer: device.Pointer{Host: unsafe.Pointer(&memory[0])}, DType: dtype.Float32, Shape: []int{rows, columns}, Strides: []int{columns, 1}}
			require.NoError(t, call(t, pools[workers].Thread(), "scatter_add/float32", &device.Arguments{
				Outputs: views(dst), Inputs: views(updates, indices), Integers: []int64{0, modeRaise},
			}))
			for i, v := range slice[float32](dst.Pointer.Host, rows*columns) {
				if v != want[i] {
					require.Failf(t, "sums differ", "%v, %d workers, element %d: %v, want %v", level, workers, i, v, want[i])
				}
			}
		}
	})
}

func TestScatteringDoesNotDependOnWorkers(t *testing.T) {
	r := random()
	below := func(n int) func(r *rand.Rand) int64 { return func(r *rand.Rand) int64 { return int64(r.IntN(n)) } }
	for reduction := range int64(5) {
		for _, c := range []struct {
			operator string
			shape    []int
			indices  []int
			values   []int
			integers []int64
			limit    int
		}{
			{"scatter_nd", []int{40, 100}, []int{2000, 1}, []int{2000, 100}, []int64{0, reduction}, 40},
			{"scatter_nd", []int{3000, 10}, []int{6000, 1}, []int{6000, 10}, []int64{0, reduction}, 3000},
			{"scatter_nd", []int{30_000}, []int{40_000, 1}, []int{40_000}, []int64{0, reduction}, 30_000},
			{"scatter_nd", []int{3, 60, 60}, []int{3, 10_000, 2}, []int{3, 10_000}, []int64{1, reduction}, 60},
			{"put_along_axis", []int{50, 200}, []int{300, 200}, []int{300, 200}, []int64{0, modeRaise, reduction}, 50},
			{"put_along_axis", []int{5, 2500}, []int{30, 2500}, []int{30, 2500}, []int64{0, modeRaise, reduction}, 5},
			{"put_along_axis", []int{200, 50}, []int{200, 300}, []int{200, 300}, []int64{1, modeRaise, reduction}, 50},
		} {
			x := newFilled(r, c.shape, rowMajor, finite[float32])
			indices, values := newFilled(r, c.indices, rowMajor, below(c.limit)), newFilled(r, c.values, rowMajor, finite[float32])
			sameBits[float32](t, func(thread *parallel.Thread) device.View {
				dst := newView(random(), dtype.Float32, c.shape, rowMajor)
				require.NoError(t, call(t, thread, c.operator+"/float32", &device.Arguments{
					Outputs: views(dst), Inputs: views(x, indices, values), Integers: c.integers,
				}))
				return dst
			})
		}
	}
}

func TestScatteringInPlaceEqualsScatteringToACopy(t *testing.T) {
	indices := fromSlice([]int64{2, 0, 2}, 3, 1)
	values := fromSlice([]float32{1, 2, 4}, 3)
	for reduction, want := range [][]float32{{2, 20, 4}, {12, 20, 35}, {20, 20, 120}, {10, 20, 30}, {2, 20, 1}} {
		x, dst := fromSlice([]float32{10, 20, 30}, 3), newView(random(), dtype.Float32, []int{3}, scattered)
		for _, to := range []device.View{dst, x} {
			run(t, "scatter_nd/float32", &device.Arguments{Outputs: views(to), Inputs: views(x, indices, values), Integers: []int64{0, int64(reduction)}})
			require.Equal(t, want, elements[float32](to), fmt.Sprint(reduction))
		}
	}
}

func TestLargeMemoryIsClearedToItsEnds(t *testing.T) {
	for _, shift := range []int{0, 1, 63} {
		memory := aligned(streamed+1000, shift)
		for i := range memory {
			memory[i] = 1
		}
		clearMemory(pools[2].Thread(), memory[3:len(memory)-5])
		for i, b := range memory {
			if inside := i >= 3 && i < len(memory)-5; inside != (b == 0) {
				require.Failf(t, "wrong byte", "%d is %d", i, b)
			}
		}
	}
}
