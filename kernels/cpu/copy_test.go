package cpu

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// numbered returns a view whose elements tell where they are.
func numbered(d dtype.DType, shape []int, how layout) device.View {
	v := newView(random(), d, shape, how)
	each(shape, func(number int, index []int) {
		bytes := device.Pointer{Host: address(v, index)}.Bytes(d.Size())
		for i := range bytes {
			bytes[i] = byte((number + 1) >> (8 * i) * (i + 1))
		}
	})
	return v
}

func requireSameElements(t *testing.T, want, got device.View, about ...any) {
	t.Helper()
	size := want.DType.Size()
	each(want.Shape, func(_ int, index []int) {
		w := device.Pointer{Host: address(want, index)}.Bytes(size)
		g := device.Pointer{Host: address(got, index)}.Bytes(size)
		if string(w) != string(g) {
			require.Equal(t, w, g, "%v at %v", about, index)
		}
	})
}

func TestCopyMovesEveryElement(t *testing.T) {
	r := random()
	for _, d := range dtype.All() {
		for _, shape := range shapes {
			for _, out := range outputLayouts {
				for _, in := range inputLayouts {
					x := numbered(d, shape, in)
					dst := newView(r, d, shape, out)
					run(t, device.KernelName("copy", d), &device.Arguments{Outputs: views(dst), Inputs: views(x)})
					requireSameElements(t, x, dst, d, shape, out, in)
				}
			}
		}
	}
}

func transposedView(v device.View, axes ...int) device.View {
	shape, strides := make([]int, len(axes)), make([]int, len(axes))
	for i, axis := range axes {
		shape[i], strides[i] = v.Shape[axis], v.Strides[axis]
	}
	v.Shape, v.Strides = shape, strides
	return v
}

func TestCopyTransposes(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Bool, dtype.Float16, dtype.Float32, dtype.Float64, dtype.Complex128} {
		for _, shape := range [][]int{{8, 8, 1}, {33, 70, 1}, {64, 64, 3}, {100, 31, 9}} {
			for _, axes := range [][]int{{1, 0, 2}, {2, 1, 0}, {0, 2, 1}, {1, 2, 0}} {
				x := transposedView(numbered(d, shape, rowMajor), axes...)
				dst := newView(random(), d, x.Shape, rowMajor)
				run(t, device.KernelName("copy", d), &device.Arguments{Outputs: views(dst), Inputs: views(x)})
				requireSameElements(t, x, dst, d, shape, axes)
			}
		}
	}
}

// span returns the elements from lo to hi along an axis.
func span(v device.View, axis, lo, hi int) device.View {
	v.Pointer = v.Pointer.Add(lo * v.Strides[axis] * v.DType.Size())
	v.Shape = append([]int{}, v.Shape...)
	v.Shape[axis] = hi - lo
	return v
}

func TestConcatFillsItsParts(t *testing.T) {
	for _, d := range dtype.All() {
		dst := newView(random(), d, []int{4, 9, 3}, scattered)
		a := &device.Arguments{}
		for _, cut := range [][2]int{{0, 4}, {4, 4}, {4, 9}} {
			a.Outputs = append(a.Outputs, span(dst, 1, cut[0], cut[1]))
			a.Inputs = append(a.Inputs, numbered(d, []int{4, cut[1] - cut[0], 3}, scattered))
		}
		run(t, device.KernelName("concat", d), a)
		for i, output := range a.Outputs {
			requireSameElements(t, a.Inputs[i], output, d, i)
		}
	}
}

