package bench

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// smallSide is the length of the sides of the matrices of BenchmarkSmallOp.
const smallSide = 32

// small is what the cases of BenchmarkSmallOp work on: float32 matrices, and the same read as other things.
type small struct {
	x, y, row, column *nd.Array // random numbers from 0 to 1
	complex           *nd.Array
	mask              *nd.Array // true in half of the places
	indices, along    *nd.Array // a random number of a row for each row, and for each element
	image, filter     *nd.Array // 1x4x16x16 and 4x4x3x3
}

// smallOps are the cases of BenchmarkSmallOp; the calls of its peers are in peers/smallop.py.
var smallOps = []struct {
	name string
	call func(s *small) *nd.Array
}{
	{"add", func(s *small) *nd.Array { return s.x.Add(s.y) }},
	{"add_scalar", func(s *small) *nd.Array { return s.x.AddScalar(2) }},
	{"add_row", func(s *small) *nd.Array { return s.x.Add(s.row) }},
	{"add_column", func(s *small) *nd.Array { return s.x.Add(s.column) }},
	{"add_transposed", func(s *small) *nd.Array { return s.x.Add(s.y.T()) }},
	{"add_complex", func(s *small) *nd.Array { return s.complex.Add(s.complex) }},
	{"exp", func(s *small) *nd.Array { return s.x.Exp() }},
	{"pow", func(s *small) *nd.Array { return s.x.Pow(s.y) }},
	{"less", func(s *small) *nd.Array { return s.x.Less(s.y) }},
	{"where", func(s *small) *nd.Array { return nd.Where(s.mask, s.x, s.y) }},
	{"clip", func(s *small) *nd.Array { return s.x.ClipScalar(0.2, 0.8) }},
	{"cast", func(s *small) *nd.Array { return s.x.Cast(dtype.Float64) }},
	{"copy", func(s *small) *nd.Array { return s.x.Copy() }},
	{"copy_transposed", func(s *small) *nd.Array { return s.x.T().Copy() }},
	{"zeros", func(s *small) *nd.Array { return nd.ZerosIn(s.x.Env(), dtype.Float32, smallSide, smallSide) }},
	{"full", func(s *small) *nd.Array { return nd.FullIn(s.x.Env(), dtype.Float32, 3, smallSide, smallSide) }},
	{"sum", func(s *small) *nd.Array { return s.x.Sum() }},
	{"sum_rows", func(s *small) *nd.Array { return s.x.Sum(1) }},
	{"sum_columns", func(s *small) *nd.Array { return s.x.Sum(0) }},
	{"mean", func(s *small) *nd.Array { return s.x.Mean() }},
	{"max", func(s *small) *nd.Array { return s.x.Max() }},
	{"max_rows", func(s *small) *nd.Array { return s.x.Max(1) }},
	{"argmax_rows", func(s *small) *nd.Array { return s.x.ArgMax(1) }},
	{"var_rows", func(s *small) *nd.Array { return s.x.Var(0, 1) }},
	{"std", func(s *small) *nd.Array { return s.x.Std(0) }},
	{"norm", func(s *small) *nd.Array { return s.x.Norm(2) }},
	{"any", func(s *small) *nd.Array { return s.mask.AnyTrue() }},
	{"count_nonzero", func(s *small) *nd.Array { return s.mask.CountNonzero() }},
	{"logsumexp_rows", func(s *small) *nd.Array { return s.x.LogSumExp(1) }},
	{"cumsum", func(s *small) *nd.Array { return s.x.CumSum(1) }},
	{"diff", func(s *small) *nd.Array { return s.x.Diff(1, 1) }},
	{"matmul", func(s *small) *nd.Array { return s.x.MatMul(s.y) }},
	{"matmul_transposed", func(s *small) *nd.Array { return s.x.MatMul(s.y.T()) }},
	{"matvec", func(s *small) *nd.Array { return s.x.MatMul(s.row) }},
	{"dot", func(s *small) *nd.Array { return s.row.MatMul(s.row) }},
	{"einsum", func(s *small) *nd.Array { return nd.Einsum("ij,kj->ik", s.x, s.y) }},
	{"softmax", func(s *small) *nd.Array { return s.x.Softmax(1) }},
	{"log_softmax", func(s *small) *nd.Array { return s.x.LogSoftmax(1) }},
	{"layer_norm", func(s *small) *nd.Array { return s.x.LayerNorm(s.row, s.row, 1, 1e-5) }},
	{"linear", func(s *small) *nd.Array { return s.x.Linear(s.y, nd.ReluActivation, s.row) }},
	{"conv", func(s *small) *nd.Array { return s.image.Conv(s.filter, nil, nd.ConvParams{Padding: []int{1, 1}}) }},
	{"max_pool", func(s *small) *nd.Array { return s.image.MaxPool(nd.PoolParams{Kernel: []int{2, 2}}) }},
	{"concat", func(s *small) *nd.Array { return nd.Concat(1, s.x, s.y) }},
	{"stack", func(s *small) *nd.Array { return nd.Stack(0, s.x, s.y) }},
	{"pad", func(s *small) *nd.Array { return s.x.Pad(0, []int{1, 1}, []int{1, 1}) }},
	{"tile", func(s *small) *nd.Array { return s.x.Tile(2, 1) }},
	{"repeat", func(s *small) *nd.Array { return s.x.Repeat(2, 0) }},
	{"roll", func(s *small) *nd.Array { return s.x.Roll(3, 1) }},
	{"flip_copy", func(s *small) *nd.Array { return s.x.Flip(1).Copy() }},
	{"tril", func(s *small) *nd.Array { return s.x.Tril(0) }},
	{"take", func(s *small) *nd.Array { return s.x.Take(s.indices, 0) }},
	{"take_along_axis", func(s *small) *nd.Array { return s.x.TakeAlongAxis(s.along, 1) }},
	{"one_hot", func(s *small) *nd.Array { return s.indices.OneHot(smallSide, dtype.Float32) }},
	{"slice", func(s *small) *nd.Array { return s.x.Index(nd.Span(1, 9), nd.SpanBy(0, nd.Open, 2)) }},
	{"set_slice", func(s *small) *nd.Array {
		s.y.SetSlice(s.row, 3)
		return s.y
	}},
	{"scatter_add", func(s *small) *nd.Array { return s.x.WithSliceAdded(s.y, s.indices) }},
	{"sort", func(s *small) *nd.Array { return s.x.Sort(1) }},
	{"argsort", func(s *small) *nd.Array { return s.x.ArgSort(1) }},
	{"topk", func(s *small) *nd.Array {
		values, _ := s.x.TopK(5, 1)
		return values
	}},
	{"searchsorted", func(s *small) *nd.Array { return nd.SearchSorted(s.row, s.column.Reshape(smallSide)) }},
	{"median", func(s *small) *nd.Array { return s.x.Median(1) }},
}

