package calculus

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
)

// pairFunction is a function of two operands that internal/gen writes, with an oracle in float64.
type pairFunction struct {
	name   string
	all    Binary
	single func(x, y float32) float32
	double func(x, y float64) float64
	oracle func(x, y float64) float64
	ulps   float64   // of float32
	ulps64 float64   // of float64, what the oracle errs by included
	sums   [2]string // of the bits of results for float32 and float64
}

var pairFunctions = []pairFunction{
	{"hypot", Hypot, HypotFloat32, HypotFloat64, math.Hypot, 0.51, 2, [2]string{"0xd47438c8fbfc5bfb", "0x3de429291bbed3f1"}},
	{"atan2", Atan2, Atan2Float32, Atan2Float64, func(y, x float64) float64 { return math.Copysign(math.Atan2(math.Abs(y), x), y) }, 1.7, 2, [2]string{"0x8cfa55bce5f43fe6", "0x9a78c066b11e34e7"}},
	{"logaddexp", Logaddexp, LogaddexpFloat32, LogaddexpFloat64, func(x, y float64) float64 {
		if x == y {
			return x + math.Ln2
		}
		return max(x, y) + math.Log1p(math.Exp(-math.Abs(x-y)))
	}, 2, 2, [2]string{"0x70a37618d475ad9e", "0x6200c8e9eba0c8df"}},
}

func TestPairFunctionsAreThoseOfPackageMath(t *testing.T) {
	for _, f := range pairFunctions {
		x, y := powers[float32]()
		r := random()
		for range 20_000 { // of like sizes, whose angles are not all those of the axes
			x, y = append(x, float32((r.Float64()-0.5)*math.Ldexp(1, r.IntN(8)))), append(y, float32((r.Float64()-0.5)*math.Ldexp(1, r.IntN(8))))
		}
		worst32 := 0.0
		for i := range x {
			want := f.oracle(float64(x[i]), float64(y[i]))
			if math.Abs(want) > math.MaxFloat32*(1+0x1p-25) {
				want = math.Copysign(math.Inf(1), want)
			}
			got := float64(f.single(x[i], y[i]))
			apart := unitsApart(got, want, 24, -149) * cancelling(f, float64(x[i]), float64(y[i]), want)
			worst32 = max(worst32, apart)
			require.LessOrEqual(t, apart, f.ulps, "%s of %v and %v: got %v, want %v", f.name, x[i], y[i], got, want)
		}
		a, b := powers[float64]()
		worst := 0.0
		for i := range a {
			want, got := f.oracle(a[i], b[i]), f.double(a[i], b[i])
			apart := unitsApart(got, want, 53, -1074) * cancelling(f, a[i], b[i], want)
			worst = max(worst, apart)
			require.LessOrEqual(t, apart, f.ulps64, "%s of %v and %v: got %v, want %v", f.name, a[i], b[i], got, want)
			if want == 0 {
				require.Equal(t, math.Signbit(want), math.Signbit(got), "%s of %v and %v", f.name, a[i], b[i])
			}
		}
		t.Log(f.name, worst32, worst)
	}
}

// cancelling is by how much a result of logaddexp is smaller than the larger of its terms, whose last place counts where the sum cancels.
func cancelling(f pairFunction, x, y, result float64) float64 {
	term := max(x, y)
	if term = max(math.Abs(term), math.Abs(result-term)); f.name == "logaddexp" && term > math.Abs(result) {
		return math.Exp2(float64(math.Ilogb(result) - math.Ilogb(term)))
	}
	return 1
}

// TestQuotientsAreThoseOfExactNumbers rounds quotients of many digits, and takes their multiples off.
func TestQuotientsAreThoseOfExactNumbers(t *testing.T) {
	checkQuotients(t, FloorDivideFloat32, RemainderFloat32, 24, -149)
	checkQuotients(t, FloorDivideFloat64, RemainderFloat64, 53, -1074)
}

