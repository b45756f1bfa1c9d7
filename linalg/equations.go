package linalg

import (
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// Solve returns x of the linear equations a·x = b, where a is (...,n,n). An array b of one axis, (n,), is the right
// side of all of them, and x is (...,n); any other b is matrices (...,n,columns) of right sides side by side, as NumPy
// has it since version 2, and x has its form. The batches broadcast, and a matrix of a that goes with several of b is
// factored once.
//
// The factors are LU with partial pivoting. A pivot that is zero, of a singular matrix, is an error of the result; one that is nearly so
// makes a result that may be far off (see Condition). NaN and infinite elements make results that are not finite, or a pivot that is zero.
func Solve(a, b *nd.Array) *nd.Array { return call("Solve", ops.Solve, nil, a, b)[0] }

// TriangularOption changes which equations SolveTriangular solves.
type TriangularOption func(p *ops.SolveTriangularParams)

// Upper makes a an upper triangular matrix, of which what is below the diagonal is not read.
func Upper() TriangularOption {
	return func(p *ops.SolveTriangularParams) { p.Upper = true }
}

// Transposed makes the equations those of the transposed matrix: aᵀ·x = b, also of complex numbers. Whether a is a lower
// or an upper one is told of a itself.
func Transposed() TriangularOption {
	return func(p *ops.SolveTriangularParams) { p.Transposed = true }
}

// UnitDiagonal takes the diagonal for ones. It is not read.
func UnitDiagonal() TriangularOption {
	return func(p *ops.SolveTriangularParams) { p.Unit = true }
}

// SolveTriangular is Solve for triangular matrices: lower ones, of which what is above the diagonal is not read, unless options tell
// otherwise. A zero on the diagonal is an error of the result.
func SolveTriangular(a, b *nd.Array, options ...TriangularOption) *nd.Array {
	var p ops.SolveTriangularParams
	for _, option := range options {
		if option == nil {
			mistake("SolveTriangular", fault.ErrMisuse, "an option is nil")
		}
		option(&p)
	}
	return call("SolveTriangular", ops.SolveTriangular, p, a, b)[0]
}

// Inverse returns the inverses of the matrices of a, (...,n,n). A singular one is an error of the result, as in Solve,
// which is the better way to solve equations.
func Inverse(a *nd.Array) *nd.Array { return call("Inverse", ops.Inverse, nil, a)[0] }
