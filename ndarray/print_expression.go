package ndarray

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/weft-nd/weft/dtype"
)

// expression returns a Go expression that makes a. Of more than 1000 elements it leaves out all but the first and last.
func (a *Array) expression() (string, error) {
	const edge = defaultEdgeItems
	shown, omitted := a.reading(), 0
	if count := a.Count(); count > defaultThreshold {
		shown, omitted = a.ends(edge), count-2*edge
	}
	elements, err := boxed(context.Background(), shown)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "nd.FromSlice([]%s{", goTypes[a.DType()])
	for i, v := range elements {
		if i > 0 {
			text.WriteString(", ")
		}
		if i == edge && omitted > 0 {
			fmt.Fprintf(&text, "/* %d more */ ", omitted)
		}
		text.WriteString(literal(v))
	}
	text.WriteString("}")
	for _, n := range a.Shape() {
		fmt.Fprintf(&text, ", %d", n)
	}
	if a.Rank() == 0 {
		text.WriteString(", []int{}...")
	}
	text.WriteString(")")
	return text.String(), nil
}

// goTypes are the Go types of elements where they are not called like the dtype.
var goTypes = func() (types [dtype.Count]string) {
	for _, d := range dtype.All() {
		types[d] = d.String()
	}
	types[dtype.Float16], types[dtype.BFloat16] = "dtype.F16", "dtype.BF16"
	return types
}()

// literal returns v as Go writes it.
func literal(v any) string {
	switch x := v.(type) {
	case float32:
		return floatLiteral(float64(x), 32, "float32")
	case float64:
		return floatLiteral(x, 64, "float64")
	case complex64:
		return complexLiteral(complex128(x), 32, "float32")
	case complex128:
		return complexLiteral(x, 64, "float64")
	}
	return fmt.Sprint(v)
}

func floatLiteral(x float64, bits int, conversion string) string {
	switch {
	case math.IsNaN(x):
		return conversion + "(math.NaN())"
	case math.IsInf(x, 0):
		return fmt.Sprintf("%s(math.Inf(%+d))", conversion, int(math.Copysign(1, x)))
	case x == 0 && math.Signbit(x):
		return conversion + "(math.Copysign(0, -1))"
	}
	return strconv.FormatFloat(x, 'g', -1, bits)
}

func complexLiteral(x complex128, bits int, conversion string) string {
	return "complex(" + floatLiteral(real(x), bits, conversion) + ", " + floatLiteral(imag(x), bits, conversion) + ")"
}
