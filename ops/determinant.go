package ops

import "github.com/weft-nd/weft/kernels/cpu"

// Determinants of square matrices. Their gradients are made of the inverse, which is an error of a singular matrix.
var (
	Determinant = Register(&Operator{
		Name: "determinant", Doc: "determinant of square matrices, by LU with partial pivoting", Inputs: []string{"a"},
		Accepts: floats, Convert: toFloat, Saves: SaveInputs | SaveOutputs, Lower: lowerDeterminant, Work: func(c *Call) int64 { return cubes(c, 2.0/3) }, Brief: briefFactoring(beforeFactoring),
		Infer: func(c *Call) {
			batch, _ := c.squareSize()
			c.Output(c.Inputs[0].DType, batch)
		},
		Gradient: func(r *Rule) { r.setDeterminant(r.Mul(r.Upstream(), r.Output())) },
		Samples:  squareSamples,
	})

	SignLogDeterminant = Register(&Operator{
		Name: "sign_log_determinant", Doc: "sign of the determinant of square matrices, and logarithm of its magnitude, by LU with partial pivoting; 0 and −Inf of a singular matrix",
		Inputs: []string{"a"}, Accepts: floats, Convert: toFloat, Saves: SaveInputs, Lower: lowerDeterminant, Work: func(c *Call) int64 { return cubes(c, 2.0/3) }, Brief: briefFactoring(beforeFactoring),
		Infer: func(c *Call) {
			batch, _ := c.squareSize()
			c.Output(c.Inputs[0].DType, batch)
			c.Output(c.Inputs[0].DType, batch)
		},
		Gradient: func(r *Rule) {
			if u := r.UpstreamOf(1); u != nil {
				r.setDeterminant(u)
			}
		},
		Samples: squareSamples,
	})
)

// setDeterminant gives the gradient of matrices, where that of the logarithms of their determinants is u.
func (r *Rule) setDeterminant(u Value) {
	r.Set(0, r.Mul(r.asColumn(r.asColumn(u)), r.swapLast(r.Apply("inverse", nil, r.Input(0)))))
}

func lowerDeterminant(_ *Call, l *Lowered) {
	l.Scratch = cpu.DeterminantScratch(layoutOf(l.Inputs[0]))
}
