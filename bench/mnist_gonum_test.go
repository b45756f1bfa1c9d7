package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/weft-nd/weft/autograd"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
)

// handLayer is a fully connected layer as one writes it on gonum's BLAS: rows of weights are inputs, columns outputs.
type handLayer struct {
	weight, gradient, velocity blas32.General
	bias, biasGradient, pace   []float32
	output, slope              blas32.General // of a batch; slope is the gradient of output
}

// handMLP is the mlp of examples/mnist, trained by descent with momentum.
type handMLP struct{ layers []*handLayer }

func matrix(rows, columns int) blas32.General {
	return blas32.General{Rows: rows, Cols: columns, Stride: columns, Data: make([]float32, rows*columns)}
}

func newHandMLP(sizes ...int) *handMLP {
	random, m := rand.New(rand.NewPCG(1, 2)), &handMLP{}
	for i, outputs := range sizes[1:] {
		inputs := sizes[i]
		l := &handLayer{
			weight: matrix(inputs, outputs), gradient: matrix(inputs, outputs), velocity: matrix(inputs, outputs),
			bias: make([]float32, outputs), biasGradient: make([]float32, outputs), pace: make([]float32, outputs),
			output: matrix(digitBatch, outputs), slope: matrix(digitBatch, outputs),
		}
		for j := range l.weight.Data {
			l.weight.Data[j] = float32(random.NormFloat64() * math.Sqrt(2/float64(inputs)))
		}
		m.layers = append(m.layers, l)
	}
	return m
}

// step fits the network to a batch and returns the mean loss before.
func (m *handMLP) step(x blas32.General, labels []int64, rate, momentum float32) float64 {
	last := len(m.layers) - 1
	input := x
	for i, l := range m.layers {
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, input, l.weight, 0, l.output)
		for j := range l.output.Data {
			v := l.output.Data[j] + l.bias[j%l.output.Cols]
			if i < last {
				v = max(v, 0)
			}
			l.output.Data[j] = v
		}
		input = l.output
	}
	loss := softmaxSlope(m.layers[last].slope, input, labels)
	for i := last; i >= 0; i-- {
		l, input := m.layers[i], x
		if i > 0 {
			input = m.layers[i-1].output
			below := m.layers[i-1].slope
			blas32.Gemm(blas.NoTrans, blas.Trans, 1, l.slope, l.weight, 0, below)
			for j, v := range input.Data {
				if v <= 0 {
					below.Data[j] = 0
				}
			}
		}
		blas32.Gemm(blas.Trans, blas.NoTrans, 1, input, l.slope, 0, l.gradient)
		clear(l.biasGradient)
		for j, v := range l.slope.Data {
			l.biasGradient[j%l.slope.Cols] += v
		}
		descend(l.weight.Data, l.velocity.Data, l.gradient.Data, rate, momentum)
		descend(l.bias, l.pace, l.biasGradient, rate, momentum)
	}
	return loss
}

// softmaxSlope sets slope to the gradient of the mean cross-entropy of scores, which it returns.
func softmaxSlope(slope, scores blas32.General, labels []int64) (loss float64) {
	for i, label := range labels {
		row, to := scores.Data[i*scores.Cols:][:scores.Cols], slope.Data[i*slope.Cols:][:slope.Cols]
		highest, sum := row[0], float32(0)
		for _, v := range row {
			highest = max(highest, v)
		}
		for j, v := range row {
			to[j] = float32(math.Exp(float64(v - highest)))
			sum += to[j]
		}
		loss += math.Log(float64(sum)) - float64(row[label]-highest)
		for j := range to {
			to[j] /= sum * float32(len(labels))
		}
		to[label] -= 1 / float32(len(labels))
	}
	return loss / float64(len(labels))
}

func descend(weights, velocities, gradients []float32, rate, momentum float32) {
	for i, g := range gradients {
		velocities[i] = momentum*velocities[i] + g
		weights[i] -= rate * velocities[i]
	}
}

// measureHandMLP measures a network written by hand on gonum's BLAS, which allocates nothing.
func measureHandMLP(b *testing.B) {
	before := blas32.Implementation()
	blas32.Use(gonum.Implementation{})
	defer blas32.Use(before)
	m, random := newHandMLP(784, 128, 64, 10), rand.New(rand.NewPCG(3, 4))
	x, labels := matrix(digitBatch, 784), make([]int64, digitBatch)
	for i := range x.Data {
		x.Data[i] = random.Float32()
	}
	for i := range labels {
		labels[i] = random.Int64N(10)
	}
	for b.Loop() {
		m.step(x, labels, 0.01, 0.9)
	}
	b.ReportMetric(digitBatch*float64(b.N)/b.Elapsed().Seconds(), "images/s")
}

func TestHandWrittenNetworkLearnsAsWeft(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(1)
	model := digitModels[0].make(env)
	images, digits := digitBatchOf(env, digitModels[0].shape)
	hand, x := newHandMLP(784, 128, 64, 10), matrix(digitBatch, 784)
	values := func(a *nd.Array) []float32 {
		v, err := nd.Values[float32](a)
		require.NoError(t, err)
		return v
	}
	x.Data = values(images)
	labels, err := nd.Values[int64](digits)
	require.NoError(t, err)
	params := model.Params()
	for i, l := range hand.layers {
		l.weight.Data = values(params[2*i])
		l.bias = values(params[2*i+1])
	}
	opt := optim.NewSGD(params, 0.01, optim.Momentum(0.9))
	for range 5 {
		tape := autograd.NewTape()
		loss := nn.SoftmaxCrossEntropy(model.Forward(nn.Train(tape, env.Generator()), images), digits)
		require.NoError(t, opt.Step(context.Background(), tape.Gradient(loss, params...)))
		want, err := nd.Item[float32](loss)
		require.NoError(t, err)
		require.InDelta(t, want, hand.step(x, labels, 0.01, 0.9), 1e-4)
	}
}
