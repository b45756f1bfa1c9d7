package cpu

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/kernels/cpu/internal/levelstest"
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
		all = append(all, levelstest.Words(elements[T](out))...)
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
			require.Equal(t, level > features.Portable, overflowsCaches(a.Outputs[0].Count()*4, 0))
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
		"layer_norm":           {"0xbc44893d50bde1d8", "0xb094ac8fe37649ab"},
		"layer_norm_gradient":  {"0xf6c4da66ed02ecd7", "0xc21964d1f3aafc17"},
		"rms_norm":             {"0x7ad5df4f30eb5111", "0xba9d7e82020d4461"},
		"rms_norm_gradient":    {"0x9cab77a78674185b", "0x8192b877a688ab54"},
	}
	singles, doubles := normCalls(rowMajor, lopsided[float32]), normCalls(rowMajor, lopsided[float64])
	require.Len(t, want, len(singles))
	for operator, sums := range want {
		run(t, name[float32](operator), singles[operator])
		run(t, name[float64](operator), doubles[operator])
		require.Equal(t, sums, [2]string{levelstest.SumOfWords(outputWords[float32](singles[operator])), levelstest.SumOfWords(outputWords[float64](doubles[operator]))}, operator)
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

// number returns v as a number whose sums and products are exact here.
func number(v float64) *big.Float { return new(big.Float).SetPrec(500).SetFloat64(v) }

// average returns the mean of so many values, which it may change.
func average(count int, value func(i int) *big.Float) *big.Float {
	sum := number(0)
	for i := range count {
		sum.Add(sum, value(i))
	}
	return sum.Quo(sum, number(float64(count)))
}

// exactMoment returns the mean of x, or zero, and the mean of the squares of the distances from it, and the means of g and of its products with
// these distances, rounded once.
func exactMoment[T dtype.Float](x, g []T, centred bool) (mean, variance, slope, product float64) {
	center := number(0)
	if centred {
		center = average(len(x), func(i int) *big.Float { return number(float64(x[i])) })
	}
	distance := func(i int) *big.Float { return new(big.Float).Sub(number(float64(x[i])), center) }
	mean, _ = center.Float64()
	variance, _ = average(len(x), func(i int) *big.Float { return new(big.Float).Mul(distance(i), distance(i)) }).Float64()
	slope, _ = average(len(x), func(i int) *big.Float { return number(float64(g[i])) }).Float64()
	product, _ = average(len(x), func(i int) *big.Float { return new(big.Float).Mul(distance(i), number(float64(g[i]))) }).Float64()
	return mean, variance, slope, product
}

// checkRoundedMoments has rows whose first element says much or little of the others, and rows whose squares T does not hold. Squares are
// exact but for unit of them, and lost of the square of the mean.
func checkRoundedMoments[T dtype.Float](t *testing.T, unit, lost, tiny, huge float64) {
	const n = 777
	for _, row := range []struct {
		name               string
		first, mean, scale float64
		twoValued          bool // all elements but one in sixteen equal the first one
	}{
		{"ordinary", 0.5, 0, 1, false}, {"first far away", 1e6, 3, 1, false}, {"far from zero", 5001, 5000, 1, false}, {"tiny", tiny, 0, tiny, false},
		{"huge", -huge, 0, huge, false}, {"one huge", huge, 0, 1, false}, {"two values", 1.1, 0, 1, true}, {"two distant values", 1000.1, 1000, 1, true},
		{"first within the bound", 2.6, 0, 1, false}, {"first beyond the bound", 2.8, 0, 1, false}, {"all equal", 0.1, 0.1, 0, false},
	} {
		r := random()
		x, u, scale, g := make([]T, n), make([]T, n), make([]T, n), make([]T, n)
		for i := range x {
			if x[i] = T(row.mean + row.scale*r.NormFloat64()); row.twoValued && i%16 != 5 {
				x[i] = T(row.first)
			}
			u[i], scale[i] = T(r.NormFloat64()), T(r.NormFloat64()+1)
			g[i] = T(u[i] * scale[i])
		}
		x[0] = T(row.first)
		for _, count := range []int{n, 64, 5, 1} {
			for _, centred := range []bool{true, false} {
				mean, variance, slope, product := exactMoment(x[:count], g[:count], centred)
				size, squares := 0.0, 0.0 // the means of |g|, and of g²
				for _, v := range g[:count] {
					size += math.Abs(float64(v)) / float64(count)
					squares += float64(v) * float64(v) / float64(count)
				}
				features.Each(func(level features.Level) {
					w := &rowWork[T]{rowLoops: rowLoopsOf[T]()}
					m := w.roundedMoment(x[:count], centred)
					about := fmt.Sprint(row.name, count, centred, level)
					require.Equal(t, float64(count), m.count, about)
					require.InDelta(t, mean, m.mean, 12*unit*math.Sqrt(variance)+0x1p-52*math.Abs(mean), about)
					require.InDelta(t, variance, m.squares/m.count, 57*unit*variance+lost*mean*mean, about)
					same, s := w.roundedSlopes(x[:count], &u[0], scale[:count], centred)
					require.Equal(t, m.mean, same.mean, about)
					require.Equal(t, m.squares, same.squares, about)
					require.InDelta(t, slope, s.sum/m.count, 3.01*unit*size, about)
					require.InDelta(t, product, s.products/m.count, 37*unit*math.Sqrt(squares*variance)+0x1p-50*math.Abs(mean)*size, about)
				})
			}
		}
	}
	for _, special := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, at := range []int{0, 70} {
			x := make([]T, 100)
			x[at] = T(special)
			w := &rowWork[T]{rowLoops: rowLoopsOf[T]()}
			m := w.roundedMoment(x, true)
			require.True(t, math.IsNaN(m.squares), "%v at %d", special, at)
			require.True(t, math.IsNaN(m.mean) || math.IsInf(m.mean, 0), "%v at %d", special, at)
		}
	}
}

