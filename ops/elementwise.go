package ops

import (
	"math"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// The element types that operators of single elements are defined for.
var (
	signed   = []dtype.DType{dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64}
	unsigned = []dtype.DType{dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64}
	halves   = []dtype.DType{dtype.Float16, dtype.BFloat16}

	integral = slices.Concat(signed, unsigned)
	discrete = slices.Concat([]dtype.DType{dtype.Bool}, integral)
	floating = slices.Concat(halves, floats)
	numeric  = slices.Concat(integral, floating)
	all      = slices.Concat(discrete, floating)
)

// floats are the element types of operators that have not been written for others.
var floats = []dtype.DType{dtype.Float32, dtype.Float64}

// unary registers an element-wise operator of one operand. Where it accepts floats alone, others become float64.
func unary(name, doc string, accepts []dtype.DType, saves Saved, gradient func(r *Rule)) *Operator {
	op := &Operator{
		Name: name, Doc: doc, Form: FormUnary, Inputs: []string{"x"}, Accepts: accepts, Saves: saves, Gradient: gradient,
		Infer:   func(c *Call) { c.Output(c.Inputs[0].DType, c.Inputs[0].Shape) },
		Work:    perElement,
		Samples: unarySamples,
	}
	if onlyFloats(accepts) {
		op.Convert = toFloat
	}
	return Register(op)
}

func onlyFloats(dtypes []dtype.DType) bool {
	return !slices.ContainsFunc(dtypes, func(d dtype.DType) bool { return !d.IsFloat() && !d.IsComplex() })
}

// test registers an element-wise operator of one operand with a bool result.
func test(name, doc string, accepts []dtype.DType) *Operator {
	return Register(&Operator{
		Name: name, Doc: doc, Form: FormUnary, Inputs: []string{"x"}, Accepts: accepts,
		Infer:   func(c *Call) { c.Output(dtype.Bool, c.Inputs[0].Shape) },
		Samples: unarySamples,
	})
}

var unarySamples = []Sample{{Shapes: [][]int{{2, 3}}}, {Shapes: [][]int{{}}}, {Shapes: [][]int{{0, 4}}}, {Shapes: [][]int{{1000}}}}

// binary registers an element-wise operator of two operands, which broadcast and meet in a common element type.
func binary(name, doc string, accepts []dtype.DType, saves Saved, gradient func(r *Rule)) *Operator {
	op := &Operator{
		Name: name, Doc: doc, Form: FormBinary, Inputs: []string{"a", "b"}, Accepts: accepts, Saves: saves, Gradient: gradient,
		Convert: toCommon, Lower: lowerBroadcast,
		Infer:   func(c *Call) { c.Output(c.Inputs[0].DType, c.Broadcast(c.Inputs...)) },
		Work:    perElement,
		Samples: broadcastSamples,
	}
	if onlyFloats(accepts) {
		op.Convert = toCommonFloat
	}
	return Register(op)
}

// comparison registers an element-wise operator of two operands with a bool result. Integers, scalars among them, are compared
// exactly.
func comparison(name, doc string, accepts []dtype.DType) *Operator {
	return Register(&Operator{
		Name: name, Doc: doc, Form: FormBinary, Inputs: []string{"a", "b"}, Accepts: accepts, Compares: true,
		Convert: toComparable, Lower: lowerBroadcast,
		Infer: func(c *Call) { c.Output(dtype.Bool, c.Broadcast(c.Inputs...)) },
		Signature: func(c *Call) []dtype.DType {
			a, b := c.Inputs[0].DType, c.Inputs[1].DType
			if a == b {
				return append(c.wanted[:0], a)
			}
			return append(c.wanted[:0], a, b)
		},
		Samples: broadcastSamples,
	})
}

var broadcastSamples = []Sample{
	{Shapes: [][]int{{2, 3}, {2, 3}}}, {Shapes: [][]int{{2, 3}, {3}}}, {Shapes: [][]int{{2, 1, 4}, {3, 1}}},
	{Shapes: [][]int{{}, {2, 2}}}, {Shapes: [][]int{{}, {}}}, {Shapes: [][]int{{0, 3}, {1, 3}}}, {Shapes: [][]int{{70, 30}, {70, 1}}},
}

// lowerBroadcast repeats the operands to the shape of the result.
func lowerBroadcast(c *Call, l *Lowered) {
	shape := c.Outputs[0].Shape
	for i := range l.Inputs {
		if v := &l.Inputs[i]; !slices.Equal(v.Shape, shape) {
			*v = v.Broadcast(shape)
		}
	}
}

// commonType returns the element type in which the operands from the given one on meet, but for those apart. Scalars adapt: they count only
// where their kind, integers being one, is later than that of all others, and among themselves; complex ones beside floats
// have the precision of these.
func (c *Call) commonType(from int, apart ...int) dtype.DType {
	if d, same := c.sameType(from); same {
		return d
	}
	common, adapt := dtype.Invalid, false
	for _, scalars := range []bool{false, true} {
		for i, in := range c.Inputs[from:] {
			switch {
			case c.inputs[from+i].IsScalar() != scalars || slices.Contains(apart, from+i):
			case common == dtype.Invalid:
				common, adapt = in.DType, !scalars
			case scalars && adapt && (in.DType.Kind() <= common.Kind() || in.DType.IsInteger() && common.IsInteger()):
			case scalars && adapt && in.DType.IsComplex() && common.IsFloat():
				common = dtype.Promote(common, dtype.Complex64)
			default:
				if common = dtype.Promote(common, in.DType); common == dtype.Invalid {
					c.Fail(fault.ErrDType, "the operands have no common element type")
				}
			}
		}
	}
	return common
}

// sameType returns the element type of the operands from the given one on, if all have the same.
func (c *Call) sameType(from int) (d dtype.DType, same bool) {
	d = c.Inputs[from].DType
	for _, in := range c.Inputs[from+1:] {
		if in.DType != d {
			return d, false
		}
	}
	return d, true
}

// toCommon makes all operands meet in one element type.
func toCommon(c *Call) []dtype.DType { return c.want(c.commonType(0)) }

// toComparable makes two operands meet in an element type that holds both, or in int64 and uint64, which are compared as they are.
// A scalar that the other's type does not hold counts as an array of its own type.
func toComparable(c *Call) []dtype.DType {
	if d, same := c.sameType(0); same {
		return c.want(d)
	}
	a, b := c.comparedType(0), c.comparedType(1)
	common := dtype.Promote(a, b)
	if common == dtype.Invalid {
		c.Fail(fault.ErrDType, "the operands have no common element type")
	}
	if common.IsFloat() && a.IsInteger() && b.IsInteger() {
		return append(c.wanted[:0], widest(a), widest(b))
	}
	return c.want(common)
}

// comparedType returns the element type that operand i is compared in, of two.
func (c *Call) comparedType(i int) dtype.DType {
	t, other := c.inputs[i], c.inputs[1-i]
	if !t.IsScalar() || other.IsScalar() {
		return t.view.DType
	}
	if t.scalar() == floatNumber(1<<64) && other.view.DType == dtype.Uint64 { // which as float64 may be as large
		c.inputs[i] = Scalar(t.env, math.Inf(1), dtype.Float64)
	}
	return t.scalar().comparedIn(other.view.DType)
}

// widest returns the integer type of 64 bits that holds those of type d.
func widest(d dtype.DType) dtype.DType {
	if d.Kind() == dtype.KindUnsigned {
		return dtype.Uint64
	}
	return dtype.Int64
}

// logical registers an operator on bools, to which operands of several element types are cast.
func logical(name, doc string, form Form, inputs ...string) *Operator {
	op := &Operator{
		Name: name, Doc: doc, Form: form, Inputs: inputs, Convert: toTruths,
		Infer: func(c *Call) { c.Output(dtype.Bool, c.Broadcast(c.Inputs...)) },
		Lower: lowerBroadcast, Samples: broadcastSamples,
	}
	if form == FormUnary {
		op.Lower, op.Samples = nil, unarySamples
	}
	return Register(op)
}

// toTruths leaves operands of one element type as they are on the host, whose kernels look whether they are zero.
func toTruths(c *Call) []dtype.DType {
	if d, same := c.sameType(0); same && c.env.device.OnHost() {
		return c.want(d)
	}
	return c.want(dtype.Bool)
}

// toCommonFloat makes all operands meet in one floating-point type.
func toCommonFloat(c *Call) []dtype.DType {
	return c.want(floatOf(c.commonType(0)))
}

// toFloat makes a single operand floating-point.
func toFloat(c *Call) []dtype.DType { return c.want(floatOf(c.Inputs[0].DType)) }

// singleOf returns float32 for float16 and bfloat16, and other types as they are.
func singleOf(d dtype.DType) dtype.DType {
	if slices.Contains(halves, d) {
		return dtype.Float32
	}
	return d
}

// floatOf returns the floating-point type that operators of floats compute elements of type d in: float64 for bool and integers of
// every width. The array API standard leaves it open; NumPy's true_divide and mean do so. What a type of few bits holds says nothing
// of quotients, roots and sums of its elements, and there is one rule to know.
func floatOf(d dtype.DType) dtype.DType {
	if d.IsInteger() || d == dtype.Bool {
		return dtype.Float64
	}
	return d
}
