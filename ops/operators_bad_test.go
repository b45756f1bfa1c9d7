package ops

import (
	"math"

	"github.com/weft-nd/weft/dtype"
)

// Calls with mistakes, of which several operators have the same.
var (
	unbroadcastable = []Sample{{Shapes: [][]int{{2}, {3}}}, {Shapes: [][]int{{3, 2}, {4, 2}}}, {Shapes: [][]int{{0}, {2}}}}
	badReductions   = []Sample{
		{Shapes: [][]int{{2, 3}}, Params: ReduceParams{Axes: []int{2}}}, {Shapes: [][]int{{2, 3}}, Params: ReduceParams{Axes: []int{-3}}},
		{Shapes: [][]int{{2, 3}}, Params: ReduceParams{Axes: []int{1, -1}}},
	}
	badLocationScales = badOf(
		LocationScaleParams{[]int{1}, dtype.Float16, 0, 1}, LocationScaleParams{[]int{1}, dtype.Float32, 0, -1}, LocationScaleParams{[]int{1}, dtype.Float32, math.NaN(), 1},
		LocationScaleParams{[]int{1}, dtype.Float32, math.Inf(1), 1}, LocationScaleParams{[]int{1}, dtype.Float32, 0, math.NaN()}, LocationScaleParams{[]int{1}, dtype.Float64, 0, math.Inf(1)})
	badConcentrationScales = badOf(
		ConcentrationScaleParams{[]int{1}, dtype.Int64, 1, 1}, ConcentrationScaleParams{[]int{1}, dtype.Float32, 0, 1}, ConcentrationScaleParams{[]int{1}, dtype.Float32, math.NaN(), 1},
		ConcentrationScaleParams{[]int{1}, dtype.Float32, math.Inf(1), 1}, ConcentrationScaleParams{[]int{1}, dtype.Float32, 1, -1}, ConcentrationScaleParams{[]int{1}, dtype.Float32, 1, math.Inf(1)})
	badFreedoms        = badOf(FreedomParams{[]int{1}, dtype.Int64, 1}, FreedomParams{[]int{1}, dtype.Float32, 0}, FreedomParams{[]int{1}, dtype.Float32, math.NaN()}, FreedomParams{[]int{1}, dtype.Float32, math.Inf(1)})
	badSoftmax         = []Sample{{Shapes: [][]int{{}}, Params: SoftmaxParams{-1}}, {Shapes: [][]int{{2, 3}}, Params: SoftmaxParams{2}}}
	badSoftmaxGradient = []Sample{
		{Shapes: [][]int{{}, {}}, Params: SoftmaxParams{-1}}, {Shapes: [][]int{{2, 3}, {2, 3}}, Params: SoftmaxParams{2}}, {Shapes: [][]int{{2, 3}, {3}}, Params: SoftmaxParams{-1}},
	}
	badPools = []Sample{
		{[][]int{{2, 3, 4}}, PoolParams{Shape: []int{2, 3, 4}}}, {[][]int{{2, 3, 4}}, PoolParams{Kernel: []int{2, 2}, Shape: []int{2, 3, 4}}},
		{[][]int{{2, 3, 4}}, PoolParams{Kernel: []int{5}, Shape: []int{2, 3, 4}}}, {[][]int{{2, 3, 4}}, PoolParams{Kernel: []int{0}, Shape: []int{2, 3, 4}}},
		{[][]int{{2, 3, 4}}, PoolParams{Kernel: []int{2}, Stride: []int{1, 1}, Shape: []int{2, 3, 4}}},
		{[][]int{{2, 3, 4}}, PoolParams{Kernel: []int{2}, Stride: []int{-1}, Shape: []int{2, 3, 4}}},
		{[][]int{{2, 3, 4}}, PoolParams{Kernel: []int{2}, Padding: []int{1, 1, 1}, Shape: []int{2, 3, 4}}},
		{[][]int{{2, 3, 4}}, PoolParams{Kernel: []int{2}, Dilation: []int{4}, Shape: []int{2, 3, 4}}},
		{[][]int{{2, 3, 4}}, PoolParams{Kernel: []int{1 << 40}, Dilation: []int{1 << 40}, Shape: []int{2, 3, 4}}},
		{[][]int{{2, 3, 4}}, PoolParams{Kernel: []int{2}, Padding: []int{-1}, Shape: []int{2, 3, 4}}},
		{[][]int{{1, 1, 1, 1, 1, 1}}, PoolParams{Kernel: []int{1, 1, 1, 1}, Shape: []int{1, 1, 1, 1, 1, 1}}},
	}
	badConvs = []Sample{
		{Shapes: [][]int{{1, 2}, {1, 2}}, Params: ConvParams{}}, {Shapes: [][]int{{1, 2, 3}, {1, 2, 1, 1}}, Params: ConvParams{}}, {Shapes: [][]int{{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}}, Params: ConvParams{}},
		{Shapes: [][]int{{1, 2, 3}, {1, 3, 1}}, Params: ConvParams{}}, {Shapes: [][]int{{1, 2, 3}, {1, 2, 4}}, Params: ConvParams{}}, {Shapes: [][]int{{1, 2, 3}, {1, 2, 0}}, Params: ConvParams{}},
		{Shapes: [][]int{{1, 2, 3}, {3, 1, 1}}, Params: ConvParams{Groups: 2}}, {Shapes: [][]int{{1, 3, 3}, {2, 1, 1}}, Params: ConvParams{Groups: 2}}, {Shapes: [][]int{{1, 2, 3}, {1, 2, 1}}, Params: ConvParams{Groups: -1}},
		{Shapes: [][]int{{1, 2, 3}, {1, 2, 1}}, Params: ConvParams{Stride: []int{0}}}, {Shapes: [][]int{{1, 2, 3}, {1, 2, 1}}, Params: ConvParams{Dilation: []int{-1}}}, {Shapes: [][]int{{1, 2, 3}, {1, 2, 1}}, Params: ConvParams{Padding: []int{-1}}},
		{Shapes: [][]int{{1, 2, 3}, {1, 2, 1}}, Params: ConvParams{Padding: []int{0, -1}}}, {Shapes: [][]int{{1, 2, 3}, {1, 2, 1}}, Params: ConvParams{Stride: []int{1, 1}}}, {Shapes: [][]int{{1, 2, 3}, {1, 2, 1}}, Params: ConvParams{Dilation: []int{1 << 62}}},
		{Shapes: [][]int{{1, 2, 0}, {1, 2, 1}}, Params: ConvParams{}}, {Shapes: [][]int{{0, 2, 1 << 40}, {1, 2, 1}}, Params: ConvParams{}}, {Shapes: [][]int{{1, 2, 3}, {1, 2, 1}}, Params: ConvParams{Stride: []int{1 << 40}}},
	}
	badSlices = []Sample{
		{Shapes: [][]int{{3}}, Params: SliceParams{}}, {Shapes: [][]int{{3}}, Params: SliceParams{spans(0, 4, 1)}}, {Shapes: [][]int{{3}}, Params: SliceParams{spans(2, 2, 1)}},
		{Shapes: [][]int{{3}}, Params: SliceParams{spans(1, 3, -1)}}, {Shapes: [][]int{{3}}, Params: SliceParams{spans(0, -1, 1)}}, {Shapes: [][]int{{3}}, Params: SliceParams{spans(0, 1, 0)}},
	}
)

