package dtype

import "math"

// FloatLimits are the properties of a floating-point type.
type FloatLimits struct {
	Bits           int     // of an element
	Epsilon        float64 // from 1 to the next larger number
	Max            float64 // the largest finite number; −Max is the least
	SmallestNormal float64 // the smallest positive number with full precision
}

// FloatLimits returns the properties of d, of a complex type those of its parts; found is false if d is neither.
func (d DType) FloatLimits() (limits FloatLimits, found bool) {
	switch d {
	case Float16:
		return FloatLimits{16, 0x1p-10, 65504, 0x1p-14}, true
	case BFloat16:
		return FloatLimits{16, 0x1p-7, 0x1.fep127, 0x1p-126}, true
	case Float32, Complex64:
		return FloatLimits{32, 0x1p-23, math.MaxFloat32, 0x1p-126}, true
	case Float64, Complex128:
		return FloatLimits{64, 0x1p-52, math.MaxFloat64, 0x1p-1022}, true
	}
	return FloatLimits{}, false
}

// IntegerLimits are the properties of an integer type.
type IntegerLimits struct {
	Bits int // of an element
	Min  int64
	Max  uint64
}

// IntegerLimits returns the properties of d; found is false if d is no integer type.
func (d DType) IntegerLimits() (limits IntegerLimits, found bool) {
	if !d.IsInteger() {
		return IntegerLimits{}, false
	}
	bits := 8 * d.Size()
	if d.Kind() == KindUnsigned {
		return IntegerLimits{Bits: bits, Max: math.MaxUint64 >> (64 - bits)}, true
	}
	return IntegerLimits{bits, math.MinInt64 >> (64 - bits), math.MaxInt64 >> (64 - bits)}, true
}

// CanCast reports whether Promote of both types is to, so that it holds the values of from, 64-bit integers as floats excepted.
func CanCast(from, to DType) bool { return from != Invalid && Promote(from, to) == to }
