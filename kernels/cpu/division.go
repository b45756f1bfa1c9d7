package cpu

import (
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/calculus"
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
	_ = pairwise("floor_divide", single, calculus.FloorDivide)
	_ = pairwise("remainder", single, calculus.Remainder)
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
