package ops

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/resource"
)

// row is what the tests know of one operator beside its registry entry.
type row struct {
	// reference computes the results, then the new contents of the operands that are updated in place.
	reference func(in []array, params any) []array
	// drawn is reference for an operator that draws.
	drawn func(in []array, params any, ticket resource.Ticket) []array
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
	// takes reports whether the operator takes elements of type d with the given parameters; nil takes all.
	takes func(params any, d dtype.DType) bool
	// integer is the exact result for int64 elements of an element-wise operator.
	integer func(x ...int64) int64
	// flat tells that no operand has a gradient, because the results stay the same between steps.
	flat bool
	// prepare changes operands to ones that are legal; each of their elements needs memory of its own then.
	prepare func(in []array)
	// bad are calls whose shapes or parameters are mistakes.
	bad []Sample
}

// operators has one row for each operator. Where ulps is zero, each result is one IEEE operation or a copy; for float32 it is
// computed in float64 and rounded again, which is as good as once for + − · / and sqrt (Figueroa, "When is double rounding
// innocuous?", SIGNUM Newsletter 30(3), 1995).
var operators = map[string]row{
	"neg":    {reference: wrapping(func(x ...float64) float64 { return -x[0] }), integer: func(x ...int64) int64 { return -x[0] }, dtypes: someNumbers},
	"square": {reference: pointwise(func(x ...float64) float64 { return x[0] * x[0] }), integer: func(x ...int64) int64 { return x[0] * x[0] }, dtypes: someNumbers},
	"relu":   {reference: pointwise(func(x ...float64) float64 { return max(x[0], 0) }), integer: func(x ...int64) int64 { return max(x[0], 0) }, dtypes: someNumbers},
	"relu_gradient": {
		reference: pointwise(func(x ...float64) float64 {
			if x[0] > 0 {
				return x[1]
			}
			return 0
		}), bad: unbroadcastable,
	},
	"sqrt": {reference: pointwise(func(x ...float64) float64 { return math.Sqrt(x[0]) }), low: 0.5, high: 9},
	// Both package math and the kernels promise less than two units.
	"exp":      {reference: pointwise(func(x ...float64) float64 { return math.Exp(x[0]) }), ulps: 2},
	"log":      {reference: pointwise(func(x ...float64) float64 { return logarithm(x[0]) }), low: 0.5, high: 9, ulps: 2},
	"tanh":     {reference: pointwise(func(x ...float64) float64 { return math.Tanh(x[0]) }), ulps: 3},
	"erf":      {reference: pointwise(func(x ...float64) float64 { return math.Erf(x[0]) }), ulps: 3},
	"sigmoid":  {reference: pointwise(func(x ...float64) float64 { return 1 / (1 + math.Exp(-x[0])) }), ulps: 4},
	"rsqrt":    {reference: pointwise(func(x ...float64) float64 { return 1 / math.Sqrt(x[0]) }), low: 0.5, high: 9, ulps: 2},
	"cbrt":     {reference: pointwise(func(x ...float64) float64 { return math.Cbrt(x[0]) }), low: 0.5, high: 9, ulps: 2},
	"exp2":     {reference: pointwise(func(x ...float64) float64 { return math.Exp2(x[0]) }), ulps: 2},
	"expm1":    {reference: pointwise(func(x ...float64) float64 { return math.Expm1(x[0]) }), ulps: 2},
	"log2":     {reference: pointwise(func(x ...float64) float64 { return logarithm(x[0]) / math.Ln2 }), low: 0.5, high: 9, ulps: 3},
	"log10":    {reference: pointwise(func(x ...float64) float64 { return logarithm(x[0]) / math.Ln10 }), low: 0.5, high: 9, ulps: 3},
	"log1p":    {reference: pointwise(func(x ...float64) float64 { return math.Log1p(x[0]) }), low: -0.5, high: 9, ulps: 2},
	"sin":      {reference: pointwise(func(x ...float64) float64 { return sine(x[0]) }), ulps: 2},
	"cos":      {reference: pointwise(func(x ...float64) float64 { return cosine(x[0]) }), ulps: 2},
	"tan":      {reference: pointwise(func(x ...float64) float64 { return tangent(x[0]) }), low: -1.2, high: 1.2, ulps: 4},
	"asin":     {reference: pointwise(func(x ...float64) float64 { return math.Asin(x[0]) }), low: -0.9, high: 0.9, ulps: 4},
	"acos":     {reference: pointwise(func(x ...float64) float64 { return math.Acos(x[0]) }), low: -0.9, high: 0.9, ulps: 4},
	"atan":     {reference: pointwise(func(x ...float64) float64 { return math.Atan(x[0]) }), ulps: 2},
	"sinh":     {reference: pointwise(func(x ...float64) float64 { return math.Sinh(x[0]) }), ulps: 4},
	"cosh":     {reference: pointwise(func(x ...float64) float64 { return math.Cosh(x[0]) }), ulps: 2},
	"asinh":    {reference: pointwise(func(x ...float64) float64 { return math.Asinh(x[0]) }), ulps: 2},
	"acosh":    {reference: pointwise(func(x ...float64) float64 { return math.Acosh(x[0]) }), low: 1.5, high: 9, ulps: 4},
	"atanh":    {reference: pointwise(func(x ...float64) float64 { return math.Atanh(x[0]) }), low: -0.9, high: 0.9, ulps: 2},
	"silu":     {reference: pointwise(func(x ...float64) float64 { return max(x[0], -1e4) / (1 + math.Exp(-x[0])) }), ulps: 4},
	"softplus": {reference: pointwise(func(x ...float64) float64 { return max(x[0], 0) + math.Log1p(math.Exp(-math.Abs(x[0]))) }), ulps: 2},
	"gelu":     {reference: pointwise(func(x ...float64) float64 { return max(x[0], -1e4) * (math.Erfc(-x[0]/math.Sqrt2) / 2) }), ulps: 16},

	"gelu_gradient": {reference: referenceGeluGradient, ulps: 8, bad: unbroadcastable},

	"add": arithmeticRow(func(x ...float64) float64 { return x[0] + x[1] }, func(x ...int64) int64 { return x[0] + x[1] }),
	"sub": arithmeticRow(func(x ...float64) float64 { return x[0] - x[1] }, func(x ...int64) int64 { return x[0] - x[1] }),
	"mul": arithmeticRow(func(x ...float64) float64 { return x[0] * x[1] }, func(x ...int64) int64 { return x[0] * x[1] }),
	"div": {reference: pointwise(func(x ...float64) float64 { return x[0] / x[1] }), low: 0.5, high: 3, bad: unbroadcastable},
	"pow": {
		reference: wrapping(func(x ...float64) float64 { return power(x[0], x[1]) }), integer: integerPower, dtypes: someNumbers,
		low: 0.5, high: 3, ulps: 3, bad: unbroadcastable,
	},
	"hypot":     {reference: pointwise(func(x ...float64) float64 { return math.Hypot(x[0], x[1]) }), ulps: 2, bad: unbroadcastable},
	"atan2":     {reference: pointwise(func(x ...float64) float64 { return math.Atan2(x[0], x[1]) }), ulps: 3, bad: unbroadcastable},
	"logaddexp": {reference: pointwise(logAddExp), low: 0.5, high: 3, ulps: 2, bad: unbroadcastable},
	"copysign":  {reference: pointwise(func(x ...float64) float64 { return math.Copysign(x[0], x[1]) }), bad: unbroadcastable},
	"signbit":   {reference: telling(math.Signbit)},
	"nextafter": {reference: referenceNextAfter, bad: unbroadcastable},
	"clamp": {
		reference: pointwise(func(x ...float64) float64 { return min(max(x[0], x[1]), x[2]) }), dtypes: someNumbers,
		bad: []Sample{{Shapes: [][]int{{2}, {3}, {}}}, {Shapes: [][]int{{}, {2}, {3}}}},
	},
	"maximum": arithmeticRow(func(x ...float64) float64 { return max(x[0], x[1]) }, func(x ...int64) int64 { return max(x[0], x[1]) }),
	"greater": comparisonRow(func(x, y float64) bool { return x > y }),
	"equal":   comparisonRow(func(x, y float64) bool { return x == y }),
	"where": {
		reference: referenceWhere, fixed: map[int]dtype.DType{0: dtype.Bool}, dtypes: append(someDiscrete, floats...),
		bad: []Sample{{Shapes: [][]int{{2}, {3}, {}}}, {Shapes: [][]int{{}, {2}, {3}}}},
	},

	"sum":           {reference: reducedTo(toWide, referenceSum), ulps: 21, bad: badReductions}, // chains of 16 + 4 + log2(n/256) additions
	"prod":          {reference: referenceProduct, ulps: 40, low: 0.5, high: 1.7, bad: badReductions},
	"mean":          {reference: reducedTo(floatOf, referenceMean), ulps: 21, bad: badReductions},
	"max":           {reference: reducedTo(toSame, referenceMax), bad: append(badReductions, Sample{Shapes: [][]int{{0, 3}}, Params: ReduceParams{}})},
	"min":           {reference: reducedTo(toSame, referenceMin), bad: append(badReductions, Sample{Shapes: [][]int{{0, 3}}, Params: ReduceParams{}})},
	"argmax":        {reference: reducedTo(toIndex, referenceArgmax), ties: true, bad: append(badReductions, Sample{Shapes: [][]int{{3, 0}}, Params: ReduceParams{Axes: []int{1}}})},
	"argmin":        {reference: reducedTo(toIndex, referenceArgmin), ties: true, bad: append(badReductions, Sample{Shapes: [][]int{{3, 0}}, Params: ReduceParams{Axes: []int{1}}})},
	"any":           {reference: reducedTo(toBool, referenceAny), ties: true, bad: badReductions},
	"all":           {reference: reducedTo(toBool, referenceAll), ties: true, bad: badReductions},
	"count_nonzero": {reference: reducedTo(toIndex, referenceNonzero), ties: true, bad: badReductions},
	"var":           {reference: referenceSpread(false), ulps: 44, bad: badSpreads},
	"std":           {reference: referenceSpread(true), ulps: 44, bad: badSpreads},
	"logsumexp":     {reference: reducedTo(floatOf, referenceLogSumExp), ulps: 8, bad: badReductions},
	"norm":          {reference: referenceNorm, ulps: 8, bad: badNorms},
	"cumsum":        {reference: cumulative(toWide, 0, func(a, b float64) float64 { return a + b }), ulps: 30, bad: badScans},
	"cumprod":       {reference: referenceCumProd, ulps: 30, low: 0.5, high: 1.7, bad: badScans},
	"cummax":        {reference: cumulative(toSame, math.Inf(-1), func(a, b float64) float64 { return max(a, b) }), bad: badScans},
	"cummin":        {reference: cumulative(toSame, math.Inf(1), func(a, b float64) float64 { return min(a, b) }), bad: badScans},
	"recurrence": {
		reference: referenceRecurrence, ulps: 20,
		bad: []Sample{{Shapes: [][]int{{2}, {3}}, Params: ScanParams{}}, {Shapes: [][]int{{2}, {2}}, Params: ScanParams{Axis: 1}}, {Shapes: [][]int{{}, {}}, Params: ScanParams{}}},
	},
	"matmul": { // γ of 90 terms (Higham, "Accuracy and stability of numerical algorithms", 3.1), in the kernel and here
		reference: referenceMatmul, ulps: 90,
		bad: []Sample{{Shapes: [][]int{{2, 3}, {2, 3}}}, {Shapes: [][]int{{}, {3}}}, {Shapes: [][]int{{2, 2, 3}, {3, 3, 2}}}, {Shapes: [][]int{{3}, {2, 4}}}},
	},
	"linear": {
		reference: referenceLinear, ulps: 94, // the product's, and four roundings
		bad: []Sample{
			{Shapes: [][]int{{2, 3}, {4, 2}, {2}}, Params: LinearParams{NoActivation, 1}}, {Shapes: [][]int{{}, {3, 2}, {2}}, Params: LinearParams{NoActivation, 1}},
			{Shapes: [][]int{{3}, {3}, {1}}, Params: LinearParams{NoActivation, 1}}, {Shapes: [][]int{{2, 3}, {3, 2}, {3}}, Params: LinearParams{NoActivation, 1}},
			{Shapes: [][]int{{2, 3}, {3, 2}, {4, 2, 2}}, Params: LinearParams{NoActivation, 1}}, {Shapes: [][]int{{2, 3}, {3, 2}, {2}}, Params: LinearParams{"tanh", 1}},
			{Shapes: [][]int{{2, 3}, {3, 2}, {2}, {2}, {2}}, Params: LinearParams{NoActivation, 1}},
		},
	},
	"linear_gradient": {
		reference: referenceLinearGradient, ulps: 90,
		bad: []Sample{
			{Shapes: [][]int{{2, 3}, {4, 2}, {2, 2}, {2, 2}}, Params: LinearGradientParams{}}, {Shapes: [][]int{{3}, {3, 2}, {2}, {2}}, Params: LinearGradientParams{}},
			{Shapes: [][]int{{2, 3}, {3, 2}, {2, 3}, {2, 2}}, Params: LinearGradientParams{}}, {Shapes: [][]int{{2, 3}, {3, 2}, {2, 2}, {2}}, Params: LinearGradientParams{}},
		},
	},

	"conv":      {reference: referenceConv, ulps: 40, bad: badConvs}, // γ of the terms, in the kernel and here
	"conv_bias": {reference: referenceConv, ulps: 40, bad: append(withBias(badConvs), Sample{Shapes: [][]int{{1, 1, 4}, {2, 1, 2}, {3}}, Params: ConvParams{}}, Sample{Shapes: [][]int{{1, 1, 4}, {2, 1, 2}, {}}, Params: ConvParams{}})},
	"conv_transpose": {
		reference: referenceConvTranspose, ulps: 40,
		bad: []Sample{
			{Shapes: [][]int{{1, 2, 4}, {3, 2, 2}}, Params: ConvTransposeParams{}}, {Shapes: [][]int{{1, 2, 4}, {2, 2, 2}}, Params: ConvTransposeParams{OutputPadding: []int{1}}},
			{Shapes: [][]int{{1, 2, 4}, {2, 2, 2}}, Params: ConvTransposeParams{Stride: []int{2}, OutputPadding: []int{-1}}}, {Shapes: [][]int{{1, 2, 4}, {2, 2, 2}}, Params: ConvTransposeParams{Padding: []int{3}}},
			{Shapes: [][]int{{1, 2, 4}, {2, 2, 2}}, Params: ConvTransposeParams{Groups: 3}}, {Shapes: [][]int{{1, 2, 0}, {2, 2, 2}}, Params: ConvTransposeParams{}}, {Shapes: [][]int{{1, 2, 4}, {2, 2, 0}}, Params: ConvTransposeParams{}},
		},
	},
	"conv_gradient_data": {
		reference: referenceConvGradientData, ulps: 40,
		bad: []Sample{
			{Shapes: [][]int{{1, 2, 4}, {3, 2, 2}}, Params: ConvGradientDataParams{Shape: []int{5}}}, {Shapes: [][]int{{1, 2, 4}, {2, 2, 2}}, Params: ConvGradientDataParams{Shape: []int{6}}},
			{Shapes: [][]int{{1, 2, 4}, {2, 2, 2}}, Params: ConvGradientDataParams{Shape: []int{-5}}}, {Shapes: [][]int{{1, 2, 4}, {2, 2, 2}}, Params: ConvGradientDataParams{}},
		},
	},
	"conv_gradient_weights": {
		reference: referenceConvGradientWeights, ulps: 120,
		bad: []Sample{
			{Shapes: [][]int{{1, 2, 4}, {2, 2, 3}}, Params: ConvGradientWeightsParams{Kernel: []int{2}}}, {Shapes: [][]int{{1, 2, 4}, {1, 2, 3}}, Params: ConvGradientWeightsParams{Kernel: []int{3}}},
			{Shapes: [][]int{{1, 2, 4}, {1, 3, 3}}, Params: ConvGradientWeightsParams{Kernel: []int{2}, Groups: 2}}, {Shapes: [][]int{{1, 2, 4}, {1, 2, 3}}, Params: ConvGradientWeightsParams{Kernel: []int{-1}}},
			{Shapes: [][]int{{1, 2, 4}, {1, 2, 5}}, Params: ConvGradientWeightsParams{Kernel: []int{0}}},
		},
	},

	"conv_max_pool": {reference: referenceConvMaxPool, ulps: 40, bad: badConvMaxPools},
	"conv_max_pool_gradient_data": {
		reference: referenceConvMaxPoolGradientData, ulps: 40, fixed: map[int]dtype.DType{1: dtype.Int32}, indices: func(Sample) (int, int) { return 0, 12 },
		bad: badConvMaxPoolGradientsOfData,
	},
	"conv_max_pool_gradient_weights": {
		reference: referenceConvMaxPoolGradientWeights, ulps: 120, fixed: map[int]dtype.DType{2: dtype.Int32}, indices: func(Sample) (int, int) { return 0, 12 },
		bad: badConvMaxPoolGradientsOfWeights,
	},

	"softmax":     {reference: alongAxis(softmaxOf), ulps: 8, bad: badSoftmax}, // exp, the sum of 5 and two roundings
	"log_softmax": {reference: alongAxis(logSoftmaxOf), ulps: 4, bad: badSoftmax},
	"softmax_cross_entropy": {
		reference: referenceCrossEntropy, ulps: 4, fixed: map[int]dtype.DType{1: dtype.Int64},
		indices: func(s Sample) (int, int) { return 0, s.Shapes[0][1] },
		bad:     []Sample{{Shapes: [][]int{{3, 4}, {4}}}, {Shapes: [][]int{{3}, {3}}}, {Shapes: [][]int{{3, 4}, {3, 1}}}},
	},

	"softmax_gradient":     {reference: referenceSoftmaxGradient, ulps: 8, bad: badSoftmaxGradient},
	"log_softmax_gradient": {reference: referenceLogSoftmaxGradient, ulps: 8, bad: badSoftmaxGradient},
	"softmax_cross_entropy_gradient": {
		reference: referenceCrossEntropyGradient, ulps: 8, fixed: map[int]dtype.DType{1: dtype.Int64},
		indices: func(s Sample) (int, int) { return 0, s.Shapes[0][1] },
		bad:     []Sample{{Shapes: [][]int{{3, 4}, {4}, {4}}}, {Shapes: [][]int{{3}, {3}, {3}}}, {Shapes: [][]int{{3, 4}, {3}, {3, 1}}}},
	},

	// Errors are counted in units of the terms that the results are sums of.
	"attention":               {reference: referenceAttention, ulps: 4, bad: badAttention()},
	"attention_gradient":      {reference: referenceAttentionGradient, ulps: 16, prepare: makeAttended, bad: badAttentionGradient()},
	"self_attention":          {reference: referenceSelfAttention, ulps: 4, bad: badSelfAttention()},
	"self_attention_gradient": {reference: referenceSelfAttentionGradient, ulps: 16, prepare: makeSelfAttended, bad: badSelfAttentionGradient()},

	"lstm":           recurrentRow(referenceLSTM(5), 4, 0, badRecurrent(LSTM.Samples[0])),
	"lstm_inference": recurrentRow(referenceLSTM(3), 4, 0, badRecurrent(LSTM.Samples[0])),
	"lstm_gradient":  recurrentRow(referenceLSTMGradient, 3, 4, badRecurrent(LSTMGradient.Samples[0])),
	"gru":            recurrentRow(referenceGRU(3), 4, 0, badRecurrent(GRU.Samples[0])),
	"gru_inference":  recurrentRow(referenceGRU(2), 4, 0, badRecurrent(GRU.Samples[0])),
	"gru_gradient":   recurrentRow(referenceGRUGradient, 2, 3, badRecurrent(GRUGradient.Samples[0])),
	"rnn":            recurrentRow(referenceRNN, 3, 0, badRecurrent(RNN.Samples[0])),
	"rnn_gradient":   recurrentRow(referenceRNNGradient, 2, 3, badRecurrent(RNNGradient.Samples[0])),

	"layer_norm":          {reference: referenceLayerNorm, ulps: 8, bad: badRowNorm([]int{3}, []int{4})},
	"rms_norm":            {reference: referenceRMSNorm, ulps: 8, bad: badRowNorm(nil, nil)},
	"layer_norm_gradient": {reference: referenceLayerNormGradient, ulps: 16, bad: badRowNorm([]int{2, 3}, []int{2, 4})},
	"rms_norm_gradient":   {reference: referenceRMSNormGradient, ulps: 16, bad: badRowNorm([]int{2, 3}, []int{2, 4})},
	"batch_norm":          {reference: referenceBatchNorm, ulps: 8, bad: badChannelNorm(BatchNormParams{1e-5}, BatchNormParams{-1}, []int{3}, []int{4})},
	"group_norm":          {reference: referenceGroupNorm, ulps: 8, bad: append(badChannelNorm(GroupNormParams{1, 1e-5}, GroupNormParams{0, 1}, []int{3}, []int{4}), Sample{[][]int{{2, 3}, {3}, {3}}, GroupNormParams{2, 1}})},
	"batch_norm_gradient": {reference: referenceChannelNormGradient, ulps: 16, bad: badChannelNorm(BatchNormParams{1e-5}, BatchNormParams{math.NaN()}, []int{2, 3}, []int{3, 2})},
	"group_norm_gradient": {reference: referenceChannelNormGradient, ulps: 16, bad: badChannelNorm(GroupNormParams{1, 1e-5}, GroupNormParams{-1, 1}, []int{2, 3}, []int{3, 2})},
	"batch_norm_inference": {
		reference: referenceBatchNormInference, ulps: 8, low: 0.5, high: 3,
		bad: []Sample{
			{[][]int{{2, 3}, {3}, {3}, {3}, {2}}, BatchNormParams{1e-5}}, {[][]int{{2, 3}, {3}, {3}, {1}, {3}}, BatchNormParams{1e-5}},
			{[][]int{{2, 3}, {3}, {3}, {3}, {3}}, BatchNormParams{-1}}, {[][]int{{3}, {3}, {3}, {3}, {3}}, BatchNormParams{1e-5}},
		},
	},
	"running_average": {
		reference: inPlace(func(in []array, i int, params any) float64 {
			p := params.(RunningAverageParams)
			return (1-p.Momentum)*in[0].values[i] + p.Momentum*p.Factor*in[1].values[i]
		}), ulps: 4,
		bad: []Sample{{[][]int{{2}, {3}}, RunningAverageParams{0.1, 1}}, {[][]int{{2}, {}}, RunningAverageParams{0.1, 1}}, {[][]int{{2}, {2}}, RunningAverageParams{1.1, 1}}},
	},

	"max_pool":              {reference: referenceMaxPool, bad: badPools},
	"average_pool":          {reference: referenceAveragePool, ulps: 8, bad: badPools},
	"average_pool_gradient": {reference: referenceAveragePoolGradient, ulps: 8, bad: badPools},
	"max_pool_gradient": {
		reference: referenceMaxPoolGradient, ulps: 4, fixed: map[int]dtype.DType{1: dtype.Int32}, indices: func(Sample) (int, int) { return 0, 12 },
		bad: []Sample{
			{[][]int{{1, 2, 3}, {1, 2, 4}}, PlaneParams{[]int{1, 2, 9}}}, {[][]int{{1, 2, 3}, {1, 2, 3}}, PlaneParams{[]int{2, 2, 9}}},
			{[][]int{{1, 2}, {1, 2}}, PlaneParams{[]int{1, 2}}}, {[][]int{{1, 2, 3}, {1, 2, 3}}, PlaneParams{[]int{1, 2, -1}}},
			{[][]int{{1, 2, 3}, {1, 2, 3}}, PlaneParams{[]int{1, 2, 3, 4}}}, {[][]int{{1, 2, 3}, {1, 2, 3}}, PlaneParams{[]int{1, 2, 1 << 31}}},
		},
	},
	"max_pool_select": {
		reference: referenceMaxPoolSelect, fixed: map[int]dtype.DType{1: dtype.Int32}, indices: func(Sample) (int, int) { return 0, 12 },
		bad: []Sample{{Shapes: [][]int{{1, 2, 3}, {1, 3, 3}}}, {Shapes: [][]int{{1, 2, 3}, {1, 2}}}, {Shapes: [][]int{{1, 2}, {1, 2}}}},
	},

	"copy": {reference: func(in []array, _ any) []array { return in }},
	"cast": {reference: referenceCast, dtypes: append(someDiscrete, floating...), bad: []Sample{{Shapes: [][]int{{2}}, Params: CastParams{}}, {Shapes: [][]int{{2}}, Params: CastParams{200}}}},
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
	"diagonal": {
		reference: referenceDiagonal,
		bad: []Sample{
			{Shapes: [][]int{{2}}, Params: DiagonalParams{0, 0, 0}}, {Shapes: [][]int{{2, 2}}, Params: DiagonalParams{0, 0, -2}}, {Shapes: [][]int{{2, 2}}, Params: DiagonalParams{0, 2, 0}},
		},
	},
	"sliding_windows": {
		reference: referenceSlidingWindows,
		bad: []Sample{
			{Shapes: [][]int{{}}, Params: SlidingWindowsParams{1, 1, 0}}, {Shapes: [][]int{{3}}, Params: SlidingWindowsParams{4, 1, 0}}, {Shapes: [][]int{{3, 3}}, Params: SlidingWindowsParams{1, 1, 2}},
			{Shapes: [][]int{{3}}, Params: SlidingWindowsParams{0, 1, 0}}, {Shapes: [][]int{{3}}, Params: SlidingWindowsParams{2, 0, 0}},
		},
	},
	"embed_diagonal": {
		reference: referenceEmbedDiagonal,
		bad: []Sample{
			{Shapes: [][]int{{2}}, Params: EmbedDiagonalParams{[]int{3, 3}, 0, 0, 1}}, {Shapes: [][]int{{2}}, Params: EmbedDiagonalParams{[]int{2}, 0, 0, 1}},
			{Shapes: [][]int{{0}}, Params: EmbedDiagonalParams{[]int{-1, 2}, 0, 0, 1}},
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
		reference: referenceTake, fixed: map[int]dtype.DType{1: dtype.Int64},
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
	"take_along_axis": {
		reference: referenceTakeAlongAxis, fixed: map[int]dtype.DType{1: dtype.Int64},
		indices: func(s Sample) (int, int) {
			p := s.Params.(TakeAlongAxisParams)
			return indexRange(p.Mode, s.Shapes[0][(p.Axis+len(s.Shapes[0]))%len(s.Shapes[0])])
		},
		bad: []Sample{
			{Shapes: [][]int{{}, {}}, Params: TakeAlongAxisParams{0, "raise", false}}, {Shapes: [][]int{{3}, {2, 1}}, Params: TakeAlongAxisParams{0, "raise", false}},
			{Shapes: [][]int{{2, 3}, {3, 3}}, Params: TakeAlongAxisParams{1, "raise", false}}, {Shapes: [][]int{{3}, {2}}, Params: TakeAlongAxisParams{0, "wind", false}},
		},
	},
	"put_along_axis": {
		reference: referencePutAlongAxis, ulps: 8, fixed: map[int]dtype.DType{1: dtype.Int64}, dtypes: dtype.All(),
		takes: func(params any, d dtype.DType) bool { return isReduced(params.(PutAlongAxisParams).Reduction, d) },
		indices: func(s Sample) (int, int) {
			p := s.Params.(PutAlongAxisParams)
			return indexRange(p.Mode, s.Shapes[0][(p.Axis+len(s.Shapes[0]))%len(s.Shapes[0])])
		},
		bad: []Sample{
			{Shapes: [][]int{{}, {}, {}}, Params: PutAlongAxisParams{0, "raise", ReduceNone}}, {Shapes: [][]int{{3}, {2, 1}, {}}, Params: PutAlongAxisParams{0, "raise", ReduceNone}},
			{Shapes: [][]int{{1, 3}, {3, 3}, {}}, Params: PutAlongAxisParams{1, "raise", ReduceNone}}, {Shapes: [][]int{{3}, {2}, {3}}, Params: PutAlongAxisParams{0, "raise", ReduceAdd}},
		},
	},
	"gather_nd": {
		reference: referenceGatherND, fixed: map[int]dtype.DType{1: dtype.Int64},
		indices: func(s Sample) (int, int) { return indexRange("raise", s.Shapes[0][s.Params.(GatherNDParams).Batch]) },
		bad: []Sample{
			{Shapes: [][]int{{3}, {}}, Params: GatherNDParams{}}, {Shapes: [][]int{{3}, {2, 2}}, Params: GatherNDParams{}}, {Shapes: [][]int{{3}, {2, 1}}, Params: GatherNDParams{1, false}},
			{Shapes: [][]int{{3}, {3}}, Params: GatherNDParams{1, false}}, {Shapes: [][]int{{3}, {3, 1}}, Params: GatherNDParams{-1, false}},
		},
	},
	"scatter_nd": {
		reference: referenceScatterND, ulps: 8, fixed: map[int]dtype.DType{1: dtype.Int64}, dtypes: dtype.All(),
		takes:   func(params any, d dtype.DType) bool { return isReduced(params.(ScatterNDParams).Reduction, d) },
		indices: func(s Sample) (int, int) { return indexRange("raise", s.Shapes[0][s.Params.(ScatterNDParams).Batch]) },
		bad: []Sample{
			{Shapes: [][]int{{3}, {}, {}}, Params: ScatterNDParams{0, ReduceNone}}, {Shapes: [][]int{{3}, {2, 2}, {2}}, Params: ScatterNDParams{0, ReduceNone}}, {Shapes: [][]int{{3}, {2, 1}, {3}}, Params: ScatterNDParams{0, ReduceNone}},
			{Shapes: [][]int{{3, 2}, {4, 1}, {4, 1, 2}}, Params: ScatterNDParams{0, ReduceAdd}}, {Shapes: [][]int{{3, 2}, {3, 1}, {3}}, Params: ScatterNDParams{2, ReduceNone}},
		},
	},
	"take_points": {
		reference: referenceTakePoints, fixed: map[int]dtype.DType{1: dtype.Int64, 2: dtype.Int64, 3: dtype.Int64},
		indices: func(s Sample) (int, int) { return indexRange("raise", s.Shapes[0][0]) },
		bad: []Sample{
			{Shapes: [][]int{{3}, {2}, {2}}, Params: TakePointsParams{}}, {Shapes: [][]int{{}, {2}}, Params: TakePointsParams{}},
			{Shapes: [][]int{{3, 3}, {3}, {2}}, Params: TakePointsParams{true}},
		},
	},
	"put_points": {
		reference: referencePutPoints, ulps: 8, fixed: map[int]dtype.DType{2: dtype.Int64, 3: dtype.Int64, 4: dtype.Int64}, dtypes: dtype.All(),
		takes:   func(params any, d dtype.DType) bool { return isReduced(params.(PutPointsParams).Reduction, d) },
		indices: func(s Sample) (int, int) { return indexRange("raise", s.Shapes[0][0]) },
		bad: []Sample{
			{Shapes: [][]int{{3}, {}, {2}, {2}}, Params: PutPointsParams{ReduceNone}}, {Shapes: [][]int{{3}, {3}, {2}}, Params: PutPointsParams{ReduceNone}},
			{Shapes: [][]int{{3, 2}, {4, 1, 2}, {4}}, Params: PutPointsParams{ReduceAdd}}, {Shapes: [][]int{{3, 3}, {}, {3}, {2}}, Params: PutPointsParams{ReduceNone}},
		},
	},
	"mask_take": {
		reference: referenceMaskTake, fixed: map[int]dtype.DType{1: dtype.Bool}, prepare: everyOtherTrue,
		bad: []Sample{
			{Shapes: [][]int{{3}, {}}, Params: MaskTakeParams{0, 2}}, {Shapes: [][]int{{3}, {2}}, Params: MaskTakeParams{0, 1}}, {Shapes: [][]int{{3}, {3}}, Params: MaskTakeParams{1, 2}},
			{Shapes: [][]int{{3}, {3}}, Params: MaskTakeParams{-1, 2}}, {Shapes: [][]int{{3}, {3}}, Params: MaskTakeParams{0, -1}}, {Shapes: [][]int{{3, 2}, {2, 3}}, Params: MaskTakeParams{0, 3}},
		},
	},
	"mask_put": {
		reference: referenceMaskPut, ulps: 8, fixed: map[int]dtype.DType{1: dtype.Bool}, dtypes: dtype.All(), prepare: everyOtherTrue,
		takes: func(params any, d dtype.DType) bool { return isReduced(params.(MaskPutParams).Reduction, d) },
		bad: []Sample{
			{Shapes: [][]int{{3}, {}, {}}, Params: MaskPutParams{0, ReduceNone}}, {Shapes: [][]int{{3}, {2}, {}}, Params: MaskPutParams{0, ReduceNone}}, {Shapes: [][]int{{3, 2}, {3}, {2, 3}}, Params: MaskPutParams{0, ReduceNone}},
			{Shapes: [][]int{{3}, {3}, {1, 2}}, Params: MaskPutParams{0, ReduceNone}}, {Shapes: [][]int{{3}, {3}, {2}}, Params: MaskPutParams{-1, ReduceAdd}},
		},
	},
	"pad": {
		reference: referencePad,
		bad: []Sample{
			{Shapes: [][]int{{3}}, Params: PadParams{}}, {Shapes: [][]int{{3}}, Params: PadParams{[]int{1}, []int{-1}, 0}}, {Shapes: [][]int{{3}}, Params: PadParams{[]int{-1}, []int{1}, 0}},
			{Shapes: [][]int{{3}}, Params: PadParams{[]int{1, 1}, []int{1}, 0}},
		},
	},
	"pad_with": {
		reference: referencePadWith,
		bad: []Sample{
			{Shapes: [][]int{{3}}, Params: PadWithParams{Mode: "edge"}}, {Shapes: [][]int{{3}}, Params: PadWithParams{[]int{1}, []int{-1}, "wrap"}}, {Shapes: [][]int{{0}}, Params: PadWithParams{[]int{1}, []int{0}, "edge"}},
			{Shapes: [][]int{{3}}, Params: PadWithParams{[]int{3}, []int{0}, "reflect"}}, {Shapes: [][]int{{3}}, Params: PadWithParams{[]int{0}, []int{4}, "symmetric"}}, {Shapes: [][]int{{3}}, Params: PadWithParams{[]int{4}, []int{0}, "wrap"}},
			{Shapes: [][]int{{3}}, Params: PadWithParams{[]int{1}, []int{1}, "around"}},
		},
	},
	"roll": {
		reference: referenceRoll,
		bad: []Sample{
			{Shapes: [][]int{{3}}, Params: RollParams{[]int{1}, []int{}}}, {Shapes: [][]int{{3}}, Params: RollParams{[]int{1}, []int{1}}}, {Shapes: [][]int{{3, 2}}, Params: RollParams{[]int{1, 2}, []int{0, -2}}},
		},
	},
	"tril": {reference: referenceTriangle(func(row, column, diagonal int) bool { return column <= row+diagonal }), bad: badTriangles},
	"triu": {reference: referenceTriangle(func(row, column, diagonal int) bool { return column >= row+diagonal }), bad: badTriangles},
	"one_hot": {
		reference: referenceOneHot, fixed: map[int]dtype.DType{0: dtype.Int64},
		indices: func(s Sample) (int, int) { return 0, s.Params.(OneHotParams).Depth },
		bad:     []Sample{{Shapes: [][]int{{2}}, Params: OneHotParams{-1, dtype.Float32}}, {Shapes: [][]int{{2}}, Params: OneHotParams{3, 99}}},
	},

	"sort":    {reference: referenceSort, bad: badSorts},
	"argsort": {reference: referenceArgSort, ties: true, bad: badSorts},
	"argtopk": {
		reference: referenceArgTopK, ties: true,
		bad: []Sample{
			{Shapes: [][]int{{3}}, Params: ArgTopKParams{K: 4}}, {Shapes: [][]int{{3}}, Params: ArgTopKParams{K: -1}}, {Shapes: [][]int{{3}}, Params: ArgTopKParams{K: 1, Axis: 1}},
			{Shapes: [][]int{{}}, Params: ArgTopKParams{}},
		},
	},
	"searchsorted": {
		reference: referenceSearchSorted, ties: true, prepare: func(in []array) { slices.Sort(in[0].values) },
		bad: []Sample{{Shapes: [][]int{{}, {3}}, Params: SearchSortedParams{}}, {Shapes: [][]int{{2, 3}, {3}}, Params: SearchSortedParams{}}},
	},
	"unique":        {reference: referenceUnique, ties: true},
	"unique_counts": {reference: referenceUniqueCounts, ties: true},
	"nonzero":       {reference: referenceIndicesOfNonzero, ties: true},
	"bincount": {
		reference: referenceBincount, fixed: map[int]dtype.DType{0: dtype.Int64},
		indices: func(s Sample) (int, int) { return 0, s.Params.(BincountParams).Length },
		bad:     []Sample{{Shapes: [][]int{{2}}, Params: BincountParams{-1}}},
	},

	"fill": {
		reference: referenceFill,
		bad: []Sample{
			{Params: FillParams{Shape: []int{-1}, DType: dtype.Float32}}, {Params: FillParams{Shape: []int{1}}},
			{Params: FillParams{Shape: []int{1 << 33, 1 << 31}, DType: dtype.Float32}}, {Params: FillParams{Shape: []int{1<<62 + 1, 4}, DType: dtype.Float32}},
		},
	},
	"uniform": {
		drawn: referenceUniform,
		bad: []Sample{
			{Params: UniformParams{Shape: []int{1}, DType: dtype.Int64, High: 1}}, {Params: UniformParams{Shape: []int{-1}, DType: dtype.Float32, High: 1}},
			{Params: UniformParams{Shape: []int{1}, DType: dtype.Float32, Low: 1}}, {Params: UniformParams{Shape: []int{1}, DType: dtype.Float32, High: math.NaN()}},
			{Params: UniformParams{Shape: []int{1}, DType: dtype.Float32, Low: math.Inf(1), High: math.Inf(1)}},
			{Params: UniformParams{Shape: []int{1}, DType: dtype.Float64, Low: -math.MaxFloat64, High: math.MaxFloat64}},
		},
	},
	"normal": { // the kernel's logarithm, sine and cosine are polynomials with errors of a few units
		drawn: referenceNormal, ulps: 8,
		bad: []Sample{{Params: NormalParams{Shape: []int{1}, DType: dtype.Float32, Deviation: -1}}, {Params: NormalParams{Shape: []int{1}, DType: dtype.Bool}}},
	},
	"permutation": {drawn: referencePermutation, bad: []Sample{{Params: PermutationParams{Count: -1}}}},

	// Errors are counted in units of the logarithms that the numbers are made of.
	"exponential": {drawn: referenceExponential, ulps: 4, bad: badOf(
		ExponentialParams{[]int{1}, dtype.Int64, 1}, ExponentialParams{[]int{-1}, dtype.Float32, 1}, ExponentialParams{[]int{1}, dtype.Float32, -1},
		ExponentialParams{[]int{1}, dtype.Float32, math.NaN()}, ExponentialParams{[]int{1}, dtype.Float32, math.Inf(1)})},
	"gumbel":   {drawn: placedAt(standardGumbel), ulps: 4, bad: badLocationScales},
	"laplace":  {drawn: placedAt(standardLaplace), ulps: 4, bad: badLocationScales},
	"logistic": {drawn: placedAt(standardLogistic), ulps: 4, bad: badLocationScales},
	"cauchy":   {drawn: placedAt(standardCauchy), ulps: 4, bad: badLocationScales},
	"log_normal": {drawn: referenceLogNormal, ulps: 8, bad: badOf(
		LogNormalParams{[]int{1}, dtype.Bool, 0, 1}, LogNormalParams{[]int{1}, dtype.Float32, 0, -1}, LogNormalParams{[]int{1}, dtype.Float32, math.Inf(1), 1},
		LogNormalParams{[]int{1}, dtype.Float32, 0, math.Inf(1)})},
	"truncated_normal": {drawn: referenceTruncatedNormal, ulps: 8, bad: badOf(
		TruncatedNormalParams{[]int{1}, dtype.Bool, 0, 1, -1, 1}, TruncatedNormalParams{[]int{1}, dtype.Float32, 0, -1, -1, 1},
		TruncatedNormalParams{[]int{1}, dtype.Float32, math.NaN(), 1, -1, 1}, TruncatedNormalParams{[]int{1}, dtype.Float32, 0, 1, 1, 0.9},
		TruncatedNormalParams{[]int{1}, dtype.Float32, 0, 1, math.NaN(), 1}, TruncatedNormalParams{[]int{1}, dtype.Float32, 0, 1, 1, math.NaN()},
		TruncatedNormalParams{[]int{1}, dtype.Float32, 0, 1, math.Inf(1), math.Inf(1)}, TruncatedNormalParams{[]int{1}, dtype.Float32, 0, 1, math.Inf(-1), math.Inf(-1)})},
	"gamma":      {drawn: referenceGamma, ulps: 8, bad: badConcentrationScales},
	"weibull":    {drawn: referenceWeibull, ulps: 8, bad: badConcentrationScales},
	"chi_square": {drawn: referenceChiSquare, ulps: 8, bad: badFreedoms},
	"student_t":  {drawn: referenceStudentT, ulps: 8, bad: badFreedoms},
	"beta": {drawn: referenceBeta, ulps: 8, bad: badOf(
		BetaParams{[]int{1}, dtype.Int8, 1, 1}, BetaParams{[]int{1}, dtype.Float32, 0, 1}, BetaParams{[]int{1}, dtype.Float32, 1, -1},
		BetaParams{[]int{1}, dtype.Float32, math.Inf(1), 1}, BetaParams{[]int{1}, dtype.Float32, 1, math.NaN()})},
	"dirichlet": {
		drawn: referenceDirichlet, ulps: 8, low: 1, high: 3,
		bad: []Sample{
			{Shapes: [][]int{{}}, Params: DirichletParams{}}, {Shapes: [][]int{{2, 0}}, Params: DirichletParams{}}, {Shapes: [][]int{{2}}, Params: DirichletParams{[]int{-1}}},
		},
	},
	"multivariate_normal": {
		drawn: referenceMultivariateNormal, ulps: 8,
		bad: []Sample{
			{Shapes: [][]int{{2}, {3, 3}}, Params: MultivariateNormalParams{}}, {Shapes: [][]int{{2, 1}, {2, 2}}, Params: MultivariateNormalParams{}},
			{Shapes: [][]int{{2}, {2}}, Params: MultivariateNormalParams{}}, {Shapes: [][]int{{2}, {2, 2}}, Params: MultivariateNormalParams{[]int{-3}}},
		},
	},
	"normal_replay": {
		reference: referenceNormalReplay, ulps: 8,
		bad: []Sample{{Shapes: [][]int{{}}, Params: NormalReplayParams{}}, {Shapes: [][]int{{2}}, Params: NormalReplayParams{Columns: -1}}},
	},
	"covariance_factor": {
		reference: referenceCovarianceFactor, ulps: 16, low: 1, high: 3, prepare: makeCovariance,
		bad: []Sample{
			{Shapes: [][]int{{}}, Params: CovarianceFactorParams{}}, {Shapes: [][]int{{2}}, Params: CovarianceFactorParams{}}, {Shapes: [][]int{{2, 3}}, Params: CovarianceFactorParams{}},
			{Shapes: [][]int{{2, 2, 2}}, Params: CovarianceFactorParams{}}, {Shapes: [][]int{{2, 2}}, Params: CovarianceFactorParams{-1}},
		},
	},

	"randint": {
		drawn: referenceRandint,
		bad: []Sample{
			{Params: RandintParams{Shape: []int{1}, DType: dtype.Float32}}, {Params: RandintParams{Shape: []int{1}, DType: dtype.Bool}}, {Params: RandintParams{Shape: []int{1}}},
			{Params: RandintParams{Shape: []int{-1}, DType: dtype.Int64}}, {Params: RandintParams{Shape: []int{1}, DType: dtype.Int64, Low: 1}},
			{Params: RandintParams{Shape: []int{1}, DType: dtype.Uint8, Low: -1}}, {Params: RandintParams{Shape: []int{1}, DType: dtype.Uint8, High: 256}},
			{Params: RandintParams{Shape: []int{1}, DType: dtype.Int8, Low: -129}}, {Params: RandintParams{Shape: []int{1}, DType: dtype.Int16, High: 1 << 15}},
			{Params: RandintParams{Shape: []int{1}, DType: dtype.Uint32, High: 1 << 32}}, {Params: RandintParams{Shape: []int{1}, DType: dtype.Uint64, Low: -1, High: 5}},
		},
	},
	"bernoulli": {
		drawn: referenceBernoulli,
		bad: []Sample{
			{Params: BernoulliParams{Shape: []int{1}, Probability: 1.5}}, {Params: BernoulliParams{Shape: []int{1}, Probability: -1e-300}},
			{Params: BernoulliParams{Shape: []int{1}, Probability: math.NaN()}}, {Params: BernoulliParams{Shape: []int{-1}}},
		},
	},
	"bernoulli_of": {drawn: referenceBernoulliOf, low: 0.05, high: 0.95},
	"poisson": {
		drawn: referencePoisson,
		bad: []Sample{
			{Params: PoissonParams{Shape: []int{1}, Rate: -1}}, {Params: PoissonParams{Shape: []int{1}, Rate: math.NaN()}}, {Params: PoissonParams{Shape: []int{1}, Rate: math.Inf(1)}},
			{Params: PoissonParams{Shape: []int{1}, Rate: 9.21e18}}, {Params: PoissonParams{Shape: []int{-1}}},
		},
	},
	"poisson_of": {drawn: referencePoissonOf, low: 0.1, high: 40},
	"binomial": {
		drawn: referenceBinomial,
		bad: []Sample{
			{Params: BinomialParams{Shape: []int{1}, Trials: -1}}, {Params: BinomialParams{Shape: []int{1}, Trials: 1<<53 + 1}}, {Params: BinomialParams{Shape: []int{-1}}},
			{Params: BinomialParams{Shape: []int{1}, Probability: 1.1}}, {Params: BinomialParams{Shape: []int{1}, Probability: math.NaN()}},
		},
	},
	"binomial_of": {
		drawn: referenceBinomialOf, low: 0.05, high: 0.95, fixed: map[int]dtype.DType{0: dtype.Int64}, dtypes: floats,
		indices: func(Sample) (int, int) { return 0, 60 }, bad: unbroadcastable,
	},
	"geometric": {
		drawn: referenceGeometric,
		bad: []Sample{
			{Params: GeometricParams{Shape: []int{1}}}, {Params: GeometricParams{Shape: []int{1}, Probability: 1.01}},
			{Params: GeometricParams{Shape: []int{1}, Probability: math.NaN()}}, {Params: GeometricParams{Shape: []int{-1}, Probability: 1}},
		},
	},
	"negative_binomial": {
		drawn: referenceNegativeBinomial,
		bad: []Sample{
			{Params: NegativeBinomialParams{Shape: []int{1}, Successes: 1}}, {Params: NegativeBinomialParams{Shape: []int{1}, Probability: 1}},
			{Params: NegativeBinomialParams{Shape: []int{1}, Successes: math.Inf(1), Probability: 1}}, {Params: NegativeBinomialParams{Shape: []int{1}, Successes: math.NaN(), Probability: 1}},
			{Params: NegativeBinomialParams{Shape: []int{-1}, Successes: 1, Probability: 1}},
		},
	},
	"categorical": {
		drawn: referenceCategorical, low: 0.1, high: 5,
		bad: []Sample{{Shapes: [][]int{{}}, Params: CategoricalParams{}}, {Shapes: [][]int{{3}}, Params: CategoricalParams{Shape: []int{-1}}}},
	},
	"multinomial": {
		drawn: referenceMultinomial, low: 0.1, high: 5,
		bad: []Sample{
			{Shapes: [][]int{{}}, Params: MultinomialParams{}}, {Shapes: [][]int{{3}}, Params: MultinomialParams{Shape: []int{-1}}},
			{Shapes: [][]int{{3}}, Params: MultinomialParams{Trials: -1}}, {Shapes: [][]int{{3}}, Params: MultinomialParams{Trials: 1<<53 + 1}},
		},
	},
	"choose": {
		drawn: referenceChoose,
		bad:   []Sample{{Params: ChooseParams{Population: 3, Count: 4}}, {Params: ChooseParams{Population: -1}}, {Params: ChooseParams{Population: 3, Count: -1}}},
	},
	"choose_weighted": {
		drawn: referenceChooseWeighted, low: 0.1, high: 5,
		bad: []Sample{
			{Shapes: [][]int{{}}, Params: ChooseWeightedParams{}}, {Shapes: [][]int{{3}}, Params: ChooseWeightedParams{Count: 4}},
			{Shapes: [][]int{{3}}, Params: ChooseWeightedParams{Count: -1}},
		},
	},
	"dropout":        {drawn: referenceDropout, bad: badDropout(DropoutParams{-0.1}, DropoutParams{1.1}, DropoutParams{math.NaN()})},
	"dropout_replay": {reference: referenceDropoutReplay, bad: badDropout(DropoutReplayParams{Probability: -0.1}, DropoutReplayParams{Probability: 1.1})},

	"asum":  {reference: reducedTo(toWide, referenceAsum), ulps: 21, bad: badReductions},
	"sumsq": {reference: reducedTo(toWide, referenceSumsq), ulps: 22, bad: badReductions}, // as sum, and the squares
	"update": {
		reference: inPlace(func(in []array, i int, _ any) float64 { return in[0].values[i] - in[1].values[i] }),
		bad:       []Sample{{Shapes: [][]int{{2}, {3}}}, {Shapes: [][]int{{2}, {}}}},
	},
	"clip_norm": {
		reference: referenceClipNorm, ulps: 2, // the factor is rounded, and the product
		bad: []Sample{
			{Shapes: [][]int{{2}}, Params: ClipNormParams{}}, {Shapes: [][]int{{2}}, Params: ClipNormParams{math.Inf(1)}},
			{Shapes: [][]int{{2}}, Params: ClipNormParams{-1}}, {Shapes: [][]int{{2}}, Params: ClipNormParams{math.NaN()}},
		},
	},
	"rescale": {reference: inPlace(func(in []array, i int, params any) float64 { return in[0].values[i] * params.(RescaleParams).Factor })},
	"sgd": {
		reference: referenceUpdate(1, referenceSGD), ulps: 4, // four roundings
		bad: []Sample{
			{Shapes: [][]int{{2}, {2}}, Params: SGDParams{}}, {Shapes: [][]int{{2}, {2}, {3}}, Params: SGDParams{}}, {Shapes: [][]int{{2}, {}, {2}}, Params: SGDParams{}},
			{Shapes: [][]int{{2}, {2}, {2}}, Params: SGDParams{Momentum: -1}}, {Shapes: [][]int{{2}, {2}, {2}}, Params: SGDParams{WeightDecays: []float64{math.NaN()}}},
			{Shapes: [][]int{{2}, {2}, {2}}, Params: SGDParams{LearningRates: []float64{math.Inf(1)}}}, {Shapes: [][]int{{2}, {2}, {2}}, Params: SGDParams{LearningRates: []float64{1, 2}}},
		},
	},
	"adam": {
		reference: referenceUpdate(2, referenceAdam), ulps: 8, low: 0.1, high: 2,
		bad: []Sample{
			{Shapes: [][]int{{2}, {2}, {2}}, Params: AdamParams{Step: 1}}, {Shapes: [][]int{{2}, {2}, {2}, {3}}, Params: AdamParams{Step: 1}},
			{Shapes: [][]int{{2}, {2}, {2}, {2}}, Params: AdamParams{}}, {Shapes: [][]int{{2}, {2}, {2}, {2}}, Params: AdamParams{Step: 1, Momentum: 1.5}},
			{Shapes: [][]int{{2}, {2}, {2}, {2}}, Params: AdamParams{Step: 1, LearningRates: []float64{-1}}},
		},
	},
	"rmsprop": {
		reference: referenceUpdate(2, referenceRMSProp), ulps: 8, low: 0.1, high: 2,
		bad: []Sample{
			{Shapes: [][]int{{2}, {2}, {2}}, Params: RMSPropParams{}}, {Shapes: [][]int{{2}, {2}, {3}, {2}}, Params: RMSPropParams{}},
			{Shapes: [][]int{{2}, {2}, {2}, {2}}, Params: RMSPropParams{Smoothing: 2}}, {Shapes: [][]int{{2}, {2}, {2}, {2}}, Params: RMSPropParams{Epsilon: math.NaN()}},
		},
	},
}

// logarithm is math.Log, whose assembly for amd64 is wrong below the normal numbers.
func logarithm(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// power is math.Pow, which is wrong where logarithm says that math.Log is.
func power(x, y float64) float64 {
	if x > 0 && x < 0x1p-1022 && math.Abs(y) < 10 {
		return math.Pow(x*0x1p54, y) * math.Pow(2, -54*y)
	}
	return math.Pow(x, y)
}

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