func checkQuotients[T dtype.Float](t *testing.T, floorDivide, remainder func(x, y T) T, digits, least int) {
	x, y := powers[T]()
	r := random()
	for range 20_000 { // multiples and what is next to them, and quotients about the largest that vectors have
		divisor := T(r.NormFloat64())
		multiple := T(float64(divisor) * math.Round(r.NormFloat64()*math.Ldexp(1, r.IntN(digits+2))))
		for _, dividend := range []float64{float64(multiple), math.Nextafter(float64(multiple), 9e9), math.Nextafter(float64(multiple), -9e9)} {
			x, y = append(x, T(dividend)), append(y, divisor)
		}
	}
	largest := math.MaxFloat32
	if digits == 53 {
		largest = math.MaxFloat64
	}
	float := func(v float64) *big.Float { return new(big.Float).SetPrec(2300).SetFloat64(v) }
	for i := range x {
		a, b := float64(x[i]), float64(y[i])
		if !(math.Abs(a) <= math.MaxFloat64 && math.Abs(b) <= math.MaxFloat64) || b == 0 {
			continue
		}
		quotient := float(0).Quo(float(a), float(b))
		whole, _ := quotient.Int(nil)
		if quotient.Sign() < 0 && !quotient.IsInt() {
			whole.Sub(whole, big.NewInt(1))
		}
		wantWhole, _ := new(big.Float).SetInt(whole).Float64()
		if math.Abs(wantWhole) <= math.Ldexp(1, digits-1) {
			require.Equal(t, wantWhole, float64(floorDivide(x[i], y[i])), "%v / %v", a, b)
		} else if math.Abs(wantWhole) <= largest {
			require.LessOrEqual(t, unitsApart(float64(floorDivide(x[i], y[i])), wantWhole, digits, least), 1.0, "%v / %v", a, b)
		}
		want := math.Mod(a, b)
		if want != 0 && want < 0 != (b < 0) {
			want = float64(T(want) + y[i])
		}
		got := float64(remainder(x[i], y[i]))
		require.Equal(t, want, got, "what is left of %v / %v", a, b)
		require.Equal(t, math.Signbit(b), math.Signbit(got), "what is left of %v / %v", a, b)
	}
}

// TestHypotIsRoundedFromExactSquares has Pythagorean triples of all sizes, whose roots are numbers.
func TestHypotIsRoundedFromExactSquares(t *testing.T) {
	for _, triple := range [][3]float64{{3, 4, 5}, {5, 12, 13}, {20, 21, 29}, {119, 120, 169}, {23660, 23661, 33461}, {1e8 - 1, 2e4, 1e8 + 1}} {
		for exponent := -1074; exponent < 990; exponent++ {
			x, y, want := math.Ldexp(triple[0], exponent), math.Ldexp(triple[1], exponent), math.Ldexp(triple[2], exponent)
			require.Equal(t, want, HypotFloat64(x, y))
			require.Equal(t, want, HypotFloat64(-y, x))
		}
	}
}

// TestHypotErrsByLittleMoreThanHalfAUnit compares with roots of 200 digits.
func TestHypotErrsByLittleMoreThanHalfAUnit(t *testing.T) {
	x, y := powers[float64]()
	for i := 0; i < len(x); i += 7 {
		if !(math.Abs(x[i])+math.Abs(y[i]) <= math.MaxFloat64) {
			continue
		}
		a, b := new(big.Float).SetPrec(600).SetFloat64(x[i]), new(big.Float).SetPrec(600).SetFloat64(y[i])
		want := new(big.Float).SetPrec(600)
		want.Sqrt(want.Add(a.Mul(a, a), b.Mul(b, b)))
		got := new(big.Float).SetFloat64(HypotFloat64(x[i], y[i]))
		if got.Sign() == 0 || want.Sign() == 0 {
			require.Equal(t, want.Sign(), got.Sign())
			continue
		}
		off, _ := got.Sub(got, want).Float64()
		_, exponent := math.Frexp(HypotFloat64(x[i], y[i]))
		require.LessOrEqual(t, math.Abs(off), 0.51*math.Ldexp(1, max(exponent-53, -1074)), "%v and %v", x[i], y[i])
	}
}

func TestNextAfterIsThatOfPackageMath(t *testing.T) {
	x, y := powers[float32]()
	for i := range x {
		require.True(t, sameSpecial(float64(NextafterFloat32(x[i], y[i])), float64(math.Nextafter32(x[i], y[i]))) || x[i] == y[i], "%v, %v", x[i], y[i])
	}
	a, b := powers[float64]()
	for i := range a {
		require.True(t, sameSpecial(NextafterFloat64(a[i], b[i]), math.Nextafter(a[i], b[i])) || a[i] == b[i], "%v, %v", a[i], b[i])
	}
}

func TestPairFunctionsHaveEqualBitsAtAllLevelsAndEverywhere(t *testing.T) {
	for _, f := range append(pairFunctions, pairFunction{name: "floor_divide", all: FloorDivide, sums: [2]string{"0x66045d7f00342023", "0xdd633e6761b09881"}},
		pairFunction{name: "remainder", all: Remainder, sums: [2]string{"0x9c5417ff3a34097b", "0x6de4c6fabab6adf8"}}, pairFunction{name: "nextafter", all: Nextafter, sums: [2]string{"0x23e9b5f945940258", "0x4781f54a1bf89e82"}}) {
		require.Equal(t, f.sums, [2]string{checkPairs(t, f.all.Float32), checkPairs(t, f.all.Float64)}, f.name)
	}
}
