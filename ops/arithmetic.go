package ops

import "github.com/weft-nd/weft/dtype"

// Arithmetic, element by element. Integers wrap round where they overflow. Float16 and bfloat16 are computed in float32 and
// rounded once.
var (
	Add = binary("add", "a + b", all, 0, func(r *Rule) {
		r.Set(0, r.Upstream())
		r.Set(1, r.Upstream())
	})

	Sub = binary("sub", "a − b", numeric, 0, func(r *Rule) {
		r.Set(0, r.Upstream())
		if r.Wants(1) {
			r.Set(1, r.Neg(r.Upstream()))
		}
	})

	Mul = binary("mul", "a · b", all, SaveInputs, func(r *Rule) {
		if r.Wants(0) {
			r.Set(0, r.Mul(r.Upstream(), r.Input(1)))
		}
		if r.Wants(1) {
			r.Set(1, r.Mul(r.Upstream(), r.Input(0)))
		}
	})

	Div = binary("div", "a / b; integers become float64", floating, SaveInputs, func(r *Rule) {
		quotient := r.Div(r.Upstream(), r.Input(1))
		r.Set(0, quotient)
		if r.Wants(1) {
			r.Set(1, r.Neg(r.Mul(quotient, r.Div(r.Input(0), r.Input(1)))))
		}
	})

	FloorDivide = binary("floor_divide", "a / b rounded toward −∞; 0 where integers are divided by 0", numeric, 0, flat)

	// The gradient by b is that of a − b · floor(a / b) where it has no step.
	Remainder = binary("remainder", "a − b · floor(a / b), which has the sign of b; 0 where integers are divided by 0", numeric, SaveInputs, func(r *Rule) {
		r.Set(0, r.Upstream())
		if r.Wants(1) {
			r.Set(1, r.Neg(r.Mul(r.Upstream(), r.Apply("floor_divide", nil, r.Input(0), r.Input(1)))))
		}
	})

	Neg = unary("neg", "−x", numeric, 0, func(r *Rule) { r.Set(0, r.Neg(r.Upstream())) })

	Positive = unary("positive", "x", numeric, 0, func(r *Rule) { r.Set(0, r.Upstream()) })

	// The gradient at 0 is 0.
	Abs = unary("abs", "|x|; the least integer stays what it is", all, SaveInputs, func(r *Rule) {
		r.Set(0, r.Mul(r.Upstream(), r.Apply("sign", nil, r.Input(0))))
	})

	// The gradient is 0 but for complex numbers, where that at 0 is.
	Sign = unary("sign", "−1, 0 or 1, whether x is below, at or above zero; NaN stays NaN", numeric, 0, func(r *Rule) {
		if r.DType(0).IsComplex() {
			r.turning()
		}
	})

	Square = unary("square", "x · x", all, SaveInputs, func(r *Rule) {
		r.Set(0, r.Scale(r.Mul(r.Upstream(), r.Input(0)), 2))
	})

	Reciprocal = unary("reciprocal", "1 / x; integers become float64", floating, SaveOutputs, func(r *Rule) {
		r.Set(0, r.Neg(r.Mul(r.Upstream(), r.Apply("square", nil, r.Output()))))
	})

	// The gradient at equal operands goes to both in halves.
	Maximum = binary("maximum", "the larger of a and b; NaN if either is", all, SaveInputs, func(r *Rule) {
		r.choose(func(a, b Value) Value { return r.Apply("greater", nil, a, b) })
	})

	// The gradient at equal operands goes to both in halves.
	Minimum = binary("minimum", "the lesser of a and b; NaN if either is", all, SaveInputs, func(r *Rule) {
		r.choose(func(a, b Value) Value { return r.Apply("less", nil, a, b) })
	})
)

// Rounding to an integer of the same element type. Integers stay what they are. The gradient is zero, also at the steps.
var (
	Floor = unary("floor", "the largest integer not above x", numeric, 0, flat)
	Ceil  = unary("ceil", "the least integer not below x", numeric, 0, flat)
	Trunc = unary("trunc", "x without its fraction", numeric, 0, flat)
	Round = unary("round", "the integer nearest to x, the even one of two", numeric, 0, flat)
)

// flat is the gradient of an operator whose results stay the same between steps: zeros, which tapes make of none.
func flat(*Rule) {}

// choose gives the upstream gradient to the operand that is chosen before the other, and half of it to each where they are equal.
func (r *Rule) choose(before func(a, b Value) Value) {
	tie := r.Scale(r.as(r.Apply("equal", nil, r.Input(0), r.Input(1))), 0.5)
	for i := range 2 {
		if r.Wants(i) {
			chosen := r.as(before(r.Input(i), r.Input(1-i)))
			r.Set(i, r.Mul(r.Upstream(), r.Add(chosen, tie)))
		}
	}
}

// as returns the bool array mask as zeros and ones of the upstream gradient's element type.
func (r *Rule) as(mask Value) Value {
	return r.Apply("cast", CastParams{r.Upstream().DType()}, mask)
}

// cast returns a in element type d.
func (r *Rule) cast(a Value, d dtype.DType) Value {
	if a.DType() == d {
		return a
	}
	return r.Apply("cast", CastParams{d}, a)
}
