package ops

import (
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/storage"
)

// complexes are the element types of complex numbers.
var complexes = []dtype.DType{dtype.Complex64, dtype.Complex128}

// withComplex returns dtypes and those of complex numbers.
func withComplex(dtypes []dtype.DType) []dtype.DType { return slices.Concat(dtypes, complexes) }

// Operators that make complex numbers of their parts, and the other way round.
var (
	Complex = Register(&Operator{
		Name: "complex", Doc: "the complex numbers with real parts a and imaginary parts b; all but float64 becomes float32, integers of 32 bits and more float64",
		Inputs: []string{"a", "b"}, Accepts: floats, Lower: lowerBroadcast, Work: perElement, Samples: broadcastSamples,
		Convert: func(c *Call) []dtype.DType {
			return c.want(dtype.Promote(floatOf(c.commonType(0)), dtype.Float32))
		},
		Infer: func(c *Call) {
			c.Output(dtype.Promote(c.Inputs[0].DType, dtype.Complex64), c.Broadcast(c.Inputs...))
		},
	})

	RealPart = parts("real", "the real parts of x; a view", withComplex(numeric), false, func(r *Rule) { r.Set(0, r.Upstream()) })

	ImaginaryPart = parts("imag", "the imaginary parts of x; a view", complexes, true, nil)

	Conj = unary("conj", "x with the sign of its imaginary part changed; real numbers stay what they are", withComplex(numeric), 0,
		func(r *Rule) { r.Set(0, r.Upstream()) })

	Angle = realResults(unary("angle", "argument of x, from −π to π; that of real numbers is 0 or π", withComplex(floating), 0, nil))
)

// parts registers the view of the real or the imaginary parts, with the gradient of real numbers.
func parts(name, doc string, accepts []dtype.DType, imaginary bool, gradient func(r *Rule)) *Operator {
	return Register(&Operator{
		Name: name, Doc: doc, Inputs: []string{"x"}, Accepts: accepts, Samples: unarySamples,
		Infer: func(c *Call) { c.Output(c.Inputs[0].DType.RealPart(), c.Inputs[0].Shape) },
		View: func(_ *Call, v storage.View) (storage.View, bool) {
			if v.DType.IsComplex() {
				v = v.Parts(imaginary)
			}
			return v, true
		},
		Gradient: gradient,
	})
}

// realResults makes the results of an element-wise operator on complex numbers real.
func realResults(op *Operator) *Operator {
	op.Infer = func(c *Call) { c.Output(c.Inputs[0].DType.RealPart(), c.Inputs[0].Shape) }
	return op
}

// The operators that take complex numbers beside real ones. What needs an order does not.
var (
	_ = onComplex(Add, Sub, Mul, Div, Neg, Positive, Square, Reciprocal, Equal, NotEqual, IsNaN, IsInf, IsFinite)
	_ = onComplex(Exp, Expm1, Log, Log2, Log10, Log1p, Sqrt, Pow)
	_ = onComplex(Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh)
	_ = onComplex(Sum, Prod, Mean, CumSum, CumProd, AnyTrue, AllTrue, CountNonzero, Norm, MatMul)
	_ = onComplex(realResults(Abs))
	_ = onComplex(documented(Sign, "; of a complex number x / |x|"))
)

func onComplex(operators ...*Operator) struct{} {
	for _, op := range operators {
		op.Accepts = withComplex(op.Accepts)
	}
	return struct{}{}
}

func documented(op *Operator, more string) *Operator {
	op.Doc += more
	return op
}
