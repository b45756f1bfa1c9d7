package linalg_test

import (
	"testing"

	"github.com/weft-nd/weft/linalg"
	nd "github.com/weft-nd/weft/ndarray"
)

// TestComplexMatricesHaveTheNumbersThatNumPyFinds has those of NumPy 2, its factors turned to the phases that these have.
func TestComplexMatricesHaveTheNumbersThatNumPyFinds(t *testing.T) {
	exact := nd.FromNested([][]complex128{{2 + 1i, 1 - 1i, 0.5i}, {1i, 3, 1 + 2i}, {1, -1i, 2 - 2i}})
	for _, d := range types[2:] {
		a := exact.Cast(d)
		hermitian := a.MatMul(adjoint(a))
		sign, logarithm := linalg.SignLogDeterminant(a)
		q, r := linalg.QR(a)
		square := func(numbers ...complex128) *nd.Array { return nd.FromSlice(numbers, 3, 3).Cast(d) }
		for name, c := range map[string]struct{ want, got *nd.Array }{
			"inverse": {square(
				0.433333333333333-0.2i, -0.1+0.283333333333333i, 0.216666666666667+0.0666666666666667i,
				-0.0666666666666667-0.0333333333333333i, 0.483333333333333+0.0333333333333333i, 0.133333333333333-0.35i,
				-0.133333333333333-0.0666666666666667i, -0.0333333333333333+0.0666666666666667i, 0.266666666666667+0.3i,
			), linalg.Inverse(a)},
			"determinant": {nd.Full(12 - 6i).Cast(d), linalg.Determinant(a)},
			"sign":        {nd.Full(0.894427190999916 - 0.447213595499958i).Cast(d), sign},
			"logarithm":   {nd.Full(2.59647842544511).Cast(d.RealPart()), logarithm},
			"solution": {
				nd.FromSlice([]complex128{0.65 - 0.383333333333333i, -0.183333333333333 - 0.383333333333333i, 0.633333333333333 + 0.233333333333333i}).Cast(d),
				linalg.Solve(a, nd.FromSlice([]complex128{1, 1i, 2 - 1i}).Cast(d)),
			},
			"Cholesky": {square(
				2.69258240356725, 0, 0,
				1.85695338177052+1.67125804359347i, 2.95949669532763, 0,
				0.742781352708207-1.11417202906231i, -0.512668718875653-2.26040298776992i, 1.68364059979894,
			), linalg.Cholesky(hermitian)},
			"Q": {square(
				0.755928946018454+0.377964473009227i, -0.129640744710433+0.388922234131299i, -0.306785995538948+0.153392997769474i,
				0.377964473009227i, 0.90748521297303-0.0648203723552165i, -0.0766964988847371-0.153392997769474i,
				0.377964473009227, -0.0648203723552165, 0.613571991077896-0.690268489962633i,
			), q},
			"R": {square(
				2.64575131106459, 0.377964473009228-2.64575131106459i, 1.70084012854152-0.755928946018454i,
				0, 2.20389266007736, 0.842664840617814+1.94461117065649i, 0, 0, 2.30089496654211,
			), r},
			"power": {square(
				0.139444444444444-0.212222222222222i, -0.0561111111111111+0.288611111111111i, 0.230833333333333+0.141111111111111i,
				-0.107777777777778+0.0183333333333333i, 0.2675+0.0372222222222222i, 0.204444444444444-0.229722222222222i,
				-0.0822222222222222-0.0633333333333333i, -0.015+0.00777777777777778i, -0.0244444444444444+0.157222222222222i,
			), linalg.MatrixPower(a, -2)},
		} {
			requireNear(t, c.want, c.got, 32*unit(d), name, d)
		}
	}
}
