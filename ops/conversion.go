package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// CastParams are the parameters of cast.
type CastParams struct {
	DType dtype.DType `doc:"element type of the result"`
}

// castable are the element types that arrays are converted to and from, and filled in.
var castable = withComplex(all)

// Operators that copy.
var (
	Copy = Register(&Operator{
		Name: "copy", Doc: "the same elements in contiguous memory of their own", Inputs: []string{"x"},
		Infer:    func(c *Call) { c.Output(c.Inputs[0].DType, c.Inputs[0].Shape) },
		Gradient: func(r *Rule) { r.Set(0, r.Upstream()) },
		Samples:  []Sample{{Shapes: [][]int{{2, 3}}}, {Shapes: [][]int{{}}}, {Shapes: [][]int{{0}}}, {Shapes: [][]int{{100, 90}}}},
	})

	// Floats become integers by truncation toward zero and saturate; NaN becomes zero. Integers wrap round between each
	// other. To bool is whether the element is not zero. Real numbers become complex ones with an imaginary part of 0. To
	// a float is the nearest one, the even one of two, in one rounding.
	Cast = Register(&Operator{
		Name: "cast", Doc: "the same values in another element type", Inputs: []string{"x"}, Params: CastParams{}, Accepts: castable,
		Infer: func(c *Call) {
			to := c.Params.(CastParams).DType
			if !slices.Contains(castable, to) {
				c.Fail(fault.ErrDType, fmt.Sprintf("no conversion to %v (accepted: %v)", to, castable))
			}
			if from := c.Inputs[0].DType; from.IsComplex() && !to.IsComplex() && to != dtype.Bool {
				c.Fail(fault.ErrDType, fmt.Sprintf("no conversion of %v to %v: take its real or imaginary part, or its magnitude", from, to))
			}
			c.Output(to, c.Inputs[0].Shape)
		},
		Signature: func(c *Call) []dtype.DType { return []dtype.DType{c.Inputs[0].DType, c.Outputs[0].DType} },
		Gradient: func(r *Rule) {
			up := r.Upstream()
			if !r.DType(0).IsInexact() || !up.DType().IsInexact() {
				return
			}
			if up.DType().IsComplex() && !r.DType(0).IsComplex() {
				up = r.RealPart(up)
			}
			r.Set(0, r.cast(up, r.DType(0)))
		},
		Samples: []Sample{
			{Shapes: [][]int{{2, 3}}, Params: CastParams{dtype.Float64}}, {Shapes: [][]int{{2, 3}}, Params: CastParams{dtype.Int64}},
			{Shapes: [][]int{{4}}, Params: CastParams{dtype.Bool}}, {Shapes: [][]int{{}}, Params: CastParams{dtype.Float32}}, {Shapes: [][]int{{0}}, Params: CastParams{dtype.Float64}},
		},
	})
)
