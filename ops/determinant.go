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
		Gradient: func(r *Rule) { r.Set(0, r.slopeOfDeterminant(r.Mul(r.Upstream(), r.Output()))) },
		Samples:  squareSamples,
	})

	SignLogDeterminant = Register(&Operator{
		Name: "sign_log_determinant", Doc: "sign of the determinant of square matrices, a number of magnitude 1, and logarithm of its magnitude, by LU with partial pivoting; 0 and −Inf of a singular matrix",
		Inputs: []string{"a"}, Accepts: floats, Convert: toFloat, Saves: SaveInputs, SavesComplex: SaveOutputs, Lower: lowerDeterminant, Work: func(c *Call) int64 { return cubes(c, 2.0/3) }, Brief: briefFactoring(beforeFactoring),
		Infer: func(c *Call) {
			batch, _ := c.squareSize()
			c.Output(c.Inputs[0].DType, batch)
			c.Output(c.Inputs[0].DType.RealPart(), batch)
		},
		Gradient: signLogDeterminantGradient,
		Samples:  squareSamples,
	})
)

// signLogDeterminantGradient has the logarithm's parts of a complex determinant apart: the sign turns with the imaginary one.
func signLogDeterminantGradient(r *Rule) {
	u := r.UpstreamOf(1)
	if slope := r.UpstreamOf(0); slope != nil && r.DType(0).IsComplex() {
		turned := r.ImaginaryPart(r.Mul(slope, r.Conj(r.Output())))
		if u == nil {
			u = r.Constant(0, turned)
		}
		u = r.Complex(u, r.Neg(turned))
	}
	if u != nil {
		r.Set(0, r.Conj(r.slopeOfDeterminant(u)))
	}
}

// slopeOfDeterminant returns the derivative by matrices, where that by the logarithms of their determinants is u.
func (r *Rule) slopeOfDeterminant(u Value) Value {
	return r.Mul(r.asColumn(r.asColumn(u)), r.swapLast(r.Apply("inverse", nil, r.Input(0))))
}

func lowerDeterminant(_ *Call, l *Lowered) {
	l.Scratch = cpu.DeterminantScratch(layoutOf(l.Inputs[0]))
}
