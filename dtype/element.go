package dtype

import "strconv"

// F16 holds the bits of an IEEE 754 binary16 number.
type F16 uint16

// BF16 holds the bits of a bfloat16 number: the upper half of a float32.
type BF16 uint16

// Element is satisfied by the Go types that arrays hold. An int is held as an int64, or as an int32 where it has 32 bits.
type Element interface {
	bool | int | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | F16 | BF16 | float32 | float64 | complex64 | complex128
}

// Float is satisfied by the Go types of real floating-point numbers with arithmetic of their own.
type Float interface{ float32 | float64 }

// Integer is satisfied by the Go types of integers.
type Integer interface {
	int | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Real is satisfied by the Go types of ordered numbers with arithmetic of their own.
type Real interface{ Float | Integer }

// Complex is satisfied by the Go types of complex numbers.
type Complex interface{ complex64 | complex128 }

// Number is satisfied by the Go types of numbers with arithmetic of their own.
type Number interface{ Real | Complex }

// Of returns the element type of T.
func Of[T Element]() DType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return Bool
	case int:
		if strconv.IntSize == 32 {
			return Int32
		}
		return Int64
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case uint8:
		return Uint8
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	case F16:
		return Float16
	case BF16:
		return BFloat16
	case float32:
		return Float32
	case float64:
		return Float64
	case complex64:
		return Complex64
	default:
		return Complex128
	}
}
