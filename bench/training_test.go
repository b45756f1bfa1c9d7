package bench

import (
	"context"
	"testing"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/random"
)

// BenchmarkTrainingStep measures a whole step of the network of examples/mnist: forward, backward and update.
func BenchmarkTrainingStep(b *testing.B) {
	const batch = 64
	for _, name := range engines {
		b.Run("mlp/"+name, func(b *testing.B) {
			env := newEnv(b, name)
			model := nn.NewSequential(nn.NewDense(env, 784, 128), nn.Relu, nn.NewDense(env, 128, 64), nn.Relu, nn.NewDense(env, 64, 10))
			opt := optim.NewSGD(model.Params(), 0.01, optim.Momentum(0.9))
			x := random.Uniform(env, dtype.Float32, 0, 1, batch, 784)
			labels := random.Uniform(env, dtype.Float32, 0, 10, batch).Cast(dtype.Int64)
			b.ReportAllocs()
			for b.Loop() {
				tape := autograd.NewTape()
				loss := nn.SoftmaxCrossEntropy(model.Forward(nn.Train(tape, env.Generator()), x), labels)
				if err := opt.Step(context.Background(), tape.Gradient(loss, model.Params()...)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(batch*float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}
