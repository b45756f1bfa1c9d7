package ops

// Arithmetic, element by element.
var (
	Add = binary("add", "a + b", numbers, 0, func(r *Rule) {
		r.Set(0, r.Upstream())
		r.Set(1, r.Upstream())
	})

	Sub = binary("sub", "a − b", numbers, 0, func(r *Rule) {
		r.Set(0, r.Upstream())
		if r.Wants(1) {
			r.Set(1, r.Neg(r.Upstream()))
		}
	})

	Mul = binary("mul", "a · b", numbers, SaveInputs, func(r *Rule) {
		if r.Wants(0) {
			r.Set(0, r.Mul(r.Upstream(), r.Input(1)))
		}
		if r.Wants(1) {
			r.Set(1, r.Mul(r.Upstream(), r.Input(0)))
		}
	})

	Div = binary("div", "a / b; integers become floats", floats, SaveInputs, func(r *Rule) {
		quotient := r.Div(r.Upstream(), r.Input(1))
		r.Set(0, quotient)
		if r.Wants(1) {
			r.Set(1, r.Neg(r.Mul(quotient, r.Div(r.Input(0), r.Input(1)))))
		}
	})

	Neg = unary("neg", "−x", numbers, 0, func(r *Rule) { r.Set(0, r.Neg(r.Upstream())) })

	Square = unary("square", "x · x", numbers, SaveInputs, func(r *Rule) {
		r.Set(0, r.Scale(r.Mul(r.Upstream(), r.Input(0)), 2))
	})

	// The gradient at equal operands goes to both in halves.
	Maximum = binary("maximum", "the larger of a and b; NaN if either is", ordered, SaveInputs, func(r *Rule) {
		tie := r.Scale(r.as(r.Apply("equal", nil, r.Input(0), r.Input(1))), 0.5)
		for i := range 2 {
			if r.Wants(i) {
				larger := r.as(r.Apply("greater", nil, r.Input(i), r.Input(1-i)))
				r.Set(i, r.Mul(r.Upstream(), r.Add(larger, tie)))
			}
		}
	})
)

// as returns the bool array mask as zeros and ones of the upstream gradient's element type.
func (r *Rule) as(mask Value) Value {
	return r.Apply("cast", CastParams{r.Upstream().DType()}, mask)
}
