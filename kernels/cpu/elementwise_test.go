package cpu

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/calculus"
	"github.com/weft-nd/weft/parallel"
)

var outputLayouts, inputLayouts = []layout{rowMajor, scattered}, []layout{rowMajor, scattered, broadcast}

func checkUnary[D, X dtype.Real](t *testing.T, operator string, want func(X) D) {
	t.Run(name[X](operator), func(t *testing.T) {
		r := random()
		for _, shape := range shapes {
			for _, out := range outputLayouts {
				for _, in := range inputLayouts {
					x := newFilled(r, shape, in, ordinary[X])
					dst := newView(r, dtype.Of[D](), shape, out)
					expected := make([]D, dst.Count())
					for i, v := range elements[X](x) {
						expected[i] = want(v)
					}
					run(t, name[X](operator), &device.Arguments{Outputs: views(dst), Inputs: views(x)})
					requireEqual(t, expected, elements[D](dst), shape, out, in)
				}
			}
			x := newFilled(r, shape, scattered, ordinary[X])
			expected := make([]X, x.Count())
			if dtype.Of[D]() == dtype.Of[X]() {
				for i, v := range elements[X](x) {
					expected[i] = X(want(v))
				}
				run(t, name[X](operator), &device.Arguments{Outputs: views(x), Inputs: views(x)})
				requireEqual(t, expected, elements[X](x), "in place", shape)
			}
		}
	})
}

func checkBinary[D comparable, X dtype.Element](t *testing.T, operator string, d dtype.DType, want func(x, y X) D, value func(int) X) {
	t.Run(name[X](operator), func(t *testing.T) {
		r := random()
		for _, shape := range shapes {
			for _, out := range outputLayouts {
				for _, inX := range inputLayouts {
					for _, inY := range inputLayouts {
						x := newView(r, dtype.Of[X](), shape, inX)
						y := newView(r, dtype.Of[X](), shape, inY)
						count := x.Count()
						values := make([]X, count)
						for _, v := range views(x, y) {
							for i := range values {
								values[i] = value(r.IntN(1000))
							}
							assign(v, values)
						}
						dst := newView(r, d, shape, out)
						expected := make([]D, count)
						xs, ys := elements[X](x), elements[X](y)
						for i := range expected {
							expected[i] = want(xs[i], ys[i])
						}
						run(t, name[X](operator), &device.Arguments{Outputs: views(dst), Inputs: views(x, y)})
						requireEqual(t, expected, elements[D](dst), shape, out, inX, inY)
					}
				}
			}
		}
	})
}

func checkReal[T dtype.Real](t *testing.T) {
	value := func(i int) T { return ordinary[T](randomAt(i)) }
	checkUnary(t, "neg", func(x T) T { return -x })
	checkUnary(t, "square", func(x T) T { return x * x })
	d := dtype.Of[T]()
	checkBinary(t, "add", d, func(x, y T) T { return x + y }, value)
	checkBinary(t, "sub", d, func(x, y T) T { return x - y }, value)
	checkBinary(t, "mul", d, func(x, y T) T { return x * y }, value)
	checkBinary(t, "maximum", d, func(x, y T) T { return max(x, y) }, value)
	checkBinary(t, "greater", dtype.Bool, func(x, y T) bool { return x > y }, value)
	checkBinary(t, "equal", dtype.Bool, func(x, y T) bool { return x == y }, value)
}

func checkReLU[T dtype.Real](t *testing.T) {
	checkUnary(t, "relu", func(x T) T { return max(x, 0) })
}

func checkFloat[T dtype.Float](t *testing.T) {
	value := func(i int) T { return ordinary[T](randomAt(i)) }
	checkBinary(t, "div", dtype.Of[T](), func(x, y T) T { return x / y }, value)
}

func TestElementwiseKernelsEqualPlainLoops(t *testing.T) {
	checkReal[float32](t)
	checkReal[float64](t)
	checkReal[int64](t)
	checkReal[uint8](t)
	checkReLU[float32](t)
	checkReLU[float64](t)
	checkReLU[int64](t)
	checkFloat[float32](t)
	checkFloat[float64](t)
	checkBinary(t, "equal", dtype.Bool, func(x, y bool) bool { return x == y }, func(i int) bool { return i%2 == 0 })
	checkUnary(t, "exp", calculus.ExpFloat32)
	checkUnary(t, "exp", calculus.ExpFloat64)
	checkUnary(t, "exp2", calculus.Exp2Float32)
	checkUnary(t, "exp2", calculus.Exp2Float64)
	checkUnary(t, "expm1", calculus.Expm1Float32)
	checkUnary(t, "expm1", calculus.Expm1Float64)
	checkUnary(t, "log", calculus.LogFloat32)
	checkUnary(t, "log", calculus.LogFloat64)
}

func TestSigmoidIsStable(t *testing.T) {
	x := []float64{0, 1, -1, 40, -40, 700, -700, 1000, -1000, math.Inf(1), math.Inf(-1), math.NaN()}
	dst := fromSlice(make([]float64, len(x)), len(x))
	run(t, "sigmoid/float64", &device.Arguments{Outputs: views(dst), Inputs: views(fromSlice(x, len(x)))})
	got := elements[float64](dst)
	for i, v := range x {
		switch {
		case v != v:
			require.True(t, math.IsNaN(got[i]))
		case v < -30: // the relative error counts: 1/(1+exp(-x)) approaches exp(x)
			require.InEpsilon(t, 1+math.Exp(v), 1+got[i], 1e-15)
			if want := math.Exp(v); want > 0 {
				require.InEpsilon(t, want, got[i], 1e-12)
			} else {
				require.Zero(t, got[i])
			}
		default:
			require.InEpsilon(t, 1/(1+math.Exp(-v)), got[i], 1e-15)
		}
	}
}

