package ops

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
)

// row is what the tests know of one operator beside its registry entry.
type row struct {
	// reference computes the results, then the new contents of the operands that are updated in place.
	reference func(in []array, params any) []array
	// ulps is the largest error of floats in units in the last place of the result, or of array.scale.
	ulps float64
	// low and high bound the floats in operands; both zero stand for -2 and 2. They are all different, unless ties is set.
	low, high float64
	ties      bool
	// fixed are the element types of operands that do not have the one that the test chooses.
	fixed map[int]dtype.DType
	// indices returns the bounds of fixed integer operands, low included and high not.
	indices func(s Sample) (low, high int)
	// dtypes are those that the test chooses from; nil stands for Operator.Accepts, or all if that is nil.
	dtypes []dtype.DType
	// integer is the exact result for int64 elements of an element-wise operator.
	integer func(x ...int64) int64
	// bad are calls whose shapes or parameters are mistakes.
	bad []Sample
}

// operators has one row for each operator. Where ulps is zero, each result is one IEEE operation or a copy; for float32 it is
// computed in float64 and rounded again, which is as good as once for + − · / and sqrt (Figueroa, "When is double rounding
// innocuous?", SIGNUM Newsletter 30(3), 1995).
var operators = map[string]row{
	"neg":    {reference: pointwise(func(x ...float64) float64 { return -x[0] }), integer: func(x ...int64) int64 { return -x[0] }},
	"square": {reference: pointwise(func(x ...float64) float64 { return x[0] * x[0] }), integer: func(x ...int64) int64 { return x[0] * x[0] }},
	"relu":   {reference: pointwise(func(x ...float64) float64 { return max(x[0], 0) }), integer: func(x ...int64) int64 { return max(x[0], 0) }},
	"sqrt":   {reference: pointwise(func(x ...float64) float64 { return math.Sqrt(x[0]) }), low: 0.5, high: 9},
	// Both package math and the kernels promise less than one unit.
	"exp":     {reference: pointwise(func(x ...float64) float64 { return math.Exp(x[0]) }), ulps: 2},
	"log":     {reference: pointwise(func(x ...float64) float64 { return math.Log(x[0]) }), low: 0.5, high: 9, ulps: 2},
	"tanh":    {reference: pointwise(func(x ...float64) float64 { return math.Tanh(x[0]) }), ulps: 2},
	"erf":     {reference: pointwise(func(x ...float64) float64 { return math.Erf(x[0]) }), ulps: 2},
	"sigmoid": {reference: pointwise(func(x ...float64) float64 { return 1 / (1 + math.Exp(-x[0])) }), ulps: 4},

	"add": {reference: pointwise(func(x ...float64) float64 { return x[0] + x[1] }), integer: func(x ...int64) int64 { return x[0] + x[1] }, bad: unbroadcastable},
	"sub": {reference: pointwise(func(x ...float64) float64 { return x[0] - x[1] }), integer: func(x ...int64) int64 { return x[0] - x[1] }, bad: unbroadcastable},
	"mul": {reference: pointwise(func(x ...float64) float64 { return x[0] * x[1] }), integer: func(x ...int64) int64 { return x[0] * x[1] }, bad: unbroadcastable},
	"div": {reference: pointwise(func(x ...float64) float64 { return x[0] / x[1] }), low: 0.5, high: 3, bad: unbroadcastable},
	"maximum": {
		reference: pointwise(func(x ...float64) float64 { return max(x[0], x[1]) }), bad: unbroadcastable,
		integer: func(x ...int64) int64 { return max(x[0], x[1]) },
	},
	"greater": {reference: predicate(func(x, y float64) bool { return x > y }), ties: true, bad: unbroadcastable},
	"equal":   {reference: predicate(func(x, y float64) bool { return x == y }), ties: true, bad: unbroadcastable},
	"where": {
		reference: referenceWhere, fixed: map[int]dtype.DType{0: dtype.Bool}, dtypes: values,
		bad: []Sample{{Shapes: [][]int{{2}, {3}, {}}}, {Shapes: [][]int{{}, {2}, {3}}}},
	},

	"sum":    {reference: reduced(referenceSum), ulps: 16, bad: badReductions}, // chains of 16 + 3 + log2(n/128) additions
	"mean":   {reference: reduced(referenceMean), ulps: 16, bad: badReductions},
	"max":    {reference: reduced(referenceMax), bad: append(badReductions, Sample{Shapes: [][]int{{0, 3}}, Params: ReduceParams{}})},
	"argmax": {reference: referenceArgmax, ties: true, bad: append(badReductions, Sample{Shapes: [][]int{{3, 0}}, Params: ReduceParams{Axes: []int{1}}})},
	"matmul": { // γ of 90 terms (Higham, "Accuracy and stability of numerical algorithms", 3.1), in the kernel and here
		reference: referenceMatmul, ulps: 90,
		bad: []Sample{{Shapes: [][]int{{2, 3}, {2, 3}}}, {Shapes: [][]int{{}, {3}}}, {Shapes: [][]int{{2, 2, 3}, {3, 3, 2}}}, {Shapes: [][]int{{3}, {2, 4}}}},
	},

	"softmax":     {reference: alongAxis(softmaxOf), ulps: 8, bad: badSoftmax}, // exp, the sum of 5 and two roundings
	"log_softmax": {reference: alongAxis(logSoftmaxOf), ulps: 4, bad: badSoftmax},
	"softmax_cross_entropy": {
		reference: referenceCrossEntropy, ulps: 4, fixed: map[int]dtype.DType{1: dtype.Int64},
		indices: func(s Sample) (int, int) { return 0, s.Shapes[0][1] },
		bad:     []Sample{{Shapes: [][]int{{3, 4}, {4}}}, {Shapes: [][]int{{3}, {3}}}, {Shapes: [][]int{{3, 4}, {3, 1}}}},
	},

	"copy": {reference: func(in []array, _ any) []array { return in }},
	"cast": {reference: referenceCast, bad: []Sample{{Shapes: [][]int{{2}}, Params: CastParams{}}, {Shapes: [][]int{{2}}, Params: CastParams{200}}}},
	"reshape": {
		reference: referenceReshape,
		bad: []Sample{
			{Shapes: [][]int{{2, 3}}, Params: ReshapeParams{[]int{4, -1}}}, {Shapes: [][]int{{2, 3}}, Params: ReshapeParams{[]int{5}}},
			{Shapes: [][]int{{2, 3}}, Params: ReshapeParams{[]int{-1, -1}}}, {Shapes: [][]int{{2, 3}}, Params: ReshapeParams{[]int{-2, -3}}},
			{Shapes: [][]int{{0}}, Params: ReshapeParams{[]int{0, -1}}},
		},
	},
	"transpose": {
		reference: referenceTranspose,
		bad: []Sample{
			{Shapes: [][]int{{2, 3}}, Params: TransposeParams{[]int{0}}}, {Shapes: [][]int{{2, 3}}, Params: TransposeParams{[]int{0, 0}}},
			{Shapes: [][]int{{2, 3}}, Params: TransposeParams{[]int{0, 2}}}, {Shapes: [][]int{{2, 3}}, Params: TransposeParams{[]int{1, -1}}},
		},
	},
	"broadcast_to": {
		reference: referenceBroadcast,
		bad: []Sample{
			{Shapes: [][]int{{2, 3}}, Params: BroadcastParams{[]int{2, 4}}}, {Shapes: [][]int{{2, 3}}, Params: BroadcastParams{[]int{3}}},
			{Shapes: [][]int{{3}}, Params: BroadcastParams{[]int{1}}}, {Shapes: [][]int{{}}, Params: BroadcastParams{[]int{-1}}},
			{Shapes: [][]int{{}}, Params: BroadcastParams{[]int{1 << 40, 1 << 40}}},
		},
	},
	"slice": {reference: referenceSlice, bad: badSlices},
	"embed": {
		reference: referenceEmbed,
		bad: []Sample{
			{Shapes: [][]int{{2}}, Params: EmbedParams{[]int{3}, spans(0, 3, 1)}}, {Shapes: [][]int{{2}}, Params: EmbedParams{[]int{2}, spans(1, 2, 1)}},
			{Shapes: [][]int{{2}}, Params: EmbedParams{[]int{2, 2}, spans(0, 2, 1)}}, {Shapes: [][]int{{0}}, Params: EmbedParams{[]int{-1}, spans(0, 0, 1)}},
		},
	},
	"concat": {
		reference: referenceConcat,
		bad: []Sample{
			{Shapes: [][]int{{2, 3}, {2, 2}}, Params: ConcatParams{0}}, {Shapes: [][]int{{2, 3}, {2}}, Params: ConcatParams{1}},
			{Shapes: [][]int{{2}}, Params: ConcatParams{1}}, {Shapes: [][]int{{}, {}}, Params: ConcatParams{0}},
		},
	},
	"take": {
		reference: referenceTake, fixed: map[int]dtype.DType{1: dtype.Int64}, dtypes: values,
		indices: func(s Sample) (int, int) {
			p := s.Params.(TakeParams)
			return indexRange(p.Mode, s.Shapes[0][(p.Axis+len(s.Shapes[0]))%len(s.Shapes[0])])
		},
		bad: []Sample{{Shapes: [][]int{{}, {2}}, Params: TakeParams{0, "raise"}}, {Shapes: [][]int{{3}, {2}}, Params: TakeParams{1, "raise"}}, {Shapes: [][]int{{3}, {2}}, Params: TakeParams{0, "wind"}}},
	},
	"scatter_add": {
		reference: referenceScatterAdd, ulps: 8, fixed: map[int]dtype.DType{1: dtype.Int64},
		indices: func(s Sample) (int, int) {
			p := s.Params.(ScatterParams)
			return indexRange(p.Mode, p.Shape[p.Axis])
		},
		bad: []Sample{
			{Shapes: [][]int{{2}, {3}}, Params: ScatterParams{[]int{4}, 0, "raise"}}, {Shapes: [][]int{{2}, {2}}, Params: ScatterParams{[]int{4}, -2, "raise"}},
			{Shapes: [][]int{{2, 2}, {2}}, Params: ScatterParams{[]int{4, -1}, 0, "raise"}},
		},
	},
	"one_hot": {
		reference: referenceOneHot, fixed: map[int]dtype.DType{0: dtype.Int64},
		indices: func(s Sample) (int, int) { return 0, s.Params.(OneHotParams).Depth },
		bad:     []Sample{{Shapes: [][]int{{2}}, Params: OneHotParams{-1, dtype.Float32}}, {Shapes: [][]int{{2}}, Params: OneHotParams{3, dtype.Bool}}, {Shapes: [][]int{{2}}, Params: OneHotParams{3, 99}}},
	},

	"fill": {
		reference: referenceFill,
		bad: []Sample{
			{Params: FillParams{Shape: []int{-1}, DType: dtype.Float32}}, {Params: FillParams{Shape: []int{1}}},
			{Params: FillParams{Shape: []int{1 << 33, 1 << 31}, DType: dtype.Float32}}, {Params: FillParams{Shape: []int{1<<62 + 1, 4}, DType: dtype.Float32}},
		},
	},
	"uniform": {
		reference: referenceUniform,
		bad: []Sample{
			{Params: UniformParams{Shape: []int{1}, DType: dtype.Int64, High: 1}}, {Params: UniformParams{Shape: []int{-1}, DType: dtype.Float32, High: 1}},
			{Params: UniformParams{Shape: []int{1}, DType: dtype.Float32, Low: 1}}, {Params: UniformParams{Shape: []int{1}, DType: dtype.Float32, High: math.NaN()}},
			{Params: UniformParams{Shape: []int{1}, DType: dtype.Float32, Low: math.Inf(1), High: math.Inf(1)}},
			{Params: UniformParams{Shape: []int{1}, DType: dtype.Float64, Low: -math.MaxFloat64, High: math.MaxFloat64}},
		},
	},
	"normal": { // the kernel's logarithm, sine and cosine are polynomials with errors of a few units
		reference: referenceNormal, ulps: 8,
		bad: []Sample{{Params: NormalParams{Shape: []int{1}, DType: dtype.Float32, Deviation: -1}}, {Params: NormalParams{Shape: []int{1}, DType: dtype.Bool}}},
	},
	"permutation": {reference: referencePermutation, bad: []Sample{{Params: PermutationParams{Count: -1}}}},

	"sgd": {
		reference: referenceSGD, ulps: 4, // four roundings
		bad: []Sample{
			{Shapes: [][]int{{2}, {2}}, Params: SGDParams{}}, {Shapes: [][]int{{2}, {2}, {3}}, Params: SGDParams{}}, {Shapes: [][]int{{2}, {}, {2}}, Params: SGDParams{}},
			{Shapes: [][]int{{2}, {2}, {2}}, Params: SGDParams{Momentum: -1}}, {Shapes: [][]int{{2}, {2}, {2}}, Params: SGDParams{WeightDecay: math.NaN()}},
		},
	},
}

