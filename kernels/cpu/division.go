package cpu

import (
	"math"

	"github.com/weft-nd/weft/dtype"
)

// floorDivide rounds the quotient of two elements toward minus infinity, and remainder is what is left over, with the sign of the
// divisor. An integer divided by zero gives 0 and 0. Floats follow Python, as NumPy does: the quotient is that of what is left
// without the remainder, which is exact, and never one too large because the quotient was rounded up.

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
	_ = floatQuotients[float32]()
	_ = floatQuotients[float64]()
	_ = halves(2, "floor_divide", "remainder")
)

func integerQuotients[T dtype.Integer]() struct{} {
	return registerQuotients(floorDivideIntegers[T], remainderOfIntegers[T])
}

func floatQuotients[T dtype.Float]() struct{} {
	return registerQuotients(floorDivideFloats[T], remainderOfFloats[T])
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

func floorDivideFloats[T dtype.Float](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		divisor := y[i]
		if divisor == 0 {
			dst[i] = v / divisor
			continue
		}
		rest := leftOver(v, divisor)
		quotient := (v - rest) / divisor
		if rest != 0 && rest < 0 != (divisor < 0) {
			quotient--
		}
		if quotient == 0 {
			dst[i] = T(math.Copysign(0, float64(v/divisor)))
			continue
		}
		whole := T(math.Floor(float64(quotient)))
		if quotient-whole > 0.5 {
			whole++
		}
		dst[i] = whole
	}
}

func remainderOfFloats[T dtype.Float](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		divisor := y[i]
		rest := leftOver(v, divisor)
		switch {
		case divisor == 0:
		case rest == 0:
			rest = T(math.Copysign(0, float64(divisor)))
		case rest < 0 != (divisor < 0):
			rest += divisor
		}
		dst[i] = rest
	}
}

// leftOver is math.Mod, but for the sign of zero, which is exact. A quotient below 2⁵² has been rounded by less than 1, so that its
// whole part is the right one or the next: in both cases x minus so many times y has no digits below those of y, and is not larger.
func leftOver[T dtype.Float](x, y T) T {
	dividend, divisor := float64(x), float64(y)
	quotient := math.Trunc(dividend / divisor)
	switch {
	case quotient == 0:
		return x
	case !(math.Abs(quotient) < 1<<52):
		return T(math.Mod(dividend, divisor))
	}
	rest := math.FMA(-quotient, divisor, dividend)
	if rest != 0 && rest < 0 != (dividend < 0) {
		rest += math.Copysign(divisor, dividend)
	}
	return T(rest)
}
