package dtype

// Promote returns the element type that holds the values of both a and b, by NumPy's rules (NEP 50): bool gives way to
// integers, those to floats, those to complex numbers; an integer and a float meet in the smallest float type that holds
// both ranges; a signed and an unsigned integer in the next larger signed one, and uint64 with a signed one in float64.
func Promote(a, b DType) DType {
	if a == b {
		return a
	}
	if a.Kind() > b.Kind() {
		a, b = b, a
	}
	switch {
	case a.Kind() == KindInvalid:
		return Invalid
	case a.Kind() == KindBool:
		return b
	case b.Kind() == KindComplex:
		if real := b.RealPart(); Promote(a.RealPart(), real) == real {
			return b
		}
		return Complex128
	case b.Kind() == KindFloat:
		return promoteToFloat(a, b)
	case a.Kind() == b.Kind():
		return larger(a, b)
	}
	return promoteSigns(a, b)
}

func larger(a, b DType) DType {
	if a.Size() > b.Size() {
		return a
	}
	return b
}

func promoteToFloat(a, float DType) DType {
	if a.Kind() == KindFloat {
		if a.Size() == float.Size() { // float16 and bfloat16
			return Float32
		}
		return larger(a, float)
	}
	least := Float64
	switch a.Size() {
	case 1:
		least = Float16
	case 2:
		least = Float32
	}
	return Promote(least, float)
}

func promoteSigns(unsigned, signed DType) DType {
	if signed.Size() > unsigned.Size() {
		return signed
	}
	switch unsigned {
	case Uint8:
		return Int16
	case Uint16:
		return Int32
	case Uint32:
		return Int64
	}
	return Float64
}
