package nn_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

func TestDenseIsAnAffineMap(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(1)
	layer := nn.NewDense(env, 3, 2)
	params := map[string][]float32{}
	for name, p := range layer.Named() {
		v, err := nd.Values[float32](p)
		require.NoError(t, err)
		params[name] = v
	}
	x := []float32{1, -2, 0.5, 3, 0, 1}
	y, err := nd.Values[float32](layer.Forward(nn.Infer(), nd.FromSlice(x, 2, 3)))
	require.NoError(t, err)
	for row := range 2 {
		for column := range 2 {
			want := params["bias"][column]
			for k := range 3 {
				want += x[row*3+k] * params["weight"][k*2+column]
			}
			require.InDelta(t, want, y[row*2+column], 1e-5)
		}
	}
}

func TestDenseWeightsHaveTheVarianceOfHe(t *testing.T) {
	layer := nn.NewDense(nd.DefaultEnv().WithSeed(1), 400, 300)
	weight, err := nd.Values[float32](nn.Params(layer)[0])
	require.NoError(t, err)
	sum, squares := 0.0, 0.0
	for _, w := range weight {
		require.LessOrEqual(t, math.Abs(float64(w)), math.Sqrt(6.0/400)+1e-6)
		sum += float64(w)
		squares += float64(w) * float64(w)
	}
	n := float64(len(weight))
	require.InDelta(t, 0, sum/n, 1e-3)
	require.InDelta(t, 2.0/400, squares/n, 1e-4)
}

func TestSequentialNamesParametersByLayer(t *testing.T) {
	env := nd.DefaultEnv()
	model := nn.NewSequential(nn.NewDense(env, 4, 3), nn.Relu, nn.NewDense(env, 3, 2))
	names := []string{}
	for name := range model.Named() {
		names = append(names, name)
		if len(names) == 3 {
			break // leaving the loop early is allowed
		}
	}
	require.Equal(t, []string{"0.weight", "0.bias", "2.weight"}, names)
	require.Len(t, model.Params(), 4)
	require.Equal(t, []int{5, 2}, model.Forward(nn.Infer(), nd.Ones[float32](5, 4)).Shape())
	require.Equal(t, []int{0, 2}, model.Forward(nn.Infer(), nd.Ones[float32](0, 4)).Shape())
}

func TestActivationsOfDenseLayersHaveTheBitsOfTheirOwnOperators(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(2)
	dense, x := nn.NewDense(env, 900, 40), nd.Linspace[float32](-3, 5, 70*900).Reshape(70, 900)
	for name, layer := range map[string]nn.Layer{"relu": nn.Relu, "gelu": nn.Gelu} {
		for _, train := range []bool{false, true} {
			run := func(forward func(c *nn.Ctx) *nd.Array) (values []float32, gradient []float32) {
				c := nn.Infer()
				if !train {
					values, err := nd.Values[float32](forward(c))
					require.NoError(t, err)
					return values, nil
				}
				tape := autograd.NewTape()
				y := forward(nn.Train(tape, env.Generator()))
				values, err := nd.Values[float32](y)
				require.NoError(t, err)
				gradient, err = nd.Values[float32](tape.Gradient(y.Square().Sum(), nn.Params(dense)[0])[0])
				require.NoError(t, err)
				return values, gradient
			}
			want, slope := run(func(c *nn.Ctx) *nd.Array {
				return layer.Forward(c, x.MatMul(c.Param(nn.Params(dense)[0])).Add(c.Param(nn.Params(dense)[1])))
			})
			got, gotSlope := run(func(c *nn.Ctx) *nd.Array { return nn.NewSequential(dense, layer).Forward(c, x) })
			require.Equal(t, want, got, name)
			require.Equal(t, slope, gotSlope, name)
		}
	}
}

