package ops

// Trigonometric and hyperbolic functions and their inverses, element by element. Angles are in radians. Integers become
// float64.
var (
	Sin = unary("sin", "sine of x", floating, SaveInputs, func(r *Rule) {
		r.Set(0, r.Mul(r.Upstream(), r.Apply("cos", nil, r.Input(0))))
	})

	Cos = unary("cos", "cosine of x", floating, SaveInputs, func(r *Rule) {
		r.Set(0, r.Neg(r.Mul(r.Upstream(), r.Apply("sin", nil, r.Input(0)))))
	})

	Tan = unary("tan", "tangent of x", floating, SaveOutputs, func(r *Rule) {
		r.Set(0, r.Mul(r.Upstream(), r.onePlus(r.Apply("square", nil, r.Output()))))
	})

	Asin = unary("asin", "arcsine of x, from −π/2 to π/2", floating, SaveInputs, func(r *Rule) {
		r.Set(0, r.Div(r.Upstream(), r.Apply("sqrt", nil, r.oneMinus(r.Apply("square", nil, r.Input(0))))))
	})

	Acos = unary("acos", "arccosine of x, from 0 to π", floating, SaveInputs, func(r *Rule) {
		r.Set(0, r.Neg(r.Div(r.Upstream(), r.Apply("sqrt", nil, r.oneMinus(r.Apply("square", nil, r.Input(0)))))))
	})

	Atan = unary("atan", "arctangent of x, from −π/2 to π/2", floating, SaveInputs, func(r *Rule) {
		r.Set(0, r.Div(r.Upstream(), r.onePlus(r.Apply("square", nil, r.Input(0)))))
	})

	// The gradient at 0, 0 is zero.
	Atan2 = binary("atan2", "angle from −π to π of the point with the coordinates b and a, that is arctangent of a / b; integers become float64", floating, SaveInputs, func(r *Rule) {
		y, x := r.Input(0), r.Input(1)
		length := r.nonzero(r.Apply("hypot", nil, y, x))
		slope := r.Div(r.Upstream(), length)
		r.Set(0, r.Mul(slope, r.Div(x, length)))
		r.Set(1, r.Neg(r.Mul(slope, r.Div(y, length))))
	})

	// The gradient at 0, 0 is zero.
	Hypot = binary("hypot", "square root of a² + b², computed without overflow; infinite if a or b is; integers become float64", floating, SaveInputs|SaveOutputs, func(r *Rule) {
		length := r.nonzero(r.Output())
		for i := range 2 {
			if r.Wants(i) {
				r.Set(i, r.Mul(r.Upstream(), r.Div(r.Input(i), length)))
			}
		}
	})

	Sinh = unary("sinh", "hyperbolic sine of x", floating, SaveInputs, func(r *Rule) {
		r.Set(0, r.Mul(r.Upstream(), r.Apply("cosh", nil, r.Input(0))))
	})

	Cosh = unary("cosh", "hyperbolic cosine of x", floating, SaveInputs, func(r *Rule) {
		r.Set(0, r.Mul(r.Upstream(), r.Apply("sinh", nil, r.Input(0))))
	})

	Tanh = unary("tanh", "hyperbolic tangent of x", floating, SaveOutputs, func(r *Rule) {
		r.Set(0, r.Mul(r.Upstream(), r.oneMinus(r.Apply("square", nil, r.Output()))))
	})

	Asinh = unary("asinh", "inverse hyperbolic sine of x", floating, SaveInputs, func(r *Rule) {
		r.Set(0, r.Div(r.Upstream(), r.Apply("sqrt", nil, r.onePlus(r.Apply("square", nil, r.Input(0))))))
	})

	Acosh = unary("acosh", "inverse hyperbolic cosine of x ≥ 1", floating, SaveInputs, func(r *Rule) {
		x := r.Input(0)
		r.Set(0, r.Div(r.Upstream(), r.Apply("sqrt", nil, r.Sub(r.Apply("square", nil, x), r.Constant(1, x)))))
	})

	Atanh = unary("atanh", "inverse hyperbolic tangent of x", floating, SaveInputs, func(r *Rule) {
		r.Set(0, r.Div(r.Upstream(), r.oneMinus(r.Apply("square", nil, r.Input(0)))))
	})
)
