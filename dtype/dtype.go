package dtype

import "fmt"

// DType is the type of the elements of an array. The zero value is Invalid.
type DType uint8

// The element types. Float16 is IEEE 754 binary16, BFloat16 the upper half of a binary32.
const (
	Invalid DType = iota
	Bool
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float16
	BFloat16
	Float32
	Float64
	Complex64
	Complex128
)

// Count is one more than the largest DType, for tables indexed by DType.
const Count = int(Complex128) + 1

// Kind groups element types by the arithmetic they allow.
type Kind uint8

// The kinds, ordered so that a value of a later kind can stand for one of an earlier kind.
const (
	KindInvalid Kind = iota
	KindBool
	KindUnsigned
	KindSigned
	KindFloat
	KindComplex
)

var descriptions = [Count]struct {
	name string
	size int
	kind Kind
}{
	Invalid:    {"invalid", 0, KindInvalid},
	Bool:       {"bool", 1, KindBool},
	Int8:       {"int8", 1, KindSigned},
	Int16:      {"int16", 2, KindSigned},
	Int32:      {"int32", 4, KindSigned},
	Int64:      {"int64", 8, KindSigned},
	Uint8:      {"uint8", 1, KindUnsigned},
	Uint16:     {"uint16", 2, KindUnsigned},
	Uint32:     {"uint32", 4, KindUnsigned},
	Uint64:     {"uint64", 8, KindUnsigned},
	Float16:    {"float16", 2, KindFloat},
	BFloat16:   {"bfloat16", 2, KindFloat},
	Float32:    {"float32", 4, KindFloat},
	Float64:    {"float64", 8, KindFloat},
	Complex64:  {"complex64", 8, KindComplex},
	Complex128: {"complex128", 16, KindComplex},
}

// String returns the name, such as "float32".
func (d DType) String() string {
	if int(d) >= Count {
		return fmt.Sprintf("dtype(%d)", uint8(d))
	}
	return descriptions[d].name
}

// Size returns the bytes of one element.
func (d DType) Size() int { return descriptions[d].size }

// Kind returns the kind of arithmetic that d allows: KindInvalid if d is none of the constants.
func (d DType) Kind() Kind {
	if int(d) >= Count {
		return KindInvalid
	}
	return descriptions[d].kind
}

// IsFloat reports whether d is a real floating-point type.
func (d DType) IsFloat() bool { return d.Kind() == KindFloat }

// IsInteger reports whether d is a signed or unsigned integer type.
func (d DType) IsInteger() bool { return d.Kind() == KindSigned || d.Kind() == KindUnsigned }

// IsComplex reports whether d is a type of complex numbers.
func (d DType) IsComplex() bool { return d.Kind() == KindComplex }

// IsInexact reports whether d is a type of floats or of complex numbers: those have gradients.
func (d DType) IsInexact() bool { return d.IsFloat() || d.IsComplex() }

// RealPart returns the type of the real and the imaginary parts of complex numbers of type d, and any other d itself.
func (d DType) RealPart() DType {
	switch d {
	case Complex64:
		return Float32
	case Complex128:
		return Float64
	}
	return d
}

// All returns every element type, in the order of the constants.
func All() []DType {
	all := make([]DType, 0, Count-1)
	for d := Bool; int(d) < Count; d++ {
		all = append(all, d)
	}
	return all
}

// Parse returns the element type that name names; an unknown name gives an error that lists the known ones.
func Parse(name string) (DType, error) {
	for d := Bool; int(d) < Count; d++ {
		if descriptions[d].name == name {
			return d, nil
		}
	}
	return Invalid, fmt.Errorf("unknown dtype %q (known: %v)", name, All())
}
