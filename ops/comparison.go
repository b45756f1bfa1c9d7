package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// Comparisons, element by element, and what follows from them.
var (
	Greater      = comparison("greater", "whether a > b", all)
	GreaterEqual = comparison("greater_equal", "whether a ≥ b", all)
	Less         = comparison("less", "whether a < b", all)
	LessEqual    = comparison("less_equal", "whether a ≤ b", all)
	Equal        = comparison("equal", "whether a = b; NaN equals nothing", all)
	NotEqual     = comparison("not_equal", "whether a ≠ b; NaN equals nothing", all)

	IsNaN    = test("isnan", "whether x is NaN", all)
	IsInf    = test("isinf", "whether x is infinite", all)
	IsFinite = test("isfinite", "whether x is neither infinite nor NaN", all)

	Where = Register(&Operator{
		Name: "where", Doc: "a where condition holds, else b", Inputs: []string{"condition", "a", "b"}, Lower: lowerBroadcast,
		Saves: SaveInput(0),
		Convert: func(c *Call) []dtype.DType {
			common := c.commonType(1)
			return []dtype.DType{dtype.Bool, common, common}
		},
		Infer: func(c *Call) {
			d := c.Inputs[1].DType
			if !slices.Contains(castable, d) {
				c.Fail(fault.ErrDType, fmt.Sprintf("no selection for %v (accepted: %v)", d, castable))
			}
			c.Output(d, c.Broadcast(c.Inputs...))
		},
		Signature: func(c *Call) []dtype.DType { return []dtype.DType{c.Inputs[1].DType} },
		Gradient: func(r *Rule) {
			zero := r.Constant(0, r.Upstream())
			r.Set(1, r.Apply("where", nil, r.Input(0), r.Upstream(), zero))
			r.Set(2, r.Apply("where", nil, r.Input(0), zero, r.Upstream()))
		},
		Samples: []Sample{
			{Shapes: [][]int{{2, 3}, {2, 3}, {2, 3}}}, {Shapes: [][]int{{3}, {2, 1}, {}}}, {Shapes: [][]int{{}, {}, {}}}, {Shapes: [][]int{{0}, {1}, {0}}},
		},
	})
)
