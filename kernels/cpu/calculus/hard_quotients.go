package calculus

import "math"

// floorDivideHard and remainderHard are what the steps of vectors leave to Go.

func floorDivideHard(x, y float64) float64 {
	quotient := x / y
	whole := math.Trunc(quotient)
	switch {
	case y == 0:
		return quotient
	case math.Abs(whole) < 1<<53:
		rest := x
		if whole != 0 {
			rest = math.FMA(-whole, y, x)
		}
		if rest != 0 && rest < 0 != (y < 0) {
			whole--
		}
		return math.Copysign(whole, quotient)
	}
	rest := leftOver(x, y)
	quotient = (x - rest) / y
	if rest != 0 && rest < 0 != (y < 0) {
		quotient--
	}
	return quotient
}

func remainderHard(x, y float64) float64 {
	rest := leftOver(x, y)
	switch {
	case y == 0:
	case rest == 0:
		rest = math.Copysign(0, y)
	case rest < 0 != (y < 0):
		rest += y
	}
	return rest
}

// leftOver is math.Mod, but for the sign of zero, which is exact. A quotient below 2⁵² has been rounded by less than 1, so that its
// whole part is the right one or the next: in both cases x minus so many times y has no digits below those of y, and is not larger.
func leftOver(x, y float64) float64 {
	quotient := math.Trunc(x / y)
	switch {
	case quotient == 0:
		return x
	case !(math.Abs(quotient) < 1<<52):
		return math.Mod(x, y)
	}
	rest := math.FMA(-quotient, y, x)
	if rest != 0 && rest < 0 != (x < 0) {
		rest += math.Copysign(y, x)
	}
	return rest
}
