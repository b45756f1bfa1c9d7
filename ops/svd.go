package ops

import "slices"

// Singular values. The gradient of the vectors (Townsend, "Differentiating the singular value decomposition", 2016)
// exists where the singular values differ from each other and, unless the matrix is square, from zero; elsewhere it is
// not finite. That of the values alone needs no more than the vectors.
var (
	SVD = Register(&Operator{
		Name: "svd", Doc: "reduced factors U, S and Vᵀ of matrices U·diag(S)·Vᵀ, the largest singular value first; of each row of Vᵀ the first element whose magnitude is the largest but for rounding is positive",
		Inputs: []string{"a"}, Accepts: floats, Convert: toFloat, Saves: SaveOutputs, Lower: lowerMatrices, Work: func(c *Call) int64 { return cubes(c, 20) }, Brief: briefFactoring(beforeLAPACK),
		Infer: func(c *Call) {
			batch, rows, columns := c.matrixSizes(0)
			small := min(rows, columns)
			c.Output(c.Inputs[0].DType, slices.Concat(batch, []int{rows, small}))
			c.Output(c.Inputs[0].DType, slices.Concat(batch, []int{small}))
			c.Output(c.Inputs[0].DType, slices.Concat(batch, []int{small, columns}))
		},
		Gradient: func(r *Rule) { r.Set(0, r.slopeOfSVD()) },
		Samples:  rectangularSamples(nil),
	})

	SingularValues = Register(&Operator{
		Name: "singular_values", Doc: "singular values of matrices, the largest first", Inputs: []string{"a"},
		Accepts: floats, Convert: toFloat, Saves: SaveInputs, Lower: lowerMatrices, Work: func(c *Call) int64 { return cubes(c, 8) }, Brief: briefFactoring(beforeLAPACK),
		Infer: func(c *Call) {
			batch, rows, columns := c.matrixSizes(0)
			c.Output(c.Inputs[0].DType, slices.Concat(batch, []int{min(rows, columns)}))
		},
		Gradient: func(r *Rule) { r.Set(0, r.slopeOfSingularValues(r.Upstream())) },
		Samples:  rectangularSamples(nil),
	})
)

// slopeOfSingularValues returns the gradient of operand 0 where that of its singular values is u.
func (r *Rule) slopeOfSingularValues(u Value) Value {
	factors := r.ApplyAll("svd", nil, r.Input(0))
	return r.product(r.Mul(factors[0], r.asRow(u)), factors[2])
}

func (r *Rule) slopeOfSVD() Value {
	u, s, vt := r.OutputOf(0), r.OutputOf(1), r.OutputOf(2)
	slopeU, slopeS, slopeV := r.UpstreamOf(0), r.UpstreamOf(1), r.UpstreamOf(2)
	rows, columns, small := u.Shape()[len(u.Shape())-2], vt.Shape()[len(vt.Shape())-1], s.Shape()[len(s.Shape())-1]
	if slopeS == nil {
		slopeS = r.Mul(s, r.Constant(0, s))
	}
	inner := r.diagonals(slopeS)
	var gaps Value
	if slopeU != nil || slopeV != nil {
		gaps = r.inverseGaps(r.Mul(s, s))
	}
	if slopeU != nil {
		j := r.Mul(gaps, r.product(r.swapLast(u), slopeU))
		inner = r.Add(inner, r.Mul(r.Add(j, r.swapLast(j)), r.asRow(s)))
	}
	if slopeV != nil {
		k := r.Mul(gaps, r.product(vt, r.swapLast(slopeV)))
		inner = r.Add(inner, r.Mul(r.asColumn(s), r.Add(k, r.swapLast(k))))
	}
	left := r.product(u, inner)
	if slopeU != nil && rows > small {
		beside := r.Sub(slopeU, r.product(u, r.product(r.swapLast(u), slopeU)))
		left = r.Add(left, r.Div(beside, r.asRow(s)))
	}
	slope := r.product(left, vt)
	if slopeV != nil && columns > small {
		beside := r.Sub(slopeV, r.product(r.product(slopeV, r.swapLast(vt)), vt))
		slope = r.Add(slope, r.product(r.Div(u, r.asRow(s)), beside))
	}
	return slope
}
