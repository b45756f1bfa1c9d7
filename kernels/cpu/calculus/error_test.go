package calculus

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestErrorFunctionOfFloat64ErrsByOneAndAQuarterUnits compares with the series 2/√π Σ (−1)ⁿ x²ⁿ⁺¹ / (n! (2n+1)) in numbers of 300 bits.
func TestErrorFunctionOfFloat64ErrsByOneAndAQuarterUnits(t *testing.T) {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	factor, _, err := big.ParseFloat("1.1283791670955125738961589031215451716881012586579977136881714434212849368829868289734873204042147", 10, 300, big.ToNearestEven)
	require.NoError(t, err)
	exact := func(x float64) *big.Float {
		square, power, sum := number(0).Mul(number(-x), number(x)), number(x), number(x)
		for n := 1; power.MantExp(nil) > -120; n++ {
			power.Mul(power, square).Quo(power, number(float64(n)))
			sum.Add(sum, number(0).Quo(power, number(float64(2*n+1))))
		}
		return sum.Mul(sum, factor)
	}
	r := random()
	worst, at := 0.0, 0.0
	for i := range 6000 {
		x := 4 * r.Float64()
		if i%2 == 0 { // about where a polynomial gives way to an exponential function
			x = 0.9 + 0.2*r.Float64()
		}
		got := ErfFloat64(x)
		away, _ := number(0).Sub(exact(x), number(got)).Float64()
		if units := math.Abs(away) / (math.Nextafter(got, 2) - got); units > worst {
			worst, at = units, x
		}
	}
	t.Logf("%.3f units at %v", worst, at)
	require.LessOrEqual(t, worst, 1.25, at)
}
