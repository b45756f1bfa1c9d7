package cpu

import (
	"math"
	"math/bits"
	"unsafe"

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
	register := func(operator string, plain func(dst, x, y []T)) struct{} {
		return registerLoops(operator, byOne[T](operator, binaryLoop(plain, dividing)))
	}
	register("floor_divide", floorDivideIntegers[T])
	return register("remainder", remainderOfIntegers[T])
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

// byOne adds assembly for rows whose elements are all divided by one number.
func byOne[T dtype.Integer](operator string, i *inner) *inner {
	i.forms = func(general runner, level int) assembledLoop {
		single := assemblyLoops[operator+"_by_one/"+i.dtypes][level-1]
		if single == nil {
			return general.vector
		}
		return func(dst, x, y, z *byte, count, form, rows int, steps [maxOperands]int) {
			if form&formSecond != 0 && (rows == 1 || steps[2] == 0) {
				if value := *(*T)(unsafe.Pointer(y)); value != 0 && value != 1 && value+1 != 0 {
					single(dst, x, y, (*byte)(unsafe.Pointer(soleDivisorOf(value))), count, form, rows, steps)
					return
				}
			}
			if general.vector != nil {
				general.vector(dst, x, y, z, count, form, rows, steps)
				return
			}
			general.runRows(rows, count, pointers{unsafe.Pointer(dst), unsafe.Pointer(x), unsafe.Pointer(y)}, steps, form&^formStreams)
		}
	}
	return i
}

// soleDivisor is a number to divide by, as assembly needs it: the lowest bytes of factor, sign and value are elements.
type soleDivisor struct {
	factor uint64 // the upper half of whose product with an element is shifted then
	shift  uint64
	sign   uint64 // has all bits if the divisor is negative
	value  uint64
}

// soleDivisorOf returns the divisor of a value that is not 0, 1 or −1. With e for its size, l for the least number with e ≤ 2ˡ, and N bits in an
// element, its factor is ⌊2ᴺ⁻¹⁺ˡ/e⌋+1, by which what is at most 2ᴺ⁻¹ is divided exactly, or for unsigned elements ⌊2ᴺ⁺ˡ/e⌋+1-2ᴺ. For bytes
// it is ⌊2¹⁶/e⌋+1.
func soleDivisorOf[T dtype.Integer](value T) *soleDivisor {
	d := &soleDivisor{value: uint64(value)}
	size := d.value
	if value < 0 {
		d.sign, size = math.MaxUint64, -d.value
	}
	length := bits.Len64(size - 1)
	d.shift = uint64(length - 1)
	high, dropped := uint64(1)<<d.shift, 64-8*int(unsafe.Sizeof(value))
	switch {
	case unsafe.Sizeof(value) == 1:
		high, dropped = 1, 48
	case ^T(0) > 0:
		high = 1<<length - size
	}
	quotient, _ := bits.Div64(high, 0, size)
	d.factor = quotient>>dropped + 1
	return d
}
