package sorting

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// Bits are the bits of an element as a signed integer of its size.
type Bits interface{ int8 | int16 | int32 | int64 }

// Order maps elements of some type to keys and back. Integers and bools are ordered by their values. Floats are ordered by
// their values, NaN above all, positive ones before negative ones and each by their payload, and −0 below 0: different bits
// have different keys.
type Order[B Bits] struct {
	mask  B // bits changed in negative elements: those of the magnitude of floats
	shift B // the keys of negative NaN, below all others, go round to the top
	flip  B // bits changed at last: the highest of unsigned integers, all where the order is descending
	nan   B // of floats, the smallest key of NaN
}

// OrderOf returns the order of the elements of type d, whose size is that of B; a descending one is the reverse.
func OrderOf[B Bits](d dtype.DType, descending bool) Order[B] {
	var o Order[B]
	lowest := B(-1) << (bitsOf[B]() - 1)
	if significand := significandBits(d); significand > 0 {
		o.mask = ^lowest
		o.shift = B(1)<<significand - 1
		infinity := o.mask &^ o.shift
		o.nan = infinity + 1 - o.shift
	}
	if k := d.Kind(); k == dtype.KindUnsigned || k == dtype.KindBool {
		o.flip = lowest
	}
	if descending {
		o.flip = ^o.flip
	}
	return o
}

func bitsOf[B Bits]() int { return 8 * int(unsafe.Sizeof(B(0))) }

// significandBits returns how many bits of a float lie behind its point; 0 for other types.
func significandBits(d dtype.DType) int {
	switch d {
	case dtype.Float16:
		return 10
	case dtype.BFloat16:
		return 7
	case dtype.Float32:
		return 23
	case dtype.Float64:
		return 52
	}
	return 0
}

// Key returns the key of x, different for different bits.
func (o *Order[B]) Key(x B) B { return (o.turned(x) - o.shift) ^ o.flip }

// Element returns the element with the given key.
func (o *Order[B]) Element(key B) B { return o.turned((key ^ o.flip) + o.shift) }

func (o *Order[B]) turned(x B) B { return x ^ x>>(bitsOf[B]()-1)&o.mask }

// Rank returns a key by which elements that compare equal are equal, −0 and 0 as well as all NaN.
func (o *Order[B]) Rank(x B) B {
	key := o.turned(x) - o.shift
	if o.mask != 0 {
		if key == -1-o.shift {
			key++
		}
		key = min(key, o.nan)
	}
	return key ^ o.flip
}

// IsNaN reports whether the key or rank is one of NaN.
func (o *Order[B]) IsNaN(key B) bool { return o.mask != 0 && key^o.flip >= o.nan }

// Encode writes the keys of src to dst, which may be the same.
func (o *Order[B]) Encode(dst, src []B) {
	dst = dst[:len(src)]
	if *o == (Order[B]{}) {
		copy(dst, src)
		return
	}
	if features.Best >= features.AVX2 && bitsOf[B]() >= 32 && len(src) > 0 {
		done := encode(dst, src, o)
		dst, src = dst[done:], src[done:]
	}
	for i, x := range src {
		dst[i] = o.Key(x)
	}
}

// Decode writes the elements with the keys src to dst, which may be the same.
func (o *Order[B]) Decode(dst, src []B) {
	dst = dst[:len(src)]
	if *o == (Order[B]{}) {
		copy(dst, src)
		return
	}
	if features.Best >= features.AVX2 && bitsOf[B]() >= 32 && len(src) > 0 {
		done := decode(dst, src, o)
		dst, src = dst[done:], src[done:]
	}
	for i, key := range src {
		dst[i] = o.Element(key)
	}
}