func TestReLUAndMaximumPropagateNaN(t *testing.T) {
	nan := float32(math.NaN())
	x, y := fromSlice([]float32{nan, 1, nan}, 3), fromSlice([]float32{1, nan, nan}, 3)
	dst := fromSlice(make([]float32, 3), 3)
	run(t, "maximum/float32", &device.Arguments{Outputs: views(dst), Inputs: views(x, y)})
	for _, v := range elements[float32](dst) {
		require.True(t, v != v)
	}
	run(t, "relu/float32", &device.Arguments{Outputs: views(dst), Inputs: views(x)})
	require.True(t, elements[float32](dst)[0] != elements[float32](dst)[0])
}

func checkWhere[T interface {
	dtype.Element
	comparable
}](t *testing.T, value func(int) T) {
	r := random()
	for _, shape := range shapes {
		for _, out := range outputLayouts {
			for _, in := range inputLayouts {
				condition := newFilled(r, shape, in, coin)
				x, y := newView(r, dtype.Of[T](), shape, in), newView(r, dtype.Of[T](), shape, rowMajor)
				values := make([]T, x.Count())
				for i := range values {
					values[i] = value(r.IntN(100))
				}
				assign(x, values)
				for i := range values {
					values[i] = value(r.IntN(100))
				}
				assign(y, values)
				dst := newView(r, dtype.Of[T](), shape, out)
				expected, xs := elements[T](y), elements[T](x)
				for i, chosen := range elements[bool](condition) {
					if chosen {
						expected[i] = xs[i]
					}
				}
				run(t, name[T]("where"), &device.Arguments{Outputs: views(dst), Inputs: views(condition, x, y)})
				requireEqual(t, expected, elements[T](dst), shape, out, in)
			}
		}
	}
}

func TestWhereChooses(t *testing.T) {
	checkWhere(t, func(i int) float32 { return float32(i) })
	checkWhere(t, func(i int) float64 { return float64(i) })
	checkWhere(t, func(i int) int64 { return int64(i) })
	checkWhere(t, func(i int) bool { return i%2 == 0 })
	checkWhere(t, func(i int) int8 { return int8(i) })
	checkWhere(t, func(i int) dtype.BF16 { return dtype.BF16(i) })
}

func TestElementwiseResultsDoNotDependOnWorkers(t *testing.T) {
	x := newFilled(random(), []int{700, 300}, broadcast, finite[float32])
	y := newFilled(random(), []int{700, 300}, scattered, finite[float32])
	sameBits[float32](t, func(thread *parallel.Thread) device.View {
		dst := newView(random(), dtype.Float32, x.Shape, scattered)
		require.NoError(t, call(t, thread, "div/float32", &device.Arguments{Outputs: views(dst), Inputs: views(x, y)}))
		return dst
	})
}

// TestLargeResultsAreThoseOfTheirRows computes a result that goes past the caches, in every form that an operand has, and each
// of its rows alone. The rows begin at places with any alignment.
func TestLargeResultsAreThoseOfTheirRows(t *testing.T) {
	const rows, columns = 3_201, 1_001
	known := streamedLoop
	t.Cleanup(func() { streamedLoop = known })
	streamedLoop = func() int { return 2 * rows * columns * 4 }
	r := random()
	memory := newFilled(r, []int{rows*columns + 1}, rowMajor, finite[float32])
	view := func(v device.View, first, rowStride, stride int) device.View {
		return device.View{Pointer: v.Pointer.Add(4 * first), DType: dtype.Float32, Shape: []int{rows, columns}, Strides: []int{rowStride, stride}}
	}
	row := func(v device.View, i int) device.View {
		return device.View{Pointer: v.Pointer.Add(4 * i * v.Strides[0]), DType: dtype.Float32, Shape: v.Shape[1:], Strides: v.Strides[1:]}
	}
	results := newView(r, dtype.Float32, []int{rows*columns + 1}, rowMajor)
	for about, y := range map[string]device.View{
		"whole": view(memory, 1, columns, 1), "row": view(memory, 3, 0, 1), "column": view(memory, 5, 1, 0), "one": view(memory, 7, 0, 0),
		"backward": view(memory, rows*columns, -columns, -1),
	} {
		x, dst := view(memory, 0, columns, 1), view(results, 1, columns, 1)
		run(t, "sub/float32", &device.Arguments{Outputs: views(dst), Inputs: views(x, y)})
		alone := newView(r, dtype.Float32, []int{columns}, rowMajor)
		for i := 0; i < rows; i += 1 + i%7 {
			run(t, "sub/float32", &device.Arguments{Outputs: views(alone), Inputs: views(row(x, i), row(y, i))})
			if !slices.Equal(slice[float32](alone.Pointer.Host, columns), slice[float32](row(dst, i).Pointer.Host, columns)) {
				requireEqual(t, elements[float32](alone), elements[float32](row(dst, i)), about, "row", i)
			}
		}
	}
	x := view(memory, 0, columns, 1)
	want := elements[float32](x)
	run(t, "neg/float32", &device.Arguments{Outputs: views(x), Inputs: views(x)})
	for i, v := range elements[float32](x) {
		if v != -want[i] {
			require.Equal(t, -want[i], v, "in place, element %d", i)
		}
	}
}
