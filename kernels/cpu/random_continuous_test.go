package cpu

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// lawBatch is how many elements of most distributions are computed at a time.
const lawBatch = 256

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
