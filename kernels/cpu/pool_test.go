package cpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// rowWindow are the Integers of a pooling along the last axis.
func rowWindow(kernel, stride, dilation, padding int) []int64 {
	one := func(last int) []int64 { return []int64{1, 1, int64(last)} }
	all := append(append(one(kernel), one(stride)...), one(dilation)...)
	return append(all, 0, 0, int64(padding), 0, 0, int64(padding), 0)
}

func TestMaxPoolRowsEqualTheObviousLoopAtAllLevels(t *testing.T) {
	r := random()
	for n := 1; n <= 150; n++ {
		for _, c := range [][4]int{{2, 2, 1, 0}, {3, 2, 1, 1}, {3, 1, 1, 1}, {2, 1, 3, 2}, {3, 3, 1, 0}, {2, 2, 5, 4}} {
			kernel, stride, dilation, padding := c[0], c[1], c[2], c[3]
			rest := n + 2*padding - dilation*(kernel-1) - 1
			if rest < 0 {
				continue
			}
			count := rest/stride + 1
			x := newFilled(r, []int{1, 1, 1, 1, n}, rowMajor, func(r *rand.Rand) float32 {
				return []float32{1, 2, 3, float32(math.NaN()), float32(math.Inf(-1)), 0, 2.5}[r.IntN(7)]
			})
			values := elements[float32](x)
			want, wantAt := make([]float32, count), make([]int32, count)
			for i := range want {
				want[i], wantAt[i] = float32(math.Inf(-1)), -1
				for k := range kernel {
					at := i*stride - padding + k*dilation
					if at < 0 || at >= n {
						continue
					}
					if v := values[at]; wantAt[i] < 0 || v > want[i] || v != v && want[i] == want[i] {
						want[i], wantAt[i] = v, int32(at)
					}
				}
			}
			features.Each(func(level features.Level) {
				y, at := newView(r, dtype.Float32, []int{1, 1, 1, 1, count}, rowMajor), newView(r, dtype.Int32, []int{1, 1, 1, 1, count}, rowMajor)
				run(t, "max_pool/float32", &device.Arguments{Outputs: views(y, at), Inputs: views(x), Integers: rowWindow(kernel, stride, dilation, padding)})
				requireEqual(t, want, elements[float32](y), n, c, level)
				require.Equal(t, wantAt, elements[int32](at), "%d %v %v", n, c, level)
			})
		}
	}
}

func TestMaxPoolsOfPairsEqualTheObviousLoopAtAllLevels(t *testing.T) {
	r := random()
	window := []int64{1, 2, 2, 1, 2, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0}
	for width := 2; width <= 100; width++ {
		for height := 2; height <= 5; height++ {
			x := newFilled(r, []int{2, 3, 2, height, width}, rowMajor, func(r *rand.Rand) float32 {
				return []float32{1, 2, 3, float32(math.NaN()), float32(math.Inf(-1)), 0, 2.5}[r.IntN(7)]
			})
			shape := []int{2, 3, 2, height / 2, width / 2}
			values := elements[float32](x)
			want, wantAt := []float32{}, []int32{}
			for row := range 12 * shape[3] {
				plane, depth := row/shape[3]/2, row/shape[3]%2
				for column := range shape[4] {
					best, bestAt := float32(0), -1
					for place := range 4 {
						at := (depth*height+row%shape[3]*2+place/2)*width + 2*column + place%2
						if v := values[plane*2*height*width+at]; bestAt < 0 || v > best || v != v && best == best {
							best, bestAt = v, at
						}
					}
					want, wantAt = append(want, best), append(wantAt, int32(bestAt))
				}
			}
			features.Each(func(level features.Level) {
				y, at := newView(r, dtype.Float32, shape, rowMajor), newView(r, dtype.Int32, shape, rowMajor)
				run(t, "max_pool/float32", &device.Arguments{Outputs: views(y, at), Inputs: views(x), Integers: window})
				requireEqual(t, want, elements[float32](y), height, width, level)
				require.Equal(t, wantAt, elements[int32](at), "%d %d %v", height, width, level)
			})
		}
	}
}

