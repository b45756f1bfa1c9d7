package bench

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

var (
	integerProducts = []string{"dot", "matvec", "vecmat"}
	integerTypes    = []dtype.DType{dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Int32, dtype.Int64}
)

// BenchmarkIntegerProduct measures products of integers of which one is a vector, results' memory included: dot of a million, matvec and vecmat of a
// square matrix of a thousand rows, as BenchmarkIntegerProduct/<kind>/<dtype>.
func BenchmarkIntegerProduct(b *testing.B) {
	env := newEnv(b, "perdevice")
	integers := func(d dtype.DType, shape ...int) *nd.Array {
		count := 1
		for _, n := range shape {
			count *= n
		}
		values := make([]int64, count)
		for i := range values {
			values[i] = int64(i % 100)
		}
		return nd.FromSliceIn(env, values, shape...).Cast(d)
	}
	for _, kind := range integerProducts {
		for _, d := range integerTypes {
			b.Run(kind+"/"+d.String(), func(b *testing.B) {
				var x, y *nd.Array
				switch kind {
				case "dot":
					x, y = integers(d, 1_000_000), integers(d, 1_000_000)
				case "matvec":
					x, y = integers(d, 1000, 1000), integers(d, 1000)
				case "vecmat":
					x, y = integers(d, 1000), integers(d, 1000, 1000)
				}
				for b.Loop() {
					z := x.MatMul(y)
					require.NoError(b, z.Wait(context.Background()))
					z.Release()
				}
				b.ReportMetric(1e6*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gproducts/s")
			})
		}
	}
}

// BenchmarkIntegerProductPeers measures NumPy and PyTorch on the cases of BenchmarkIntegerProduct, as
// BenchmarkIntegerProductPeers/<kind>/<dtype>/<library>. Their products of int8 are int8, and wrap round.
func BenchmarkIntegerProductPeers(b *testing.B) {
	for _, kind := range integerProducts {
		for _, d := range integerTypes {
			for _, library := range []pythonLibrary{numpy, keptTorch} {
				b.Run(kind+"/"+d.String()+"/"+library.name, func(b *testing.B) {
					b.ReportMetric(1e6/library.measure(b, "integers", kind, d), "Gproducts/s")
				})
			}
		}
	}
}
