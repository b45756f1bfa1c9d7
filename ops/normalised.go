package ops

// standardised is x̂ = (x − mean) · inverse with inverse = 1/√(variance + ε), in terms of operators; where it is not centred, mean stands
// for zero and variance for the mean of the squares.
type standardised struct {
	r       *Rule
	x       Value // x̂
	inverse Value
	axes    []int
	centred bool
}

func (r *Rule) standardise(x Value, axes []int, centred bool, epsilon float64) standardised {
	s := standardised{r: r, axes: axes, centred: centred}
	if centred {
		x = r.Sub(x, s.mean(x))
	}
	s.inverse = r.Apply("rsqrt", nil, r.Add(s.mean(r.Apply("square", nil, x)), r.Constant(epsilon, x)))
	s.x = r.Mul(x, s.inverse)
	return s
}

func (s standardised) mean(a Value) Value {
	return s.r.Apply("mean", ReduceParams{Axes: s.axes, KeepDims: true}, a)
}

// pull returns the gradient with respect to x where that with respect to x̂ is g: J g, with the symmetric matrix J =
// inverse · (1 − 11ᵀ/n − x̂x̂ᵀ/n).
func (s standardised) pull(g Value) Value {
	rest := s.r.Sub(g, s.r.Mul(s.x, s.mean(s.r.Mul(g, s.x))))
	if s.centred {
		rest = s.r.Sub(rest, s.mean(g))
	}
	return s.r.Mul(s.inverse, rest)
}

// bend returns the gradient with respect to x of the product of a with J g. That depends on x by x̂ and by inverse, whose
// own gradient is −inverse² x̂/n.
func (s standardised) bend(a, g Value) Value {
	r := s.r
	ofA, ofG, product := s.mean(r.Mul(a, s.x)), s.mean(r.Mul(g, s.x)), s.mean(r.Mul(a, g))
	quotient := r.Sub(product, r.Mul(ofA, ofG))
	if s.centred {
		quotient = r.Sub(quotient, r.Mul(s.mean(a), s.mean(g)))
	}
	by := s.pull(r.Neg(r.Mul(s.inverse, r.Add(r.Mul(a, ofG), r.Mul(g, ofA)))))
	return r.Sub(by, r.Mul(r.Apply("square", nil, s.inverse), r.Mul(s.x, quotient)))
}

// normalised gives the gradients of an operator with the operands x, scale and upstream and the results dx, dscale and, where it
// is centred, dbias: those of x̂ · scale + bias. In the shapes given for x and scale, scale broadcasts to x, whose axes
// are those normalised.
func (r *Rule) normalised(shape, scaleShape, axes []int, centred bool, epsilon float64) {
	x, scale, u := r.Reshape(r.Input(0), shape), r.Reshape(r.Input(1), scaleShape), r.Reshape(r.Input(2), shape)
	s := r.standardise(x, axes, centred, epsilon)
	gradients := make([]Value, 3)
	add := func(i int, g Value) {
		if gradients[i] != nil {
			g = r.Add(gradients[i], g)
		}
		gradients[i] = g
	}
	if a := r.UpstreamOf(0); a != nil {
		a = r.Reshape(a, shape)
		pulled := s.pull(a)
		add(0, s.bend(a, r.Mul(u, scale)))
		add(1, r.SumTo(r.Mul(u, pulled), scaleShape))
		add(2, r.Mul(scale, pulled))
	}
	if b := r.UpstreamOf(1); b != nil {
		b = r.Reshape(b, scaleShape)
		add(0, s.pull(r.Mul(u, b)))
		add(2, r.Mul(s.x, b))
	}
	if centred && r.UpstreamOf(2) != nil {
		add(2, r.BroadcastTo(r.Reshape(r.UpstreamOf(2), scaleShape), shape))
	}
	for i, g := range gradients {
		if g != nil {
			r.Set(i, r.Reshape(g, r.Shape(i)))
		}
	}
}