func TestReluBeforeMaximaHasTheBitsOfItsOwnOperator(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(4)
	values := make([]float32, 2*3*9*10)
	for i := range values {
		values[i] = []float32{-2, -1, float32(math.Copysign(0, -1)), 0, 1, 2, 2, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}[i*i%97%10]
	}
	x := nd.FromSlice(values, 2, 3, 9, 10).In(env)
	for name, pool := range map[string]*nn.Pool{
		"beside one another": nn.NewMaxPool2D(2), "overlapping": nn.NewMaxPool2D(3, nn.Stride(2), nn.Padding(1)),
		"over padding alone": nn.NewMaxPool2D(2, nn.Stride(1), nn.Padding(2)), "dilated": nn.NewMaxPool2D(2, nn.Stride(1), nn.Dilation(7), nn.Padding(1)),
	} {
		run := func(forward func(c *nn.Ctx, x *nd.Array) *nd.Array) (result, gradient []uint32) {
			tape := autograd.NewTape()
			watched := tape.Watch(x)
			y := forward(nn.Train(tape, env.Generator()), watched)
			weights := nd.Linspace[float32](-1, 2, y.Count()).Reshape(y.Shape()...)
			for i, a := range []*nd.Array{y, tape.Gradient(y.Mul(weights).Sum(), watched)[0]} {
				values, err := nd.Values[float32](a)
				require.NoError(t, err)
				for _, v := range values {
					if bits := math.Float32bits(v); i == 0 {
						result = append(result, bits)
					} else {
						gradient = append(gradient, bits)
					}
				}
			}
			return result, gradient
		}
		want, slope := run(func(c *nn.Ctx, x *nd.Array) *nd.Array { return pool.Forward(c, nn.Relu.Forward(c, x)) })
		got, gotSlope := run(nn.NewSequential(nn.Relu, pool).Forward)
		require.Equal(t, want, got, name)
		require.Equal(t, slope, gotSlope, name)
	}
	padded, nothing := nn.NewMaxPool1D(2, nn.Padding(1)), nd.Zeros[float64](1, 1, 0)
	require.Equal(t, []float64{math.Inf(-1)}, elements(t, nn.NewSequential(nn.Relu, padded).Forward(nn.Infer(), nothing)))
}

func TestParametersAreWatchedInTrainingOnly(t *testing.T) {
	env := nd.DefaultEnv()
	layer := nn.NewDense(env, 2, 2)
	tape := autograd.NewTape()
	x := nd.Ones[float32](1, 2)
	loss := layer.Forward(nn.Train(tape, env.Generator()), x).Sum()
	for _, p := range nn.Params(layer) {
		require.True(t, tape.Connected(loss, p))
	}
	require.False(t, tape.Connected(layer.Forward(nn.Infer(), x).Sum(), nn.Params(layer)[0]))
}

func TestSoftmaxCrossEntropyMatchesItsFormula(t *testing.T) {
	logits := []float64{1, 2, 3, -1, 0, 1000}
	labels := []int64{2, 1}
	tape := autograd.NewTape()
	x := nd.FromSlice(logits, 2, 3)
	loss := nn.SoftmaxCrossEntropy(tape.Watch(x), nd.FromSlice(labels))
	got, err := nd.Item[float64](loss)
	require.NoError(t, err)
	first := math.Log(math.Exp(1)+math.Exp(2)+math.Exp(3)) - 3
	require.InDelta(t, (first+1000)/2, got, 1e-12)
	gradient, err := nd.Values[float64](tape.Gradient(loss, x)[0])
	require.NoError(t, err)
	total := math.Exp(1) + math.Exp(2) + math.Exp(3)
	want := []float64{math.Exp(1) / total / 2, math.Exp(2) / total / 2, (math.Exp(3)/total - 1) / 2, 0, -0.5, 0.5}
	require.InDeltaSlice(t, want, gradient, 1e-12)
}

func TestSoftmaxCrossEntropyRefusesWhatDoesNotFit(t *testing.T) {
	err := nd.Try(func() { nn.SoftmaxCrossEntropy(nd.Ones[float32](2, 3), nd.Zeros[int64](3)) })
	require.ErrorIs(t, err, fault.ErrShape)
	require.Contains(t, err.Error(), "nn_test.go")
	err = nd.Try(func() { nn.SoftmaxCrossEntropy(nd.Ones[float32](2, 3), nd.Zeros[float32](2)) })
	require.ErrorIs(t, err, fault.ErrDType)
	_, err = nd.Item[float32](nn.SoftmaxCrossEntropy(nd.Ones[float32](2, 3), nd.FromSlice([]int64{0, 3})))
	require.ErrorIs(t, err, fault.ErrIndex)
}

func TestAccuracyCountsHits(t *testing.T) {
	logits := nd.FromSlice([]float32{1, 2, 0, 5, 4, 3, 0, 0, 1}, 3, 3)
	got, err := nd.Item[float64](nn.Accuracy(logits, nd.FromSlice([]int64{1, 0, 0})))
	require.NoError(t, err)
	require.InDelta(t, 2.0/3, got, 1e-15)
}

