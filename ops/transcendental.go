package ops

import "math"

// Functions of calculus, element by element. Integers become floats.
var (
	Exp = unary("exp", "e to the power of x", floats, SaveOutputs, func(r *Rule) {
		r.Set(0, r.Mul(r.Upstream(), r.Output()))
	})

	Log = unary("log", "natural logarithm of x", floats, SaveInputs, func(r *Rule) {
		r.Set(0, r.Div(r.Upstream(), r.Input(0)))
	})

	Sqrt = unary("sqrt", "square root of x", floats, SaveOutputs, func(r *Rule) {
		r.Set(0, r.Div(r.Scale(r.Upstream(), 0.5), r.Output()))
	})

	Tanh = unary("tanh", "hyperbolic tangent of x", floats, SaveOutputs, func(r *Rule) {
		y := r.Output()
		r.Set(0, r.Mul(r.Upstream(), r.Sub(r.Constant(1, y), r.Apply("square", nil, y))))
	})

	Erf = unary("erf", "error function of x", floats, SaveInputs, func(r *Rule) {
		slope := r.Scale(r.Apply("exp", nil, r.Neg(r.Apply("square", nil, r.Input(0)))), 2/math.Sqrt(math.Pi))
		r.Set(0, r.Mul(r.Upstream(), slope))
	})
)
