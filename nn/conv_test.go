package nn_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/random"
)

func TestConvolutionsAreSumsOverWhatFiltersCover(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(1)
	layer := nn.NewConv2D(env, 2, 4, 3, nn.Stride(2), nn.Padding(1), nn.Groups(2))
	params := nn.Params(layer)
	require.Equal(t, []int{4, 1, 3, 3}, params[0].Shape())
	nd.CopyInto(params[1], nd.FromSlice([]float32{1, 2, 3, 4}))
	weights, images := elements(t, params[0]), make([]float32, 2*5*5)
	for i := range images {
		images[i] = float32(i%7) - 3
	}
	y := layer.Forward(nn.Infer(), nd.FromSlice(images, 1, 2, 5, 5))
	require.Equal(t, []int{1, 4, 3, 3}, y.Shape())
	got := elements(t, y)
	for filter := range 4 {
		for row := range 3 {
			for column := range 3 {
				want := float64(filter + 1)
				for i := range 3 {
					for j := range 3 {
						r, c := 2*row+i-1, 2*column+j-1
						if r >= 0 && r < 5 && c >= 0 && c < 5 {
							want += weights[filter*9+i*3+j] * float64(images[filter/2*25+r*5+c])
						}
					}
				}
				require.InDelta(t, want, got[(filter*3+row)*3+column], 1e-5)
			}
		}
	}
}

func TestConvolutionsHaveTheShapesOfTheirOptions(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(2)
	c := nn.Infer()
	require.Equal(t, []int{2, 6, 8}, nn.NewConv1D(env, 3, 6, 5, nn.Dilation(2), nn.Padding(0, 2)).Forward(c, nd.Ones[float32](2, 3, 14)).Shape())
	up := nn.NewConvTranspose2D(env, 4, 6, 3, nn.Stride(2), nn.Padding(1), nn.OutputPadding(1), nn.Groups(2))
	require.Equal(t, []int{4, 3, 3, 3}, nn.Params(up)[0].Shape())
	require.Equal(t, []int{2, 6, 10, 14}, up.Forward(c, nd.Ones[float32](2, 4, 5, 7)).Shape())
	require.Equal(t, []int{2, 6, 3, 4, 5}, nn.NewConv3D(env, 4, 6, 3).Forward(c, nd.Ones[float32](2, 4, 5, 6, 7)).Shape())
	require.Equal(t, []int{2, 3, 10}, nn.NewConvTranspose1D(env, 4, 3, 2, nn.Stride(2)).Forward(c, nd.Ones[float32](2, 4, 5)).Shape())
	require.Equal(t, []int{1, 3, 4, 6, 2}, nn.NewConvTranspose3D(env, 4, 3, 2, nn.Stride(2)).Forward(c, nd.Ones[float32](1, 4, 2, 3, 1)).Shape())
	require.Equal(t, []int{0, 5, 4, 4}, nn.NewConv2D(env, 1, 5, 3).Forward(c, nd.Ones[float32](0, 1, 6, 6)).Shape())
	for _, f := range []func(){
		func() { nn.NewConv2D(env, 0, 1, 3) }, func() { nn.NewConv2D(env, 3, 4, 3, nn.Groups(2)) }, func() { nn.NewConvTranspose2D(env, 2, 3, 3, nn.Groups(2)) }, func() { nn.NewConv1D(env, 1, 1, 0) },
	} {
		err := nd.Try(f)
		require.ErrorIs(t, err, fault.ErrParameter)
		require.Contains(t, err.Error(), "conv_test.go")
	}
	err := nd.Try(func() { nn.NewConv2D(env, 3, 4, 3).Forward(c, nd.Ones[float32](1, 2, 6, 6)) })
	require.ErrorIs(t, err, fault.ErrShape)
}

func TestConvolutionWeightsHaveTheVarianceOfHe(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(3)
	for _, layer := range []nn.Layer{nn.NewConv2D(env, 32, 100, 3, nn.Groups(2)), nn.NewConvTranspose2D(env, 32, 100, 3, nn.Groups(2))} {
		squares, weights := 0.0, elements(t, nn.Params(layer)[0])
		for _, w := range weights {
			require.LessOrEqual(t, math.Abs(w), math.Sqrt(6.0/(16*9))+1e-6)
			squares += w * w
		}
		require.InDelta(t, 2.0/(16*9), squares/float64(len(weights)), 5e-4)
	}
}

