//go:build linux && amd64

package ops

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

func TestFailuresOfAGPUStickToWhatDependsOnThem(t *testing.T) {
	fake := fakeGPU(t)
	for _, kind := range []string{"naive", "perdevice"} {
		env := newEnv(t, kind)
		gpu := env.WithDevice(device.GPU(0))
		for control, want := range map[string]string{
			"launchFails": "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "blasFails": "CUBLAS_STATUS_EXECUTION_FAILED",
		} {
			x := array{dtype.Float32, []int{2, 2}, []float64{1, 2, 3, 4}, nil}.tensor(gpu)
			require.NoError(t, x.Wait(context.Background()))
			require.NoError(t, Invoke(Copy, nil, x)[0].Wait(context.Background()))
			fake.Set(control, 1)
			failed := Invoke(MatMul, nil, x, x)[0]
			if control == "launchFails" {
				failed = Invoke(Neg, nil, x)[0]
			}
			after := Invoke(Add, nil, failed, x)[0]
			err := after.Wait(context.Background())
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, "cuda_failure_test.go", "the user's line")
			require.ErrorIs(t, err, fault.ErrDevice)
			require.Equal(t, []float64{-1, -2, -3, -4}, valuesOf(t, Invoke(Neg, nil, x)[0]), "later work is as before")
		}
	}
}

func TestOutOfMemoryOnAGPUIsAnErrorOfTheResult(t *testing.T) {
	fake := fakeGPU(t)
	env := newEnv(t, "perdevice")
	gpu := env.WithDevice(device.GPU(1))
	x := array{dtype.Float32, []int{2}, []float64{1, 2}, nil}.tensor(gpu)
	require.NoError(t, Invoke(Neg, nil, x)[0].Wait(context.Background()))
	fake.Set("memory", 1<<20)
	defer fake.Set("memory", 4<<30)
	large := InvokeIn(gpu, Fill, FillParams{Shape: []int{1 << 20}, DType: dtype.Float64, Value: 1})[0]
	err := Invoke(Neg, nil, large)[0].Wait(context.Background())
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	require.ErrorContains(t, err, "gpu(1)")
	require.Equal(t, []float64{-1, -2}, valuesOf(t, Invoke(Neg, nil, x)[0]))
	require.Equal(t, []float64{-1, -2}, valuesOf(t, Invoke(Neg, nil, array{dtype.Float32, []int{2}, []float64{1, 2}, nil}.tensor(env))[0]), "on the CPU")
}

// withoutDriver tells the test below that it is run by itself, in a process that finds no GPU.
const withoutDriver = "TEST_WITHOUT_CUDA_DRIVER"

func TestTheCPUWorksWhereNoGPUDoes(t *testing.T) {
	if os.Getenv(withoutDriver) == "" {
		again := exec.Command(os.Args[0], "-test.run", "^TestTheCPUWorksWhereNoGPUDoes$")
		again.Env = append(os.Environ(), withoutDriver+"=1", "WEFT_CUDA_PATH=", "CUDA_VISIBLE_DEVICES=")
		out, err := again.CombinedOutput()
		require.NoError(t, err, string(out))
		return
	}
	env := newEnv(t, "perdevice")
	err := device.Check(device.GPU(0))
	require.ErrorIs(t, err, fault.ErrDevice)
	require.ErrorContains(t, err, "device gpu(0): ")
	require.PanicsWithError(t, "weft: WithDevice: "+err.Error()+" on gpu(0) at "+fault.Here(0).String(), func() { env.WithDevice(device.GPU(0)) })
	pinned := env.WithDevice(device.CPUPinned(0))
	for _, e := range []*Env{env, pinned} {
		x := array{dtype.Float32, []int{2}, []float64{1, 2}, nil}.tensor(e)
		require.Equal(t, []float64{-1, -2}, valuesOf(t, Invoke(Neg, nil, x)[0]))
	}
}