// TestMaxPoolGradientAddsAtPositions has windows of two by two elements, and positions that only look so.
func TestMaxPoolGradientAddsAtPositions(t *testing.T) {
	r := random()
	for width := 2; width <= 100; width++ {
		for _, astray := range []bool{false, true} {
			height, in := 5, 5*width
			shape, windows := []int{2, 1, 1, height, width}, []int{2, 1, 1, height / 2, width / 2}
			u := newFilled(r, windows, rowMajor, func(r *rand.Rand) float32 {
				return []float32{finite[float32](r), 0, float32(math.Copysign(0, -1))}[r.IntN(3)]
			})
			at := newView(r, dtype.Int32, windows, rowMajor)
			positions := make([]int32, at.Count())
			for i := range positions {
				row, column := i/windows[4]%windows[3], i%windows[4]
				positions[i] = int32((2*row+r.IntN(2))*width + 2*column + r.IntN(2))
			}
			if astray {
				positions[len(positions)-1], positions[0] = 0, -1
			}
			assign(at, positions)
			want := make([]float32, 2*in)
			for i, v := range elements[float32](u) {
				if positions[i] >= 0 {
					want[i/(windows[3]*windows[4])*in+int(positions[i])] += v
				}
			}
			features.Each(func(level features.Level) {
				for _, how := range outputLayouts {
					dx := newView(r, dtype.Float32, shape, how)
					run(t, "max_pool_gradient/float32", &device.Arguments{Outputs: views(dx), Inputs: views(u, at)})
					requireEqual(t, want, elements[float32](dx), width, level, astray)
				}
			})
		}
	}
}

func TestPositionsOutsideOfPlanesAreErrors(t *testing.T) {
	shape := []int{1, 1, 1, 1, 3}
	for _, at := range []int32{-2, 3, math.MaxInt32} {
		x, positions := fromSlice([]float64{1, 2, 3}, shape...), fromSlice([]int32{0, at, 1}, shape...)
		for _, operator := range []string{"max_pool_gradient", "max_pool_select"} {
			err := call(t, pools[2].Thread(), operator+"/float64", &device.Arguments{Outputs: views(newView(random(), dtype.Float64, shape, rowMajor)), Inputs: views(x, positions)})
			require.ErrorContains(t, err, "out of range for a plane of 3 elements")
		}
	}
}

func TestWindowsOverNothingHaveMinusInfinityAndZero(t *testing.T) {
	x, shape := fromSlice([]float32{5}, 1, 1, 1, 1, 1), []int{1, 1, 1, 1, 3}
	y, at := newView(random(), dtype.Float32, shape, rowMajor), newView(random(), dtype.Int32, shape, rowMajor)
	window := rowWindow(2, 1, 3, 2) // at -2 and 1, -1 and 2, 0 and 3
	run(t, "max_pool/float32", &device.Arguments{Outputs: views(y, at), Inputs: views(x), Integers: window})
	lowest := float32(math.Inf(-1))
	require.Equal(t, []float32{lowest, lowest, 5}, elements[float32](y))
	require.Equal(t, []int32{-1, -1, 0}, elements[int32](at))
	run(t, "average_pool/float32", &device.Arguments{Outputs: views(y), Inputs: views(x), Integers: window})
	require.Equal(t, []float32{0, 0, 5}, elements[float32](y))
}

func TestPoolingDoesNotDependOnWorkers(t *testing.T) {
	shape, out := []int{3, 5, 2, 30, 41}, []int{3, 5, 2, 15, 20}
	x := newFilled(random(), shape, scattered, finite[float32])
	window := []int64{1, 2, 2, 1, 2, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0}
	sameBits[float32](t, func(thread *parallel.Thread) device.View {
		y, at := newView(random(), dtype.Float32, out, scattered), newView(random(), dtype.Int32, out, rowMajor)
		require.NoError(t, call(t, thread, "max_pool/float32", &device.Arguments{Outputs: views(y, at), Inputs: views(x), Integers: window}))
		return y
	})
}
