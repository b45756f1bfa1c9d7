package elementary

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// units returns the distance of got from want in units in the last place of want.
func units(got, want float64) float64 {
	if got == want || got != got && want != want {
		return 0
	}
	_, exponent := math.Frexp(want)
	return math.Abs(got-want) / math.Ldexp(1, max(exponent-53, -1074))
}

// rounds is how many random arguments are tried.
func rounds() int {
	if testing.Short() {
		return 20_000
	}
	return 100_000
}

// requireNear compares got with a function of package math, whose own error is below one unit.
func requireNear(t *testing.T, want, got float64, x any) {
	t.Helper()
	if units(got, want) > 2 {
		require.Failf(t, "wrong", "of %v: got %v, want %v", x, got, want)
	}
}

// logarithmOf is math.Log, whose assembly for amd64 is wrong for subnormal numbers.
func logarithmOf(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

func TestLogarithmsAndPowersAreThoseOfPackageMath(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	special := []float64{
		0, math.Copysign(0, -1), 1, -1, 2, 0.5, math.Sqrt2, math.Sqrt2 / 2, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324,
		0x1p-1022, math.Nextafter(0x1p-1022, 0), math.MaxFloat64, 709, 709.79, -745.13, -745.14, -708.4, -720, 1e-300, -1e-300, 1e300, -1e300,
	}
	for _, x := range special {
		requireNear(t, logarithmOf(x), Log(x), x)
		requireNear(t, math.Exp(x), Exp(x), x)
	}
	for x, want := range map[float64]float64{709.2: 1.003798554122782e+308, 709.7: 1.6549840276802644e+308, 709.78: 1.7928227943945155e+308} {
		require.Equal(t, want, Exp(x), "the assembly of package math for amd64 overflows here")
	}
	require.Equal(t, 0.0, Log(1))
	for range rounds() {
		x := math.Float64frombits(r.Uint64())
		requireNear(t, logarithmOf(x), Log(x), x)
		near := 1 + (r.Float64()-0.5)*math.Ldexp(1, -r.IntN(40))
		requireNear(t, math.Log(near), Log(near), near)
		y := (r.Float64() - 0.5) * math.Ldexp(1, 11-r.IntN(20))
		if y > 709 && y < 709.79 {
			continue
		}
		requireNear(t, math.Exp(y), Exp(y), y)
	}
}

// TestLogarithmsOfWordsAreExactAtBothEnds compares with math.Log1p near one.
func TestLogarithmsOfWordsAreExactAtBothEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	words := []uint64{0, 1, 2, 3, 1 << 63, 1<<63 - 1, math.MaxUint64, math.MaxUint64 - 1, math.MaxUint64 - 2, sqrtHalfWord, sqrtHalfWord - 1}
	for range rounds() {
		w := r.Uint64() >> r.IntN(64)
		words = append(words, w, ^w)
	}
	half := new(big.Float).SetFloat64(0.5)
	for i, w := range words {
		exact := new(big.Float).SetPrec(80).SetUint64(w >> 1)
		exact.Add(exact, half)
		unit, _ := exact.Float64()
		if i < 20_000 {
			require.LessOrEqual(t, units(Unit(w), unit*0x1p-63), 1.0)
		}
		want := math.Log(unit * 0x1p-63)
		if w >= 1<<63 {
			exact.Sub(new(big.Float).SetPrec(80).SetUint64(1<<63), exact)
			rest, _ := exact.Float64()
			want = math.Log1p(-rest * 0x1p-63)
		}
		requireNear(t, want, LogUnit(w), w)
		if !(LogUnit(w) < 0) {
			require.Failf(t, "not negative", "of %d", w)
		}
	}
}

func TestSinesAndCosinesLieOnTheCircle(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	words := []uint64{0, 1, 1 << 61, 1<<61 - 1, 1 << 62, 1 << 63, 3 << 62, 1<<62 - 1, 5 << 61, 7 << 61, math.MaxUint64}
	for range rounds() {
		words = append(words, r.Uint64())
	}
	for _, w := range words {
		sine, cosine := SineCosine(w)
		quarter := (w + 1<<61) >> 62 // package math is exact where its argument is small
		wantSine, wantCosine := math.Sincos(float64(int64(w-quarter<<62)|1) * (2 * math.Pi * 0x1p-64))
		for range quarter & 3 {
			wantSine, wantCosine = wantCosine, -wantSine
		}
		requireNear(t, wantSine, sine, w)
		requireNear(t, wantCosine, cosine, w)
		if sine == 0 || cosine == 0 {
			require.Failf(t, "zero", "of %d", w)
		}
	}
}

var sink float64

func BenchmarkElementary(b *testing.B) {
	for name, f := range map[string]func(w uint64) float64{
		"LogUnit": LogUnit,
		"Exp":     func(w uint64) float64 { return Exp(Unit(w)) },
		"SineCosine": func(w uint64) float64 {
			sine, cosine := SineCosine(w)
			return sine + cosine
		},
	} {
		b.Run(name, func(b *testing.B) {
			w := uint64(1)
			for b.Loop() {
				w += 0x9E3779B97F4A7C15
				sink += f(w)
			}
		})
	}
}
