package ops

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/dtype"
)

// number is the exact value of a scalar, whatever element type it takes among other operands.
type number struct {
	kind dtype.Kind // KindInvalid of none
	bits uint64     // of an integer in two's complement, or of a float64; nothing of a complex number
}

// numberOf returns the value of v.
func numberOf[T dtype.Element](v T) number {
	kind := dtype.Of[T]().Kind()
	switch x := any(v).(type) {
	case bool:
		if x {
			return number{kind, 1}
		}
		return number{kind, 0}
	case int:
		return number{kind, uint64(x)}
	case int8:
		return number{kind, uint64(x)}
	case int16:
		return number{kind, uint64(x)}
	case int32:
		return number{kind, uint64(x)}
	case int64:
		return number{kind, uint64(x)}
	case uint8:
		return number{kind, uint64(x)}
	case uint16:
		return number{kind, uint64(x)}
	case uint32:
		return number{kind, uint64(x)}
	case uint64:
		return number{kind, x}
	case dtype.F16:
		return floatNumber(float64(x.Float32()))
	case dtype.BF16:
		return floatNumber(float64(x.Float32()))
	case float32:
		return floatNumber(float64(x))
	case float64:
		return floatNumber(x)
	}
	return number{kind: kind}
}

func floatNumber(v float64) number { return number{dtype.KindFloat, math.Float64bits(v)} }

// float returns the float64 nearest to n.
func (n number) float() float64 {
	switch n.kind {
	case dtype.KindFloat:
		return math.Float64frombits(n.bits)
	case dtype.KindSigned:
		return float64(int64(n.bits))
	}
	return float64(n.bits)
}

// integer returns n as an integer of 64 bits, if it is one that int64 or uint64 holds.
func (n number) integer() (whole number, ok bool) {
	if n.kind != dtype.KindFloat {
		return n, n.kind != dtype.KindComplex
	}
	switch v := n.float(); {
	case v != math.Trunc(v) || v < -1<<63 || v >= 1<<64:
		return n, false
	case v < 0:
		return number{dtype.KindSigned, uint64(int64(v))}, true
	default:
		return number{dtype.KindUnsigned, uint64(v)}, true
	}
}

// fits reports whether an element of type d can be n, floats rounded, but not to infinity.
func (n number) fits(d dtype.DType) bool {
	switch d.Kind() {
	case dtype.KindComplex:
		return true
	case dtype.KindFloat:
		v := n.float()
		return n.kind != dtype.KindComplex && (math.IsInf(v, 0) || math.Abs(v) < overflow(d))
	}
	whole, ok := n.integer()
	bits := 8 * d.Size()
	switch negative := whole.kind == dtype.KindSigned && int64(whole.bits) < 0; {
	case !ok:
		return false
	case d == dtype.Bool:
		return whole.bits <= 1
	case negative:
		return d.Kind() == dtype.KindSigned && int64(whole.bits) >= -1<<(bits-1)
	case d.Kind() == dtype.KindSigned:
		bits--
	}
	return bits == 64 || whole.bits < 1<<bits
}

// overflow returns the least number that a float of type d rounds to infinity; that of float64 is infinite.
func overflow(d dtype.DType) float64 {
	switch d {
	case dtype.Float16:
		return 0x1p16 - 0x1p4
	case dtype.BFloat16:
		return 0x1p128 - 0x1p119
	case dtype.Float32:
		return 0x1p128 - 0x1p103
	}
	return math.Inf(1)
}

// comparedIn returns the element type in which n is compared with elements of type d: d itself if it holds n, otherwise a wider
// one.
func (n number) comparedIn(d dtype.DType) dtype.DType {
	switch whole, ok := n.integer(); {
	case n.fits(d):
		return d
	case d.IsFloat() || !ok:
		return dtype.Float64
	case whole.kind == dtype.KindSigned:
		return dtype.Int64
	}
	return dtype.Uint64
}

// String returns n as Go prints it.
func (n number) String() string {
	switch n.kind {
	case dtype.KindBool:
		return fmt.Sprint(n.bits == 1)
	case dtype.KindSigned:
		return fmt.Sprint(int64(n.bits))
	case dtype.KindUnsigned:
		return fmt.Sprint(n.bits)
	case dtype.KindFloat:
		return fmt.Sprint(n.float())
	}
	return "a complex number"
}

// Holds reports whether an element of type d can be v, floats rounded, but not to infinity.
func Holds[T dtype.Element](d dtype.DType, v T) bool { return numberOf(v).fits(d) }

// Unfit returns why v is no value of element type d; empty if it is one. Floats and complex numbers are rounded, those too large
// to infinity.
func Unfit[T dtype.Element](v T, d dtype.DType) string { return numberOf(v).unfit(d) }

// Unfit returns why the scalar t is no value of element type d; empty if it is one, or t is no scalar. See the function.
func (t *Tensor) Unfit(d dtype.DType) string {
	if !t.IsScalar() {
		return ""
	}
	return t.scalar().unfit(d)
}

func (n number) unfit(d dtype.DType) string {
	if (d.IsInteger() || d == dtype.Bool) && !n.fits(d) {
		return fmt.Sprintf("%v is no %v", n, d)
	}
	return ""
}
