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

// BenchmarkMNIST measures whole steps of training, forward, backward and update by descent with momentum, on batches of 64 images,
// as BenchmarkMNIST/<model>.
func BenchmarkMNIST(b *testing.B) {
	for _, m := range digitModels {
		b.Run(m.name, func(b *testing.B) {
			env := newEnv(b, "perdevice")
			step := digitTraining(env, m.make(env), m.shape)
			b.ReportAllocs()
			for b.Loop() {
				if err := step(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(digitBatch*float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}

// digitTraining returns a step of training on a random batch.
func digitTraining(env *nd.Env, model *nn.Sequential, shape []int) (step func() error) {
	opt := optim.NewSGD(model.Params(), 0.01, optim.Momentum(0.9))
	x, labels := digitBatchOf(env, shape)
	return func() error {
		tape := autograd.NewTape()
		loss := nn.SoftmaxCrossEntropy(model.Forward(nn.Train(tape, env.Generator()), x), labels)
		return opt.Minimise(context.Background(), tape, loss)
	}
}

// digitBatchOf returns a batch of random images and labels.
func digitBatchOf(env *nd.Env, shape []int) (x, labels *nd.Array) {
	x = random.Uniform(env, dtype.Float32, 0, 1, append([]int{digitBatch}, shape...)...)
	return x, random.Uniform(env, dtype.Float32, 0, 10, digitBatch).Cast(dtype.Int64)
}

// BenchmarkMNISTPeers measures PyTorch on the cases of BenchmarkMNIST, as BenchmarkMNISTPeers/<model>/torch, and a mlp that is written
// by hand on gonum, as BenchmarkMNISTPeers/mlp/gonum.
func BenchmarkMNISTPeers(b *testing.B) {
	for _, m := range digitModels {
		b.Run(m.name+"/torch", func(b *testing.B) {
			nanoseconds := torch.measure(b, "mnist", m.name, digitBatch)
			b.ReportMetric(digitBatch*1e9/nanoseconds, "images/s")
		})
	}
	b.Run("mlp/gonum", measureHandMLP)
}
