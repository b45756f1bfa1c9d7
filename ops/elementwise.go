package ops

import (
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// The element types that arithmetic is defined for.
var (
	floats  = []dtype.DType{dtype.Float32, dtype.Float64}
	numbers = []dtype.DType{dtype.Float32, dtype.Float64, dtype.Int64}
	ordered = numbers
	values  = []dtype.DType{dtype.Float32, dtype.Float64, dtype.Int64, dtype.Bool}
)

// unary registers an element-wise operator of one operand.
func unary(name, doc string, accepts []dtype.DType, saves Saved, gradient func(r *Rule)) *Operator {
	op := &Operator{
		Name: name, Doc: doc, Form: FormUnary, Inputs: []string{"x"}, Accepts: accepts, Saves: saves, Gradient: gradient,
		Infer:   func(c *Call) { c.Output(c.Inputs[0].DType, c.Inputs[0].Shape) },
		Samples: []Sample{{Shapes: [][]int{{2, 3}}}, {Shapes: [][]int{{}}}, {Shapes: [][]int{{0, 4}}}, {Shapes: [][]int{{1000}}}},
	}
	if len(accepts) == len(floats) {
		op.Convert = toFloat
	}
	return Register(op)
}

// binary registers an element-wise operator of two operands, which broadcast and meet in a common element type.
func binary(name, doc string, accepts []dtype.DType, saves Saved, gradient func(r *Rule)) *Operator {
	op := &Operator{
		Name: name, Doc: doc, Form: FormBinary, Inputs: []string{"a", "b"}, Accepts: accepts, Saves: saves, Gradient: gradient,
		Convert: toCommon, Lower: lowerBroadcast,
		Infer:   func(c *Call) { c.Output(c.Inputs[0].DType, c.Broadcast(c.Inputs...)) },
		Samples: broadcastSamples,
	}
	if len(accepts) == len(floats) {
		op.Convert = toCommonFloat
	}
	return Register(op)
}

// comparison registers an element-wise operator of two operands with a bool result.
func comparison(name, doc string, accepts []dtype.DType) *Operator {
	return Register(&Operator{
		Name: name, Doc: doc, Form: FormBinary, Inputs: []string{"a", "b"}, Accepts: accepts,
		Convert: toCommon, Lower: lowerBroadcast,
		Infer:   func(c *Call) { c.Output(dtype.Bool, c.Broadcast(c.Inputs...)) },
		Samples: broadcastSamples,
	})
}

var broadcastSamples = []Sample{
	{Shapes: [][]int{{2, 3}, {2, 3}}}, {Shapes: [][]int{{2, 3}, {3}}}, {Shapes: [][]int{{2, 1, 4}, {3, 1}}},
	{Shapes: [][]int{{}, {2, 2}}}, {Shapes: [][]int{{}, {}}}, {Shapes: [][]int{{0, 3}, {1, 3}}}, {Shapes: [][]int{{70, 30}, {70, 1}}},
}

// lowerBroadcast repeats the operands to the shape of the result.
func lowerBroadcast(c *Call, l *Lowered) {
	for i, v := range l.Inputs {
		l.Inputs[i] = v.Broadcast(c.Outputs[0].Shape)
	}
}

// commonType returns the element type in which the operands from the given one on meet. Scalars adapt: they count only
// where their kind, integers being one, is later than that of all others, and among themselves.
func (c *Call) commonType(from int) dtype.DType {
	common, adapt := dtype.Invalid, false
	for _, scalars := range []bool{false, true} {
		for i, in := range c.Inputs[from:] {
			switch {
			case c.inputs[from+i].scalar != scalars:
			case common == dtype.Invalid:
				common, adapt = in.DType, !scalars
			case scalars && adapt && (in.DType.Kind() <= common.Kind() || in.DType.IsInteger() && common.IsInteger()):
			default:
				if common = dtype.Promote(common, in.DType); common == dtype.Invalid {
					c.Fail(fault.ErrDType, "the operands have no common element type")
				}
			}
		}
	}
	return common
}

// toCommon makes all operands meet in one element type.
func toCommon(c *Call) []dtype.DType { return repeat(c.commonType(0), len(c.Inputs)) }

// toCommonFloat makes all operands meet in one floating-point type.
func toCommonFloat(c *Call) []dtype.DType {
	return repeat(floatOf(c.commonType(0)), len(c.Inputs))
}

// toFloat makes a single operand floating-point.
func toFloat(c *Call) []dtype.DType { return []dtype.DType{floatOf(c.Inputs[0].DType)} }

// floatOf returns the floating-point type that holds integers of type d.
func floatOf(d dtype.DType) dtype.DType {
	if d.IsInteger() || d == dtype.Bool {
		return dtype.Promote(d, dtype.Float32)
	}
	return d
}

func repeat(d dtype.DType, n int) []dtype.DType {
	all := make([]dtype.DType, n)
	for i := range all {
		all[i] = d
	}
	return all
}
