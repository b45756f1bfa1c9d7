package ndarray

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/weft-nd/weft/dtype"
)

// expression returns a Go expression that makes a. Of more than 1000 elements it leaves out all but the first and last.
func (a *Array) expression() (string, error) {
	shown, omitted := a.reading(), 0
	if count := a.Count(); count > summarised {
		flat := shown.Reshape(-1)
		shown, omitted = Concat(0, flat.Index(Span(0, edge)), flat.Index(Span(-edge, Open))), count-2*edge
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
	if re, im, ok := partsOf(v); ok {
		if text := fmt.Sprint(v); !strings.Contains(text, "NaN") && !strings.Contains(text, "Inf") {
			return text
		}
		return "complex(" + literal(re) + ", " + literal(im) + ")"
	}
	if x, _, ok := asFloat(v); ok {
		conversion := fmt.Sprintf("%T", v)
		switch {
		case math.IsNaN(x):
			return conversion + "(math.NaN())"
		case math.IsInf(x, 1):
			return conversion + "(math.Inf(1))"
		case math.IsInf(x, -1):
			return conversion + "(math.Inf(-1))"
		}
	}
	return fmt.Sprint(v)
}
