package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// normCalls are arguments of normalisations and their gradients large enough to be cut in every way.
func normCalls[T dtype.Float](how layout, value func(*rand.Rand) T) map[string]*device.Arguments {
	r := random()
	make := func(shape ...int) device.View { return newFilled(r, shape, how, value) }
	out := func(shape ...int) device.View { return newView(r, dtype.Of[T](), shape, rowMajor) }
	rows, images, groups := []int{300, 65}, []int{3, 5, 14, 1000}, []int{2, 3, 2, 17, 30}
	return map[string]*device.Arguments{
		"layer_norm": {Outputs: views(out(rows...)), Inputs: views(make(rows...), make(65), make(65)), Integers: []int64{1}, Scalars: []float64{1e-5}},
		"rms_norm":   {Outputs: views(out(rows...)), Inputs: views(make(rows...), make(65)), Integers: []int64{1}, Scalars: []float64{1e-5}},
		"layer_norm_gradient": {
			Outputs: views(out(rows...), out(65), out(65)), Inputs: views(make(rows...), make(65), make(rows...)), Integers: []int64{1}, Scalars: []float64{1e-5},
		},
		"rms_norm_gradient": {Outputs: views(out(rows...), out(65)), Inputs: views(make(rows...), make(65), make(rows...)), Integers: []int64{1}, Scalars: []float64{1e-5}},
		"batch_norm":        {Outputs: views(out(images...), out(3), out(3)), Inputs: views(make(images...), make(3), make(3)), Integers: []int64{1, 0}, Scalars: []float64{1e-5}},
		"batch_norm_gradient": {
			Outputs: views(out(images...), out(3), out(3)), Inputs: views(make(images...), make(3), make(images...)), Integers: []int64{1, 0}, Scalars: []float64{1e-5},
		},
		"batch_norm_inference": {
			Outputs: views(out(images...)), Inputs: views(make(images...), make(3), make(3), make(3), newFilled(r, []int{3}, how, func(r *rand.Rand) T { return T(r.Float64() + 0.5) })), Integers: []int64{1, 0}, Scalars: []float64{1e-5},
		},
		"group_norm": {Outputs: views(out(groups...)), Inputs: views(make(groups...), make(6), make(6)), Integers: []int64{2, 3}, Scalars: []float64{1e-5}},
		"group_norm_gradient": {
			Outputs: views(out(groups...), out(6), out(6)), Inputs: views(make(groups...), make(6), make(groups...)), Integers: []int64{2, 3}, Scalars: []float64{1e-5},
		},
	}
}

func outputWords[T dtype.Float](a *device.Arguments) (all []uint32) {
	for _, out := range a.Outputs {
		all = append(all, wordsOf(elements[T](out))...)
	}
	return all
}

func checkNormBits[T dtype.Float](t *testing.T) {
	for _, how := range []layout{rowMajor, scattered} {
		for operator, a := range normCalls[T](how, finite[T]) {
			var want []uint32
			features.Each(func(level features.Level) {
				for workers, pool := range pools {
					require.NoError(t, call(t, pool.Thread(), name[T](operator), a))
					got := outputWords[T](a)
					if want == nil {
						want = got
					}
					require.True(t, slices.Equal(want, got), "%s on %v with %d workers", operator, level, workers)
				}
			})
		}
	}
}

func TestNormalisationsHaveEqualBitsAtAllLevelsAndWithAllWorkers(t *testing.T) {
	checkNormBits[float32](t)
	checkNormBits[float64](t)
}

func TestResultsThatGoPastTheCachesHaveEqualBitsAtAllLevels(t *testing.T) {
	withSmallCaches(t)
	r := random()
	make := func(shape ...int) device.View { return newFilled(r, shape, rowMajor, finite[float32]) }
	out := func(shape ...int) device.View { return newView(r, dtype.Float32, shape, rowMajor) }
	images, planes, windows := []int{3, 4, 14, 26000}, []int{33, 7, 1, 136, 136}, []int{33, 7, 1, 68, 68}
	positions := newView(r, dtype.Int32, windows, rowMajor)
	places := elements[int32](positions)
	for i := range places {
		places[i] = int32((2*(i/68%68)+r.IntN(2))*136 + 2*(i%68) + r.IntN(2))
	}
	assign(positions, places)
	for operator, a := range map[string]*device.Arguments{
		"batch_norm":          {Outputs: views(out(images...)), Inputs: views(make(images...), make(3), make(3)), Integers: []int64{1, 0}, Scalars: []float64{1e-5}},
		"batch_norm_gradient": {Outputs: views(out(images...), out(3), out(3)), Inputs: views(make(images...), make(3), make(images...)), Integers: []int64{1, 0}, Scalars: []float64{1e-5}},
		"max_pool_gradient":   {Outputs: views(out(planes...)), Inputs: views(make(windows...), positions)},
	} {
		var want []uint32
		features.Each(func(level features.Level) {
			require.Equal(t, level > features.Portable, isStreamed(a.Outputs[0].Count()*4))
			require.NoError(t, call(t, pools[2].Thread(), name[float32](operator), a))
			got := outputWords[float32](a)
			if want == nil {
				want = got
			}
			require.True(t, slices.Equal(want, got), "%s on %v", operator, level)
		})
	}
}

