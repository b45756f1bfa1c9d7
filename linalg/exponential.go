package linalg

import (
	"context"
	"math"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// pade is an approximant of the exponential, p(x)/p(−x), and the largest norm of a matrix of which it is right to the
// precision of a dtype.
type pade struct {
	coefficients []float64
	norm         float64
}

// Table 2.3 of Higham has the norms.
var (
	padeOfSingles = pade{[]float64{17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1}, 3.925724783138660}
	padeOfDoubles = pade{[]float64{
		64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600, 670442572800,
		33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
	}, 5.371920351148152}
)

// MatrixExponential returns the exponential of each matrix of a, (...,n,n): the sum of all aᵏ/k!, by scaling, a Padé approximant
// and squaring (Higham, "The scaling and squaring method for the matrix exponential revisited", SIAM J. Matrix Anal. Appl.
// 26(4), 2005). It waits for a, whose norms decide how many products are needed, and returns the error that sticks to a, or
// the cause of ctx if that ends first. The dtype is that of a; integers become float64. Tapes that watch a record it. Of a matrix
// that is not finite the result is NaN. It panics with *nd.Error if the matrices are not square.
func MatrixExponential(ctx context.Context, a *nd.Array) (*nd.Array, error) {
	checkMatrices("MatrixExponential", a)
	shape := a.Shape()
	size := shape[len(shape)-1]
	if shape[len(shape)-2] != size {
		mistake("MatrixExponential", fault.ErrShape, "a has shape "+fault.FormatShape(shape)+", want (...,n,n)", a)
	}
	if d := a.DType(); d == dtype.Float16 || d == dtype.BFloat16 {
		mistake("MatrixExponential", fault.ErrDType, "a is of "+d.String()+" (legal: float32, float64, complex numbers, and integers)", a)
	}
	if a = floats(a); a.Count() == 0 {
		return a.Copy(), nil
	}
	approximant := padeOfDoubles
	if d := a.DType().RealPart(); d != dtype.Float64 {
		approximant = padeOfSingles
	}
	norms, err := nd.ValuesContext[float64](ctx, Norm(a.Detach(), MaxColumns).Cast(dtype.Float64).Reshape(-1))
	if err != nil {
		return nil, err
	}
	scales, squarings, lost := make([]float64, len(norms)), make([]int64, len(norms)), make([]bool, len(norms))
	for i, norm := range norms {
		if lost[i] = math.IsNaN(norm) || math.IsInf(norm, 0); lost[i] {
			continue
		}
		squarings[i] = max(0, int64(math.Ceil(math.Log2(norm/approximant.norm))))
		scales[i] = math.Ldexp(1, -int(squarings[i]))
	}
	each := slices.Concat(shape[:len(shape)-2], []int{1, 1})
	isLost := nd.FromSliceIn(a.Env(), lost, each...)
	scaled := nd.Where(isLost, nd.Weak(0.0), a).Mul(nd.FromSliceIn(a.Env(), scales, each...).Cast(a.DType()))
	power := approximant.of(scaled)
	left := nd.FromSliceIn(a.Env(), squarings, each...)
	for i := range slices.Max(squarings) {
		power = nd.Where(left.GreaterScalar(float64(i)), power.MatMul(power), power)
	}
	return nd.Where(isLost, nd.Weak(math.NaN()), power), nil
}

// of returns the approximant at each matrix of x.
func (p pade) of(x *nd.Array) *nd.Array {
	square := x.MatMul(x)
	one := nd.FullIn(x.Env(), x.DType(), 1, x.Shape()...).Tril(0).Triu(0)
	odd, even := (*nd.Array)(nil), (*nd.Array)(nil)
	for i, power := 0, one; i < len(p.coefficients); i += 2 {
		if i > 0 {
			power = power.MatMul(square)
		}
		even, odd = plus(even, power.MulScalar(p.coefficients[i])), plus(odd, power.MulScalar(p.coefficients[i+1]))
	}
	odd = x.MatMul(odd)
	return Solve(even.Sub(odd), odd.MulScalar(2)).Add(one) // the quotient of sum and difference, exact where odd is zero
}

// plus returns the sum of a, which may be nil, and b.
func plus(a, b *nd.Array) *nd.Array {
	if a == nil {
		return b
	}
	return a.Add(b)
}
