package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"gonum.org/v1/gonum/mat"
)

func newEnv(b *testing.B, name string) *nd.Env {
	e, err := engine.New(name)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { e.Close(context.Background()) })
	return ops.NewEnv(e).WithSeed(1)
}

var engines = []string{"naive", "pooled", "perdevice"}

// BenchmarkInvoke measures a call from end to end: a chain of dependent additions, waited for at the end.
func BenchmarkInvoke(b *testing.B) {
	for _, name := range engines {
		for _, n := range []int{1, 1000, 100_000} {
			b.Run(fmt.Sprintf("add/%d/%s", n, name), func(b *testing.B) {
				env := newEnv(b, name)
				a, one := nd.ZerosIn(env, dtype.Float32, n), nd.OnesIn(env, dtype.Float32, n)
				b.ReportAllocs()
				b.SetBytes(int64(3 * 4 * n))
				for b.Loop() {
					nd.AddInto(a, a, one)
				}
				if err := a.Wait(context.Background()); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// BenchmarkMatMul measures square float64 products, beside gonum's.
func BenchmarkMatMul(b *testing.B) {
	for _, n := range []int{64, 256, 512} {
		flop := 2 * float64(n) * float64(n) * float64(n)
		report := func(b *testing.B) {
			b.ReportMetric(flop*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		}
		b.Run(fmt.Sprintf("%d/weft", n), func(b *testing.B) {
			env := newEnv(b, "perdevice")
			x := nd.FullIn(env, dtype.Float64, 0.5, n, n)
			for b.Loop() {
				if err := x.MatMul(x).Wait(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
			report(b)
		})
		b.Run(fmt.Sprintf("%d/gonum", n), func(b *testing.B) {
			x := mat.NewDense(n, n, nil)
			x.Apply(func(_, _ int, _ float64) float64 { return 0.5 }, x)
			var y mat.Dense
			for b.Loop() {
				y.Mul(x, x)
			}
			report(b)
		})
	}
}
