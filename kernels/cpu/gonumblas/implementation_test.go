package gonumblas

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/blas/testblas"
	"gonum.org/v1/gonum/mat"
)

// single runs the cases of double precision, whose numbers float32 holds too, in single precision.
type single struct{ Implementation }

func (s single) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	c32 := narrowed(c)
	s.Sgemm(tA, tB, m, n, k, float32(alpha), narrowed(a), lda, narrowed(b), ldb, float32(beta), c32, ldc)
	for i, v := range c32 {
		c[i] = float64(v)
	}
}

func narrowed(values []float64) []float32 {
	result := make([]float32, len(values))
	for i, v := range values {
		result[i] = float32(v)
	}
	return result
}

func TestSuiteOfGonum(t *testing.T) {
	testblas.TestDgemm(t, Implementation{})
	testblas.TestDgemm(t, single{})
	testblas.DsymmTest(t, Implementation{})
	testblas.DsyrkTest(t, Implementation{})
	testblas.Dsyr2kTest(t, Implementation{})
	testblas.DtrmmTest(t, Implementation{})
	testblas.DtrsmTest(t, Implementation{})
}

func TestProductsAreThoseOfGonum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	transposes := []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}
	fill := func(count int) []float64 {
		values := make([]float64, count)
		for i := range values {
			values[i] = r.NormFloat64()
		}
		return values
	}
	for range 60 {
		m, n, k := r.IntN(90), r.IntN(90), r.IntN(90)
		tA, tB := transposes[r.IntN(3)], transposes[r.IntN(3)]
		stored := func(op blas.Transpose, rows, columns int) ([]float64, int) {
			if op != blas.NoTrans {
				rows, columns = columns, rows
			}
			leading := max(1, columns) + r.IntN(3)
			return fill(rows * leading), leading
		}
		a, lda := stored(tA, m, k)
		b, ldb := stored(tB, k, n)
		want, ldc := stored(blas.NoTrans, m, n)
		got := append([]float64{}, want...)
		alpha, beta := float64(r.IntN(3)), float64(r.IntN(3))
		Implementation{}.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, got, ldc)
		gonum.Implementation{}.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, want, ldc)
		for i, w := range want {
			require.InDelta(t, w, got[i], 1e-12*(1+float64(k)))
		}
	}
}

// A call that does not fit panics with gonum's own words, and has written nothing.
func TestArgumentsThatDoNotFitPanicAsInGonum(t *testing.T) {
	type call struct {
		tA, tB                    blas.Transpose
		m, n, k, lda, ldb, ldc    int
		lengthA, lengthB, lengthC int
	}
	right := call{blas.NoTrans, blas.Trans, 2, 3, 4, 4, 4, 3, 8, 12, 6}
	for _, spoil := range []func(c *call){
		func(c *call) { c.tA = 'x' }, func(c *call) { c.tB = 'x' }, func(c *call) { c.m = -1 }, func(c *call) { c.n = -1 },
		func(c *call) { c.k = -1 }, func(c *call) { c.lda = 3 }, func(c *call) { c.ldb = 3 }, func(c *call) { c.ldc = 2 },
		func(c *call) { c.lengthA = 7 }, func(c *call) { c.lengthB = 11 }, func(c *call) { c.lengthC = 5 },
	} {
		c := right
		spoil(&c)
		panicOf := func(dgemm func(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int)) (value any) {
			defer func() { value = recover() }()
			dgemm(c.tA, c.tB, c.m, c.n, c.k, 1, make([]float64, c.lengthA), c.lda, make([]float64, c.lengthB), c.ldb, 0, make([]float64, c.lengthC), c.ldc)
			return nil
		}
		want := panicOf(gonum.Implementation{}.Dgemm)
		require.NotNil(t, want)
		require.Equal(t, want, panicOf(Implementation{}.Dgemm))
	}
}

func TestGonumUsesTheImplementation(t *testing.T) {
	defer blas64.Use(gonum.Implementation{})
	blas64.Use(Implementation{})
	// gonum skips terms with a zero in the first operand.
	x, y := mat.NewDense(1, 1, []float64{0}), mat.NewDense(1, 1, []float64{math.Inf(1)})
	var product mat.Dense
	product.Mul(x, y)
	require.True(t, math.IsNaN(product.At(0, 0)))

	defer blas32.Use(gonum.Implementation{})
	blas32.Use(Implementation{})
	one := func(v float32) blas32.General { return blas32.General{Rows: 1, Cols: 1, Stride: 1, Data: []float32{v}} }
	single := one(0)
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, one(0), one(float32(math.Inf(1))), 0, single)
	require.True(t, math.IsNaN(float64(single.Data[0])))
}

func BenchmarkMul(b *testing.B) {
	const n = 1024
	values := make([]float64, n*n)
	for i := range values {
		values[i] = float64(i%17) / 16
	}
	x, y := mat.NewDense(n, n, values), mat.NewDense(n, n, values)
	for _, c := range []struct {
		name           string
		implementation blas.Float64
	}{{"gonum", gonum.Implementation{}}, {"weft", Implementation{}}} {
		b.Run(c.name, func(b *testing.B) {
			defer blas64.Use(gonum.Implementation{})
			blas64.Use(c.implementation)
			var product mat.Dense
			for b.Loop() {
				product.Mul(x, y)
			}
			b.ReportMetric(2*n*n*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOPS")
		})
	}
}
