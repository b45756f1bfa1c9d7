package guides

import (
	"fmt"
	"math"
	"testing"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fft"
	"github.com/weft-nd/weft/linalg"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

const numpySetup = `import numpy as np
x = np.arange(6.).reshape(2, 3)
y = np.array([3., 1., 2.])
m = np.array([[2., 1.], [1., 3.]])
k = np.arange(24).reshape(2, 3, 4)
i = np.array([2, 0, 1])
b = np.array([True, False, True])
z = np.array([1 + 2j, 3 - 1j])
rng = np.random.default_rng(1)`

var x, y, m, k, i, b, z *nd.Array

func numpyStart() {
	x = nd.Arange(0.0, 6, 1).Reshape(2, 3)
	y = nd.FromSlice([]float64{3, 1, 2})
	m = nd.FromSlice([]float64{2, 1, 1, 3}, 2, 2)
	k = nd.Arange[int64](0, 24, 1).Reshape(2, 3, 4)
	i = nd.FromSlice([]int64{2, 0, 1})
	b = nd.FromSlice([]bool{true, false, true})
	z = nd.FromSlice([]complex128{1 + 2i, 3 - 1i})
}

// Arrays of weft are NumPy's in shape, dtype, broadcasting, promotion, views and printing. What is new:
//
// Calls return at once, and the work is done in the background; what reads elements waits, and returns an error if the work failed. A
// mistake in a call (shapes, dtypes, axes) panics with *nd.Error in your line; nd.Try makes it an error. There are no optional
// arguments: an axis is an argument where there is one axis, and a list at the end where there may be many, and what is left away
// stands for all of them. Variants have methods of their own, such as SumKeepDims.
//
// Each row below is run, and both sides give the same dtype, shape and text.
var numpyGuide = []section[pythonRow]{
	{"Creation", []pythonRow{
		{"np.array([1., 2., 3.])", func() any { return nd.FromSlice([]float64{1, 2, 3}) }, "the dtype is that of the slice, which is copied"},
		{"np.array([[1, 2], [3, 4]])", func() any { return nd.FromNested([][]int64{{1, 2}, {3, 4}}) }, ""},
		{"np.array([1, 2, 3, 4]).reshape(2, 2)", func() any { return nd.FromSlice([]int64{1, 2, 3, 4}, 2, 2) }, "a shape may follow the elements"},
		{"np.zeros((2, 3))", func() any { return nd.Zeros[float64](2, 3) }, "the dtype is a type argument"},
		{"np.zeros((2, 3), np.float32)", func() any { return nd.Zeros[float32](2, 3) }, ""},
		{"np.ones(3, dtype='int8')", func() any { return nd.Ones[int8](3) }, ""},
		{"np.full((2, 2), 7.5)", func() any { return nd.Full(7.5, 2, 2) }, ""},
		{"np.zeros_like(k)", func() any { return nd.ZerosLike(k) }, ""},
		{"np.arange(0, 10, 3)", func() any { return nd.Arange[int64](0, 10, 3) }, "all three numbers are given"},
		{"np.linspace(0, 1, 5)", func() any { return nd.Linspace(0.0, 1, 5) }, ""},
		{"np.linspace(0, 1, 4, endpoint=False)", func() any { return nd.LinspaceExclusive(0.0, 1, 4) }, ""},
		{"np.eye(3)", func() any { return nd.Eye[float64](3) }, ""},
		{"np.eye(2, 3, 1)", func() any { return nd.EyeDiagonal[float64](2, 3, 1) }, ""},
		{"np.float64(2.5)", func() any { return nd.Full(2.5) }, "without a shape there are no axes"},
		{"np.meshgrid(y, i)", func() any { return nd.Meshgrid(y, i) }, ""},
		{"np.tri(2, 3)", func() any { return nd.Ones[float64](2, 3).Tril(0) }, ""},
		{"x.copy()", func() any { return x.Copy() }, ""},
		{"np.asarray([1, 2], np.float16)", func() any { return nd.FromSlice([]int64{1, 2}).Cast(dtype.Float16) }, ""},
	}},
	{"What an array is", []pythonRow{
		{"x.shape", func() any { return x.Shape() }, "a copy: changing it changes nothing"},
		{"x.ndim", func() any { return x.Rank() }, ""},
		{"x.size", func() any { return x.Count() }, ""},
		{"x.dtype", func() any { return x.DType() }, ""},
		{"x.astype(np.int32)", func() any { return x.Cast(dtype.Int32) }, "floats out of range saturate, and NaN becomes 0, on every processor"},
		{"x.item(1, 2)", func() (any, error) { return nd.At[float64](x, 1, 2) }, "waits"},
		{"x.sum().item()", func() (any, error) { return nd.Item[float64](x.Sum()) }, "waits"},
		{"x.ravel()", func() (any, error) { return nd.Values[float64](x) }, "a Go slice, always a copy; `nd.Read` shows the elements themselves"},
		{"x.T.flags.c_contiguous", func() any { return x.T().IsContiguous() }, ""},
	}},
	{"Indexing", []pythonRow{
		{"k[1]", func() any { return k.Index(1) }, "a view"},
		{"k[1, -1, 2]", func() any { return k.Index(1, -1, 2) }, "an array of no axes, not a number"},
		{"x[:, 1]", func() any { return x.Index(nd.Whole, 1) }, "a view"},
		{"k[:, 1:3]", func() any { return k.Index(nd.Whole, nd.Span(1, 3)) }, ""},
		{"y[::-1]", func() any { return y.Index(nd.SpanBy(nd.Open, nd.Open, -1)) }, ""},
		{"k[..., 0]", func() any { return k.Index(nd.Rest, 0) }, ""},
		{"y[:, np.newaxis]", func() any { return y.Index(nd.Whole, nd.NewAxis) }, ""},
		{"k[0, 1:, ::-2]", func() any { return k.Index("0, 1:, ::-2") }, "Python's text; mistakes are pointed at"},
		{"y[[2, 0]]", func() any { return y.Index([]int{2, 0}) }, "a copy"},
		{"y[i]", func() any { return y.Index(i) }, "a number out of range is an error of the result, as it is found later"},
		{"k[[0, 1], :, [1, 2]]", func() any { return k.Index([]int{0, 1}, nd.Whole, []int{1, 2}) }, ""},
		{"y[b]", func() (any, error) { return nd.MaskSelect(ctx, y, b) }, "waits for the mask, which decides about the shape"},
		{"y[[True, False, True]]", func() any { return y.Index([]bool{true, false, true}) }, "a list of Go needs no waiting"},
		{"x[0, 1] = 9; x", func() any { nd.Set(x, 9.0, 0, 1); return x }, ""},
		{"x[:, 0] = y[:2]; x", func() any { x.SetSlice(y.Index(nd.Span(0, 2)), nd.Whole, 0); return x }, "the value has the dtype of the array"},
		{"x[:] = 7; x", func() any { x.SetSlice(nd.Weak(7.0)); return x }, ""},
		{"y[b] = 0; y", func() any { y.SetSlice(nd.Weak(0.0), b); return y }, "does not wait"},
		{"y[1:] += 1; y", func() any { y.AddSlice(nd.Weak(1.0), nd.Span(1, 3)); return y }, ""},
		{"np.add.at(y, [0, 0], 1); y", func() any { y.AddSlice(nd.Weak(1.0), []int{0, 0}); return y }, "equal indices add up, in their order"},
		{"np.maximum.at(y, [0, 1, 0], [4., 0., 9.]); y", func() any { y.ReduceSlice(nd.ReduceMax, nd.FromSlice([]float64{4, 0, 9}), []int{0, 1, 0}); return y }, "`ReduceMin`, `ReduceMul` and `ReduceAdd` are minimum.at, multiply.at and add.at"},
		{"x[0] *= 2; x", func() any { x.UpdateSlice(func(part *nd.Array) *nd.Array { return part.MulScalar(2) }, 0); return x }, ""},
		{"np.take(x, i, axis=1)", func() any { return x.Take(i, 1) }, ""},
		{"np.take_along_axis(x, x.argsort(1), 1)", func() any { return x.TakeAlongAxis(x.ArgSort(1), 1) }, ""},
		{"np.diagonal(m)", func() any { return m.Diagonal(0, 0, 1) }, "a view that may be written"},
		{"np.compress(b, y)", func() (any, error) { return nd.MaskSelect(ctx, y, b) }, "waits"},
		{"np.lib.stride_tricks.sliding_window_view(y, 2)", func() any { return y.SlidingWindows(2, 1, 0) }, "a view; writing to windows that overlap is an error"},
		{"np.lib.stride_tricks.sliding_window_view(x, (2, 2))", func() any { return x.SlidingWindows(2, 1, 0).SlidingWindows(2, 1, 1) }, "one axis at a time"},
	}},
	{"Arithmetic and broadcasting", []pythonRow{
		{"x + y", func() any { return x.Add(y) }, ""},
		{"x + 1", func() any { return x.AddScalar(1) }, ""},
		{"1 / (y + 1)", func() any { return nd.Weak(1.0).Div(y.AddScalar(1)) }, "`nd.Weak` adapts as a number of Python does"},
		{"x * y[:2, None]", func() any { return x.Mul(y.Index(nd.Span(0, 2), nd.NewAxis)) }, ""},
		{"i // 2", func() any { return i.FloorDivideScalar(2) }, "divided by zero, integers give 0, and no warning"},
		{"i % 2", func() any { return i.RemainderScalar(2) }, ""},
		{"i / 2", func() any { return i.DivScalar(2) }, ""},
		{"x ** 2", func() any { return x.PowScalar(2) }, ""},
		{"-x", func() any { return x.Neg() }, ""},
		{"x > 2", func() any { return x.GreaterScalar(2) }, ""},
		{"(x > 1) & (x < 4)", func() any { return x.GreaterScalar(1).LogicalAnd(x.LessScalar(4)) }, ""},
		{"~b", func() any { return b.LogicalNot() }, ""},
		{"i << 3", func() any { return i.BitwiseLeftShiftScalar(3) }, ""},
		{"np.exp(y)", func() any { return y.Exp() }, ""},
		{"np.sqrt(x)", func() any { return x.Sqrt() }, "within an ulp; the same bits on every processor"},
		{"np.maximum(x, y)", func() any { return x.Maximum(y) }, ""},
		{"np.clip(x, 1, 4)", func() any { return x.ClipScalar(1, 4) }, ""},
		{"np.where(x > 2, x, -1)", func() any { return nd.Where(x.GreaterScalar(2), x, nd.Weak(-1.0)) }, ""},
		{"np.isnan(x)", func() any { return x.IsNaN() }, ""},
		{"np.isclose(x, x + 1e-9)", func() any { return x.IsClose(x.AddScalar(1e-9), 1e-5, 1e-8) }, "the tolerances are given always"},
		{"np.allclose(x, x + 1e-9)", func() (any, error) { return nd.Item[bool](x.IsClose(x.AddScalar(1e-9), 1e-5, 1e-8).AllTrue()) }, "waits"},
		{"np.nan_to_num(x, nan=-1)", func() any { return nd.Where(x.IsNaN(), nd.Weak(-1.0), x) }, ""},
		{"np.round(np.array([0.5, 1.5, 2.5]))", func() any { return nd.FromSlice([]float64{0.5, 1.5, 2.5}).Round() }, "halves to even, as there"},
		{"np.hypot(y, 4.)", func() any { return y.HypotScalar(4) }, ""},
		{"z.real", func() any { return z.Real() }, "a view"},
		{"np.conj(z)", func() any { return z.Conj() }, ""},
		{"np.abs(z)", func() any { return z.Abs() }, ""},
		{"x += 1; x", func() any { nd.AddInto(x, x, nd.Weak(1.0)); return x }, "forms that end in Into write to their first argument"},
		{"np.exp(y, out=y); y", func() any { nd.ExpInto(y, y); return y }, ""},
		{"np.broadcast_to(y, (2, 3))", func() any { return y.BroadcastTo(2, 3) }, "a view; writing to it is an error"},
	}},
	{"Reductions", []pythonRow{
		{"x.sum()", func() any { return x.Sum() }, "an array of no axes"},
		{"x.sum(axis=0)", func() any { return x.Sum(0) }, ""},
		{"k.sum(axis=(0, 2))", func() any { return k.Sum(0, 2) }, ""},
		{"x.sum(axis=1, keepdims=True)", func() any { return x.SumKeepDims(1) }, ""},
		{"x.mean(axis=1)", func() any { return x.Mean(1) }, ""},
		{"x.std(ddof=1)", func() any { return x.Std(1) }, "the correction is given always"},
		{"x.var(axis=0)", func() any { return x.Var(0, 0) }, ""},
		{"k.max(axis=-1)", func() any { return k.Max(-1) }, ""},
		{"y.argmin()", func() any { return y.ArgMin() }, ""},
		{"x.prod(axis=1)", func() any { return x.Prod(1) }, ""},
		{"b.any()", func() any { return b.AnyTrue() }, ""},
		{"b.all()", func() any { return b.AllTrue() }, ""},
		{"np.count_nonzero(x)", func() any { return x.CountNonzero() }, "an array of no axes, of int64"},
		{"np.cumsum(k, axis=2)[0, 0]", func() any { return k.CumSum(2).Index(0, 0) }, ""},
		{"np.trapezoid(y, dx=0.5)", func() any { return y.Index("1:").Add(y.Index(":-1")).Sum().MulScalar(0.5 / 2) }, ""},
		{"np.diff(y)", func() any { return y.Diff(1, 0) }, ""},
		{"np.gradient(y)", func() any {
			steps := y.Diff(1, 0)
			return nd.Concat(0, steps.Index(":1"), y.Index("2:").Sub(y.Index(":-2")).DivScalar(2), steps.Index("-1:"))
		}, ""},
		{"np.median(x, axis=1)", func() any { return x.Median(1) }, ""},
		{"np.quantile(x, 0.25, axis=1)", func() any { return x.Quantile(0.25, 1) }, ""},
		{"np.percentile(x, [5, 50, 95], axis=1)", func() any { return x.Quantiles([]float64{0.05, 0.5, 0.95}, 1) }, "parts of one; sorted once for all"},
		{"x[0, 1] = np.nan; np.nanmean(x, axis=1)", func() any { nd.Set(x, math.NaN(), 0, 1); return x.WithoutNaN().Mean(1) }, "so for `Sum`, `Var`, `Max`, `ArgMax` and others"},
		{"y[1] = np.nan; np.nanmedian(y)", func() any { nd.Set(y, math.NaN(), 1); return y.WithoutNaN().Median(0) }, "the axis is given always"},
		{"y[1] = np.nan; np.nanargmin(y)", func() any { nd.Set(y, math.NaN(), 1); return y.WithoutNaN().ArgMin() }, "−1 if all are NaN, where NumPy fails"},
		{"x.mean(axis=1, where=b)", func() any { return x.Masked(b).Mean(1) }, ""},
		{"x.max(initial=-np.inf, where=x < 3)", func() any { return x.Masked(x.LessScalar(3)).Max() }, "NaN where no element counts"},
		{"np.ptp(x, axis=1)", func() any { return x.Max(1).Sub(x.Min(1)) }, ""},
		{"np.average(x, axis=1, weights=y)", func() any { return x.Mul(y).Sum(1).Div(y.Sum()) }, ""},
		{"np.cov(x)", func() any { return x.Covariance(1) }, "the correction is given always; batches, too"},
		{"np.corrcoef(x)", func() any { return x.Correlation() }, ""},
		{"np.ones(3, np.int8).sum()", func() any { return nd.Ones[int8](3).Sum() }, "narrow integers are summed in 64 bits, as there"},
	}},
	{"Shapes", []pythonRow{
		{"x.reshape(3, 2)", func() any { return x.Reshape(3, 2) }, "a view where strides allow"},
		{"x.reshape(-1)", func() any { return x.Reshape(-1) }, ""},
		{"x.T", func() any { return x.T() }, "a view"},
		{"k.transpose(2, 0, 1).shape", func() any { return k.Transpose(2, 0, 1).Shape() }, ""},
		{"np.moveaxis(k, 0, -1).shape", func() any { return k.MoveAxis(0, -1).Shape() }, ""},
		{"np.expand_dims(y, 0)", func() any { return y.ExpandDims(0) }, ""},
		{"np.squeeze(y[None], 0)", func() any { return y.Index(nd.NewAxis).Squeeze(0) }, ""},
		{"np.concatenate([x, x], axis=1)", func() any { return nd.Concat(1, x, x) }, "the axis comes first"},
		{"np.stack([y, y])", func() any { return nd.Stack(0, y, y) }, ""},
		{"np.split(x, 3, axis=1)", func() any { return x.Split(3, 1) }, "views"},
		{"np.flip(x, 1)", func() any { return x.Flip(1) }, "a view"},
		{"np.roll(y, 1)", func() any { return y.Roll(1) }, ""},
		{"np.tile(y, 2)", func() any { return y.Tile(2) }, ""},
		{"np.repeat(y, 2)", func() any { return y.Repeat(2, 0) }, "the axis is given always"},
		{"np.pad(y, (1, 2))", func() any { return y.Pad(0, []int{1}, []int{2}) }, ""},
		{"np.pad(y, 1, mode='edge')", func() any { return y.PadWith(nd.PadEdge, []int{1}, []int{1}) }, ""},
		{"np.tril(m)", func() any { return m.Tril(0) }, ""},
	}},
	{"Sorting, searching and sets", []pythonRow{
		{"np.sort(y)", func() any { return y.Sort(-1) }, "the axis is given always; NaN is last, as there"},
		{"np.argsort(y, kind='stable')", func() any { return y.ArgSort(-1) }, "always stable"},
		{"np.lexsort((y, b))", func() any { first := y.ArgSort(-1); return first.Index(b.Index(first).ArgSort(-1)) }, "by the last key first, as sorting is stable"},
		{"np.sort(y)[::-1][:2]", func() any { values, _ := y.TopK(2, 0); return values }, ""},
		{"np.searchsorted(np.sort(y), 2.5)", func() any { return nd.SearchSorted(y.Sort(0), nd.Full(2.5)) }, ""},
		{"np.interp([0.5, 1.25, 7], [0, 1, 2], y)", func() any {
			at, known := nd.FromSlice([]float64{0.5, 1.25, 7}), nd.Arange(0.0, 3, 1)
			above := nd.SearchSortedRight(known, at).ClipScalar(1, 2)
			below := above.SubScalar(1)
			part := at.Sub(known.Index(below)).Div(known.Index(above).Sub(known.Index(below))).ClipScalar(0, 1)
			return y.Index(below).Add(part.Mul(y.Index(above).Sub(y.Index(below))))
		}, "with gradients of numbers and places"},
		{"np.unique(i % 2)", func() (any, error) { return nd.UniqueValues(ctx, i.RemainderScalar(2)) }, "waits"},
		{"u, counts = np.unique(i % 2, return_counts=True); counts", func() (any, error) {
			_, counts, err := nd.UniqueCounts(ctx, i.RemainderScalar(2))
			return counts, err
		}, "each NaN is a value of its own, as with equal_nan=False; `nd.Unique` has indices and inverse, too"},
		{"np.isin(k[0], i)", func() any { return k.Index(0).IsIn(i) }, "does not wait"},
		{"np.intersect1d(i, k)", func() (any, error) {
			values, err := nd.UniqueValues(ctx, i)
			if err != nil {
				return nil, err
			}
			return nd.MaskSelect(ctx, values, values.IsIn(k))
		}, "with `LogicalNot` it is setdiff1d"},
		{"np.stack(np.nonzero(b))", func() (any, error) { return nd.Nonzero(ctx, b) }, "waits; one array, with a row for each axis"},
		{"np.bincount(i, minlength=4)", func() (any, error) { return nd.Bincount(ctx, i, 4) }, "waits"},
		{"np.bincount(i, weights=y)", func() (any, error) { return nd.BincountWeighted(ctx, i, y, 0) }, "sums by group; with several keys it is `AddSlice`"},
		{"np.histogram(y, [0., 1.5, 4.])[0]", func() any { return y.Histogram(nd.FromSlice([]float64{0, 1.5, 4})) }, "the counts alone"},
		{"np.histogram(y, 4)[0]", func() any { return y.Histogram(y.HistogramEdges(4)) }, ""},
		{"np.digitize(y, [1.5, 2.5])", func() any { return y.Digitize(nd.FromSlice([]float64{1.5, 2.5})) }, "edges ascend; others are an error of the result"},
	}},
	{"Linear algebra", []pythonRow{
		{"x @ x.T", func() any { return x.MatMul(x.T()) }, ""},
		{"y @ y", func() any { return y.MatMul(y) }, ""},
		{"np.tensordot(x, x, axes=2)", func() any { return x.TensorDot(x, 2) }, ""},
		{"np.einsum('ij,kj->ik', x, x)", func() any { return nd.Einsum("ij,kj->ik", x, x) }, "always in the cheapest order"},
		{"np.vecdot(x, y)", func() any { return x.VecDot(y, -1) }, ""},
		{"np.linalg.norm(y)", func() any { return y.Norm(2) }, ""},
		{"np.linalg.norm(x, axis=1, ord=1)", func() any { return x.Norm(1, 1) }, ""},
		{"np.linalg.norm(m)", func() any { return linalg.Norm(m, linalg.Frobenius) }, "of a matrix; the kinds are constants"},
		{"np.linalg.norm(m, 1)", func() any { return linalg.Norm(m, linalg.MaxColumns) }, ""},
		{"np.outer(y, y)", func() any { return linalg.Outer(y, y) }, "or `nd.Einsum(\"i,j\", y, y)`"},
		{"np.convolve(y, [1., 2.])", func() any {
			weights := nd.FromSlice([]float64{1, 2}).Flip(0).Reshape(1, 1, -1)
			return y.Reshape(1, 1, -1).Conv(weights, nil, nd.ConvParams{Padding: []int{1}}).Reshape(-1)
		}, "`Conv` does not turn the weights round; without padding it is mode valid; long ones by package fft"},
		{"np.vander(y, 3)", func() any { return y.Index(nd.Whole, nd.NewAxis).Pow(nd.Arange(2.0, -1, -1)) }, "`linalg.LeastSquares` of it and b is polyfit"},
		{"np.trace(m)", func() any { return linalg.Trace(m) }, ""},
		{"np.kron(m, y)", func() any { return linalg.Kron(m, y) }, ""},
		{"np.cross(x, y)", func() any { return linalg.Cross(x, y, -1) }, ""},
		{"np.linalg.matrix_power(m, 3)", func() any { return linalg.MatrixPower(m, 3) }, ""},
		{"np.linalg.solve(m, [4., 7.])", func() any { return linalg.Solve(m, nd.FromSlice([]float64{4, 7})) }, "a vector or matrices, as since NumPy 2; a singular matrix is an error of the result"},
		{"np.linalg.inv(m)", func() any { return linalg.Inverse(m) }, ""},
		{"np.linalg.det(np.diag(y))", func() any { return linalg.Determinant(nd.Eye[float64](3).Mul(y)) }, ""},
		{"np.linalg.slogdet(np.diag(y))[0]", func() any {
			sign, _ := linalg.SignLogDeterminant(nd.Eye[float64](3).Mul(y))
			return sign
		}, "two results"},
		{"np.linalg.cholesky(np.array([[4., 2.], [2., 10.]]))", func() any { return linalg.Cholesky(nd.FromNested([][]float64{{4, 2}, {2, 10}})) }, ""},
		{"q, r = np.linalg.qr(np.diag(y)); abs(r)", func() any {
			_, r := linalg.QR(nd.Eye[float64](3).Mul(y))
			return r
		}, "the diagonal of r is not negative"},
		{"u, s, vt = np.linalg.svd(np.diag(y), full_matrices=False); s", func() any {
			_, s, _ := linalg.SVD(nd.Eye[float64](3).Mul(y))
			return s
		}, "the reduced one; the largest element of each row of vt is positive"},
		{"np.linalg.svdvals(np.diag(y))", func() any { return linalg.SingularValues(nd.Eye[float64](3).Mul(y)) }, ""},
		{"values, vectors = np.linalg.eigh(np.diag(y)); values", func() any {
			values, _ := linalg.EigenSymmetric(nd.Eye[float64](3).Mul(y))
			return values
		}, "the largest element of each vector is positive"},
		{"np.linalg.eigvalsh(np.diag(y))", func() any { return linalg.EigenvaluesSymmetric(nd.Eye[float64](3).Mul(y)) }, ""},
		{"np.linalg.eigvals(np.array([[0., 1.], [-1., 0.]]))[::-1]", func() any { return linalg.Eigenvalues(nd.FromNested([][]float64{{0, 1}, {-1, 0}})) }, "always complex, and in order"},
		{"np.linalg.eigvalsh(np.array([[2, 1j], [-1j, 2]]))", func() any { return linalg.EigenvaluesSymmetric(nd.FromNested([][]complex128{{2, 1i}, {-1i, 2}})) }, "Hermitian matrices have real ones; all of `linalg` takes complex numbers"},
		{"np.linalg.matrix_rank(m)", func() any { return linalg.MatrixRank(m, 0) }, "the tolerance is a part of the largest singular value, which is `rtol`"},
		{"np.linalg.pinv(np.diag(y))", func() any { return linalg.PseudoInverse(nd.Eye[float64](3).Mul(y), 0) }, ""},
		{"np.linalg.lstsq(np.diag(y), y)[3]", func() any {
			_, _, s := linalg.LeastSquares(nd.Eye[float64](3).Mul(y), y, 0)
			return s
		}, "x, the rank and the singular values; batches, too"},
		{"np.linalg.cond(np.diag(y))", func() any { return linalg.Condition(nd.Eye[float64](3).Mul(y)) }, ""},
	}},
	{"Fourier transforms", []pythonRow{
		{"np.fft.fft(y, 4)", func() any { return fft.FFT(y, fft.Lengths(4)) }, "lengths, axes and norms are options"},
		{"np.fft.ifft(m, axis=0)", func() any { return fft.IFFT(m, fft.Along(0)) }, ""},
		{"np.fft.fft2(m, norm='ortho')", func() any { return fft.FFT2(m, fft.Normed(fft.Ortho)) }, ""},
		{"np.fft.fftn(k, s=(2, 4), axes=(0, 2))[:, 0]", func() any { return fft.FFTN(k, fft.Along(0, 2), fft.Lengths(2, 4)).Index(nd.Whole, 0) }, "an axis that is named twice is an error"},
		{"np.fft.rfft(y, 4)", func() any { return fft.RFFT(y, fft.Lengths(4)) }, ""},
		{"np.hanning(4)", func() any { return nd.Linspace(0.0, 2*math.Pi, 4).Cos().MulScalar(-0.5).AddScalar(0.5) }, "by `LinspaceExclusive` it is SciPy's and PyTorch's, which is periodic"},
		{"np.fft.irfft(z, 4)", func() any { return fft.IRFFT(z, fft.Lengths(4)) }, ""},
		{"np.fft.rfft2(m.astype(np.float16)).dtype", func() any { return fft.RFFT2(m.Cast(dtype.Float16)).DType() }, "so it is for bfloat16"},
		{"np.fft.hfft(z)", func() any { return fft.HFFT(z) }, ""},
		{"np.hanning(5)", func() any { return fft.Hann(5) }, "also `fft.Hamming` and `fft.Blackman`"},
		{"np.fft.fftfreq(5, 0.2)", func() any { return fft.Frequencies(5, 0.2) }, "`fft.RealFrequencies` for `np.fft.rfftfreq`"},
		{"np.fft.fftshift(i)", func() any { return fft.Shift(i) }, "`fft.InverseShift` for `np.fft.ifftshift`"},
	}},
	{"Random numbers", []pythonRow{
		{"u = rng.random((2, 3)); u.shape", func() any { u := random.Uniform(nd.DefaultEnv(), dtype.Float64, 0, 1, 2, 3); return u.Shape() }, "`nd.DefaultEnv().WithSeed(1)` is a generator with a seed"},
		{"u = rng.normal(0, 1, 4); u.dtype", func() any { u := random.Normal(nd.DefaultEnv(), dtype.Float64, 0, 1, 4); return u.DType() }, "the same numbers on every device"},
		{"u = rng.integers(0, 10, (2, 2)); u.shape", func() any { u := random.Integers[int64](nd.DefaultEnv(), 0, 9, 2, 2); return u.Shape() }, "both bounds may come"},
		{"u = rng.permutation(5); np.sort(u)", func() any { u := random.Permutation(nd.DefaultEnv(), 5); return u.Sort(0) }, ""},
		{"u = rng.choice(y, 2, replace=False); u.shape", func() any { u := random.Choice(y, 2, random.WithoutReplacement()); return u.Shape() }, "`random/numpy` has NumPy's own bits"},
	}},
	{"Files and text", []pythonRow{
		{"np.save('x.npy', x); np.load('x.npy')", func() (any, error) {
			if err := nd.SaveNPY("x.npy", x); err != nil {
				return nil, err
			}
			return nd.LoadNPY("x.npy")
		}, "the same bytes; a file is replaced as a whole or not at all"},
		{"np.savez('a.npz', x=x, y=y); np.load('a.npz')['y']", func() (any, error) {
			if err := nd.SaveNPZ("a.npz", map[string]*nd.Array{"x": x, "y": y}); err != nil {
				return nil, err
			}
			arrays, err := nd.LoadNPZ("a.npz")
			return arrays["y"], err
		}, "`nd.Compressed()` is savez_compressed"},
		{"str(x)", func() any { return fmt.Sprint(x) }, "waits, and shows an error in place of the elements"},
		{"np.array2string(y / 7, precision=2)", func() (any, error) { return y.DivScalar(7).Text(nd.PrintOptions{Precision: 2}) }, "options of one call; none are global"},
	}},
	{"Dtypes", []pythonRow{
		{"np.result_type(np.int8, np.uint8)", func() any { return dtype.Promote(dtype.Int8, dtype.Uint8) }, ""},
		{"(np.ones(2, np.int16) + np.ones(2, np.float32)).dtype", func() any { return nd.Ones[int16](2).Add(nd.Ones[float32](2)).DType() }, ""},
		{"(np.ones(2, np.int64) + np.ones(2, np.uint64)).dtype", func() any { return nd.Ones[int64](2).Add(nd.Ones[uint64](2)).DType() }, ""},
		{"(np.ones(2, np.float32) * 2).dtype", func() any { return nd.Ones[float32](2).MulScalar(2).DType() }, ""},
		{"(np.ones(2, np.int8) + 1.5).dtype", func() any { return nd.Ones[int8](2).Add(nd.Weak(1.5)).DType() }, "`AddScalar(1.5)` is an error: it keeps the dtype"},
		{"(np.arange(3) == 1.5).dtype", func() any { return nd.Arange[int64](0, 3, 1).EqualScalar(1.5).DType() }, ""},
		{"np.sqrt(np.arange(3, dtype=np.int64)).dtype", func() any { return nd.Arange[int64](0, 3, 1).Sqrt().DType() }, "float64 for every integer dtype, where NumPy looks at its width"},
		{"np.can_cast(np.float32, np.float64)", func() any { return dtype.CanCast(dtype.Float32, dtype.Float64) }, ""},
		{"np.finfo(np.float32).eps", func() any {
			limits, _ := dtype.Float32.FloatLimits()
			return nd.Full(float32(limits.Epsilon))
		}, ""},
	}},
}

func TestRowsOfTheNumPyGuide(t *testing.T) {
	guide := pythonGuide{library: "numpy", version: "2, 2", stored: "testdata/numpy.json", setup: numpySetup, start: numpyStart, sections: numpyGuide}
	guide.check(t)
}