func TestRoundedMomentsKeepTheirBoundsWhateverTheFirstElementAndTheScale(t *testing.T) {
	checkRoundedMoments[float32](t, 0x1p-24, 0x1p-50, 1e-25, 1e25)
	checkRoundedMoments[float64](t, 0x1p-53, 0x1p-100, 1e-140, 1e140)
}

func TestSlopesOutOfRangeOfTheElementTypeAreMadeInFloat64(t *testing.T) {
	x, u, scale := make([]float32, 1000), make([]float32, 1000), make([]float32, 1000)
	for _, c := range []struct{ upstream, distance float64 }{{2e38, 1}, {0x1p-104, 0x1p-48}, {0x1p-92, 0x1p-48}, {0x1p-120, 1}} {
		for i := range x {
			x[i], u[i], scale[i] = float32(float64(i%7-3)*c.distance), float32(c.upstream), 1
			if i%7 > 3 {
				u[i] /= 2
			}
		}
		features.Each(func(level features.Level) {
			w := &rowWork[float32]{rowLoops: rowLoopsOf[float32]()}
			for _, centred := range []bool{true, false} {
				_, _, slope, product := exactMoment(x, u, centred)
				m, s := w.roundedSlopes(x, &u[0], scale, centred)
				require.InEpsilon(t, slope, s.sum/m.count, 1e-6, level)
				require.InEpsilon(t, product, s.products/m.count, 1e-5, "%v %v", c, level)
			}
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

// What is gathered to be measured is there to be computed from: it is not gathered again.
func TestPiecesThatWereReadLastAreStillThere(t *testing.T) {
	x := newFilled(random(), []int{4, 3, 2}, rowMajor, finite[float32])
	x = transposedView(x, 1, 0, 2)
	n := newChannels(x.Shape, 1, 0)
	p := newPieces[float32](n, x, 1)
	first := p.read(0, 0)
	first[0] = 77
	require.Equal(t, float32(77), p.read(0, 0)[0])
	require.Equal(t, elements[float32](x)[8:16], p.read(1, 0))
	require.Equal(t, elements[float32](x)[:8], p.read(0, 0))
}

func TestShortSamplesOfAChannelAreOnePiece(t *testing.T) {
	for length, pieces := range map[int]int{1: 1, 64: 1, 127: 1, 128: 32, 1024: 32} {
		require.Equal(t, pieces, newChannels([]int{5, 32, length}, 1, 0).pieces, "%d elements", length)
	}
}
