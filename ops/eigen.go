package ops

import (
	"slices"

	"github.com/weft-nd/weft/dtype"
)

// Eigenvalues of square matrices, complex numbers. Their gradient exists where they differ from each other, and so that
// of the vectors; elsewhere it is not finite.
var (
	Eigen = Register(&Operator{
		Name: "eigen", Doc: "eigenvalues of square matrices, in the order of their real parts, then of their imaginary parts, and the eigenvectors of length one as columns; of each the first element whose magnitude is the largest but for rounding is real and positive",
		Inputs: []string{"a"}, Accepts: floats, Convert: toFloat, Lower: lowerMatrices, Work: func(c *Call) int64 { return cubes(c, 25) }, Brief: briefFactoring(beforeLAPACK),
		Infer: func(c *Call) {
			inferEigenvalues(c)
			c.Output(c.Outputs[0].DType, c.Inputs[0].Shape)
		},
		Saves:    SaveOutputs,
		Gradient: func(r *Rule) { r.setEigen(r.OutputOf(0), r.OutputOf(1), r.UpstreamOf(0), r.UpstreamOf(1)) },
		Samples:  squareSamples,
	})

	Eigenvalues = Register(&Operator{
		Name: "eigenvalues", Doc: "eigenvalues of square matrices, in the order of their real parts, then of their imaginary parts", Inputs: []string{"a"},
		Accepts: floats, Convert: toFloat, Lower: lowerMatrices, Work: func(c *Call) int64 { return cubes(c, 10) }, Brief: briefFactoring(beforeLAPACK),
		Infer: inferEigenvalues, Saves: SaveInputs, Samples: squareSamples,
		Gradient: func(r *Rule) {
			found := r.ApplyAll("eigen", nil, r.Input(0))
			r.setEigen(found[0], found[1], r.Upstream(), nil)
		},
	})
)

func inferEigenvalues(c *Call) {
	batch, size := c.squareSize()
	c.Output(dtype.Promote(c.Inputs[0].DType, dtype.Complex64), slices.Concat(batch, []int{size}))
}
