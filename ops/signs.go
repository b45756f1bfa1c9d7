package ops

// The bits of floats, element by element: their signs, which zero and NaN have too, and their neighbours.
var (
	// The gradient at a = 0 is zero.
	CopySign = binary("copysign", "a with the sign of b, zero and NaN included; integers become floats", floating, SaveInputs, func(r *Rule) {
		a, b := r.Input(0), r.Input(1)
		if r.Wants(0) {
			slope := r.Mul(r.Apply("sign", nil, a), r.Apply("copysign", nil, r.Constant(1, b), b))
			r.Set(0, r.Mul(r.Upstream(), slope))
		}
		if r.Wants(1) {
			r.Set(1, r.zeros(r.Shape(1)))
		}
	})

	SignBit = test("signbit", "whether the sign of x is negative, that of zero and NaN included", floating)

	NextAfter = binary("nextafter", "the number after a on the way to b, b where they are equal; integers become floats", floating, 0, nil)
)
