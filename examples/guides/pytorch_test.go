package guides

import (
	"math"
	"testing"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fft"
	"github.com/weft-nd/weft/linalg"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/random"
)

const pytorchSetup = `import torch
from torch import nn
from torch.nn import functional as F
x = torch.arange(6.).reshape(2, 3)
y = torch.tensor([3., 1., 2.])
m = torch.tensor([[2., 1.], [1., 3.]])
i = torch.tensor([2, 0])
b = torch.tensor([True, False, True])
images = torch.arange(16.).reshape(1, 1, 4, 4)`

var images *nd.Array

func pytorchStart() {
	x = nd.Arange[float32](0, 6, 1).Reshape(2, 3)
	y = nd.FromSlice([]float32{3, 1, 2})
	m = nd.FromSlice([]float32{2, 1, 1, 3}, 2, 2)
	i = nd.FromSlice([]int64{2, 0})
	b = nd.FromSlice([]bool{true, false, true})
	images = nd.Arange[float32](0, 16, 1).Reshape(1, 1, 4, 4)
	env = nd.DefaultEnv()
	tape = autograd.NewTape()
}

// weft is eager, as PyTorch is: a call computes, and Go's control flow is the program. It returns at once on CPUs, too, as PyTorch's calls do on GPUs.
// What is another way:
//
// Nothing is global or hangs on a thread. Arrays have no requires_grad and no grad: a tape watches arrays, records what is computed from them, and
// returns gradients as results. What nobody watches is not recorded, so that there is no no_grad. Whether a layer trains is said in the call, by
// nn.Train or nn.Infer; devices and seeds are those of an Env, which arrays carry. Mistakes in a call panic in your line with a typed error (nd.Try
// makes it an error), and errors at run time stick to the arrays that depend on them.
//
// Dtypes meet as in NumPy: int64 with float32 gives float64, not float32, and integers divided give float64. An axis is an argument where there is
// one, and a list at the end where there may be many, of which none stands for all. Weights of fully connected layers have the shape (inputs,outputs);
// nn.FromPyTorch turns them in what torch has saved, where a square one would fit unturned.
//
// Where a function has a corner, gradients are those of PyTorch, but for these. An element that equals a bound of a clip has all of the gradient, in
// PyTorch 2.15 none. Elements that are equally large share that of a maximum along an axis, as in amax; there that of max(dim) goes to one of them.
// Running extremes give it to the first of equal elements, there to the last so far. The median gives it to one of equal elements; torch.median(y)
// shares it among all.
//
// Each row below is run on both sides, which give the same dtype, shape and numbers, to five digits behind the point.
var pytorchGuide = []section[pythonRow]{
	{"Tensors", []pythonRow{
		{"torch.tensor([1., 2., 3.])", func() any { return nd.FromSlice([]float32{1, 2, 3}) }, "the dtype is that of the slice, which is copied"},
		{"torch.tensor([[1, 2], [3, 4]])", func() any { return nd.FromNested([][]int64{{1, 2}, {3, 4}}) }, ""},
		{"torch.zeros(2, 3)", func() any { return nd.Zeros[float32](2, 3) }, "the dtype is a type argument; none is the default"},
		{"torch.ones(3, dtype=torch.int64)", func() any { return nd.Ones[int64](3) }, ""},
		{"torch.full((2, 2), 7.5)", func() any { return nd.Full[float32](7.5, 2, 2) }, ""},
		{"torch.zeros_like(x)", func() any { return nd.ZerosLike(x) }, ""},
		{"torch.arange(0, 6, 2)", func() any { return nd.Arange[int64](0, 6, 2) }, "all three numbers are given"},
		{"torch.linspace(0, 1, 5)", func() any { return nd.Linspace[float32](0, 1, 5) }, ""},
		{"torch.eye(2)", func() any { return nd.Eye[float32](2) }, ""},
		{"x.shape", func() any { return x.Shape() }, ""},
		{"x.dim()", func() any { return x.Rank() }, ""},
		{"x.numel()", func() any { return x.Count() }, ""},
		{"x.dtype", func() any { return x.DType() }, ""},
		{"x.to(torch.float16)", func() any { return x.Cast(dtype.Float16) }, ""},
		{"x.int()", func() any { return x.Cast(dtype.Int32) }, "floats out of range saturate, and NaN becomes 0"},
		{"x.clone()", func() any { return x.Copy() }, ""},
		{"x[1, 2].item()", func() (any, error) { return nd.At[float32](x, 1, 2) }, "waits, and returns the error if the work failed"},
		{"x.sum().item()", func() (any, error) { return nd.Item[float32](x.Sum()) }, "waits"},
		{"y.numpy()", func() (any, error) { return nd.Values[float32](y) }, "a Go slice, always a copy; `nd.Read` and `nd.Write` show the elements themselves, `nd.Adopt` makes an array on a slice"},
		{"x.t().is_contiguous()", func() any { return x.T().IsContiguous() }, ""},
	}},
	{"Indexing", []pythonRow{
		{"x[1]", func() any { return x.Index(1) }, "a view"},
		{"x[:, 1:]", func() any { return x.Index(nd.Whole, nd.Span(1, 3)) }, "`x.Index(\":, 1:\")` is the same"},
		{"x[..., 0]", func() any { return x.Index(nd.Rest, 0) }, ""},
		{"y[:, None]", func() any { return y.Index(nd.Whole, nd.NewAxis) }, ""},
		{"y.flip(0)", func() any { return y.Index("::-1") }, "a view; steps may be negative"},
		{"y[i]", func() any { return y.Index(i) }, "a copy; a number out of range is an error of the result"},
		{"y[b]", func() (any, error) { return nd.MaskSelect(ctx, y, b) }, "waits for the mask, which decides about the shape"},
		{"x[0, 1] = 9; x", func() any { nd.Set[float32](x, 9, 0, 1); return x }, ""},
		{"x[0] = y; x", func() any { x.SetSlice(y, 0); return x }, ""},
		{"y[b] = 0; y", func() any { y.SetSlice(nd.Weak(0.0), b); return y }, ""},
		{"y[1:] += 1; y", func() any { y.AddSlice(nd.Weak(1.0), nd.Span(1, 3)); return y }, ""},
		{"x.index_select(1, i)", func() any { return x.Take(i, 1) }, ""},
		{"x.gather(1, i[:, None])", func() any { return x.TakeAlongAxis(i.Index(nd.Whole, nd.NewAxis), 1) }, ""},
		{"y.unfold(0, 2, 1)", func() any { return y.SlidingWindows(2, 1, 0) }, "a view; writing to windows that overlap is an error"},
		{"torch.zeros(3).scatter_add(0, torch.tensor([1, 1]), torch.ones(2))", func() any {
			return nd.Zeros[float32](3).AddAlongAxis(nd.FromSlice([]int64{1, 1}), nd.Ones[float32](2), 0)
		}, "added in the order of the indices, on GPUs too"},
		{"y.scatter_reduce(0, torch.tensor([0, 0, 1]), torch.tensor([2., 5., 4.]), 'amax')", func() any {
			return y.ReduceAlongAxis(nd.ReduceMax, nd.FromSlice([]int64{0, 0, 1}), nd.FromSlice([]float32{2, 5, 4}), 0)
		}, "`ReduceMul`, `ReduceMin` and `ReduceAdd` are prod, amin and sum"},
		{"y.scatter_reduce(0, torch.tensor([0, 0, 1]), torch.tensor([2., 5., 4.]), 'amin', include_self=False)", func() any {
			indices := nd.FromSlice([]int64{0, 0, 1})
			return y.PutAlongAxis(indices, nd.Weak(math.Inf(1)), 0).ReduceAlongAxis(nd.ReduceMin, indices, nd.FromSlice([]float32{2, 5, 4}), 0)
		}, "first comes what changes nothing: an infinity for extremes, 1 for products"},
		{"x.index_reduce(1, torch.tensor([2, 2]), torch.tensor([[2., 3.], [4., 5.]]), 'prod')", func() any {
			return x.ScatterReduce(nd.ReduceMul, nd.FromSlice([]int64{2, 2}), nd.FromNested([][]float32{{2, 3}, {4, 5}}), 1)
		}, "`ScatterNDReduce` has tuples of indices"},
		{"y.index_add(0, i, torch.ones(2))", func() any { return y.WithSliceAdded(nd.Ones[float32](2), i) }, ""},
		{"x.masked_fill(x > 2, -1)", func() any { return nd.Where(x.GreaterScalar(2), nd.Weak(-1.0), x) }, ""},
		{"F.one_hot(i, 3)", func() any { return i.OneHot(3, dtype.Int64) }, ""},
		{"torch.nonzero(b)", func() (any, error) { found, err := nd.Nonzero(ctx, b); return found.T(), err }, "waits; `nd.Nonzero` has a row for each axis"},
	}},
	{"Arithmetic", []pythonRow{
		{"x + y", func() any { return x.Add(y) }, ""},
		{"x * 2", func() any { return x.MulScalar(2) }, ""},
		{"1 / (y + 1)", func() any { return nd.Weak(1.0).Div(y.AddScalar(1)) }, "`nd.Weak` adapts as a number of Python does"},
		{"x ** 2", func() any { return x.PowScalar(2) }, ""},
		{"i // 2", func() any { return i.FloorDivideScalar(2) }, "divided by zero, integers give 0"},
		{"i % 2", func() any { return i.RemainderScalar(2) }, ""},
		{"-x", func() any { return x.Neg() }, ""},
		{"x > 2", func() any { return x.GreaterScalar(2) }, ""},
		{"(x > 1) & (x < 4)", func() any { return x.GreaterScalar(1).LogicalAnd(x.LessScalar(4)) }, ""},
		{"~b", func() any { return b.LogicalNot() }, ""},
		{"torch.exp(y)", func() any { return y.Exp() }, ""},
		{"torch.rsqrt(y)", func() any { return y.Rsqrt() }, ""},
		{"y.sigmoid()", func() any { return y.Sigmoid() }, ""},
		{"torch.maximum(x, y)", func() any { return x.Maximum(y) }, ""},
		{"x.clamp(1, 4)", func() any { return x.ClipScalar(1, 4) }, ""},
		{"torch.where(x > 2, x, 0.)", func() any { return nd.Where(x.GreaterScalar(2), x, nd.Weak(0.0)) }, ""},
		{"torch.isclose(x, x + 1e-9)", func() any { return x.IsClose(x.AddScalar(1e-9), 1e-5, 1e-8) }, "`AllTrue` of it is allclose"},
		{"x.add_(1)", func() any { nd.AddInto(x, x, nd.Weak(1.0)); return x }, "forms that end in Into write to their first argument"},
		{"torch.exp(y, out=y)", func() any { nd.ExpInto(y, y); return y }, ""},
		{"torch.lerp(x, y, 0.5)", func() any { return x.Add(y.Sub(x).MulScalar(0.5)) }, "made of operators; a capture makes one kernel of them on GPUs"},
	}},
	{"Reductions", []pythonRow{
		{"x.sum()", func() any { return x.Sum() }, ""},
		{"x.sum(0)", func() any { return x.Sum(0) }, ""},
		{"x.sum(1, keepdim=True)", func() any { return x.SumKeepDims(1) }, ""},
		{"x.mean(1)", func() any { return x.Mean(1) }, ""},
		{"x.std()", func() any { return x.Std(1) }, "the correction, 1 there, is given always"},
		{"x.var(0, correction=0)", func() any { return x.Var(0, 0) }, ""},
		{"x.amax((0, 1))", func() any { return x.Max(0, 1) }, ""},
		{"x.max(1)", func() any { return []*nd.Array{x.Max(1), x.ArgMax(1)} }, "the largest and where it is are two operators"},
		{"x.argmin()", func() any { return x.ArgMin() }, ""},
		{"x.prod(1)", func() any { return x.Prod(1) }, ""},
		{"b.any()", func() any { return b.AnyTrue() }, ""},
		{"b.all()", func() any { return b.AllTrue() }, ""},
		{"torch.count_nonzero(x)", func() any { return x.CountNonzero() }, ""},
		{"x.cumsum(1)", func() any { return x.CumSum(1) }, ""},
		{"x.logsumexp(1)", func() any { return x.LogSumExp(1) }, ""},
		{"torch.linalg.vector_norm(x)", func() any { return x.Norm(2) }, ""},
		{"torch.median(y)", func() any { return y.Median(0) }, "of an even number the mean of the two in the middle; there the lower one"},
		{"torch.quantile(y, 0.25)", func() any { return y.Quantile(0.25, 0) }, ""},
		{"torch.quantile(x, torch.tensor([0.1, 0.9]), dim=1)", func() any { return x.Quantiles([]float64{0.1, 0.9}, 1) }, ""},
		{"y[1] = torch.nan; torch.nanmean(y)", func() any { nd.Set[float32](y, float32(math.NaN()), 1); return y.WithoutNaN().Mean() }, "so for `Sum`, `Var`, `Max`, `Median` and others"},
		{"y[1] = torch.nan; torch.nanquantile(y, 0.25)", func() any { nd.Set[float32](y, float32(math.NaN()), 1); return y.WithoutNaN().Quantile(0.25, 0) }, ""},
		{"torch.masked.mean(x, 1, mask=b)", func() any { return x.Masked(b).Mean(1) }, ""},
		{"torch.masked.amax(x, 1, mask=x > 1)", func() any { return x.Masked(x.GreaterScalar(1)).Max(1) }, "NaN where no element counts"},
		{"torch.cov(x)", func() any { return x.Covariance(1) }, ""},
		{"torch.corrcoef(x)", func() any { return x.Correlation() }, ""},
	}},
	{"Linear algebra", []pythonRow{
		{"torch.linalg.solve(m, torch.tensor([4., 7.]))", func() any { return linalg.Solve(m, nd.FromSlice([]float32{4, 7})) }, "a singular matrix is an error of the result"},
		{"torch.linalg.solve_triangular(m, m, upper=True)", func() any { return linalg.SolveTriangular(m, m, linalg.Upper()) }, "lower ones if nothing is said"},
		{"torch.linalg.inv(m)", func() any { return linalg.Inverse(m) }, ""},
		{"torch.linalg.det(m)", func() any { return linalg.Determinant(m) }, ""},
		{"torch.linalg.slogdet(m).logabsdet", func() any {
			_, logarithm := linalg.SignLogDeterminant(m)
			return logarithm
		}, "two results"},
		{"torch.linalg.cholesky(m)", func() any { return linalg.Cholesky(m) }, "gradients have zeros above the diagonal, which is not read"},
		{"q, r = torch.linalg.qr(m); r.abs()", func() any {
			_, r := linalg.QR(m)
			return r.Abs()
		}, "the diagonal of r is not negative"},
		{"u, s, vt = torch.linalg.svd(x, full_matrices=False); s", func() any {
			_, s, _ := linalg.SVD(x)
			return s
		}, "the reduced one; the largest element of each row of vt is positive"},
		{"values, vectors = torch.linalg.eigh(m); values", func() any {
			values, _ := linalg.EigenSymmetric(m)
			return values
		}, "gradients have zeros above the diagonal, which is not read"},
		{"torch.linalg.eigvals(m).real.sort().values", func() any { return linalg.Eigenvalues(m).Real() }, "in order"},
		{"m.requires_grad_(); torch.autograd.grad(torch.linalg.eigvals(m - 2 * m.tril()).abs().sum(), m)[0]", func() any {
			w := tape.Watch(m)
			return tape.Gradient(linalg.Eigenvalues(w.Sub(w.Tril(0).MulScalar(2))).Abs().Sum(), w)[0]
		}, "of complex eigenvalues"},
		{"torch.linalg.lstsq(x.T, y).solution", func() any {
			x, _, _ := linalg.LeastSquares(x.T(), y, 0)
			return x
		}, "x, the rank and the singular values"},
		{"torch.linalg.pinv(x)", func() any { return linalg.PseudoInverse(x, 0) }, ""},
		{"torch.linalg.matrix_rank(m)", func() any { return linalg.MatrixRank(m, 0) }, ""},
		{"torch.linalg.matrix_norm(m, 'nuc')", func() any { return linalg.Norm(m, linalg.Nuclear) }, "the kinds are constants"},
		{"torch.linalg.matrix_exp(m / 4)", func() (any, error) { return linalg.MatrixExponential(ctx, m.DivScalar(4)) }, "waits for the matrix, whose norm decides about the work"},
		{"torch.linalg.matrix_power(m, -1)", func() any { return linalg.MatrixPower(m, -1) }, ""},
		{"torch.kron(m, y)", func() any { return linalg.Kron(m, y) }, ""},
		{"torch.linalg.cross(x, y.expand(2, 3))", func() any { return linalg.Cross(x, y, -1) }, ""},
	}},
	{"Shapes", []pythonRow{
		{"x.reshape(3, 2)", func() any { return x.Reshape(3, 2) }, "a view where strides allow"},
		{"x.view(-1)", func() any { return x.Reshape(-1) }, ""},
		{"x.t()", func() any { return x.T() }, "a view"},
		{"images.permute(0, 2, 3, 1).shape", func() any { return images.Transpose(0, 2, 3, 1).Shape() }, ""},
		{"y.unsqueeze(0)", func() any { return y.ExpandDims(0) }, ""},
		{"images.squeeze(0).shape", func() any { return images.Squeeze(0).Shape() }, ""},
		{"torch.cat([x, x], 1)", func() any { return nd.Concat(1, x, x) }, "the axis comes first"},
		{"torch.stack([y, y])", func() any { return nd.Stack(0, y, y) }, ""},
		{"x.chunk(3, 1)", func() any { return x.Split(3, 1) }, "views"},
		{"y.expand(2, 3)", func() any { return y.BroadcastTo(2, 3) }, "a view; writing to it is an error"},
		{"x.repeat(1, 2)", func() any { return x.Tile(1, 2) }, ""},
		{"y.repeat_interleave(2)", func() any { return y.Repeat(2, 0) }, ""},
		{"y.roll(1)", func() any { return y.Roll(1) }, ""},
		{"F.pad(y, (1, 2))", func() any { return y.Pad(0, []int{1}, []int{2}) }, "numbers of all axes, before them and behind them"},
		{"m.tril()", func() any { return m.Tril(0) }, ""},
	}},
	{"Sorting and products", []pythonRow{
		{"y.sort()", func() any { return []*nd.Array{y.Sort(-1), y.ArgSort(-1)} }, "always stable; two operators"},
		{"y.topk(2)", func() any { values, indices := y.TopK(2, -1); return []*nd.Array{values, indices} }, ""},
		{"torch.searchsorted(y.sort().values, torch.tensor(2.5))", func() any { return nd.SearchSorted(y.Sort(0), nd.Full[float32](2.5)) }, ""},
		{"torch.unique(i % 2)", func() (any, error) { return nd.UniqueValues(ctx, i.RemainderScalar(2)) }, "waits"},
		{"torch.isin(y, i)", func() any { return y.IsIn(i) }, ""},
		{"torch.bincount(i, minlength=4)", func() (any, error) { return nd.Bincount(ctx, i, 4) }, "waits"},
		{"x @ x.t()", func() any { return x.MatMul(x.T()) }, ""},
		{"torch.mv(x, y)", func() any { return x.MatMul(y) }, ""},
		{"torch.outer(y, y)", func() any { return nd.Einsum("i,j", y, y) }, ""},
		{"torch.einsum('ij,kj->ik', x, x)", func() any { return nd.Einsum("ij,kj->ik", x, x) }, "always in the cheapest order"},
	}},
	{"Fourier transforms", []pythonRow{
		{"torch.fft.fft(y, 4)", func() any { return fft.FFT(y, fft.Lengths(4)) }, "lengths, axes and norms are options"},
		{"torch.fft.rfft(y, norm='forward')", func() any { return fft.RFFT(y, fft.Normed(fft.Forward)) }, ""},
		{"torch.fft.irfft(torch.fft.rfft(y), 3)", func() any { return fft.IRFFT(fft.RFFT(y), fft.Lengths(3)) }, ""},
		{"torch.fft.fft2(x, dim=(1, 0))", func() any { return fft.FFT2(x, fft.Along(1, 0)) }, ""},
		{"torch.fft.rfftn(images[0, 0], s=(2, -1))", func() any { return fft.RFFTN(images.Index(0, 0), fft.Lengths(2, -1)) }, ""},
		{"torch.hann_window(4, dtype=torch.float64)", func() any { return fft.Hann(5).Index(nd.Span(0, 4)) }, "symmetric ones, as NumPy's, of one weight more; also `Hamming` and `Blackman`"},
		{"torch.fft.fftshift(torch.fft.fftfreq(5, dtype=torch.float64))", func() any { return fft.Shift(fft.Frequencies(5, 1)) }, "frequencies are float64"},
	}},
	{"Gradients", []pythonRow{
		{"x.requires_grad_()\n(x * x).sum().backward()\nx.grad", func() any {
			watched := tape.Watch(x)
			return tape.Gradient(watched.Mul(watched).Sum(), watched)[0]
		}, "gradients are results; a tape serves once, unless it is `autograd.Persistent()`, which is retain_graph"},
		{"y.requires_grad_(); (y * 2).backward(torch.tensor([1., 2., 3.])); y.grad", func() any {
			watched := tape.Watch(y)
			return tape.GradientWith(watched.MulScalar(2), nd.FromSlice([]float32{1, 2, 3}), watched)[0]
		}, ""},
		{"y.requires_grad_(); y.grad = torch.ones(3); y.square().sum().backward(); y.grad", func() any {
			sums, watched := nd.Ones[float32](3), tape.Watch(y)
			tape.GradientAddInto([]*nd.Array{sums}, watched.Square().Sum(), watched)
			return sums
		}, "nothing is added up unless asked for, so that there is no zero_grad"},
		{"y.requires_grad_()\n(slope,) = torch.autograd.grad((y ** 3).sum(), y, create_graph=True)\ntorch.autograd.grad(slope.sum(), y)[0]", func() any {
			outer := autograd.NewTape()
			o := outer.Watch(y)
			w := tape.Watch(o)
			slope := tape.Gradient(w.PowScalar(3).Sum(), w)[0]
			return outer.Gradient(slope.Sum(), o)[0]
		}, "any order, by a tape around a tape"},
		{"y.requires_grad_(); torch.autograd.grad(y.scatter_reduce(0, torch.tensor([0, 0, 2]), torch.tensor([3., 3., 1.]), 'amax').square().sum(), y)[0]", func() any {
			w := tape.Watch(y)
			best := w.ReduceAlongAxis(nd.ReduceMax, nd.FromSlice([]int64{0, 0, 2}), nd.FromSlice([]float32{3, 3, 1}), 0)
			return tape.Gradient(best.Square().Sum(), w)[0]
		}, "equal ones share"},
		{"y.requires_grad_(); torch.autograd.grad((y * y.detach()).sum(), y)[0]", func() any {
			w := tape.Watch(y)
			return tape.Gradient(w.Mul(w.Detach()).Sum(), w)[0]
		}, ""},
		{"z = torch.complex(y, y * y).requires_grad_()\ntorch.autograd.grad((z * z.conj() * z.exp()).imag.sum(), z)[0]", func() any {
			z := tape.Watch(nd.Complex(y, y.Mul(y)))
			return tape.Gradient(z.Mul(z.Conj()).Mul(z.Exp()).Imag().Sum(), z)[0]
		}, "the gradient of x + iy is ∂L/∂x + i·∂L/∂y"},
		{"y.requires_grad_(); torch.autograd.grad(torch.fft.rfft(y).abs().sum(), y)[0]", func() any {
			w := tape.Watch(y)
			return tape.Gradient(fft.RFFT(w).Abs().Sum(), w)[0]
		}, ""},
		{"z = torch.complex(y, y * y).requires_grad_()\ntorch.autograd.grad(torch.fft.ifft(z, 4).angle().cos().sum(), z)[0]", func() any {
			z := tape.Watch(nd.Complex(y, y.Mul(y)))
			return tape.Gradient(fft.IFFT(z, fft.Lengths(4)).Angle().Cos().Sum(), z)[0]
		}, ""},
		{"torch.func.grad(lambda v: (v ** 2).sum())(y)", func() any {
			_, gradients := autograd.ValueAndGradient(func(v ...*nd.Array) *nd.Array { return v[0].PowScalar(2).Sum() }, y)
			return gradients[0]
		}, "with the value"},
		{"torch.func.jacrev(torch.sin)(y)", func() any { return autograd.Jacobian((*nd.Array).Sin, y) }, ""},
		{"torch.func.hessian(lambda v: (v ** 3).sum())(y)", func() any {
			return autograd.Hessian(func(v *nd.Array) *nd.Array { return v.PowScalar(3).Sum() }, y)
		}, ""},
		{"torch.func.jvp(torch.sin, (y,), (torch.ones(3),))[1]", func() any { return autograd.Jacobian((*nd.Array).Sin, y).MatMul(nd.Ones[float32](3)) }, "of a gradient it is `autograd.HessianVector`, without a matrix"},
		{"l = nn.Linear(3, 2); l.weight.requires_grad_(False); len([p for p in l.parameters() if p.requires_grad])", func() any {
			l := nn.NewDense(env, 3, 2)
			return len(optim.NewSGD(nn.Params(l)[1:], 0.1).Params())
		}, "what no optimiser is given stays as it is, and costs nothing: gradients are of what `tape.Gradient` is asked for"},
		{"g = torch.ones(4); p = nn.Parameter(g); p.grad = g; nn.utils.clip_grad_norm_([p], 1.); p.grad", func() any {
			g := nd.Ones[float32](4)
			optim.ClipNorm([]*nd.Array{g}, 1)
			return g
		}, "`autograd.Checkpoint` is torch.utils.checkpoint, `autograd.Function` torch.autograd.Function"},
	}},
	{"Functions and losses", []pythonRow{
		{"F.relu(y - 2)", func() any { return y.SubScalar(2).Relu() }, ""},
		{"F.gelu(y)", func() any { return y.Gelu() }, "exact, by the error function"},
		{"F.silu(y)", func() any { return y.Silu() }, ""},
		{"F.softplus(y)", func() any { return y.Softplus() }, ""},
		{"F.leaky_relu(y - 2, 0.1)", func() any { return nn.LeakyRelu(0.1).Forward(nn.Infer(), y.SubScalar(2)) }, "a layer, as `nn.Elu` is"},
		{"F.logsigmoid(y)", func() any { return y.Neg().Softplus().Neg() }, ""},
		{"F.glu(torch.cat([x, x], 1), 1)", func() any {
			halves := nd.Concat(1, x, x).Split(2, 1)
			return halves[0].Mul(halves[1].Sigmoid())
		}, ""},
		{"F.normalize(x, dim=1)", func() any { return x.Div(x.Norm(2, 1).ExpandDims(1).MaximumScalar(1e-12)) }, ""},
		{"F.cosine_similarity(x, x.flip(0), 1)", func() any {
			z := x.Flip(0)
			return x.VecDot(z, 1).Div(x.Norm(2, 1).Mul(z.Norm(2, 1)).MaximumScalar(1e-8))
		}, ""},
		{"torch.cdist(x, x.t()[:2, :1].expand(2, 3))", func() any {
			z := x.T().Index(":2, :1").BroadcastTo(2, 3)
			return x.ExpandDims(1).Sub(z).Norm(2, 2)
		}, "differences broadcast; they are in memory"},
		{"F.softmax(x, 1)", func() any { return x.Softmax(1) }, ""},
		{"F.log_softmax(x, 1)", func() any { return x.LogSoftmax(1) }, ""},
		{"F.scaled_dot_product_attention(images / 16, images.mT / 16, images)", func() any {
			return nd.Attention(images.DivScalar(16), images.MatrixTranspose().DivScalar(16), images, nil)
		}, "the last argument is attn_mask, of bools or floats; `SelfAttention` takes no memory for all weights"},
		{"F.cross_entropy(x, i)", func() any { return nn.SoftmaxCrossEntropy(x, i) }, "`nd.SoftmaxCrossEntropy` is reduction='none'"},
		{"F.cross_entropy(images[0].mT, i.expand(1, 2).repeat(1, 2))", func() any {
			return nn.SoftmaxCrossEntropy(images.Index(0), i.BroadcastTo(1, 2).Tile(1, 2))
		}, "of sequences: the classes are the last axis, there the second"},
		{"F.cross_entropy(x, x.softmax(1))", func() any { return nn.SoftmaxCrossEntropy(x, x.Softmax(1)) }, "labels that are probabilities"},
		{"F.cross_entropy(x, i, label_smoothing=0.1)", func() any {
			smooth := i.OneHot(3, dtype.Float32).MulScalar(1 - 0.1).AddScalar(0.1 / 3)
			return nn.SoftmaxCrossEntropy(x, smooth)
		}, ""},
		{"F.cross_entropy(x, i, weight=y)", func() any {
			weights := y.Index(i)
			return nd.SoftmaxCrossEntropy(x, i).Mul(weights).Sum().Div(weights.Sum())
		}, ""},
		{"F.cross_entropy(x, i, ignore_index=0)", func() any {
			counted := i.NotEqualScalar(0)
			return nd.SoftmaxCrossEntropy(x, i).Masked(counted).Mean()
		}, "labels that are no classes are errors: of those, make classes first by `nd.Where`"},
		{"F.nll_loss(x, i)", func() any { return x.TakeAlongAxis(i.ExpandDims(1), 1).Mean().Neg() }, ""},
		{"F.kl_div(x.log_softmax(1), x.flip(1).softmax(1), reduction='batchmean')", func() any {
			target := x.Flip(1).Softmax(1)
			return target.Mul(target.Log().Sub(x.LogSoftmax(1))).Sum(1).Mean()
		}, ""},
		{"F.binary_cross_entropy_with_logits(y, torch.ones(3))", func() any { return nn.SigmoidCrossEntropy(y, nd.Ones[float32](3)) }, ""},
		{"F.binary_cross_entropy_with_logits(x, b.float().expand(2, 3), weight=y)", func() any {
			return nd.SigmoidCrossEntropy(x, b.Cast(dtype.Float32).BroadcastTo(2, 3)).Mul(y).Mean()
		}, "`nd.SigmoidCrossEntropy` is reduction='none'; pos_weight p is the weight (p − 1)·t + 1, where targets t are 0 or 1"},
		{"F.mse_loss(y, torch.zeros(3))", func() any { return nn.SquaredError(y, nd.Zeros[float32](3)) }, ""},
		{"F.l1_loss(y, torch.zeros(3))", func() any { return nn.AbsoluteError(y, nd.Zeros[float32](3)) }, ""},
		{"F.huber_loss(y, torch.zeros(3), delta=1.5)", func() any { return nn.Huber(y, nd.Zeros[float32](3), 1.5) }, ""},
		{"F.linear(x, m[:, :1].expand(2, 3), torch.ones(2))", func() any {
			weight := m.Index(":, :1").BroadcastTo(2, 3).T()
			return x.Linear(weight, nd.NoActivation, nd.Ones[float32](2))
		}, "weights are (inputs,outputs); an activation may be part of it"},
		{"F.layer_norm(x, (3,))", func() any { return x.LayerNorm(nd.Ones[float32](3), nd.Zeros[float32](3), 1, 1e-5) }, ""},
		{"F.conv2d(images, torch.ones(1, 1, 3, 3), padding=1)", func() any {
			return images.Conv(nd.Ones[float32](1, 1, 3, 3), nil, nd.ConvParams{Padding: []int{1, 1}})
		}, "one number for each axis, or two"},
		{"F.max_pool2d(images, 2)", func() any { return images.MaxPool(nd.PoolParams{Kernel: []int{2, 2}}) }, ""},
		{"F.avg_pool2d(images, 2)", func() any { return images.AveragePool(nd.PoolParams{Kernel: []int{2, 2}}) }, ""},
		{"F.interpolate(images[:, :, :2, :2], scale_factor=2)", func() any { return images.Index("..., :2, :2").Repeat(2, 2).Repeat(2, 3) }, "the nearest ones"},
		{"F.unfold(images, 2)", func() any {
			windows := images.SlidingWindows(2, 1, 2).SlidingWindows(2, 1, 3)
			return windows.Transpose(0, 1, 4, 5, 2, 3).Reshape(1, 4, 9)
		}, "the windows are views"},
		{"F.embedding(i, x.t())", func() any { return nd.Embedding(x.T(), i) }, "the table comes first"},
	}},
	{"Layers and training", []pythonRow{
		{"net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)); net(x).shape", func() any {
			net := nn.NewSequential(nn.NewDense(env, 3, 4), nn.Relu, nn.NewDense(env, 4, 2))
			return net.Forward(nn.Infer(), x).Shape()
		}, "`nn.Infer()` is eval() and no_grad, `nn.Train(tape, env.Generator())` is train()"},
		{"nn.Conv2d(1, 5, 3, stride=2)(images).shape", func() any {
			return nn.NewConv2D(env, 1, 5, 3, nn.Stride(2)).Forward(nn.Infer(), images).Shape()
		}, ""},
		{"len(list(nn.Conv2d(1, 5, 3, bias=False).parameters()))", func() any { return len(nn.Params(nn.NewConv2D(env, 1, 5, 3, nn.Unbiased()))) }, "so for `NewDense`, attention and recurrent layers"},
		{"l = nn.LSTM(3, 2, batch_first=True)\nfor p in l.parameters(): p.data = torch.linspace(-0.3, 0.5, p.numel()).reshape(p.shape)\nl(x[None])[0]", func() any {
			l := nn.NewLSTM(env, 3, 2)
			for _, p := range nn.Params(l) {
				nd.CopyInto(p, nd.Linspace[float32](-0.3, 0.5, p.Count()).Reshape(p.Shape()...))
			}
			return l.Forward(nn.Infer(), x.ExpandDims(0))
		}, "samples come first; parameters have the same names and shapes, so that `nn.SetState` takes those of PyTorch as they are"},
		{"nn.GRU(3, 2, 2, bidirectional=True, batch_first=True)(x[None])[1].shape", func() any {
			l := nn.NewGRU(env, 3, 2, nn.Stacked(2), nn.Bidirectional())
			_, last := l.Run(nn.Infer(), x.ExpandDims(0), nil, nil)
			return last.Shape()
		}, "`Forward` returns the outputs alone, `Run` the last states too; `nn.DropBetween` and `nn.Unbiased` are dropout and bias"},
		{"l = nn.RNN(3, 2, nonlinearity='relu', batch_first=True)\nfor p in l.parameters(): p.data = torch.linspace(-1, 1, p.numel()).reshape(p.shape)\ns = nn.utils.rnn.pack_padded_sequence(torch.stack([x, x]), torch.tensor([2, 1]), batch_first=True)\nnn.utils.rnn.pad_packed_sequence(l(s)[0], batch_first=True)[0]", func() any {
			l := nn.NewRNN(env, 3, 2, nn.Rectified())
			for _, p := range nn.Params(l) {
				nd.CopyInto(p, nd.Linspace[float32](-1, 1, p.Count()).Reshape(p.Shape()...))
			}
			y, _ := l.Run(nn.Infer(), nd.Stack(0, x, x), nd.FromSlice([]int64{2, 1}), nil)
			return y
		}, "nothing is packed: lengths are an argument, in any order, and may be 0"},
		{"nn.LSTMCell(3, 2)(x)[1].shape", func() any {
			_, cells := nn.NewLSTMCell(env, 3, 2).Step(nn.Infer(), x, nil, nil)
			return cells.Shape()
		}, ""},
		{"nn.BatchNorm1d(3).eval()(x)", func() any { return nn.NewBatchNorm(env, 3).Forward(nn.Infer(), x) }, ""},
		{"b = nn.BatchNorm1d(3, eps=1e-3, momentum=0.01); b(x); b.running_mean", func() any {
			b := nn.NewBatchNorm(env, 3)
			b.Epsilon, b.Momentum = 1e-3, 0.01
			b.Forward(&nn.Ctx{Train: true}, x)
			means, _ := b.Running()
			return means
		}, "`LayerNorm`, `RMSNorm` and `GroupNorm` have an `Epsilon`, too"},
		{"nn.Dropout(0.5).eval()(y)", func() any { return nn.NewDropout(0.5).Forward(nn.Infer(), y) }, "no mask is kept: it is drawn again"},
		{"sum(p.numel() for p in nn.Linear(3, 2).parameters())", func() any {
			count := 0
			for _, p := range nn.Params(nn.NewDense(env, 3, 2)) {
				count += p.Count()
			}
			return count
		}, "`nn.Summarise` makes a table"},
		{"net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2)).eval()\nnet.load_state_dict({'0.weight': x, '0.bias': m[0], '1.weight': m[1], '1.bias': m[0],\n  '1.running_mean': m[1], '1.running_var': m[0], '1.num_batches_tracked': i[0]})\nnet(x)", func() (any, error) {
			net := nn.NewSequential(nn.NewDense(env, 3, 2), nn.NewBatchNorm(env, 2))
			state := map[string]*nd.Array{"0.weight": x, "0.bias": m.Index(0), "1.weight": m.Index(1), "1.bias": m.Index(0),
				"1.running_mean": m.Index(1), "1.running_var": m.Index(0), "1.num_batches_tracked": i.Index(0)}
			err := nn.SetState(net, nn.FromPyTorch(net, state))
			return net.Forward(nn.Infer(), x), err
		}, "`nn.FromPyTorch` changes names and turns the weights of fully connected layers"},
		{"a = nn.MultiheadAttention(4, 2, batch_first=True)\na.load_state_dict({'in_proj_weight': torch.linspace(-1, 1, 48).reshape(12, 4), 'in_proj_bias': torch.linspace(-1, 1, 12),\n  'out_proj.weight': images[0, 0] / 16, 'out_proj.bias': torch.ones(4)})\na(images[0] / 16, images[0] / 16, images[0] / 16)[0]", func() (any, error) {
			a, sequences := nn.NewMultiHeadAttention(env, 4, 2), images.Index(0).DivScalar(16)
			err := nn.SetState(a, nn.FromPyTorch(a, map[string]*nd.Array{
				"in_proj_weight": nd.Linspace[float32](-1, 1, 48).Reshape(12, 4), "in_proj_bias": nd.Linspace[float32](-1, 1, 12),
				"out_proj.weight": sequences.Index(0), "out_proj.bias": nd.Ones[float32](4),
			}))
			return a.Forward(nn.Infer(), sequences), err
		}, "of a sequence to itself; `nn.Causal()` is the mask"},
		{"a = nn.MultiheadAttention(4, 2, batch_first=True)\na.load_state_dict({'in_proj_weight': torch.linspace(-1, 1, 48).reshape(12, 4), 'in_proj_bias': torch.linspace(-1, 1, 12),\n  'out_proj.weight': images[0, 0] / 64, 'out_proj.bias': torch.ones(4)})\nmemory = images[0].flip(1) / 16\na(images[0] / 16, memory, memory, key_padding_mask=torch.tensor([[False, False, False, True]]))[0]", func() (any, error) {
			a, sequences := nn.NewMultiHeadAttention(env, 4, 2), images.Index(0).DivScalar(16)
			err := nn.SetState(a, nn.FromPyTorch(a, map[string]*nd.Array{
				"in_proj_weight": nd.Linspace[float32](-1, 1, 48).Reshape(12, 4), "in_proj_bias": nd.Linspace[float32](-1, 1, 12),
				"out_proj.weight": sequences.Index(0).DivScalar(4), "out_proj.bias": nd.Ones[float32](4),
			}))
			return a.Attend(nn.Infer(), sequences, sequences.Flip(1), nd.FromSlice([]bool{true, true, true, false})), err
		}, "masks are true where something is seen, as in scaled_dot_product_attention, and broadcast to (samples, times, others)"},
		{"len(nn.Linear(3, 2).state_dict())", func() any { return len(nn.State(nn.NewDense(env, 3, 2))) }, "`nd.SaveSafetensors` and `nn.SetState` save and load"},
		{"p = nn.Parameter(y); opt = torch.optim.SGD([p], lr=0.5, momentum=0.9)\np.grad = torch.ones(3); opt.step()\np.grad = torch.ones(3); opt.step()\np", func() (any, error) {
			opt, ones := optim.NewSGD([]*nd.Array{y}, 0.5, optim.Momentum(0.9)), nd.Ones[float32](3)
			for range 2 {
				if err := opt.Step(ctx, []*nd.Array{ones}); err != nil {
					return nil, err
				}
			}
			return y, nil
		}, "gradients are given; `opt.Minimise(ctx, tape, loss)` is backward, step and zero_grad"},
		{"p = nn.Parameter(y); opt = torch.optim.AdamW([p], lr=0.1, weight_decay=0.5); p.grad = torch.ones(3); opt.step(); p", func() (any, error) {
			opt := optim.NewAdamW([]*nd.Array{y}, 0.1, optim.WeightDecay(0.5))
			return y, opt.Step(ctx, []*nd.Array{nd.Ones[float32](3)})
		}, "all parameters change together, or none"},
		{"t = nn.Parameter(x.t().contiguous())\nF.embedding(i, t, sparse=True).square().sum().backward()\ntorch.optim.SGD([t], lr=0.1).step()\nt", func() any {
			table := x.T().Copy()
			rows := tape.Watch(nd.Embedding(table, i))
			slopes := tape.Gradient(rows.Square().Sum(), rows)[0]
			table.AddSlice(slopes.MulScalar(-0.1), i)
			return table
		}, "there are no sparse gradients: where a table is large, its rows are watched, and they alone are written; optimisers write all of it"},
		{"p = nn.Parameter(y); opt = torch.optim.Adagrad([p], lr=0.1); p.grad = torch.ones(3); opt.step()\np", func() any {
			sums, gradient := nd.Zeros[float32](3), nd.Ones[float32](3)
			nd.AddInto(sums, sums, gradient.Square())
			nd.SubInto(y, y, gradient.Div(sums.Sqrt().AddScalar(1e-10)).MulScalar(0.1))
			return y
		}, "so with any rule of one's own: parameters are arrays to be written"},
		{"opt = torch.optim.SGD([nn.Parameter(y)], lr=0.5); s = torch.optim.lr_scheduler.StepLR(opt, 1, 0.5); opt.step(); s.step(); s.get_last_lr()[0]", func() any {
			return optim.StepDecay(0.5, 0.5, 1)(1)
		}, "given to an optimiser by `optim.Scheduled`; also `Cosine` and `WarmUp`"},
		{"len(torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, i), 2))", func() (any, error) {
			batches := 0
			for _, err := range data.NewLoader(data.Arrays(x, i), 2, data.Shuffle(env)).Batches(ctx) {
				if err != nil {
					return nil, err
				}
				batches++
			}
			return batches, nil
		}, "`data.Workers` prepare batches; their random numbers do not depend on how many there are"},
		{"torch.manual_seed(7); torch.rand(2, 2).shape", func() any {
			env := nd.DefaultEnv().WithSeed(7)
			return random.Uniform(env, dtype.Float32, 0, 1, 2, 2).Shape()
		}, "nothing global; the same numbers on every device"},
		{"torch.save({'x': x}, 'x.pt'); torch.load('x.pt')['x']", func() (any, error) {
			if err := nd.SaveSafetensors("x.safetensors", map[string]*nd.Array{"x": x}, nil); err != nil {
				return nil, err
			}
			arrays, _, err := nd.LoadSafetensors("x.safetensors")
			return arrays["x"], err
		}, "the format of safetensors, which PyTorch's library of that name reads and writes"},
		{"torch.compile(lambda v: v.exp() + 1, backend='eager')(y)", func() any {
			f := nd.NewCaptured(env, func(_ *nd.Env, in []*nd.Array) []*nd.Array { return []*nd.Array{in[0].Exp().AddScalar(1)} })
			return f.Call(y)[0]
		}, "replays the calls of the function ([how](capture.md)); `train.Trainer` does so with `Captured: true`"},
	}},
}

func TestRowsOfThePyTorchGuide(t *testing.T) {
	guide := pythonGuide{library: "torch", version: "2, 2", stored: "testdata/pytorch.json", setup: pytorchSetup, start: pytorchStart, precision: 5, sections: pytorchGuide}
	guide.check(t)
}
