package ops

import (
	"math"
	"math/big"
)

// sine, cosine and tangent are package math's, whose arguments are reduced here where they are so large that it loses digits.

func sine(x float64) float64 {
	rest, quarters := quarterTurns(x)
	return [4]float64{math.Sin(rest), math.Cos(rest), -math.Sin(rest), -math.Cos(rest)}[quarters]
}

func cosine(x float64) float64 {
	rest, quarters := quarterTurns(x)
	return [4]float64{math.Cos(rest), -math.Sin(rest), -math.Cos(rest), math.Sin(rest)}[quarters]
}

func tangent(x float64) float64 { return sine(x) / cosine(x) }

// quarterTurns returns what x, if large, is beyond the nearest multiple of π/2, and the multiple modulo 4.
func quarterTurns(x float64) (rest float64, quarters int64) {
	if !(math.Abs(x) > 1e6 && math.Abs(x) <= math.MaxFloat64) {
		return x, 0
	}
	quarter := new(big.Float).Quo(fullTurn(), big.NewFloat(4))
	exact := new(big.Float).SetPrec(precision).SetFloat64(x)
	count := new(big.Float).SetPrec(precision).Quo(exact, quarter)
	whole, _ := count.Add(count, big.NewFloat(math.Copysign(0.5, x))).Int(nil)
	taken := new(big.Float).SetPrec(precision).SetInt(whole)
	rest, _ = exact.Sub(exact, taken.Mul(taken, quarter)).Float64()
	return rest, new(big.Int).And(whole, big.NewInt(3)).Int64()
}

// precision, in bits, is enough for the largest float64 with as many digits behind the point again.
const precision = 1400

// fullTurn returns 2π by Machin's formula, π = 16 arctan(1/5) − 4 arctan(1/239).
func fullTurn() *big.Float {
	arctangent := func(inverse int64) *big.Int {
		sum := new(big.Int)
		power := new(big.Int).Lsh(big.NewInt(1), precision)
		power.Quo(power, big.NewInt(inverse))
		for odd, sign := int64(1), int64(1); power.Sign() != 0; odd, sign = odd+2, -sign {
			term := new(big.Int).Quo(power, big.NewInt(odd))
			sum.Add(sum, term.Mul(term, big.NewInt(sign)))
			power.Quo(power, big.NewInt(inverse*inverse))
		}
		return sum
	}
	fifth, small := arctangent(5), arctangent(239)
	turn := fifth.Sub(fifth.Mul(fifth, big.NewInt(32)), small.Mul(small, big.NewInt(8)))
	result := new(big.Float).SetPrec(precision).SetInt(turn)
	return result.SetMantExp(result, -precision)
}