// newSmall makes the operands of smallOps in an environment.
func newSmall(env *nd.Env) *small {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(shape ...int) *nd.Array {
		count := 1
		for _, n := range shape {
			count *= n
		}
		elements := make([]float32, count)
		for i := range elements {
			elements[i] = r.Float32()
		}
		return nd.FromSliceIn(env, elements, shape...)
	}
	numbers := func(shape ...int) *nd.Array { return random(shape...).MulScalar(smallSide).Cast(dtype.Int64) }
	x, row := random(smallSide, smallSide), random(smallSide)
	return &small{
		x: x, y: random(smallSide, smallSide), row: row.Sort(0), column: random(smallSide, 1), complex: nd.Complex(x, x),
		mask: x.GreaterScalar(0.5), indices: numbers(smallSide), along: numbers(smallSide, smallSide),
		image: random(1, 4, 16, 16), filter: random(4, 4, 3, 3),
	}
}

// BenchmarkSmallOp measures calls on matrices of 32 rows and columns, each waited for, as BenchmarkSmallOp/<case>: mostly what operators take
// besides their kernels, which are part of the time.
func BenchmarkSmallOp(b *testing.B) {
	env, ctx := newEnv(b, "perdevice"), context.Background()
	s := newSmall(env)
	for range 20_000 { // A new process gets the pages of its heap from the system first.
		s.x.Add(s.y)
	}
	for _, c := range smallOps {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			require.NoError(b, c.call(s).Wait(ctx))
			for b.Loop() {
				if err := c.call(s).Wait(ctx); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSmallOpPeers measures NumPy and PyTorch on the cases of BenchmarkSmallOp, as BenchmarkSmallOpPeers/<case>/<library>.
func BenchmarkSmallOpPeers(b *testing.B) {
	for _, c := range smallOps {
		for _, library := range []pythonLibrary{numpy, torch} {
			b.Run(c.name+"/"+library.name, func(b *testing.B) { library.measure(b, "smallop", c.name) })
		}
	}
}

func TestSmallOpsAreOfDifferentNames(t *testing.T) {
	names := []string{}
	for _, c := range smallOps {
		names = append(names, c.name)
	}
	slices.Sort(names)
	require.Len(t, slices.Compact(slices.Clone(names)), len(names))
}
