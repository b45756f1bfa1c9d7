package gonumblas

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// dividing makes matrices of any size worth dividing while body runs.
func dividing(body func()) {
	triangle, symmetric, block := leastTriangle, leastSymmetric, blockSize
	defer func() { leastTriangle, leastSymmetric, blockSize = triangle, symmetric, block }()
	leastTriangle, leastSymmetric, blockSize = 2, 1, 3
	body()
}

func TestSuiteOfGonumInLittleBlocks(t *testing.T) {
	dividing(func() { TestSuiteOfGonum(t) })
}

// level3 is the functions that are ours, in one precision.
type level3[T float32 | float64] struct {
	symm       func(s blas.Side, ul blas.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	syrk       func(ul blas.Uplo, tA blas.Transpose, n, k int, alpha T, a []T, lda int, beta T, c []T, ldc int)
	syr2k      func(ul blas.Uplo, tA blas.Transpose, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	trmm, trsm func(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int)
}

// checkLevel3 compares with gonum, elements that are not to be written included.
func checkLevel3[T float32 | float64](t *testing.T, ours, theirs level3[T], tolerance float64, rounds, most int) {
	r := rand.New(rand.NewPCG(3, 4))
	fill := func(count int) []T {
		values := make([]T, count)
		for i := range values {
			values[i] = T(r.NormFloat64())
		}
		return values
	}
	for range rounds {
		m, n, k := 1+r.IntN(most), 1+r.IntN(most), 1+r.IntN(most)
		side, uplo := []blas.Side{blas.Left, blas.Right}[r.IntN(2)], []blas.Uplo{blas.Lower, blas.Upper}[r.IntN(2)]
		op, diag := []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}[r.IntN(3)], []blas.Diag{blas.Unit, blas.NonUnit}[r.IntN(2)]
		alpha, beta := []T{1, -0.5, 2}[r.IntN(3)], []T{0, 1, 0.5}[r.IntN(3)]
		size := m
		if side == blas.Right {
			size = n
		}
		a, lda := fill(size*(size+2)), size+2
		for i := range a { // The elements beside the diagonal are small, lest solutions grow.
			a[i] /= T(size)
		}
		for i := range size {
			a[i*lda+i] = 1 + T(r.Float64())
		}
		b, ldb := fill(m*(n+1)), n+1
		c, ldc := fill(m*(n+3)), n+3
		check := func(name string, start []T, call func(f level3[T], c []T)) {
			want, got := append([]T{}, start...), append([]T{}, start...)
			call(theirs, want)
			call(ours, got)
			for i, w := range want {
				require.InDelta(t, w, got[i], tolerance*float64(m+n+k), "%s %c%c%c%c %d×%d×%d", name, side, uplo, op, diag, m, n, k)
			}
		}
		check("symm", c, func(f level3[T], c []T) { f.symm(side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc) })
		check("trmm", b, func(f level3[T], b []T) { f.trmm(side, uplo, op, diag, m, n, alpha, a, lda, b, ldb) })
		check("trsm", b, func(f level3[T], b []T) { f.trsm(side, uplo, op, diag, m, n, alpha, a, lda, b, ldb) })
		rows, leading := n, k+1
		if op != blas.NoTrans {
			rows, leading = k, n+1
		}
		x, y, square := fill(rows*leading), fill(rows*leading), fill(n*(n+2))
		check("syrk", square, func(f level3[T], c []T) { f.syrk(uplo, op, n, k, alpha, x, leading, beta, c, n+2) })
		check("syr2k", square, func(f level3[T], c []T) { f.syr2k(uplo, op, n, k, alpha, x, leading, y, leading, beta, c, n+2) })
	}
}

func TestLevel3IsThatOfGonum(t *testing.T) {
	i, g := Implementation{}, gonum.Implementation{}
	singles := [2]level3[float32]{{i.Ssymm, i.Ssyrk, i.Ssyr2k, i.Strmm, i.Strsm}, {g.Ssymm, g.Ssyrk, g.Ssyr2k, g.Strmm, g.Strsm}}
	doubles := [2]level3[float64]{{i.Dsymm, i.Dsyrk, i.Dsyr2k, i.Dtrmm, i.Dtrsm}, {g.Dsymm, g.Dsyrk, g.Dsyr2k, g.Dtrmm, g.Dtrsm}}
	checkLevel3(t, singles[0], singles[1], 2e-6, 10, 150)
	if !testing.Short() {
		checkLevel3(t, doubles[0], doubles[1], 2e-15, 10, 250)
	}
	dividing(func() {
		checkLevel3(t, singles[0], singles[1], 2e-6, 60, 20)
		checkLevel3(t, doubles[0], doubles[1], 2e-15, 60, 20)
	})
}

// Calls that do not fit panic with gonum's own words.
func TestLevel3ThatDoesNotFitPanicsAsInGonum(t *testing.T) {
	const n = 40
	a, short := make([]float64, n*n), make([]float64, n*n-1)
	calls := map[string]func(f blas.Float64Level3){
		"side": func(f blas.Float64Level3) { f.Dtrsm('x', blas.Lower, blas.NoTrans, blas.Unit, n, n, 1, a, n, a, n) },
		"uplo": func(f blas.Float64Level3) { f.Dtrmm(blas.Left, 'x', blas.NoTrans, blas.Unit, n, n, 1, a, n, a, n) },
		"op":   func(f blas.Float64Level3) { f.Dtrmm(blas.Left, blas.Lower, 'x', blas.Unit, n, n, 1, a, n, a, n) },
		"diag": func(f blas.Float64Level3) { f.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, 'x', n, n, 1, a, n, a, n) },
		"lda": func(f blas.Float64Level3) {
			f.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.Unit, n, n, 1, a, n-1, a, n)
		},
		"short b": func(f blas.Float64Level3) {
			f.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.Unit, n, n, 1, a, n, short, n)
		},
		"syrk":     func(f blas.Float64Level3) { f.Dsyrk('x', blas.NoTrans, n, n, 1, a, n, 0, a, n) },
		"short c":  func(f blas.Float64Level3) { f.Dsyrk(blas.Lower, blas.NoTrans, n, n, 1, a, n, 0, short, n) },
		"syr2k":    func(f blas.Float64Level3) { f.Dsyr2k(blas.Lower, 'x', n, n, 1, a, n, a, n, 0, a, n) },
		"no b":     func(f blas.Float64Level3) { f.Dsyr2k(blas.Lower, blas.NoTrans, n, n, 1, a, n, nil, n, 0, a, n) },
		"symm":     func(f blas.Float64Level3) { f.Dsymm('x', blas.Lower, n, n, 1, a, n, a, n, 0, a, n) },
		"triangle": func(f blas.Float64Level3) { f.Dsymm(blas.Left, 'x', n, n, 1, a, n, a, n, 0, a, n) },
		"symm ldc": func(f blas.Float64Level3) { f.Dsymm(blas.Left, blas.Lower, n, n, 1, a, n, a, n, 0, a, n-1) },
	}
	for name, call := range calls {
		panicOf := func(f blas.Float64Level3) (value any) {
			defer func() { value = recover() }()
			call(f)
			return nil
		}
		want := panicOf(gonum.Implementation{})
		require.NotNil(t, want, name)
		require.Equal(t, want, panicOf(Implementation{}), name)
	}
}