var (
	unbroadcastable = []Sample{{Shapes: [][]int{{2}, {3}}}, {Shapes: [][]int{{3, 2}, {4, 2}}}, {Shapes: [][]int{{0}, {2}}}}
	badReductions   = []Sample{
		{Shapes: [][]int{{2, 3}}, Params: ReduceParams{Axes: []int{2}}}, {Shapes: [][]int{{2, 3}}, Params: ReduceParams{Axes: []int{-3}}},
		{Shapes: [][]int{{2, 3}}, Params: ReduceParams{Axes: []int{1, -1}}},
	}
	badSoftmax = []Sample{{Shapes: [][]int{{}}, Params: SoftmaxParams{-1}}, {Shapes: [][]int{{2, 3}}, Params: SoftmaxParams{2}}}
	badSlices  = []Sample{
		{Shapes: [][]int{{3}}, Params: SliceParams{}}, {Shapes: [][]int{{3}}, Params: SliceParams{spans(0, 4, 1)}}, {Shapes: [][]int{{3}}, Params: SliceParams{spans(2, 2, 1)}},
		{Shapes: [][]int{{3}}, Params: SliceParams{spans(1, 3, -1)}}, {Shapes: [][]int{{3}}, Params: SliceParams{spans(0, -1, 1)}}, {Shapes: [][]int{{3}}, Params: SliceParams{spans(0, 1, 0)}},
	}
)

// isEmpty reports whether a call has an operand or a result without elements.
func isEmpty(op *Operator, s Sample) bool {
	for _, shape := range s.Shapes {
		if slices.Contains(shape, 0) {
			return true
		}
	}
	c := newCase(op, s, dtypesOf(op)[0])
	return len(c.row.reference(c.in, s.Params)[0].values) == 0
}

func TestEveryOperatorHasOneRow(t *testing.T) {
	names := []string{}
	for _, op := range All() {
		names = append(names, op.Name)
		require.True(t, slices.ContainsFunc(op.Samples, func(s Sample) bool { return isEmpty(op, s) }), "%s has no sample without elements", op.Name)
	}
	require.Equal(t, names, slices.Sorted(maps.Keys(operators)))
}
