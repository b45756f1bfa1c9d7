package dtype

import "math"

// ToF16 rounds f to the nearest binary16 number, ties to even (IEEE 754-2019, section 4.3.1). NaN becomes a quiet one with the
// upper bits of its payload, as processors do it.
func ToF16(f float32) F16 {
	bits := math.Float32bits(f)
	sign := uint16(bits >> 16 & 0x8000)
	magnitude := bits & 0x7fffffff
	switch {
	case magnitude > 0x7f800000:
		return F16(sign | 0x7e00 | uint16(magnitude>>13&0x3ff))
	case magnitude >= 0x477ff000: // 65520 and above round to infinity
		return F16(sign | 0x7c00)
	case magnitude >= 0x38800000: // 2^-14, the smallest normal number
		rounded := magnitude - 0x38000000
		rounded += 0xfff + rounded>>13&1
		return F16(sign | uint16(rounded>>13))
	}
	// Below 2^-14 the numbers are multiples of 2^-24: adding 0.5 leaves that multiple, correctly rounded, in the
	// low bits of the significand.
	subnormal := math.Float32bits(math.Float32frombits(magnitude)+0.5) - 0x3f000000
	return F16(sign | uint16(subnormal))
}

// Float32 returns the value of h, exactly; NaN becomes a quiet one, as processors do it.
func (h F16) Float32() float32 {
	sign := uint32(h&0x8000) << 16
	magnitude := uint32(h & 0x7fff)
	switch {
	case magnitude > 0x7c00:
		return math.Float32frombits(sign | 0x7fc00000 | magnitude&0x3ff<<13)
	case magnitude == 0x7c00:
		return math.Float32frombits(sign | 0x7f800000)
	case magnitude >= 0x400:
		return math.Float32frombits(sign | (magnitude<<13 + 0x38000000))
	}
	value := float32(magnitude) * 0x1p-24
	return math.Float32frombits(sign | math.Float32bits(value))
}

// ToBF16 rounds f to the nearest bfloat16 number, ties to even.
func ToBF16(f float32) BF16 {
	bits := math.Float32bits(f)
	if bits&0x7fffffff > 0x7f800000 {
		return BF16(bits>>16 | 0x40)
	}
	return BF16((bits + 0x7fff + bits>>16&1) >> 16)
}

// Float32 returns the value of b, exactly.
func (b BF16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }
