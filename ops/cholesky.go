package ops

// Cholesky is L of the factors L·Lᴴ of symmetric or Hermitian positive definite matrices. As what is above the diagonal is not read,
// its gradient is zero, and the gradient below the diagonal is that of both elements (Murray, "Differentiation of the
// Cholesky decomposition", 2016).
var Cholesky = Register(&Operator{
	Name: "cholesky", Doc: "lower triangular L, where a is L·Lᴴ, of symmetric or Hermitian positive definite matrices, of which the lower triangle is read",
	Inputs: []string{"a"}, Accepts: floats, Convert: toFloat, Saves: SaveOutputs, Lower: lowerMatrices,
	Work: func(c *Call) int64 { return cubes(c, 1.0/3) }, Brief: briefFactoring(beforeFactoring),
	Infer: func(c *Call) {
		c.squareSize()
		c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
	},
	Gradient: func(r *Rule) {
		l, transposed := r.Conj(r.Output()), SolveTriangularParams{Transposed: true}
		p := r.halved(r.product(r.swapLast(l), r.Upstream()))
		half := r.Apply("solve_triangular", transposed, l, p)
		s := r.Apply("solve_triangular", transposed, l, r.adjoint(half))
		r.Set(0, r.halved(r.Add(s, r.adjoint(s))))
	},
	Samples: squareSamples,
})
