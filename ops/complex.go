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
		Gradient: func(r *Rule) {
			r.Set(0, r.RealPart(r.Upstream()))
			if r.Wants(1) {
				r.Set(1, r.ImaginaryPart(r.Upstream()))
			}
		},
	})

	RealPart = parts("real", "the real parts of x; a view", withComplex(numeric), false, func(r *Rule) { r.Set(0, r.Upstream()) })

	ImaginaryPart = parts("imag", "the imaginary parts of x; a view", complexes, true, func(r *Rule) {
		r.Set(0, r.Complex(r.Constant(0, r.Upstream()), r.Upstream()))
	})

	Conj = unary("conj", "x with the sign of its imaginary part changed; real numbers stay what they are", withComplex(numeric), 0,
		func(r *Rule) { r.Set(0, r.Conj(r.Upstream())) })

	// The gradient of complex numbers at 0 is 0, and so is that of real ones.
	Angle = realResults(unary("angle", "argument of x, from −π to π; that of real numbers is 0 or π", withComplex(floating), 0, func(r *Rule) {
		if r.DType(0).IsComplex() {
			r.Set(0, r.tangent(r.Div(r.Upstream(), r.nonzero(r.Apply("abs", nil, r.Input(0))))))
		}
	}))
)

// turning is the gradient of complex numbers x / |x|, which change where x turns around 0.
func (r *Rule) turning() {
	turned := r.ImaginaryPart(r.Mul(r.Upstream(), r.Conj(r.Apply("sign", nil, r.Input(0)))))
	r.Set(0, r.tangent(r.Div(turned, r.nonzero(r.Apply("abs", nil, r.Input(0))))))
}

// tangent returns a, real numbers, in the direction in which the complex operand turns around 0: i·x / |x|.
func (r *Rule) tangent(a Value) Value {
	return r.Mul(r.Complex(r.Constant(0, a), a), r.Apply("sign", nil, r.Input(0)))
}

// parts registers the view of the real or the imaginary parts.
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
	_ = onComplex(Sum, Prod, Mean, CumSum, CumProd, Recurrence, AnyTrue, AllTrue, CountNonzero, Norm, MatMul)
	_ = onComplex(Cholesky, Solve, SolveTriangular, Inverse, Determinant, SignLogDeterminant, QR)
	_ = onComplex(EigenSymmetric, EigenvaluesSymmetric, SVD, SingularValues, PseudoInverse, LeastSquares, Eigen, Eigenvalues)
	_ = onComplex(realResults(Abs))
	_ = onComplex(documented(Sign, "; of a complex number x / |x|"))
)

// Those of the operators with a complex derivative whose gradients multiply by it.
var (
	_ = holomorphic(Mul, Div, Square, Reciprocal, Exp, Expm1, Log, Log2, Log10, Log1p, Sqrt, Pow)
	_ = holomorphic(Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh)
	_ = holomorphic(Prod, CumProd, Recurrence, MatMul, Solve, SolveTriangular, Inverse, Determinant)
)

// Those whose gradients look at complex operands, and not at real ones.
var _ = savingComplex(Sign, Angle)

func savingComplex(operators ...*Operator) struct{} {
	for _, op := range operators {
		op.SavesComplex = SaveInputs
	}
	return struct{}{}
}

func holomorphic(operators ...*Operator) struct{} {
	for _, op := range operators {
		op.Holomorphic = true
	}
	return struct{}{}
}

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
