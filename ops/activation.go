package ops

// Activations of neural networks, element by element.
var (
	Sigmoid = unary("sigmoid", "1 / (1 + exp(−x))", floats, SaveOutputs, func(r *Rule) {
		y := r.Output()
		r.Set(0, r.Mul(r.Upstream(), r.Mul(y, r.Sub(r.Constant(1, y), y))))
	})

	// The gradient at zero is zero.
	Relu = unary("relu", "x where it is positive, else 0", numbers, SaveOutputs, func(r *Rule) {
		y := r.Output()
		r.Set(0, r.Mul(r.Upstream(), r.as(r.Apply("greater", nil, y, r.Constant(0, y)))))
	})
)
