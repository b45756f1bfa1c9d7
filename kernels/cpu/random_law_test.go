package cpu

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// laws are the kernels of continuous distributions with scalars for each of their ways.
var laws = map[string][][]float64{
	"exponential": {{2}}, "weibull": {{0.5, 1}}, "gumbel": {{1, 2}}, "laplace": {{1, 2}}, "logistic": {{1, 2}}, "cauchy": {{1, 2}},
	"log_normal": {{1, 2}}, "gamma": {{0.3, 1}, {5, 1}}, "chi_square": {{1}, {9}}, "student_t": {{0.5}, {5}}, "beta": {{2, 3}, {0.2, 3}},
	"truncated_normal": {{0, 1, -2, 2}, {0, 1, 8, math.Inf(1)}, {0, 1, -0.1, 0.2}, {0, 1, 3, 3.01}, {2, 0, 0, 1}},
}

// TestFloat32NumbersAreThoseOfFloat64Rounded has lengths around those of the batches.
func TestFloat32NumbersAreThoseOfFloat64Rounded(t *testing.T) {
	for operator, all := range laws {
		for _, scalars := range all {
			longest := drawn[float64](t, operator, []int{3001}, rowMajor, 1, 2, scalars...)
			for _, count := range []int{1, 2, 3, lawBatch - 1, lawBatch, lawBatch + 1, blockSize + 3, 3001} {
				for _, how := range outputLayouts {
					requireEqual(t, longest[:count], drawn[float64](t, operator, []int{count}, how, 1, 2, scalars...), operator)
					for i, v := range drawn[float32](t, operator, []int{count}, how, 1, 2, scalars...) {
						if v != float32(longest[i]) {
							require.Failf(t, "elements differ", "%s %v at %d: %v, %v", operator, scalars, i, v, longest[i])
						}
					}
				}
			}
		}
	}
}

// TestAnElementOfALawIsAFunctionOfItsNumber starts in the middle.
func TestAnElementOfALawIsAFunctionOfItsNumber(t *testing.T) {
	all := drawn[float64](t, "gamma", []int{4000}, rowMajor, 3, 4, 0.5, 1)
	for _, first := range []int{lawBatch, 2 * blockSize, 3072} {
		part := make([]float64, 513)
		lawful[float64](gamma)(part, source{3, 4}, uint64(first), []float64{0.5, 1})
		require.Equal(t, all[first:first+513], part)
	}
}

// TestTheRemainderOfTheLogarithmIsExact compares with 200 bits around the place where the method changes.
func TestTheRemainderOfTheLogarithmIsExact(t *testing.T) {
	for _, x := range []float64{1e-9, 1e-3, 0.03, 0.0312, 0.0313, 0.05, 0.3, 2} {
		for _, x := range []float64{x, -min(x, 0.9)} {
			sum := new(big.Float).SetPrec(200)
			if math.Abs(x) < 0.4 {
				power := new(big.Float).SetPrec(200).SetFloat64(x * -1)
				power.Mul(power, power).Mul(power, power)
				for n := 4; n < 300; n++ {
					sum.Sub(sum, new(big.Float).Quo(power, big.NewFloat(float64(n))))
					power.Mul(power, big.NewFloat(-x))
				}
			} else {
				sum.SetFloat64(math.Log1p(x) - x + x*x/2 - x*x*x/3)
			}
			want, _ := sum.Float64()
			require.InDelta(t, want, logRemainder(x), 1e-9*math.Abs(want), x)
		}
	}
}

func TestTruncationAcceptsAtLeastTwoOfFiveTries(t *testing.T) {
	for _, low := range []float64{math.Inf(-1), -30, -3, -1, -1e-3, 0, 1e-3, 0.2, 0.7, 1, 2, 5, 40, 1e8, 1e200} {
		for _, width := range []float64{0.01, 0.3, 1, 2.4, 2.6, 5, 50, math.Inf(1)} {
			high := low + width
			if low < -1e300 {
				high = width - 3
			}
			for _, l := range []truncated{newTruncated(0, 1, low, high), newTruncated(0, 1, -high, -low)} {
				accepted, s := 0, source{1, 2}
				for i := range uint64(2000) {
					if _, ok := l.try(s.value(i, 0), s.value(i, 1)); ok {
						accepted++
					}
				}
				require.Greater(t, accepted, 780, "from %v to %v, method %v", low, high, l.method)
			}
		}
	}
}

func TestBoundsAreKeptAfterRounding(t *testing.T) {
	least, most := between[float32](0.1, 0.3)
	require.GreaterOrEqual(t, float64(least), 0.1)
	require.LessOrEqual(t, float64(most), 0.3)
	require.Less(t, float64(math.Nextafter32(least, 0)), 0.1)
	least, most = between[float32](0.1, 0.1)
	require.Equal(t, []float32{0.1, 0.1}, []float32{least, most})
	low, high := between[float64](math.Inf(-1), 2)
	require.Equal(t, []float64{math.Inf(-1), 2}, []float64{low, high})
}

func BenchmarkLaw(b *testing.B) {
	for operator, all := range laws {
		for _, scalars := range all {
			for _, d := range []dtype.DType{dtype.Float32, dtype.Float64} {
				name := device.KernelName(operator, d)
				b.Run(fmt.Sprint(name, scalars), func(b *testing.B) {
					dst := newView(random(), d, []int{1 << 16}, rowMajor)
					b.ReportAllocs()
					for b.Loop() {
						if err := kernels[name](parallel.Serial(), &device.Arguments{Outputs: views(dst), Integers: []int64{1, 2}, Scalars: scalars}); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.N)*(1<<16)/b.Elapsed().Seconds()/1e6, "M/s")
				})
			}
		}
	}
}