// BenchmarkLevel3 measures what is not Dgemm, on matrices of 1024 rows and columns.
func BenchmarkLevel3(b *testing.B) {
	const n = 1024
	x, y, z, triangular := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range x {
		x[i], y[i], triangular[i] = float64(i%17)/16, float64(i%13)/16, float64(i%17)/(1000*n)
	}
	for _, c := range []struct {
		name       string
		operations float64
		call       func(f blas.Float64Level3)
	}{
		{"Dsymm", 2, func(f blas.Float64Level3) { f.Dsymm(blas.Left, blas.Lower, n, n, 1, x, n, y, n, 0, z, n) }},
		{"Dsyrk", 1, func(f blas.Float64Level3) { f.Dsyrk(blas.Lower, blas.NoTrans, n, n, 1, x, n, 0, z, n) }},
		{"Dsyr2k", 2, func(f blas.Float64Level3) { f.Dsyr2k(blas.Lower, blas.NoTrans, n, n, 1, x, n, y, n, 0, z, n) }},
		{"Dtrmm", 1, func(f blas.Float64Level3) {
			f.Dtrmm(blas.Left, blas.Lower, blas.NoTrans, blas.Unit, n, n, 1, triangular, n, z, n)
		}},
		{"Dtrsm", 1, func(f blas.Float64Level3) {
			f.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.Unit, n, n, 1, triangular, n, z, n)
		}},
	} {
		for name, f := range map[string]blas.Float64Level3{"gonum": gonum.Implementation{}, "weft": Implementation{}} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					c.call(f)
				}
				b.ReportMetric(c.operations*n*n*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOPS")
			})
		}
	}
}
