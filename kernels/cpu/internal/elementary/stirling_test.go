package elementary

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

// logBig returns the logarithm of x with some 60 digits: x = 2^k·m, and log m by the series of the inverse hyperbolic
// tangent.
func logBig(x *big.Float) *big.Float {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	series := func(m *big.Float) *big.Float { // log m = 2 artanh((m−1)/(m+1))
		z := new(big.Float).Quo(new(big.Float).Sub(m, number(1)), new(big.Float).Add(m, number(1)))
		square, term, sum := new(big.Float).Mul(z, z), new(big.Float).Set(z), number(0)
		for odd := 1.0; term.Sign() != 0 && term.MantExp(nil) > -280; odd += 2 {
			sum.Add(sum, new(big.Float).Quo(term, number(odd)))
			term.Mul(term, square)
		}
		return sum.Mul(sum, number(2))
	}
	m := new(big.Float).SetPrec(300)
	k := new(big.Float).SetPrec(300).Set(x).MantExp(m)
	return new(big.Float).Add(series(m), new(big.Float).Mul(number(float64(k)), series(number(2))))
}

func TestStirlingErrorIsWhatStirlingsFormulaLeavesOut(t *testing.T) {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	pi, _ := new(big.Float).SetPrec(300).SetString("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651")
	factorial := number(1)
	for n := 1.0; n <= 300; n++ {
		factorial.Mul(factorial, number(n))
		want := new(big.Float).Sub(logBig(factorial), new(big.Float).Mul(number(n+0.5), logBig(number(n))))
		want.Add(want, number(n))
		want.Sub(want, new(big.Float).Quo(logBig(new(big.Float).Mul(number(2), pi)), number(2)))
		exact, _ := want.Float64()
		require.InDelta(t, exact, StirlingError(n), 3e-16, n)
	}
	require.InDelta(t, 1.0/12/(1<<53), StirlingError(1<<53), 1e-30)
}

func TestDevianceDoesNotCancel(t *testing.T) {
	for _, mean := range []float64{1e-3, 1, 12.5, 1e6, 1 << 40, 1e18} {
		for _, ratio := range []float64{1e-3, 0.3, 0.81, 0.83, 0.999, 1 - 1e-9, 1, 1 + 1e-12, 1.0001, 1.21, 1.23, 7, 1e4} {
			x := mean * ratio
			exactX, exactMean := new(big.Float).SetPrec(300).SetFloat64(x), new(big.Float).SetPrec(300).SetFloat64(mean)
			exact := new(big.Float).Mul(exactX, logBig(new(big.Float).Quo(exactX, exactMean)))
			exact.Add(exact, exactMean)
			want, _ := exact.Sub(exact, exactX).Float64()
			require.InDelta(t, want, Deviance(x, mean), 1e-14*want, "mean %v, ratio %v", mean, ratio)
		}
	}
}

func TestLog1pKeepsSmallNumbers(t *testing.T) {
	for _, x := range []float64{0, 1e-300, -1e-18, 1e-16, -1.5e-16, 1e-9, -0.3, 0.5, 3, -1 + 1e-10, 1e10} {
		require.InDelta(t, math.Log1p(x), Log1p(x), 1e-15*math.Abs(math.Log1p(x)), x)
	}
	require.Equal(t, math.Inf(-1), Log1p(-1))
}
