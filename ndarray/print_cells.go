package ndarray

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/weft-nd/weft/dtype"
)

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

// widened returns v as a number that package fmt knows: halves are floats to it only when they are float32.
func widened(v any) any {
	switch half := v.(type) {
	case dtype.F16:
		return half.Float32()
	case dtype.BF16:
		return half.Float32()
	}
	return v
}

// numpyCells returns elements of a as NumPy aligns them.
func (a *Array) numpyCells(elements []any, options PrintOptions) []string {
	texts := make([]string, len(elements))
	switch d := a.DType(); d.Kind() {
	case dtype.KindFloat:
		column := floatColumnOf(elements, d, false, options, realPart)
		for i, v := range elements {
			texts[i] = column.text(realPart(v))
		}
	case dtype.KindComplex:
		part := dtype.Float64
		if d == dtype.Complex64 {
			part = dtype.Float32
		}
		real, imaginary := floatColumnOf(elements, part, false, options, realPart), floatColumnOf(elements, part, true, options, imaginaryPart)
		for i, v := range elements {
			text := imaginary.text(imaginaryPart(v))
			number := strings.TrimRight(text, " ")
			texts[i] = real.text(realPart(v)) + number + "j" + text[len(number):]
		}
	default:
		for i, v := range elements {
			texts[i] = scalarText(v)
		}
		if d == dtype.Bool && a.Rank() > 0 {
			texts[0] = pad(texts[0], len("False")) // even where all are true
		}
	}
	return texts
}

func floatColumnOf(elements []any, d dtype.DType, plus bool, options PrintOptions, part func(v any) float64) *floatColumn {
	numbers := make([]float64, len(elements))
	for i, v := range elements {
		numbers[i] = part(v)
	}
	return newFloatColumn(floatKinds[d], numbers, plus, options)
}

// scalarText returns v as NumPy writes a single element.
func scalarText(v any) string {
	switch x := v.(type) {
	case bool:
		if x {
			return "True"
		}
		return "False"
	case dtype.F16:
		return withFraction(floatKinds[dtype.Float16].scalarFloat(realPart(x)))
	case dtype.BF16:
		return withFraction(floatKinds[dtype.BFloat16].scalarFloat(realPart(x)))
	case float32:
		return withFraction(floatKinds[dtype.Float32].scalarFloat(realPart(x)))
	case float64:
		return withFraction(floatKinds[dtype.Float64].scalarFloat(x))
	case complex64:
		return floatKinds[dtype.Float32].scalarComplex(complex128(x))
	case complex128:
		return floatKinds[dtype.Float64].scalarComplex(x)
	}
	return fmt.Sprint(v)
}

// withFraction returns number with ".0" if it looks like an integer.
func withFraction(number string) string {
	if strings.Trim(number, "-0123456789") == "" {
		return number + ".0"
	}
	return number
}

func (k floatKind) scalarComplex(x complex128) string {
	imaginary := k.scalarFloat(imag(x)) + "j"
	if real(x) == 0 && !math.Signbit(real(x)) {
		return imaginary
	}
	if !strings.HasPrefix(imaginary, "-") {
		imaginary = "+" + imaginary
	}
	return "(" + k.scalarFloat(real(x)) + imaginary + ")"
}

func realPart(v any) float64 {
	switch x := widened(v).(type) {
	case float32:
		return float64(x)
	case float64:
		return x
	case complex64:
		return float64(real(x))
	case complex128:
		return real(x)
	}
	return math.NaN()
}

func imaginaryPart(v any) float64 {
	if x, single := v.(complex64); single {
		return float64(imag(x))
	}
	return imag(v.(complex128))
}
