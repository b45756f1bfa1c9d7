package gemm

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// slowFMA rounds the exact value of x*y + z, which is finite, once.
func slowFMA(x, y, z float32) float32 {
	const enough = 700
	number := func(v float32) *big.Float { return new(big.Float).SetPrec(enough).SetFloat64(float64(v)) }
	sum := number(0).Mul(number(x), number(y))
	result, _ := sum.Add(sum, number(z)).Float32()
	return result
}

func TestFusedMultiplyAddRoundsOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rounds := 200_000
	if thin() {
		rounds = 20_000
	}
	number := func() float32 {
		// Few bits, so that ties are frequent, and exponents near each other.
		v := float32(1+r.IntN(1<<r.IntN(24))) * float32(math.Ldexp(1, r.IntN(40)-20))
		return v * float32(1-2*r.IntN(2))
	}
	twice := 0
	for range rounds {
		x, y, z := number(), number(), number()
		switch r.IntN(4) {
		case 0: // a product just beside the middle between two values
			x, y, z = 1+float32(r.IntN(1<<12))*0x1p-23, 0x1p-24*(1+float32(r.IntN(1<<12))*0x1p-23), 1+float32(r.IntN(8))*0x1p-23
		case 1: // a subnormal result
			x, y, z = x*0x1p-70, y*0x1p-70, z*0x1p-140
		}
		want := slowFMA(x, y, z)
		for _, got := range []float32{exact32(x, y, z), fma32(x, y, z)} {
			if want != got {
				require.Equal(t, want, got, "%x*%x + %x", x, y, z)
			}
		}
		if float32(float64(x)*float64(y)+float64(z)) != want {
			twice++
		}
	}
	require.Positive(t, twice, "some would be rounded twice")
}

func TestFusedMultiplyAddOfExtremes(t *testing.T) {
	inf, nan, zero := float32(math.Inf(1)), float32(math.NaN()), float32(0)
	negative := float32(math.Copysign(0, -1))
	values := []float32{zero, negative, 1, -1, inf, -inf, nan, math.MaxFloat32, -math.MaxFloat32, 0x1p-149, -0x1p-149}
	for _, x := range values {
		for _, y := range values {
			for _, z := range values {
				// A product that is exact in float64, and a sum of which the rounding to float32 does not matter here.
				want := float32(math.FMA(float64(x), float64(y), float64(z)))
				for _, got := range []float32{exact32(x, y, z), fma32(x, y, z)} {
					if want == want || got == got {
						require.Equal(t, math.Float32bits(want), math.Float32bits(got), "%v*%v + %v", x, y, z)
					}
				}
			}
		}
	}
}
