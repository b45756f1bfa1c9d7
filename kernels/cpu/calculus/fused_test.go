package calculus

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFusedRoundsOnce compares with exact arithmetic, for all sizes, and near ties and below the normal numbers on purpose.
func TestFusedRoundsOnce(t *testing.T) {
	r := random()
	number := func() float32 { return math.Float32frombits(r.Uint32()) }
	near := func(exponent int) float32 {
		return float32(math.Ldexp(float64(r.IntN(1<<r.IntN(25)+1)), exponent-r.IntN(60)))
	}
	exact := func(x float32) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(float64(x)) }
	for i := range 60_000 {
		x, y, z := number(), number(), number()
		switch i % 4 {
		case 1:
			x, y, z = near(0), near(0), -near(0)
		case 2:
			x, y, z = near(-70), near(-70), near(-120)
		case 3: // the product is a little beside a tie of the sum
			x, y = 1+float32(r.IntN(9)-4)*0x1p-23, float32(1+float64(r.IntN(9)-4)*0x1p-23)*0x1p-24
			z = float32(r.IntN(1<<23) + 1<<23)
			z *= 0x1p-23
		}
		got := fused32(x, y, z)
		if product := float64(x) * float64(y); math.IsNaN(product+float64(z)) || math.IsInf(product+float64(z), 0) {
			require.Equal(t, math.Float32bits(float32(product+float64(z)))&0x7fffffff>>22, math.Float32bits(got)&0x7fffffff>>22)
			continue
		}
		want, _ := exact(x).Add(new(big.Float).SetPrec(1000).Mul(exact(x), exact(y)), exact(z)).Float32()
		if got != want {
			require.Failf(t, "rounded twice", "%v·%v + %v: got %v, want %v", x, y, z, got, want)
		}
	}
}
