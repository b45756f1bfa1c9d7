package ops

import "slices"

// Eigenvalues of symmetric and Hermitian matrices. As what is above the diagonal is not read, gradients are zero there, and below the
// diagonal they are those of both elements. The gradient of the vectors (Giles, "Collected matrix derivative results
// for forward and reverse mode algorithmic differentiation", 2008) exists where the eigenvalues differ from each other;
// elsewhere it is not finite.
var (
	EigenSymmetric = Register(&Operator{
		Name: "eigen_symmetric", Doc: "eigenvalues of symmetric or Hermitian matrices, of which the lower triangle is read, in ascending order, and the eigenvectors as columns; of each the first element whose magnitude is the largest but for rounding is real and positive",
		Inputs: []string{"a"}, Accepts: floats, Convert: toFloat, Saves: SaveOutputs, Lower: lowerMatrices, Work: func(c *Call) int64 { return cubes(c, 9) }, Brief: briefFactoring(beforeLAPACK),
		Infer: func(c *Call) {
			batch, size := c.squareSize()
			c.Output(c.Inputs[0].DType.RealPart(), slices.Concat(batch, []int{size}))
			c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
		},
		Gradient: func(r *Rule) {
			values, vectors := r.OutputOf(0), r.OutputOf(1)
			slopeOfValues, slopeOfVectors := r.UpstreamOf(0), r.UpstreamOf(1)
			if slopeOfValues == nil {
				slopeOfValues = r.Mul(values, r.Constant(0, values))
			}
			inner := r.diagonals(slopeOfValues)
			if slope := slopeOfVectors; slope != nil {
				if shape := vectors.Shape(); vectors.DType().IsComplex() && shape[len(shape)-1] > 0 {
					slope = r.withoutTurn(vectors, slope, r.asRow(r.turnOf(vectors, slope)))
				}
				inner = r.Add(inner, r.Mul(r.inverseGaps(values), r.product(r.adjoint(vectors), slope)))
			}
			r.setSymmetric(r.product(vectors, r.product(inner, r.adjoint(vectors))))
		},
		Samples: squareSamples,
	})

	EigenvaluesSymmetric = Register(&Operator{
		Name: "eigenvalues_symmetric", Doc: "eigenvalues of symmetric or Hermitian matrices, of which the lower triangle is read, in ascending order", Inputs: []string{"a"},
		Accepts: floats, Convert: toFloat, Saves: SaveInputs, Lower: lowerMatrices, Work: func(c *Call) int64 { return cubes(c, 4.0/3) }, Brief: briefFactoring(beforeLAPACK),
		Infer: func(c *Call) {
			batch, size := c.squareSize()
			c.Output(c.Inputs[0].DType.RealPart(), slices.Concat(batch, []int{size}))
		},
		Gradient: func(r *Rule) {
			vectors := r.ApplyAll("eigen_symmetric", nil, r.Input(0))[1]
			r.setSymmetric(r.product(r.Mul(vectors, r.asRow(r.Upstream())), r.adjoint(vectors)))
		},
		Samples: squareSamples,
	})
)

// setSymmetric gives the gradient of symmetric or Hermitian matrices of which the lower triangle is read.
func (r *Rule) setSymmetric(slope Value) {
	r.Set(0, r.halved(r.Add(slope, r.adjoint(slope))))
}
