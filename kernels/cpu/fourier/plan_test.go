package fourier

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
	"gonum.org/v1/gonum/dsp/fourier"
)

// lengths are those that have each kind of factors, and of each method.
func lengths() []int {
	all := []int{}
	for n := 1; n <= 130; n++ {
		all = append(all, n)
	}
	return append(all, 169, 243, 256, 289, 360, 512, 625, 841, 961, 1000, 1009, 1024, 1369, 1536, 2018, 2048, 2401, 3072, 4096, 5040)
}

func randomLine[T dtype.Float](n int) []Number[T] {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	x := make([]Number[T], n)
	for i := range x {
		x[i] = Number[T]{T(r.NormFloat64()), T(r.NormFloat64())}
	}
	return x
}

// naive is the transform by its definition, with exact roots, in float64.
func naive[T dtype.Float](x []Number[T]) []Number[float64] {
	n := len(x)
	roots, result := make([]Number[float64], n), make([]Number[float64], n)
	for k := range roots {
		sine, cosine := math.Sincos(-2 * math.Pi * float64(k) / float64(n))
		roots[k] = Number[float64]{cosine, sine}
	}
	for k := range result {
		for j, number := range x {
			w := roots[j*k%n]
			result[k].Re += float64(number.Re)*w.Re - float64(number.Im)*w.Im
			result[k].Im += float64(number.Im)*w.Re + float64(number.Re)*w.Im
		}
	}
	return result
}

// distance is the root of the sum of the squares of what got is off, relative to that of want.
func distance[T dtype.Float](want []Number[float64], got []Number[T]) float64 {
	off, all := 0.0, 0.0
	for k, w := range want {
		off = math.Hypot(off, math.Hypot(float64(got[k].Re)-w.Re, float64(got[k].Im)-w.Im))
		all = math.Hypot(all, math.Hypot(w.Re, w.Im))
	}
	return off / all
}

func transformed[T dtype.Float](p *plan[T], x []Number[T]) []Number[T] {
	memory := make([]Number[T], p.Room())
	copy(memory, x)
	return p.Run(parallel.Serial(), memory, make([]Number[T], p.Room()))[:len(x)]
}

// requireExact checks that errors grow as the logarithm of the length.
func requireExact[T dtype.Float](t *testing.T, n, longest int, want []Number[float64], unit float64) {
	got := transformed(newPlan[T](n, longest), randomLine[T](n))
	bound := unit * max(1, math.Log2(float64(n)))
	off := distance(want, got)
	require.LessOrEqual(t, off, bound, "%d numbers, off by %g units of the last place", n, off/unit)
}

const (
	single = 0x1p-24
	double = 0x1p-53
)

func TestErrorsGrowAsTheLogarithmOfTheLength(t *testing.T) {
	for _, n := range lengths() {
		requireExact[float32](t, n, longLine, naive(randomLine[float32](n)), single)
		requireExact[float64](t, n, longLine, naive(randomLine[float64](n)), 4*double) // The oracle has errors of its own.
	}
}

func TestLongLinesAreMatrices(t *testing.T) {
	for _, n := range []int{64, 120, 121, 243, 360, 1000, 1009, 1024, 2048, 2 * 1009} {
		p := newPlan[float64](n, 64)
		require.True(t, p.IsShared(), "%d", n)
		requireExact[float32](t, n, 64, naive(randomLine[float32](n)), single)
		requireExact[float64](t, n, 64, naive(randomLine[float64](n)), 4*double)
		requireExact[float64](t, n, 8, naive(randomLine[float64](n)), 4*double) // matrices in matrices
	}
}

