package bench

import (
	"context"
	"testing"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/random"
)

// digitModel is a network that tells digits.
type digitModel struct {
	name  string
	shape []int // of an image
	make  func(env *nd.Env) *nn.Sequential
}

// digitModels are the networks of examples/mnist.
var digitModels = []digitModel{
	{"mlp", []int{784}, func(env *nd.Env) *nn.Sequential {
		return nn.NewSequential(nn.NewDense(env, 784, 128), nn.Relu, nn.NewDense(env, 128, 64), nn.Relu, nn.NewDense(env, 64, 10))
	}},
	{"lenet", []int{1, 28, 28}, func(env *nd.Env) *nn.Sequential {
		return nn.NewSequential(
			nn.NewConv2D(env, 1, 20, 5), nn.Relu, nn.NewMaxPool2D(2, nn.Stride(2)),
			nn.NewConv2D(env, 20, 50, 5), nn.Relu, nn.NewMaxPool2D(2, nn.Stride(2)),
			nn.Flatten, nn.NewDense(env, 800, 500), nn.Relu, nn.NewDense(env, 500, 10),
		)
	}},
}

const digitBatch = 64

// warmUp is how many steps of training go before those that are measured, in which memory is used for the first time: the peer has as many.
const warmUp = 4

// trainingWay is a way to make steps: by calls of operators, or, as in examples/mnist, by a function that is captured.
type trainingWay struct {
	suffix string // of the name of a benchmark
	steps  func(env *nd.Env, model nn.Layer, loss func(outputs, labels *nd.Array) *nd.Array, opt *optim.Optimiser) (step func(x, labels *nd.Array) error)
}

var trainings = []trainingWay{{"", capturedTraining}, {"_called", calledTraining}}

func calledTraining(env *nd.Env, model nn.Layer, loss func(outputs, labels *nd.Array) *nd.Array, opt *optim.Optimiser) (step func(x, labels *nd.Array) error) {
	return func(x, labels *nd.Array) error {
		tape := autograd.NewTape()
		return opt.Minimise(context.Background(), tape, loss(model.Forward(nn.Train(tape, env.Generator()), x), labels))
	}
}

func capturedTraining(env *nd.Env, model nn.Layer, loss func(outputs, labels *nd.Array) *nd.Array, opt *optim.Optimiser) (step func(x, labels *nd.Array) error) {
	gradients := nd.NewCaptured(env, func(env *nd.Env, batch []*nd.Array) []*nd.Array {
		tape := autograd.NewTape()
		outputs := model.Forward(nn.Train(tape, env.Generator()).In(env), batch[0])
		return tape.Gradient(loss(outputs, batch[1]), opt.Params()...)
	})
	return func(x, labels *nd.Array) error {
		return opt.Step(context.Background(), gradients.Call(x, labels))
	}
}

// BenchmarkMNIST measures whole steps of training, forward, backward and update by descent with momentum, on batches of 64 images,
// as BenchmarkMNIST/<model> where they are captured, and as BenchmarkMNIST/<model>_called where they are not.
func BenchmarkMNIST(b *testing.B) {
	eachDigitTraining(b, func(b *testing.B, m *digitModel, way trainingWay) {
		step := m.training(newEnv(b, "perdevice"), way)
		for range warmUp {
			if err := step(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportAllocs()
		for b.Loop() {
			if err := step(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(digitBatch*float64(b.N)/b.Elapsed().Seconds(), "images/s")
	})
}

func eachDigitTraining(b *testing.B, body func(b *testing.B, m *digitModel, way trainingWay)) {
	for i := range digitModels {
		for _, way := range trainings {
			b.Run(digitModels[i].name+way.suffix, func(b *testing.B) { body(b, &digitModels[i], way) })
		}
	}
}

// training returns a step of training on a random batch.
func (m *digitModel) training(env *nd.Env, way trainingWay) (step func() error) {
	model := m.make(env)
	fit := way.steps(env, model, nn.SoftmaxCrossEntropy, optim.NewSGD(model.Params(), 0.01, optim.Momentum(0.9)))
	x, labels := digitBatchOf(env, m.shape)
	return func() error { return fit(x, labels) }
}

// digitBatchOf returns a batch of random images and labels.
func digitBatchOf(env *nd.Env, shape []int) (x, labels *nd.Array) {
	x = random.Uniform(env, dtype.Float32, 0, 1, append([]int{digitBatch}, shape...)...)
	return x, random.Uniform(env, dtype.Float32, 0, 10, digitBatch).Cast(dtype.Int64)
}

// BenchmarkMNISTPeers measures PyTorch on the cases of BenchmarkMNIST, as BenchmarkMNISTPeers/<model>/torch, and with its compiler, as
// BenchmarkMNISTPeers/<model>/torch.compile, and a mlp that is written by hand on gonum, as BenchmarkMNISTPeers/mlp/gonum.
func BenchmarkMNISTPeers(b *testing.B) {
	measure := func(b *testing.B, library pythonLibrary, m *digitModel, way string) {
		nanoseconds := library.measure(b, "mnist", m.name, digitBatch, way)
		b.ReportMetric(digitBatch*1e9/nanoseconds, "images/s")
	}
	for i := range digitModels {
		m := &digitModels[i]
		for _, way := range trainings {
			b.Run(m.name+way.suffix+"/torch", func(b *testing.B) { measure(b, torch, m, "eager") })
		}
		b.Run(m.name+"/torch.compile", func(b *testing.B) { measure(b, torch.compiling(), m, "compiled") })
	}
	b.Run("mlp/gonum", measureHandMLP)
}