func TestAccuracyRefusesLabelsThatWouldBroadcast(t *testing.T) {
	for _, labels := range []*nd.Array{nd.Zeros[int64](), nd.Zeros[int64](1), nd.Zeros[int64](3, 1), nd.Zeros[int64](3, 3), nd.Zeros[int64](2)} {
		err := nd.Try(func() { nn.Accuracy(nd.Ones[float32](3, 2), labels) })
		require.ErrorIs(t, err, fault.ErrShape, labels.Shape())
		require.Contains(t, err.Error(), "nn_test.go")
	}
}

func TestPoolingTakesOneNumberForAllAxes(t *testing.T) {
	x := nd.Linspace[float32](-1, 1, 2*7*8).Reshape(1, 2, 7, 8)
	one := nd.PoolParams{Kernel: []int{3, 2}, Stride: []int{2}, Padding: []int{1}, Dilation: []int{2}}
	each := nd.PoolParams{Kernel: []int{3, 2}, Stride: []int{2, 2}, Padding: []int{1, 1, 1, 1}, Dilation: []int{2, 2}}
	require.Equal(t, elements(t, x.MaxPool(each)), elements(t, x.MaxPool(one)))
	require.Equal(t, elements(t, x.AveragePool(each)), elements(t, x.AveragePool(one)))
}

// Windows that are almost all padding would be gone over for hours place by place.
func TestHugeWindowsTakeNoLongerThanTheirElements(t *testing.T) {
	const huge = 1 << 30
	x := nd.FromSlice([]float64{3, 1, 4, 1, 5, 9}, 1, 1, 2, 3)
	for _, window := range []nd.PoolParams{
		{Kernel: []int{huge, huge}, Padding: []int{huge}, Stride: []int{huge}},
		{Kernel: []int{1, huge}, Padding: []int{0, huge}, Stride: []int{1, huge}},
		{Kernel: []int{huge, 1}, Padding: []int{huge, 0}, Stride: []int{huge, 1}},
	} {
		tape := autograd.NewTape()
		y := tape.Watch(x).MaxPool(window)
		require.Contains(t, elements(t, y), 9.0)
		require.Len(t, elements(t, tape.Gradient(y.AveragePool(nd.PoolParams{Kernel: []int{1, 1}}).Sum(), x)[0]), 6)
		tape = autograd.NewTape()
		y = tape.Watch(x).AveragePool(window)
		elements(t, tape.Gradient(y.Sum(), x)[0])
	}
}

func TestListsOfTheCallerAreTheCallersAgain(t *testing.T) {
	env := nd.DefaultEnv()
	x := nd.Ones[float32](1, 2, 7, 7)
	options := map[string]struct {
		option func(numbers ...int) nn.WindowOption
		make   func(env *nd.Env, channels, filters, kernel int, options ...nn.WindowOption) *nn.Conv
		given  []int
	}{
		"Stride":   {nn.Stride, nn.NewConv2D, []int{2, 1}},
		"Padding":  {nn.Padding, nn.NewConv2D, []int{2, 1}},
		"Dilation": {nn.Dilation, nn.NewConv2D, []int{2, 1}},
		"OutputPadding": {nn.OutputPadding, func(env *nd.Env, channels, filters, kernel int, options ...nn.WindowOption) *nn.Conv {
			return nn.NewConvTranspose2D(env, channels, filters, kernel, append(options, nn.Stride(4))...)
		}, []int{2, 1}},
	}
	for name, row := range options {
		layer := row.make(env, 2, 3, 2, row.option(row.given...))
		before := layer.Forward(nn.Infer(), x).Shape()
		row.given[0], row.given[1] = 3, 3
		require.Equal(t, before, layer.Forward(nn.Infer(), x).Shape(), name)
	}

	layers := []nn.Layer{nn.NewDense(env, 4, 3), nn.Relu, nn.NewDense(env, 3, 2)}
	model := nn.NewSequential(layers...)
	layers[2] = nn.NewDense(env, 3, 5)
	require.Equal(t, []int{1, 2}, model.Forward(nn.Infer(), nd.Ones[float32](1, 4)).Shape())
	require.Len(t, nn.Params(model), 4)
}