func TestLongTransformsAreThoseOfGonum(t *testing.T) {
	for _, n := range []int{1 << 15, 1 << 16, 3 << 15, 100_000, 1<<17 + 1<<15, 65537} {
		x := randomLine[float64](n)
		if n == 65537 && testing.Short() {
			continue // gonum takes quadratic time
		}
		numbers := make([]complex128, n)
		for i := range x {
			numbers[i] = complex(x[i].Re, x[i].Im)
		}
		want := make([]Number[float64], n)
		for k, z := range fourier.NewCmplxFFT(n).Coefficients(nil, numbers) {
			want[k] = Number[float64]{real(z), imag(z)}
		}
		bound := 1e-13
		require.LessOrEqual(t, distance(want, transformed(planOf[float64](n, false), x)), bound, "%d", n)
		rest := randomLine[float32](n)
		for i := range rest {
			numbers[i] = complex(float64(rest[i].Re), float64(rest[i].Im))
		}
		for k, z := range fourier.NewCmplxFFT(n).Coefficients(nil, numbers) {
			want[k] = Number[float64]{real(z), imag(z)}
		}
		require.LessOrEqual(t, distance(want, transformed(planOf[float32](n, false), rest)), single*math.Log2(float64(n)), "%d", n)
	}
}

// TestRootsAreExact compares them with series of 200 bits.
func TestRootsAreExact(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 1000, 1009, 1 << 20} {
		for i := range min(n, 200) {
			k := i
			if n > 200 {
				k = i * (n / 200)
			}
			cosine, sine := preciseRoot(k, n)
			got := root(k, n)
			require.InDelta(t, cosine, got.Re, 0x1p-53, "%d/%d", k, n)
			require.InDelta(t, -sine, got.Im, 0x1p-53, "%d/%d", k, n)
			if k > 0 {
				require.Equal(t, got.conjugate(), root(n-k, n), "%d/%d", k, n)
			}
		}
	}
	require.Equal(t, Number[float64]{0, -1}, root(1, 4))
	require.Equal(t, Number[float64]{-1, 0}, Number[float64]{root(2, 4).Re, root(2, 4).Im + 0})
	require.Equal(t, root(1, 8).Re, -root(1, 8).Im)
}

// preciseRoot returns the cosine and sine of 2πk/n by their series.
func preciseRoot(k, n int) (cosine, sine float64) {
	float := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
	pi, _ := new(big.Float).SetPrec(200).SetString("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")
	x := new(big.Float).Mul(pi, new(big.Float).Quo(float(2*float64(k)), float(float64(n))))
	term, sums := float(1), [2]*big.Float{float(0), float(0)}
	for i := range 80 {
		signed := new(big.Float).Set(term)
		if i/2%2 == 1 {
			signed.Neg(signed)
		}
		sums[i%2].Add(sums[i%2], signed)
		term = new(big.Float).Quo(new(big.Float).Mul(term, x), float(float64(i+1)))
	}
	cosine, _ = sums[0].Float64()
	sine, _ = sums[1].Float64()
	return cosine, sine
}

func TestPlansAreKept(t *testing.T) {
	p := planOf[float64](77, false)
	require.Same(t, p, planOf[float64](77, false))
	for n := range keptPlans {
		planOf[float64](1000+n, false)
	}
	require.NotSame(t, p, planOf[float64](77, false), "the oldest goes")
	require.Len(t, doublePlans.plans, keptPlans)
}

func TestPlansOfLongLinesAreNotKeptTogether(t *testing.T) {
	for _, n := range []int{300_007, 300_017, 300_023, 300_043} {
		latest := planOf[float32](n, false)
		numbers := 0
		for _, p := range singlePlans.plans {
			numbers += p.numbers()
		}
		require.Same(t, latest, singlePlans.plans[0])
		require.LessOrEqual(t, numbers-latest.numbers(), keptNumbers, "beside the latest")
		require.Greater(t, latest.numbers(), n)
	}
}

func BenchmarkRun(b *testing.B) {
	for _, n := range []int{256, 1000, 1009, 1024, 2048, 4096, 1 << 20} {
		b.Run(fmt.Sprintf("complex64/%d", n), func(b *testing.B) { benchmarkRun[float32](b, n) })
		b.Run(fmt.Sprintf("complex128/%d", n), func(b *testing.B) { benchmarkRun[float64](b, n) })
	}
}

func benchmarkRun[T dtype.Float](b *testing.B, n int) {
	p := planOf[T](n, false)
	x, other := make([]Number[T], p.Room()), make([]Number[T], p.Room())
	thread := parallel.Serial()
	for b.Loop() {
		p.Run(thread, x, other)
	}
}
