package gpu

import (
	"context"
	"testing"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
)

// BenchmarkLeNet is a training step of the network of examples/mnist on a batch of 256 images. Every fiftieth step
// and the last are waited for, as in peers.py.
func BenchmarkLeNet(b *testing.B) {
	batch := 256
	if testing.Short() {
		batch = 2
	}
	x := full(b, 0.5, 1, batch*28*28).Reshape(batch, 1, 28, 28)
	env := x.Env().WithSeed(1)
	labels := nd.FullIn(env, dtype.Int64, 3, batch)
	model := nn.NewSequential(
		nn.NewConv2D(env, 1, 20, 5), nn.Relu, nn.NewMaxPool2D(2),
		nn.NewConv2D(env, 20, 50, 5), nn.Relu, nn.NewMaxPool2D(2),
		nn.Flatten, nn.NewDense(env, 50*4*4, 500), nn.Relu, nn.NewDense(env, 500, 10),
	)
	optimiser := optim.NewSGD(model.Params(), 0.01, optim.Momentum(0.9))
	step := func() {
		tape := autograd.NewTape()
		loss := nn.SoftmaxCrossEntropy(model.Forward(nn.Train(tape, env.Generator()), x), labels)
		if err := optimiser.Step(context.Background(), tape.Gradient(loss, model.Params()...)); err != nil {
			b.Fatal(err)
		}
	}
	step()
	wait(b, model.Params()[0])
	for steps := 1; b.Loop(); steps++ {
		step()
		if steps%50 == 0 {
			wait(b, model.Params()[0])
		}
	}
	b.StartTimer() // Loop has stopped it, with steps under way
	wait(b, model.Params()[0])
	b.StopTimer()
	b.ReportMetric(float64(batch)*float64(b.N)/b.Elapsed().Seconds(), "images/s")
}
