package weft_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
)

// trained returns the bits of what a few steps of training leave behind, with copies to a device and back, and strided views.
func trained(t *testing.T) string {
	env := nd.DefaultEnv().WithSeed(3)
	model := nn.NewSequential(nn.NewDense(env, 100, 70), nn.Relu, nn.NewDense(env, 70, 10))
	descent := optim.NewSGD(model.Params(), 0.1, optim.Momentum(0.9))
	pixels, labels := make([]float32, 64*100), make([]int64, 64)
	for i := range pixels {
		pixels[i] = float32(i%17) / 17
	}
	for i := range labels {
		labels[i] = int64(i % 10)
	}
	x, y := nd.FromSliceIn(env, pixels, 64, 100), nd.FromSliceIn(env, labels, 64)
	for range 10 {
		tape := autograd.NewTape()
		loss := nn.SoftmaxCrossEntropy(model.Forward(nn.Train(tape, nil), x), y)
		require.NoError(t, descent.Step(t.Context(), tape.Gradient(loss, model.Params()...)))
	}
	sum := sha256.New()
	for _, p := range model.Params() {
		onDevice := p.In(env.WithDevice(device.Sim(0)))
		for _, a := range []*nd.Array{p, p.T().AddScalar(1), onDevice.Square()} {
			values, err := nd.Values[float32](a)
			require.NoError(t, err)
			fmt.Fprintf(sum, "%b", values) // mantissas and exponents
		}
	}
	return fmt.Sprintf("bits %x", sum.Sum(nil))
}

// The sanitizer finds nothing in a correct program, and changes nothing that it computes. It runs in a process of its own, which it
// changes as a whole.
func TestTheSanitizerLeavesACorrectProgramAsItIs(t *testing.T) {
	bits := trained(t)
	if engine.Sanitizing() {
		fmt.Println(bits)
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), "WEFT_SANITIZE=1")
	output, err := child.CombinedOutput()
	require.NoError(t, err, string(output))
	require.Contains(t, string(output), bits)
}
