package ops

// Clamp is the operator that keeps elements within bounds.
var Clamp = Register(&Operator{
	Name: "clamp", Doc: "x, but at least low, and at most high, which is above; NaN if any is", Inputs: []string{"x", "low", "high"},
	Accepts: numeric, Saves: SaveInputs, Convert: toCommon, Lower: lowerBroadcast, Work: perElement,
	Infer: func(c *Call) { c.Output(c.Inputs[0].DType, c.Broadcast(c.Inputs...)) },
	// The gradient goes to what the result is, to x where it equals a bound.
	Gradient: func(r *Rule) {
		x, low, high := r.Input(0), r.Input(1), r.Input(2)
		zero := r.Constant(0, r.Upstream())
		above := r.Apply("greater", nil, r.Apply("maximum", nil, x, low), high)
		below := r.Apply("less", nil, x, low)
		inside := r.Apply("where", nil, above, zero, r.Upstream())
		if r.Wants(0) {
			r.Set(0, r.Apply("where", nil, below, zero, inside))
		}
		if r.Wants(1) {
			r.Set(1, r.Apply("where", nil, below, inside, zero))
		}
		if r.Wants(2) {
			r.Set(2, r.Apply("where", nil, above, r.Upstream(), zero))
		}
	},
	Samples: []Sample{
		{Shapes: [][]int{{2, 3}, {2, 3}, {2, 3}}}, {Shapes: [][]int{{3}, {2, 1}, {}}}, {Shapes: [][]int{{}, {}, {}}}, {Shapes: [][]int{{0}, {1}, {0}}},
		{Shapes: [][]int{{1000}, {}, {1000}}},
	},
})
