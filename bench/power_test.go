package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	nd "github.com/weft-nd/weft/ndarray"
)

// powers are the exponents of BenchmarkPower: those that take products, roots, and two that take logarithms.
var powers = []float64{2, 3, -1, -2, 0.5, -0.5, 2.5, 4}

// BenchmarkPower measures a power of a million numbers between 0.1 and 3.1 whose exponent is one number, the result's memory included, as
// BenchmarkPower/<dtype>/<exponent>.
func BenchmarkPower(b *testing.B) {
	env := newEnv(b, "perdevice")
	for _, x := range []*nd.Array{nd.FromSliceIn(env, functionNumbers[float32](), functionCount), nd.FromSliceIn(env, functionNumbers[float64](), functionCount)} {
		for _, exponent := range powers {
			b.Run(fmt.Sprintf("%v/%v", x.DType(), exponent), func(b *testing.B) {
				for b.Loop() {
					y := x.PowScalar(exponent)
					require.NoError(b, y.Wait(context.Background()))
					y.Release()
				}
				b.ReportMetric(functionCount*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
			})
		}
	}
}

// BenchmarkPowerPeers measures NumPy and PyTorch on the cases of BenchmarkPower, as BenchmarkPowerPeers/<dtype>/<exponent>/<library>.
func BenchmarkPowerPeers(b *testing.B) {
	for _, dtype := range []string{"float32", "float64"} {
		for _, exponent := range powers {
			for _, library := range []pythonLibrary{numpy, keptTorch} {
				b.Run(fmt.Sprintf("%s/%v/%s", dtype, exponent, library.name), func(b *testing.B) {
					b.ReportMetric(functionCount/library.measure(b, "power", dtype, exponent, functionCount)*1e3, "M/s")
				})
			}
		}
	}
}