// The same bits on every processor, whether or not it fuses products with sums where Go leaves it free to: the sums were computed
// once.
func TestNormalisationsHaveTheSameBitsEverywhere(t *testing.T) {
	want := map[string][2]string{
		"batch_norm":           {"0xd898124798141c74", "0x07d4ecead8852b8a"},
		"batch_norm_gradient":  {"0x8d7a2fc7f8f5ea41", "0x676e98dd6e05b842"},
		"batch_norm_inference": {"0x01bfe542d5f17a73", "0xd5eec306291dcbe6"},
		"group_norm":           {"0x7accd9f4ec25fe55", "0xac5d4533dded64d6"},
		"group_norm_gradient":  {"0x9bde1dd4412ba3ba", "0x42de9ed979d211bf"},
		"layer_norm":           {"0x4dac0cac83c1babe", "0xaeacb3fad19bfb04"},
		"layer_norm_gradient":  {"0x8451399f47db8801", "0x746a955b4bce56b4"},
		"rms_norm":             {"0x67175fadc0cd6f92", "0x41151f5c1e4f4557"},
		"rms_norm_gradient":    {"0x844e60774fca26e1", "0x2fd61d4cea0a0165"},
	}
	singles, doubles := normCalls(rowMajor, lopsided[float32]), normCalls(rowMajor, lopsided[float64])
	require.Len(t, want, len(singles))
	for operator, sums := range want {
		run(t, name[float32](operator), singles[operator])
		run(t, name[float64](operator), doubles[operator])
		require.Equal(t, sums, [2]string{sumOfWords(outputWords[float32](singles[operator])), sumOfWords(outputWords[float64](doubles[operator]))}, operator)
	}
}

// lopsided returns numbers whose mean is not zero, by arithmetic that is exact but for one product.
func lopsided[T dtype.Float](r *rand.Rand) T { return T(r.Float64()-0.25) * 3 }

// TestNormalisationsOfShiftedNumbersKeepTheirPrecision has a mean a thousand and more times the deviation.
func TestNormalisationsOfShiftedNumbersKeepTheirPrecision(t *testing.T) {
	const n = 1000
	for shift, tolerance := range map[float64]float64{0: 1e-6, 1e3: 1e-6, 1 << 18: 1e-5} {
		singles, doubles := make([]float32, n), make([]float64, n)
		for i := range singles {
			singles[i] = float32(shift + float64(i%16)*0.5)
			doubles[i] = float64(singles[i])
		}
		mean, variance := 0.0, 0.0
		for _, v := range doubles {
			mean += v / n
		}
		for _, v := range doubles {
			variance += (v - mean) * (v - mean) / n
		}
		want := make([]float64, n)
		for i, v := range doubles {
			want[i] = (v - mean) / math.Sqrt(variance)
		}
		one, zero := make([]float32, n), make([]float32, n)
		oneDouble, zeroDouble := make([]float64, n), make([]float64, n)
		for i := range one {
			one[i], oneDouble[i] = 1, 1
		}
		y := newView(random(), dtype.Float32, []int{n}, rowMajor)
		run(t, "layer_norm/float32", &device.Arguments{Outputs: views(y), Inputs: views(fromSlice(singles, n), fromSlice(one, n), fromSlice(zero, n)), Integers: []int64{1}, Scalars: []float64{0}})
		requireClose(t, want, elements[float32](y), tolerance, shift)
		y = newView(random(), dtype.Float64, []int{n}, rowMajor)
		run(t, "layer_norm/float64", &device.Arguments{Outputs: views(y), Inputs: views(fromSlice(doubles, n), fromSlice(oneDouble, n), fromSlice(zeroDouble, n)), Integers: []int64{1}, Scalars: []float64{0}})
		requireClose(t, want, elements[float64](y), 1e-9, shift)
	}
}