// bars returns images of 28×28 with noise and a bar somewhere, which is flat, upright or one of two diagonals: the labels.
func bars(r *rand.Rand, count int) (images, labels *nd.Array) {
	pixels, kinds := make([]float32, count*28*28), make([]int64, count)
	for i := range pixels {
		pixels[i] = 0.3 * float32(r.NormFloat64())
	}
	for i := range kinds {
		kinds[i] = r.Int64N(4)
		image := pixels[i*28*28:][:28*28]
		row, column := 8+r.IntN(12), 8+r.IntN(12)
		step := [][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}}[kinds[i]]
		for at := -6; at <= 6; at++ {
			image[(row+at*step[0])*28+column+at*step[1]] += 2
		}
	}
	return nd.FromSlice(pixels, count, 1, 28, 28), nd.FromSlice(kinds)
}

// A network of the size of LeNet (LeCun et al., "Gradient-based learning applied to document recognition", 1998), with strides in
// the place of its pooling, learns to tell what no fully connected layer would see in so few examples: a shape at any place.
func TestANetworkOfConvolutionsLearns(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(4)
	flatten := nn.Func(func(x *nd.Array) *nd.Array { return x.Reshape(x.Shape()[0], -1) })
	model := nn.NewSequential(
		nn.NewConv2D(env, 1, 6, 5, nn.Padding(2), nn.Stride(2)), nn.Relu, nn.NewConv2D(env, 6, 16, 5, nn.Stride(2)), nn.Relu,
		flatten, nn.NewDense(env, 16*5*5, 120), nn.Relu, nn.NewDense(env, 120, 4),
	)
	r := rand.New(rand.NewPCG(5, 6))
	accuracy := func() float64 {
		images, labels := bars(r, 200)
		v, err := nd.Item[float64](nn.Accuracy(model.Forward(nn.Infer(), images), labels))
		require.NoError(t, err)
		return v
	}
	require.Less(t, accuracy(), 0.5)
	const steps = 120
	for range steps {
		images, labels := bars(r, 64)
		tape := autograd.NewTape()
		loss := nn.SoftmaxCrossEntropy(model.Forward(nn.Train(tape, env.Generator()), images), labels)
		params := model.Params()
		for i, g := range tape.Gradient(loss, params...) {
			nd.SubInto(params[i], params[i], g.MulScalar(0.1))
		}
	}
	require.Greater(t, accuracy(), 0.9)
}

func TestMaximaOfAConvolutionHaveTheBitsOfTheirLayers(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(6)
	for name, c := range map[string]struct {
		conv *nn.Conv
		pool *nn.Pool
		size int
	}{
		"small":      {nn.NewConv2D(env, 3, 5, 5), nn.NewMaxPool2D(2), 12},
		"odd":        {nn.NewConv2D(env, 3, 20, 3, nn.Padding(1)), nn.NewMaxPool2D(2, nn.Stride(2)), 37},
		"of three":   {nn.NewConv2D(env, 3, 4, 2, nn.Stride(2)), nn.NewMaxPool2D(3), 19},
		"pointwise":  {nn.NewConv2D(env, 3, 4, 1), nn.NewMaxPool2D(2), 7},
		"groups":     {nn.NewConv2D(env, 3, 3, 3, nn.Groups(3), nn.Padding(1)), nn.NewMaxPool2D(2), 8},
		"overlapped": {nn.NewConv2D(env, 3, 4, 3), nn.NewMaxPool2D(3, nn.Stride(2)), 9},
		"padded":     {nn.NewConv2D(env, 3, 4, 3), nn.NewMaxPool2D(2, nn.Padding(1)), 9},
	} {
		x := random.Normal(env, dtype.Float32, 0, 1, 4, 3, c.size, c.size)
		for _, layers := range [][]nn.Layer{{c.conv, c.pool}, {c.conv, nn.Relu, c.pool}} {
			model := nn.NewSequential(layers...)
			run := func(forward func(c *nn.Ctx, x *nd.Array) *nd.Array) (result []float32, gradients [][]float32) {
				tape := autograd.NewTape()
				watched := tape.Watch(x)
				y := forward(nn.Train(tape, env.Generator()), watched)
				result, err := nd.Values[float32](y)
				require.NoError(t, err)
				for _, g := range tape.Gradient(y.Square().Sum(), append(model.Params(), watched)...) {
					values, err := nd.Values[float32](g)
					require.NoError(t, err)
					gradients = append(gradients, values)
				}
				return result, gradients
			}
			want, slopes := run(func(ctx *nn.Ctx, x *nd.Array) *nd.Array {
				for _, l := range layers {
					x = l.Forward(ctx, x)
				}
				return x
			})
			got, gotSlopes := run(model.Forward)
			require.Equal(t, want, got, name)
			for i := range slopes {
				require.InDeltaSlice(t, slopes[i], gotSlopes[i], 2e-3, "%s: %d", name, i)
			}
		}
	}
}
