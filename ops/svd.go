package ops

import "slices"

// Singular values. The gradient of the vectors (Townsend, "Differentiating the singular value decomposition", 2016)
// exists where the singular values differ from each other and, unless the matrix is square and real, from zero; elsewhere
// it is not finite. That of the values alone needs no more than the vectors.
var (
	SVD = Register(&Operator{
		Name: "svd", Doc: "reduced factors U, S and Vᴴ of matrices U·diag(S)·Vᴴ, the largest singular value first; of each row of Vᴴ the first element whose magnitude is the largest but for rounding is real and positive",
		Inputs: []string{"a"}, Accepts: floats, Convert: toFloat, Saves: SaveOutputs, Lower: lowerMatrices, Work: func(c *Call) int64 { return cubes(c, 20) }, Brief: briefFactoring(beforeLAPACK),
		Infer: func(c *Call) {
			batch, rows, columns := c.matrixSizes(0)
			small := min(rows, columns)
			c.Output(c.Inputs[0].DType, slices.Concat(batch, []int{rows, small}))
			c.Output(c.Inputs[0].DType.RealPart(), slices.Concat(batch, []int{small}))
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
			c.Output(c.Inputs[0].DType.RealPart(), slices.Concat(batch, []int{min(rows, columns)}))
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
		if u.DType().IsComplex() && small > 0 {
			inner, slopeV = r.withTurns(inner, slopeU, slopeV)
		}
	}
	if slopeU != nil {
		j := r.Mul(gaps, r.product(r.adjoint(u), slopeU))
		inner = r.Add(inner, r.Mul(r.Add(j, r.adjoint(j)), r.asRow(s)))
	}
	if slopeV != nil {
		k := r.Mul(gaps, r.product(vt, r.adjoint(slopeV)))
		inner = r.Add(inner, r.Mul(r.asColumn(s), r.Add(k, r.adjoint(k))))
	}
	left := r.product(u, inner)
	if slopeU != nil && rows > small {
		beside := r.Sub(slopeU, r.product(u, r.product(r.adjoint(u), slopeU)))
		left = r.Add(left, r.Div(beside, r.asRow(s)))
	}
	slope := r.product(left, vt)
	if slopeV != nil && columns > small {
		beside := r.Sub(slopeV, r.product(r.product(slopeV, r.adjoint(vt)), vt))
		slope = r.Add(slope, r.product(r.Div(u, r.asRow(s)), beside))
	}
	return slope
}

// withTurns adds to the inner gradient of complex matrices how far columns of U turn against those of V, and returns the
// gradient of Vᴴ without what would turn both.
func (r *Rule) withTurns(inner, slopeU, slopeV Value) (Value, Value) {
	u, s, v := r.OutputOf(0), r.OutputOf(1), r.adjoint(r.OutputOf(2))
	slope := r.Mul(v, r.Constant(0, v))
	if slopeV != nil {
		slope = r.adjoint(slopeV)
	}
	turned := r.turnOf(v, slope)
	if slopeU != nil {
		own := r.turnOf(u, slopeU)
		turned = r.Add(turned, own)
		inner = r.Add(inner, r.diagonals(r.Complex(r.Constant(0, own), r.Div(own, s))))
	}
	return inner, r.adjoint(r.withoutTurn(v, slope, r.asRow(turned)))
}
