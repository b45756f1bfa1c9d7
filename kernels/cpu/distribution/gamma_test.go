package distribution

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheRemainderOfTheLogarithmIsExact compares with 200 bits around the place where the method changes.
func TestTheRemainderOfTheLogarithmIsExact(t *testing.T) {
	for _, x := range []float64{1e-9, 1e-3, 0.03, 0.0312, 0.0313, 0.05, 0.3, 2} {
		for _, x := range []float64{x, -min(x, 0.9)} {
			sum := new(big.Float).SetPrec(200)
			if math.Abs(x) < 0.4 {
				power := new(big.Float).SetPrec(200).SetFloat64(x * -1)
				power.Mul(power, power).Mul(power, power)
				for n := 4; n < 300; n++ {
					sum.Sub(sum, new(big.Float).Quo(power, big.NewFloat(float64(n))))
					power.Mul(power, big.NewFloat(-x))
				}
			} else {
				sum.SetFloat64(math.Log1p(x) - x + x*x/2 - x*x*x/3)
			}
			want, _ := sum.Float64()
			require.InDelta(t, want, logRemainder(x), 1e-9*math.Abs(want), x)
		}
	}
}
