package ops

// setEigen gives the gradient of matrices A = V·diag(λ)·V⁻¹ from those of the values λ and of the vectors V, of which either may be nil.
//
// With M = V⁻¹·dA·V it is dλ_j = M_jj and dV = W + V·diag(κ), where W = V·C and C_ij = M_ij / (λ_j − λ_i) beside the
// diagonal (Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation",
// 2008). κ keeps columns at length one, Re κ_j = −Re v_jᴴw_j, and the element p real that is the largest of its column:
// Im κ_j = −Im w_pj / v_pj.
func (r *Rule) setEigen(values, vectors, slopeOfValues, slopeOfVectors Value) {
	if r.Shape(0)[len(r.Shape(0))-1] == 0 {
		return
	}
	conjugate := r.Conj(r.swapLast(vectors))
	inner := r.Mul(r.Constant(0, vectors), vectors)
	if slopeOfValues != nil {
		inner = r.diagonals(slopeOfValues)
	}
	if slopeOfVectors != nil {
		along := r.asRow(r.shares(vectors, slopeOfVectors))
		slope := r.Sub(slopeOfVectors, r.Mul(vectors, r.RealPart(along)))
		slope = r.withoutTurn(vectors, slope, r.ImaginaryPart(along))
		inner = r.Add(inner, r.Mul(r.Conj(r.inverseGaps(values)), r.product(conjugate, slope)))
	}
	r.Set(0, r.Apply("solve", nil, conjugate, r.product(inner, conjugate)))
}

// shares returns v_jᴴ·ḡ_j for the columns of vectors and of their gradient.
func (r *Rule) shares(vectors, slope Value) Value {
	return r.Apply("sum", ReduceParams{Axes: []int{-2}}, r.Mul(r.Conj(vectors), slope))
}

// turnOf returns the gradients by how far complex vectors turn, all elements of each by one angle.
func (r *Rule) turnOf(vectors, slope Value) Value { return r.ImaginaryPart(r.shares(vectors, slope)) }

// withoutTurn returns the gradient of vectors whose largest elements are real as that of vectors that might turn, where
// turned is the gradient by the angles, as a row.
func (r *Rule) withoutTurn(vectors, slope, turned Value) Value {
	candidates := r.realElements(vectors)
	largest := r.Apply("max", ReduceParams{Axes: []int{-2}, KeepDims: true}, candidates)
	turn := r.Mul(r.placesOfLargest(candidates), r.Div(turned, r.nonzero(largest)))
	return r.Sub(slope, r.Complex(r.Constant(0, turn), turn))
}

// realElements returns the real parts of the elements that are real, and −1 for the others.
func (r *Rule) realElements(vectors Value) Value {
	re, im := r.RealPart(vectors), r.ImaginaryPart(vectors)
	return r.Apply("where", nil, r.Apply("equal", nil, im, r.Constant(0, im)), re, r.Constant(-1, re))
}

// placesOfLargest returns 1 where a number is the largest of its column, the first of equal ones, and 0 elsewhere.
func (r *Rule) placesOfLargest(numbers Value) Value {
	shape := numbers.Shape()
	places := r.Apply("argmax", ReduceParams{Axes: []int{-2}}, numbers)
	return r.swapLast(r.Apply("one_hot", OneHotParams{Depth: shape[len(shape)-2], DType: numbers.DType()}, places))
}