// badRowNorm returns calls of a row normalisation with mistakes; third is the shape of an operand that fits x (2,3) and scale
// (3,), and wrong one that does not. Nil stands for no such operand.
func badRowNorm(third, wrong []int) (bad []Sample) {
	add := func(x, scale, third []int, axis int, epsilon float64) {
		shapes := [][]int{x, scale}
		if third != nil {
			shapes = append(shapes, third)
		}
		bad = append(bad, Sample{shapes, LayerNormParams{axis, epsilon}})
	}
	add([]int{2, 3}, []int{3}, third, 2, 1e-5)
	add([]int{2, 3}, []int{3}, third, -1, -1)
	add([]int{2, 3}, []int{2}, third, -1, 1e-5)
	add([]int{2, 3}, []int{3}, third, 0, 1e-5)
	add([]int{}, []int{}, third, -1, 1e-5)
	if wrong != nil {
		add([]int{2, 3}, []int{3}, wrong, -1, 1e-5)
	}
	return bad
}

// badChannelNorm returns calls of a normalisation by channels with mistakes.
func badChannelNorm(params, badParams any, third, wrong []int) []Sample {
	return []Sample{
		{[][]int{{2, 3}, {3}, third}, badParams}, {[][]int{{2, 3}, {2}, third}, params}, {[][]int{{2, 3}, {3}, wrong}, params},
		{[][]int{{3}, {3}, third}, params}, {[][]int{{2, 3}, {1, 3}, third}, params},
	}
}

// badDropout returns calls with each of params.
func badDropout(params ...any) (bad []Sample) {
	for _, p := range params {
		bad = append(bad, Sample{Shapes: [][]int{{2}}, Params: p})
	}
	return bad
}
