package ops

import "math"

// Exponential functions, logarithms, powers, roots and the error function, element by element. Integers become float64.
var (
	Exp = unary("exp", "e to the power of x", floating, SaveOutputs, func(r *Rule) {
		r.Set(0, r.Mul(r.Upstream(), r.Output()))
	})

	Exp2 = unary("exp2", "2 to the power of x", floating, SaveOutputs, func(r *Rule) {
		r.Set(0, r.Mul(r.Upstream(), r.Scale(r.Output(), math.Ln2)))
	})

	Expm1 = unary("expm1", "exp(x) − 1, without loss for small x", floating, SaveInputs, func(r *Rule) {
		r.Set(0, r.Mul(r.Upstream(), r.Apply("exp", nil, r.Input(0))))
	})

	Log = unary("log", "natural logarithm of x", floating, SaveInputs, func(r *Rule) {
		r.Set(0, r.Div(r.Upstream(), r.Input(0)))
	})

	Log2 = unary("log2", "logarithm of x to the base 2", floating, SaveInputs, func(r *Rule) {
		r.Set(0, r.Scale(r.Div(r.Upstream(), r.Input(0)), 1/math.Ln2))
	})

	Log10 = unary("log10", "logarithm of x to the base 10", floating, SaveInputs, func(r *Rule) {
		r.Set(0, r.Scale(r.Div(r.Upstream(), r.Input(0)), 1/math.Ln10))
	})

	Log1p = unary("log1p", "log(1 + x), without loss for small x", floating, SaveInputs, func(r *Rule) {
		r.Set(0, r.Div(r.Upstream(), r.onePlus(r.Input(0))))
	})

	Sqrt = unary("sqrt", "square root of x", floating, SaveOutputs, func(r *Rule) {
		r.Set(0, r.Div(r.Scale(r.Upstream(), 0.5), r.Output()))
	})

	Rsqrt = unary("rsqrt", "1 / sqrt(x)", floating, SaveOutputs, func(r *Rule) {
		y := r.Output()
		r.Set(0, r.Scale(r.Mul(r.Upstream(), r.Mul(y, r.Apply("square", nil, y))), -0.5))
	})

	Cbrt = unary("cbrt", "cube root of x", floating, SaveOutputs, func(r *Rule) {
		r.Set(0, r.Div(r.Scale(r.Upstream(), 1.0/3), r.Apply("square", nil, r.Output())))
	})

	// The gradient of b where a is zero is zero.
	Pow = binary("pow", "a to the power of b; of integers, which wrap round, without the fraction if b is negative, and 0 for 0", numeric, SaveInputs, func(r *Rule) {
		a, b := r.Input(0), r.Input(1)
		if r.Wants(0) {
			// Where b is 0, so is the slope, also at a = 0: then the power is one of exponent 0.
			one := r.Constant(1, b)
			exponent := r.Apply("where", nil, r.Apply("equal", nil, b, r.Constant(0, b)), one, b)
			slope := r.Apply("pow", nil, a, r.Sub(exponent, one))
			r.Set(0, r.Mul(r.Upstream(), r.Mul(b, slope)))
		}
		if r.Wants(1) {
			slope := r.Mul(r.Apply("pow", nil, a, b), r.Apply("log", nil, a))
			none := r.Constant(0, a)
			r.Set(1, r.Mul(r.Upstream(), r.Apply("where", nil, r.Apply("equal", nil, a, none), none, slope)))
		}
	})

	// The gradient where both operands are −∞ is zero.
	LogAddExp = binary("logaddexp", "logarithm of exp(a) + exp(b), computed without overflow; integers become float64", floating, SaveInputs|SaveOutputs, func(r *Rule) {
		y := r.Output()
		y = r.Apply("where", nil, r.Apply("equal", nil, y, r.Constant(math.Inf(-1), y)), r.Constant(0, y), y)
		for i := range 2 {
			if r.Wants(i) {
				r.Set(i, r.Mul(r.Upstream(), r.Apply("exp", nil, r.Sub(r.Input(i), y))))
			}
		}
	})

	Erf = unary("erf", "error function of x", floating, SaveInputs, func(r *Rule) {
		slope := r.Scale(r.Apply("exp", nil, r.Neg(r.Apply("square", nil, r.Input(0)))), 2/math.Sqrt(math.Pi))
		r.Set(0, r.Mul(r.Upstream(), slope))
	})
)

// onePlus returns 1 + a, and oneMinus 1 − a.
func (r *Rule) onePlus(a Value) Value { return r.Add(r.Constant(1, a), a) }

func (r *Rule) oneMinus(a Value) Value { return r.Sub(r.Constant(1, a), a) }
