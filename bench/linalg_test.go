package bench

import (
	"context"
	"testing"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/linalg"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// factorings are the cases of BenchmarkLinalg: functions of a square matrix or a batch of them.
var factorings = []struct {
	name  string
	shape []int
	call  func(a *nd.Array) *nd.Array
}{
	{"cholesky/512", []int{512, 512}, linalg.Cholesky},
	{"solve/512", []int{512, 512}, func(a *nd.Array) *nd.Array { return linalg.Solve(a, a) }},
	{"solve_vector/512", []int{512, 512}, func(a *nd.Array) *nd.Array { return linalg.Solve(a, a.Index(0)) }},
	{"solve/64x16", []int{64, 16, 16}, func(a *nd.Array) *nd.Array { return linalg.Solve(a, a) }},
	{"inverse/256", []int{256, 256}, linalg.Inverse},
	{"determinant/256", []int{256, 256}, linalg.Determinant},
	{"qr/256", []int{256, 256}, func(a *nd.Array) *nd.Array {
		q, _ := linalg.QR(a)
		return q
	}},
	{"svd/128", []int{128, 128}, func(a *nd.Array) *nd.Array {
		u, _, _ := linalg.SVD(a)
		return u
	}},
	{"eigen_symmetric/128", []int{128, 128}, func(a *nd.Array) *nd.Array {
		_, vectors := linalg.EigenSymmetric(a)
		return vectors
	}},
}

// BenchmarkLinalg measures linear algebra on symmetric positive definite matrices, as BenchmarkLinalg/<function>/<size>/<dtype>; 64x16 is a
// batch of 64 matrices of 16 rows.
func BenchmarkLinalg(b *testing.B) {
	env := newEnv(b, "perdevice").WithSeed(1)
	for _, c := range factorings {
		for _, d := range []dtype.DType{dtype.Float32, dtype.Float64} {
			x := random.Normal(env, d, 0, 1, c.shape...)
			a := x.MatMul(x.MatrixTranspose()).Add(linalg.MatrixPower(x, 0))
			b.Run(c.name+"/"+d.String(), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := c.call(a).Wait(context.Background()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkLinalgPeers measures NumPy and PyTorch on the cases of BenchmarkLinalg, as BenchmarkLinalgPeers/<function>/<size>/<dtype>/<library>.
func BenchmarkLinalgPeers(b *testing.B) {
	for _, c := range factorings {
		for _, d := range []dtype.DType{dtype.Float32, dtype.Float64} {
			for _, library := range []pythonLibrary{numpy, torch} {
				b.Run(c.name+"/"+d.String()+"/"+library.name, func(b *testing.B) { library.measure(b, "factoring", c.name, d.String()) })
			}
		}
	}
}
