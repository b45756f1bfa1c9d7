package ops

import (
	"slices"

	"github.com/weft-nd/weft/dtype"
)

// Eigenvalues of square matrices, complex numbers. They have no gradients.
var (
	Eigen = Register(&Operator{
		Name: "eigen", Doc: "eigenvalues of square matrices, in the order of their real parts, then of their imaginary parts, and the eigenvectors of length one as columns; of each the first element whose magnitude is the largest but for rounding is real and positive",
		Inputs: []string{"a"}, Accepts: floats, Convert: toFloat, Lower: lowerMatrices, Work: func(c *Call) int64 { return cubes(c, 25) }, Brief: briefFactoring(beforeLAPACK),
		Infer: func(c *Call) {
			inferEigenvalues(c)
			c.Output(c.Outputs[0].DType, c.Inputs[0].Shape)
		},
		Samples: squareSamples,
	})

	Eigenvalues = Register(&Operator{
		Name: "eigenvalues", Doc: "eigenvalues of square matrices, in the order of their real parts, then of their imaginary parts", Inputs: []string{"a"},
		Accepts: floats, Convert: toFloat, Lower: lowerMatrices, Work: func(c *Call) int64 { return cubes(c, 10) }, Brief: briefFactoring(beforeLAPACK),
		Infer: inferEigenvalues, Samples: squareSamples,
	})
)

func inferEigenvalues(c *Call) {
	batch, size := c.squareSize(0)
	c.Output(dtype.Promote(c.Inputs[0].DType, dtype.Complex64), slices.Concat(batch, []int{size}))
}
