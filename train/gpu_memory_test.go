//go:build linux && amd64

package train_test

import (
	"context"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/storage"
)

// gpuStep is a step of training on gpu(0), with all that it begins with.
type gpuStep struct {
	model     *nn.Sequential
	optimiser *optim.Optimiser
	x, labels *nd.Array
}

// newGPUStep returns a step whose arrays are on the device, where nothing is kept for later ones.
func newGPUStep(t *testing.T, env *nd.Env) *gpuStep {
	env = env.WithSeed(3)
	s := &gpuStep{model: nn.NewSequential(nn.NewDense(env, 40, 30), nn.Relu, nn.NewLayerNorm(env, 30), nn.NewDense(env, 30, 20))}
	s.optimiser = optim.NewSGD(s.model.Params(), 0.1, optim.Momentum(0.9))
	values := make([]float32, 25*40)
	for i := range values {
		values[i] = float32(math.Sin(float64(i)))
	}
	s.x, s.labels = nd.FromSliceIn(env, values, 25, 40), nd.FromSliceIn(env, make([]int64, 25), 25)
	require.NoError(t, s.run())
	manager, err := storage.ManagerOf(device.GPU(0))
	require.NoError(t, err)
	manager.Trim()
	return s
}

func (s *gpuStep) run() error {
	tape := autograd.NewTape()
	loss := nn.SoftmaxCrossEntropy(s.model.Forward(nn.Train(tape, s.x.Env().Generator()), s.x), s.labels)
	return s.optimiser.Minimise(context.Background(), tape, loss)
}

// values returns the parameters.
func (s *gpuStep) values(t *testing.T) (all [][]float32) {
	for _, p := range s.model.Params() {
		values, err := nd.Values[float32](p)
		require.NoError(t, err)
		all = append(all, values)
	}
	return all
}

// TestAStepWithoutMemoryLosesNothing lets each allocation of a step fail in turn: alone, or with all behind it.
func TestAStepWithoutMemoryLosesNothing(t *testing.T) {
	if *onReal {
		t.Skip("a real GPU has no faults on demand")
	}
	fake := cudatest.Install(t)
	env := nd.DefaultEnv().WithDevice(device.GPU(0))
	whole := newGPUStep(t, env)
	before := whole.values(t)
	require.NoError(t, whole.run())
	after := whole.values(t)
	require.NotEqual(t, before, after)
	for name, failures := range map[string]int64{"alone": 1, "and all behind it": math.MaxInt32} {
		t.Run(name, func(t *testing.T) {
			var kept []*gpuStep // What is garbage could be found, and be memory for later ones.
			failed, steps := 0, 0
			for met := true; met; steps++ {
				s := newGPUStep(t, env)
				kept = append(kept, s)
				require.Equal(t, before, s.values(t))
				fake.Set("allocationFailures", failures)
				fake.Set("allocationFails", int64(steps+1))
				err := s.run()
				met = fake.Get("allocationFails") < 2 // zero, or one where all fail
				fake.Set("allocationFails", 0)
				if err != nil {
					failed++
					require.ErrorIs(t, err, fault.ErrOutOfMemory, "allocation %d", steps+1)
					require.ErrorContains(t, err, "gpu(0)")
					require.ErrorContains(t, err, "gpu_memory_test.go", "the line of the program")
					require.Equal(t, before, s.values(t), "all parameters change, or none: allocation %d", steps+1)
					require.NoError(t, s.run(), "allocation %d", steps+1)
				}
				require.Equal(t, after, s.values(t), "allocation %d", steps+1)
				sum, err := nd.Values[float32](nd.FromSlice([]float32{1, 2}).AddScalar(1))
				require.NoError(t, err)
				require.Equal(t, []float32{2, 3}, sum, "on the CPU")
			}
			runtime.KeepAlive(kept)
			t.Logf("%d of %d steps failed", failed, steps)
			require.Greater(t, steps, 2)
			require.Equal(t, failures > 1, failed > 0)
		})
	}
}

// TestReleasedMemoryIsHandedOutWhenTheDeviceHasReadIt releases an array while a copy reads it: until then the next has memory of its own.
func TestReleasedMemoryIsHandedOutWhenTheDeviceHasReadIt(t *testing.T) {
	if *onReal {
		t.Skip("a real GPU has no slow copies on demand")
	}
	fake := cudatest.Install(t)
	env := nd.DefaultEnv().WithDevice(device.GPU(0))
	manager, err := storage.ManagerOf(device.GPU(0))
	require.NoError(t, err)
	ctx := context.Background()
	const elements = 300_000 // of a size that nothing else has
	zero := nd.ZerosIn(env, dtype.Float32, 1)
	ones := func() *nd.Array { // by a kernel alone
		a := zero.BroadcastTo(elements).Exp()
		require.NoError(t, a.Wait(ctx))
		return a
	}
	x := ones()
	manager.Trim()
	before := manager.Stats()
	fake.Set("copyMicroseconds", 400_000)
	read := x.To(device.CPU(0)).Copy() // pushes the copy
	x.Release()
	y := ones()
	during := manager.Stats()
	require.GreaterOrEqual(t, during.InUse, before.InUse+4*elements, "of x, and of y")
	require.Equal(t, before.Reused, during.Reused)
	require.NoError(t, read.Wait(ctx))
	fake.Set("copyMicroseconds", 0)
	require.Eventually(t, func() bool { return manager.Stats().InUse == before.InUse }, 10*time.Second, time.Millisecond)
	z := ones()
	require.Equal(t, during.Reused+1, manager.Stats().Reused)
	require.Equal(t, during.Peak, manager.Stats().Peak)
	values, err := nd.Values[float32](read)
	require.NoError(t, err)
	require.Equal(t, slices.Repeat([]float32{1}, elements), values)
	runtime.KeepAlive(y)
	runtime.KeepAlive(z)
}
