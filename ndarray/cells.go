package ndarray

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/weft-nd/weft/dtype"
)

// digits is how many digits are shown behind the point where the format does not say.
const digits = 8

// boxed returns the elements of a.
func boxed(ctx context.Context, a *Array) ([]any, error) {
	switch a.DType() {
	case dtype.Bool:
		return box[bool](ctx, a)
	case dtype.Int8:
		return box[int8](ctx, a)
	case dtype.Int16:
		return box[int16](ctx, a)
	case dtype.Int32:
		return box[int32](ctx, a)
	case dtype.Int64:
		return box[int64](ctx, a)
	case dtype.Uint8:
		return box[uint8](ctx, a)
	case dtype.Uint16:
		return box[uint16](ctx, a)
	case dtype.Uint32:
		return box[uint32](ctx, a)
	case dtype.Uint64:
		return box[uint64](ctx, a)
	case dtype.Float16:
		return box[dtype.F16](ctx, a)
	case dtype.BFloat16:
		return box[dtype.BF16](ctx, a)
	case dtype.Float32:
		return box[float32](ctx, a)
	case dtype.Float64:
		return box[float64](ctx, a)
	case dtype.Complex64:
		return box[complex64](ctx, a)
	}
	return box[complex128](ctx, a)
}

func box[T dtype.Element](ctx context.Context, a *Array) ([]any, error) {
	elements, err := values[T](ctx, a)
	if err != nil {
		return nil, err
	}
	all := make([]any, len(elements))
	for i, v := range elements {
		all[i] = v
	}
	return all, nil
}

// cells returns elements as f and verb want them printed.
func cells(f fmt.State, verb rune, elements []any) []string {
	for i, v := range elements {
		switch half := v.(type) {
		case dtype.F16:
			elements[i] = half.Float32()
		case dtype.BF16:
			elements[i] = half.Float32()
		}
	}
	texts := make([]string, len(elements))
	_, width := f.Width()
	_, precision := f.Precision()
	plain := verb == 'v' || verb == 's'
	if plain && !width && !precision {
		format := commonFormat(elements)
		for i, v := range elements {
			texts[i] = format(v)
		}
		return texts
	}
	directive := strings.ReplaceAll(fmt.FormatString(f, verb), "#", "")
	if plain {
		directive = strings.ReplaceAll(directive[:len(directive)-1], "+", "") + "v"
	}
	for i, v := range elements {
		texts[i] = fmt.Sprintf(directive, v)
	}
	return texts
}

// commonFormat returns the common form of elements: that of floats, or of complex numbers, whose real parts have one form and whose
// imaginary ones have another, as in NumPy.
func commonFormat(elements []any) func(v any) string {
	parts := [2][]any{}
	for _, v := range elements {
		re, im, isComplex := partsOf(v)
		if !isComplex {
			return floatFormat(elements)
		}
		parts[0], parts[1] = append(parts[0], re), append(parts[1], im)
	}
	formats := [2]func(v any) string{floatFormat(parts[0]), floatFormat(parts[1])}
	return func(v any) string {
		re, im, _ := partsOf(v)
		imaginary := formats[1](im)
		if !strings.ContainsAny(imaginary[:1], "+-") {
			imaginary = "+" + imaginary
		}
		return formats[0](re) + imaginary + "i"
	}
}

// partsOf returns the real and the imaginary part of a complex number.
func partsOf(v any) (re, im any, ok bool) {
	switch z := v.(type) {
	case complex64:
		return real(z), imag(z), true
	case complex128:
		return real(z), imag(z), true
	}
	return nil, nil, false
}

// floatFormat returns the common form of elements: floats have the same number of digits behind the point, as many as the
// longest needs, and all have exponents if one is very large or small. Elements of other types print as usual.
func floatFormat(elements []any) func(v any) string {
	verb, longest := byte('f'), 0
	for _, v := range elements {
		if x, _, ok := asFloat(v); ok && x != 0 && !math.IsInf(x, 0) && (math.Abs(x) >= 1e8 || math.Abs(x) < 1e-4) {
			verb = 'e'
		}
	}
	for _, v := range elements {
		if x, bits, ok := asFloat(v); ok && !math.IsInf(x, 0) && !math.IsNaN(x) {
			mantissa, _, _ := strings.Cut(strconv.FormatFloat(x, verb, -1, bits), "e")
			_, fraction, _ := strings.Cut(mantissa, ".")
			if len(fraction) > digits {
				mantissa, _, _ = strings.Cut(strconv.FormatFloat(x, verb, digits, bits), "e")
				_, fraction, _ = strings.Cut(mantissa, ".")
				fraction = strings.TrimRight(fraction, "0")
			}
			longest = max(longest, len(fraction))
		}
	}
	return func(v any) string {
		if x, bits, ok := asFloat(v); ok {
			return strconv.FormatFloat(x, verb, longest, bits)
		}
		return fmt.Sprint(v)
	}
}

func asFloat(v any) (x float64, bits int, ok bool) {
	switch f := v.(type) {
	case float32:
		return float64(f), 32, true
	case float64:
		return f, 64, true
	}
	return 0, 0, false
}