// Rows whose first element says little of the others, and rows whose squares float32 does not hold.
func TestRowNormalisationsArePreciseWhateverTheirFirstElementAndTheirScale(t *testing.T) {
	const n = 777
	r := random()
	for name, row := range map[string]struct {
		first, mean, scale float64
	}{
		"ordinary": {0.5, 0, 1}, "first far away": {1e6, 3, 1}, "first a little away": {9, 0, 1}, "far from zero": {5001, 5000, 1},
		"tiny": {1e-25, 0, 1e-25}, "huge": {-1e25, 0, 1e25}, "one huge": {1e30, 0, 1},
	} {
		x, scale, bias := make([]float32, n), make([]float32, n), make([]float32, n)
		for i := range x {
			x[i], scale[i], bias[i] = float32(row.mean+row.scale*r.NormFloat64()), 2, 0.5
		}
		x[0] = float32(row.first)
		mean, square, variance := 0.0, 0.0, 0.0
		for _, v := range x {
			mean += float64(v) / n
			square += float64(v) * float64(v) / n
		}
		for _, v := range x {
			variance += (float64(v) - mean) * (float64(v) - mean) / n
		}
		centred, plain := make([]float64, n), make([]float64, n)
		for i, v := range x {
			centred[i] = (float64(v)-mean)/math.Sqrt(variance)*2 + 0.5
			plain[i] = float64(v) / math.Sqrt(square) * 2
		}
		features.Each(func(level features.Level) {
			y := newView(r, dtype.Float32, []int{n}, rowMajor)
			run(t, "layer_norm/float32", &device.Arguments{Outputs: views(y), Inputs: views(fromSlice(x, n), fromSlice(scale, n), fromSlice(bias, n)), Integers: []int64{1}, Scalars: []float64{0}})
			requireClose(t, centred, elements[float32](y), 2e-6, name, level)
			run(t, "rms_norm/float32", &device.Arguments{Outputs: views(y), Inputs: views(fromSlice(x, n), fromSlice(scale, n)), Integers: []int64{1}, Scalars: []float64{0}})
			requireClose(t, plain, elements[float32](y), 2e-6, name, level)
		})
	}
}

func TestNormalisationsOfEqualNumbersAreZero(t *testing.T) {
	x, one := fromSlice([]float32{0.1, 0.1, 0.1, 0.1, 0.1}, 5), fromSlice([]float32{1, 1, 1, 1, 1}, 5)
	y := newView(random(), dtype.Float32, []int{5}, rowMajor)
	run(t, "layer_norm/float32", &device.Arguments{Outputs: views(y), Inputs: views(x, one, fromSlice(make([]float32, 5), 5)), Integers: []int64{1}, Scalars: []float64{1e-5}})
	requireClose(t, make([]float64, 5), elements[float32](y), 1e-6)
}

func TestMomentsOfPartsJoinToThoseOfTheWhole(t *testing.T) {
	r := random()
	of := func(x []float64) rowMoment {
		w := &rowWork[float64]{rowLoops: rowLoopsOf[float64]()}
		return w.moment(x, true)
	}
	x := make([]float64, 500)
	for i := range x {
		x[i] = 1000 + r.NormFloat64()
	}
	for _, cut := range []int{1, 17, 250, 499} {
		whole, joined := of(x), of(x[:cut]).join(of(x[cut:]))
		require.Equal(t, whole.count, joined.count)
		require.InEpsilon(t, whole.mean, joined.mean, 1e-14)
		require.InEpsilon(t, whole.squares, joined.squares, 1e-12)
	}
	require.Equal(t, of(x), rowMoment{}.join(of(x)))
	require.Equal(t, of(x), of(x).join(rowMoment{}))
}

func TestSoftmaxOfAnyLengthHasEqualBitsWithAllWorkers(t *testing.T) {
	x := newFilled(random(), []int{70, 1000}, scattered, ordinary[float32])
	sameBits[float32](t, func(thread *parallel.Thread) device.View {
		y := newView(random(), dtype.Float32, x.Shape, rowMajor)
		require.NoError(t, call(t, thread, "softmax/float32", &device.Arguments{Outputs: views(y), Inputs: views(x)}))
		return y
	})
}
