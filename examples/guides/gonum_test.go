package guides

import (
	"math"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/linalg"
	nd "github.com/weft-nd/weft/ndarray"
)

// gonumRow is what one writes with gonum and with weft, and in what else they differ.
type gonumRow struct {
	theirs, ours any
	differs      string
}

var (
	a, s *mat.Dense
	v    *mat.VecDense
	f, g []float64
	u    *nd.Array
)

func gonumStart() {
	a = mat.NewDense(2, 3, []float64{0, 1, 2, 3, 4, 5})
	s = mat.NewDense(2, 2, []float64{2, 1, 1, 3})
	f, g = []float64{3, 1, 2}, []float64{1, 4, 2}
	v = mat.NewVecDense(3, []float64{3, 1, 2})

	x = nd.FromMatrix(a)
	m = nd.FromMatrix(s)
	y, u = nd.FromSlice(f), nd.FromSlice(g) // y has the elements of v and f
}

// Where gonum has matrices, vectors and slices of float64, weft has arrays of any number of axes and of 15 dtypes, whose operators run in
// the background, on several devices, and have gradients. A result is a new array: there is no receiver to write to, unless you ask for
// it by the forms that end in Into. Vectors have one axis, and are rows or columns as a product needs them.
//
// Both work together: nd.ReadGeneral, nd.WriteGeneral and nd.AdoptGeneral share the memory of matrices of package blas32 or blas64, nd.AsMatrix
// and nd.FromMatrix copy, and package kernels/cpu/gonumblas makes gonum's own products as fast as weft's. Decompositions are in package
// linalg, which computes some of them by gonum; nd.AsMatrix lends a copy to what is gonum's alone.
//
// Each row below is run on both sides, and gives the same numbers to the last few bits.
var gonumGuide = []section[gonumRow]{
	{"Package mat", []gonumRow{
		{func() any { return mat.NewDense(2, 2, []float64{1, 2, 3, 4}) }, func() any { return nd.FromSlice([]float64{1, 2, 3, 4}, 2, 2) }, "copies the slice; `nd.Adopt` shares it, as gonum does"},
		{func() any { return mat.NewVecDense(2, []float64{1, 2}) }, func() any { return nd.FromSlice([]float64{1, 2}) }, ""},
		{func() any { return mat.NewDense(2, 3, nil) }, func() any { return nd.Zeros[float64](2, 3) }, ""},
		{func() any { return mat.NewDiagDense(3, f) }, func() any { return y.Mul(nd.Eye[float64](3)) }, "all elements are stored"},
		{func() any { rows, columns := a.Dims(); return []int{rows, columns} }, func() any { return x.Shape() }, ""},
		{func() any { return a.At(1, 2) }, func() (any, error) { return nd.At[float64](x, 1, 2) }, "waits, and returns the error if the work failed"},
		{func() any { a.Set(0, 1, 9); return a }, func() any { nd.Set(x, 9.0, 0, 1); return x }, "does not wait"},
		{func() any { return a.RowView(1) }, func() any { return x.Index(1) }, "a view"},
		{func() any { return a.ColView(0) }, func() any { return x.Index(nd.Whole, 0) }, "a view"},
		{func() any { return a.Slice(0, 2, 1, 3) }, func() any { return x.Index(nd.Whole, nd.Span(1, 3)) }, "a view"},
		{func() any { return a.T() }, func() any { return x.T() }, "a view that is an array as any other"},
		{func() any { return mat.DenseCopyOf(a) }, func() any { return x.Copy() }, ""},
		{func() any { return a.RawMatrix().Data }, func() (any, error) { return nd.Values[float64](x) }, "a copy; `nd.ReadGeneral` shows the elements themselves"},
		{func() any { a.Zero(); return a }, func() any { x.SetSlice(nd.Weak(0.0)); return x }, ""},
		{func() any { var c mat.Dense; c.Add(a, a); return &c }, func() any { c := x.Add(x); return c }, "shapes broadcast"},
		{func() any { var c mat.Dense; c.Sub(a, a); return &c }, func() any { c := x.Sub(x); return c }, ""},
		{func() any { var c mat.Dense; c.MulElem(a, a); return &c }, func() any { c := x.Mul(x); return c }, ""},
		{func() any { var c mat.Dense; c.DivElem(s, s); return &c }, func() any { c := m.Div(m); return c }, ""},
		{func() any { var c mat.Dense; c.Scale(2, a); return &c }, func() any { c := x.MulScalar(2); return c }, ""},
		{func() any { a.Add(a, a); return a }, func() any { nd.AddInto(x, x, x); return x }, "any overlap is as if the operands had been copied"},
		{func() any { a.Apply(func(_, _ int, v float64) float64 { return math.Exp(v) }, a); return a }, func() any { nd.ExpInto(x, x); return x }, "exp, log, tanh, … are operators"},
		{func() any { var c mat.Dense; c.Mul(a, a.T()); return &c }, func() any { c := x.MatMul(x.T()); return c }, "axes in front broadcast"},
		{func() any { var c mat.VecDense; c.MulVec(a, v); return &c }, func() any { c := x.MatMul(y); return c }, ""},
		{func() any { return mat.Dot(v, v) }, func() any { return y.VecDot(y, 0) }, "an array of no axes"},
		{func() any { var c mat.Dense; c.Outer(1, v, v); return &c }, func() any { c := linalg.Outer(y, y); return c }, ""},
		{func() any { var c mat.Dense; c.Kronecker(s, s); return &c }, func() any { c := linalg.Kron(m, m); return c }, ""},
		{func() any { return mat.Inner(v.SliceVec(0, 2), s, v.SliceVec(1, 3)) }, func() any { return nd.Einsum("i,ij,j", y.Index("0:2"), m, y.Index("1:3")) }, ""},
		{func() any { return mat.Sum(a) }, func() any { return x.Sum() }, "`x.Sum(0)` is along an axis"},
		{func() any { return mat.Max(a) }, func() any { return x.Max() }, ""},
		{func() any { return mat.Trace(s) }, func() any { return linalg.Trace(m) }, ""},
		{func() any { return mat.Norm(a, 2) }, func() any { return x.Norm(2) }, "of all elements, as gonum's"},
		{func() any { return mat.Norm(s, 1) }, func() any { return linalg.Norm(m, linalg.MaxColumns) }, "the kinds are constants"},
		{func() any { var c mat.Dense; c.Stack(a, a); return &c }, func() any { c := nd.Concat(0, x, x); return c }, ""},
		{func() any { var c mat.Dense; c.Augment(a, a); return &c }, func() any { c := nd.Concat(1, x, x); return c }, ""},
		{func() any { return mat.Equal(a, a) }, func() (any, error) { return nd.Item[bool](x.Equal(x).AllTrue()) }, ""},
		{func() any { return mat.Det(s) }, func() any { return linalg.Determinant(m) }, ""},
		{func() any { var c mat.Dense; _ = c.Inverse(s); return &c }, func() any { c := linalg.Inverse(m); return c }, "a singular matrix is an error of the result"},
		{func() any { var c mat.Dense; _ = c.Solve(s, s); return &c }, func() any { c := linalg.Solve(m, m); return c }, ""},
		{func() any {
			var c mat.Cholesky
			var l mat.TriDense
			c.Factorize(mat.NewSymDense(2, []float64{2, 1, 1, 3}))
			c.LTo(&l)
			return &l
		}, func() any { l := linalg.Cholesky(m); return l }, ""},
		{func() any { var c mat.SVD; c.Factorize(s, mat.SVDNone); return c.Values(nil) }, func() any { return linalg.SingularValues(m) }, ""},
		{func() any {
			var c mat.EigenSym
			c.Factorize(mat.NewSymDense(2, []float64{2, 1, 1, 3}), false)
			return c.Values(nil)
		}, func() any { return linalg.EigenvaluesSymmetric(m) }, ""},
		{func() any { return mat.Cond(s, 2) }, func() any { return linalg.Condition(m) }, ""},
		{func() any { var c mat.Dense; c.Exp(s); return &c }, func() (any, error) {
			matrix, err := nd.AsMatrix(m)
			if err != nil {
				return nil, err
			}
			var c mat.Dense
			c.Exp(matrix)
			return nd.FromMatrix(&c), nil
		}, "what is gonum's alone is lent a copy of float64"},
	}},
	{"Package blas64", []gonumRow{
		{func() any {
			c := mat.NewDense(2, 2, nil)
			blas64.Gemm(blas.NoTrans, blas.Trans, 1, a.RawMatrix(), a.RawMatrix(), 0, c.RawMatrix())
			return c
		}, func() any { c := nd.Zeros[float64](2, 2); nd.MatMulInto(c, x, x.T()); return c }, "transposing is a view"},
		{func() any {
			c := mat.NewVecDense(2, nil)
			blas64.Gemv(blas.NoTrans, 1, a.RawMatrix(), v.RawVector(), 0, c.RawVector())
			return c
		}, func() any { c := x.MatMul(y); return c }, ""},
		{func() any {
			blas64.Ger(1, blas64.Vector{N: 2, Inc: 1, Data: f}, v.RawVector(), a.RawMatrix())
			return a
		}, func() any { nd.AddInto(x, x, nd.Einsum("i,j", y.Index(nd.Span(0, 2)), y)); return x }, ""},
		{func() any { blas64.Axpy(2, v.RawVector(), blas64.Vector{N: 3, Inc: 1, Data: g}); return g }, func() any { nd.AddInto(u, u, y.MulScalar(2)); return u }, ""},
		{func() any { return blas64.Dot(v.RawVector(), v.RawVector()) }, func() any { return y.VecDot(y, 0) }, ""},
		{func() any { return blas64.Nrm2(v.RawVector()) }, func() any { return y.Norm(2) }, ""},
		{func() any { return blas64.Asum(v.RawVector()) }, func() any { return y.Asum() }, ""},
		{func() any { return blas64.Iamax(v.RawVector()) }, func() any { return y.Abs().ArgMax() }, "an array of int64"},
		{func() any { blas64.Scal(3, v.RawVector()); return v }, func() any { nd.MulInto(y, y, nd.Weak(3.0)); return y }, ""},
	}},
	{"Package floats", []gonumRow{
		{func() any { floats.Add(f, g); return f }, func() any { nd.AddInto(y, y, u); return y }, ""},
		{func() any { floats.AddConst(1, f); return f }, func() any { nd.AddInto(y, y, nd.Weak(1.0)); return y }, ""},
		{func() any { floats.AddScaled(f, 2, g); return f }, func() any { nd.AddInto(y, y, u.MulScalar(2)); return y }, ""},
		{func() any { floats.Scale(2, f); return f }, func() any { nd.MulInto(y, y, nd.Weak(2.0)); return y }, ""},
		{func() any { return floats.Sum(f) }, func() any { return y.Sum() }, "pairwise, in an order that depends on the shape alone"},
		{func() any { return floats.SumCompensated(f) }, func() any { return y.Sum() }, ""},
		{func() any { return floats.Prod(f) }, func() any { return y.Prod() }, ""},
		{func() any { return floats.Min(f) }, func() any { return y.Min() }, "NaN wins, where gonum leaves it away"},
		{func() any { return floats.MaxIdx(f) }, func() any { return y.ArgMax() }, ""},
		{func() any { return floats.Dot(f, g) }, func() any { return y.VecDot(u, 0) }, ""},
		{func() any { return floats.Norm(f, 1) }, func() any { return y.Norm(1) }, ""},
		{func() any { return floats.Distance(f, g, 2) }, func() any { return y.Sub(u).Norm(2) }, ""},
		{func() any { return floats.CumSum(make([]float64, 3), f) }, func() any { return y.CumSum(0) }, ""},
		{func() any { return floats.CumProd(make([]float64, 3), f) }, func() any { return y.CumProd(0) }, ""},
		{func() any { return floats.Span(make([]float64, 5), 0, 1) }, func() any { return nd.Linspace(0.0, 1, 5) }, ""},
		{func() any { return floats.LogSumExp(f) }, func() any { return y.LogSumExp() }, ""},
		{func() any { slices.Reverse(f); return f }, func() any { return y.Flip(0) }, "a view, and y stays as it is"},
		{func() any { order := make([]int, 3); floats.Argsort(f, order); return order[0] }, func() any { order := y.ArgSort(0); return order.Index(0) }, "y stays as it is"},
		{func() any { sort.Float64s(f); return f }, func() any { return y.Sort(0) }, ""},
		{func() any { return floats.HasNaN(f) }, func() (any, error) { return nd.Item[bool](y.IsNaN().AnyTrue()) }, ""},
		{func() any { return floats.Count(func(v float64) bool { return v > 1 }, f) }, func() any { return y.GreaterScalar(1).CountNonzero() }, ""},
	}},
	{"Package stat", []gonumRow{
		{func() any { return stat.Mean(f, nil) }, func() any { return y.Mean() }, ""},
		{func() any { return stat.Mean(f, g) }, func() any { return y.Mul(u).Sum().Div(u.Sum()) }, "weights are factors"},
		{func() any { return stat.Variance(f, nil) }, func() any { return y.Var(1) }, "the correction is given always"},
		{func() any { return stat.PopVariance(f, nil) }, func() any { return y.Var(0) }, ""},
		{func() any { return stat.StdDev(f, nil) }, func() any { return y.Std(1) }, ""},
		{func() any { return stat.Covariance(f, g, nil) }, func() any { return y.Sub(y.Mean()).VecDot(u.Sub(u.Mean()), 0).DivScalar(2) }, ""},
		{func() any { return stat.Histogram(nil, []float64{0, 1.5, 4}, []float64{1, 2, 3}, nil) }, func() any { return y.Histogram(nd.FromSlice([]float64{0, 1.5, 4})) }, "the elements need not be sorted; the last part includes its end"},
	}},
}

