package cpu

import (
	"math"

	"github.com/weft-nd/weft/dtype"
)

// floorDivide rounds the quotient of two elements toward minus infinity, and remainder is what is left over, with the sign of the
// divisor. An integer divided by zero gives 0 and 0. Floats follow Python, as NumPy does, with quotients that are exact up to 2⁵³; what is
// left is exact, but for the divisor that is added to what has the other sign.

const dividing = 4 // nanoseconds of an element

var (
	_ = integerQuotients[int8]()
	_ = integerQuotients[int16]()
	_ = integerQuotients[int32]()
	_ = integerQuotients[int64]()
	_ = integerQuotients[uint8]()
	_ = integerQuotients[uint16]()
	_ = integerQuotients[uint32]()
	_ = integerQuotients[uint64]()
	_ = pairwise("floor_divide", single, single, floorDivideFloat32, floorDivideFloat64)
	_ = pairwise("remainder", single, single, remainderFloat32, remainderFloat64)
	_ = halves(2, "floor_divide", "remainder")
)

func integerQuotients[T dtype.Integer]() struct{} {
	return registerQuotients(floorDivideIntegers[T], remainderOfIntegers[T])
}

func registerQuotients[T dtype.Real](floorDivide, remainder func(dst, x, y []T)) struct{} {
	registerLoops("floor_divide", binaryLoop(floorDivide, dividing))
	return registerLoops("remainder", binaryLoop(remainder, dividing))
}

func floorDivideIntegers[T dtype.Integer](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		divisor := y[i]
		if divisor == 0 {
			dst[i] = 0
			continue
		}
		quotient := v / divisor
		if quotient*divisor != v && v < 0 != (divisor < 0) {
			quotient--
		}
		dst[i] = quotient
	}
}

func remainderOfIntegers[T dtype.Integer](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		divisor := y[i]
		if divisor == 0 {
			dst[i] = 0
			continue
		}
		rest := v % divisor
		if rest != 0 && rest < 0 != (divisor < 0) {
			rest += divisor
		}
		dst[i] = rest
	}
}

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