func TestEmbedIsZeroOutsideThePart(t *testing.T) {
	for _, d := range dtype.All() {
		for _, how := range outputLayouts {
			full := numbered(d, []int{5, 70, 6}, how)
			target := span(span(full, 1, 3, 60), 0, 1, 4)
			x := numbered(d, target.Shape, scattered)
			run(t, device.KernelName("embed", d), &device.Arguments{Outputs: views(full, target), Inputs: views(x)})
			requireSameElements(t, x, target, d)
			each(full.Shape, func(_ int, index []int) {
				if index[0] >= 1 && index[0] < 4 && index[1] >= 3 && index[1] < 60 {
					return
				}
				for _, b := range (device.Pointer{Host: address(full, index)}).Bytes(d.Size()) {
					require.Zero(t, b)
				}
			})
		}
	}
}

func checkFill[T interface {
	dtype.Element
	comparable
}](t *testing.T, a device.Arguments, want T) {
	for _, shape := range shapes {
		for _, how := range outputLayouts {
			dst := newView(random(), dtype.Of[T](), shape, how)
			a.Outputs = views(dst)
			run(t, name[T]("fill"), &a)
			for _, v := range elements[T](dst) {
				require.Equal(t, want, v)
			}
		}
	}
}

func TestFillSetsEveryElement(t *testing.T) {
	float := device.Arguments{Scalars: []float64{-2.5}}
	integer := device.Arguments{Integers: []int64{-3}}
	checkFill(t, integer, true)
	checkFill(t, device.Arguments{Integers: []int64{0}}, false)
	checkFill(t, integer, uint8(253))
	checkFill(t, integer, int32(-3))
	checkFill(t, device.Arguments{Integers: []int64{-1 << 62}}, int64(-1<<62))
	checkFill(t, float, float32(-2.5))
	checkFill(t, float, -2.5)
	checkFill(t, float, dtype.ToF16(-2.5))
	checkFill(t, float, dtype.ToBF16(-2.5))
}

// TestLongCopiesAreWhole copies so many bytes that the loop of elements does it, to and from places of any alignment.
func TestLongCopiesAreWhole(t *testing.T) {
	const guard = 64
	for _, shift := range []int{0, 1, 63} {
		count := longLine + 4096 + shift
		from, to := make([]byte, count+2*guard), make([]byte, count+2*guard)
		for i := range from {
			from[i] = byte(i*7 + i>>8)
		}
		view := func(memory []byte, at int) device.View {
			return device.View{Pointer: device.Pointer{Host: unsafe.Pointer(&memory[at])}, DType: dtype.Uint8, Shape: []int{count}, Strides: []int{1}}
		}
		copyView(pools[2].Thread(), view(to, guard-shift), view(from, shift))
		require.True(t, bytes.Equal(from[shift:][:count], to[guard-shift:][:count]), "shift %d", shift)
		require.Equal(t, make([]byte, guard-shift), to[:guard-shift])
		require.Equal(t, make([]byte, guard+shift), to[guard-shift+count:])
	}
}

// Rows of all lengths that are copied in their own ways, of columns of a matrix, from the middle of one row on to that of another.
func TestScatteringIsGatheringBackwards(t *testing.T) {
	for _, length := range []int{1, 3, 16, 49, 64, 1500} {
		for _, step := range []int{1, 2} {
			memory := numbered(dtype.Float32, []int{3, 5, 4, length, step}, rowMajor)
			view := memory
			view.Shape, view.Strides = []int{3, 5, length}, []int{memory.Strides[0], memory.Strides[1], step}
			copied := newView(random(), dtype.Float32, memory.Shape, rowMajor)
			back := view
			back.Pointer = copied.Pointer
			lo, hi := length/2, 14*length+1
			block := make([]float32, hi-lo)
			start := unsafe.Pointer(&block[0])
			newOrderedNest(view).gather(start, 0, lo, len(block))
			want := elements[float32](back)
			newOrderedNest(back).scatter(start, 0, lo, len(block))
			copy(want[lo:hi], elements[float32](view)[lo:hi])
			require.Equal(t, want, elements[float32](back), "rows of %d elements %d apart", length, step)
			require.Equal(t, elements[float32](view)[lo:hi], block)
		}
	}
}