// numbers returns the elements of a result of either side, and its shape.
func numbers(t *testing.T, result any) (elements []float64, shape []int) {
	switch r := result.(type) {
	case *nd.Array:
		elements, err := nd.Values[float64](r.Cast(dtype.Float64))
		require.NoError(t, err)
		return elements, r.Shape()
	case *mat.VecDense:
		return numbers(t, nd.FromMatrix(r).Reshape(-1))
	case mat.Vector: // a view of a row or column
		return numbers(t, nd.FromMatrix(r).Reshape(-1))
	case mat.Matrix:
		return numbers(t, nd.FromMatrix(r))
	case []float64:
		return r, []int{len(r)}
	case []int:
		for _, n := range r {
			elements = append(elements, float64(n))
		}
		return elements, []int{len(r)}
	case float64:
		return []float64{r}, []int{}
	case int:
		return []float64{float64(r)}, []int{}
	case bool:
		return map[bool][]float64{true: {1}, false: {0}}[r], []int{}
	}
	require.FailNow(t, "a result of another type", "%T", result)
	return nil, nil
}

func TestRowsOfTheGonumGuide(t *testing.T) {
	rows := 0
	for _, part := range gonumGuide {
		for i, row := range part.rows {
			rows++
			gonumStart()
			want, wantShape := numbers(t, run(t, row.theirs))
			got, shape := numbers(t, run(t, row.ours))
			require.Equal(t, wantShape, shape, "%s, row %d", part.title, i)
			require.InDeltaSlice(t, want, got, 1e-13, "%s, row %d", part.title, i)
		}
	}
	t.Logf("%d rows", rows)
	require.GreaterOrEqual(t, rows, 40)
}
