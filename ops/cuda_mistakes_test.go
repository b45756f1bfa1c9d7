//go:build linux && amd64

package ops

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
)

// mistakenMachine names, for a process of its own, the machine below that it finds itself on.
const mistakenMachine = "TEST_CUDA_MACHINE"

// machines are those on which GPUs do not do what is wanted of them: what is wrong with each, and what becomes of gpu(0) or of the
// operators on it. The CPU works on all.
var machines = map[string]struct {
	spoil func(t *testing.T, fake *cudatest.Fake)
	wrong []string // the error of gpu(0), if there is none such
	run   func(t *testing.T, fake *cudatest.Fake, env *Env)
}{
	"no driver": {
		spoil: func(t *testing.T, fake *cudatest.Fake) { require.NoError(t, os.RemoveAll(fake.Folder)) },
		wrong: []string{"device gpu(0): ", "no libcuda.so.1 is found", "WEFT_CUDA_PATH"},
	},
	"a driver that is none": {
		spoil: func(t *testing.T, fake *cudatest.Fake) {
			folder := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(folder, "libcuda.so.1"), []byte("text"), 0o600))
			t.Setenv("WEFT_CUDA_PATH", folder)
		},
		wrong: []string{"cannot load ", "libcuda.so.1", "file too short"},
	},
	"a driver of another version": {
		spoil: func(t *testing.T, fake *cudatest.Fake) { fake.Set("version", 10020) },
		wrong: []string{"it supports CUDA 10.2, and 11.4 is needed: install a newer driver"},
	},
	"a driver without devices": {
		spoil: func(t *testing.T, fake *cudatest.Fake) { fake.Set("devices", 0) },
		wrong: []string{"CUDA_ERROR_NO_DEVICE: the driver finds no GPU"},
	},
	"hidden devices": {
		spoil: func(t *testing.T, fake *cudatest.Fake) { t.Setenv("CUDA_VISIBLE_DEVICES", "") },
		wrong: []string{`CUDA_VISIBLE_DEVICES="" hides all devices`},
	},
	"a driver that was killed": {
		spoil: func(t *testing.T, fake *cudatest.Fake) { fake.Set("killed", 1) },
		wrong: []string{"does not start", "CUDA_ERROR_DEINITIALIZED"},
	},
	"an index out of range": {run: func(t *testing.T, fake *cudatest.Fake, env *Env) {
		err := device.Check(device.GPU(2))
		require.EqualError(t, err, "device gpu(2) does not exist: this machine has 2 gpu devices")
		require.PanicsWithError(t, "weft: WithDevice: "+err.Error()+" on gpu(2) at "+fault.Here(0).String(), func() { env.WithDevice(device.GPU(2)) })
		works(t, env.WithDevice(device.GPU(0)))
	}},
	"no cuBLAS": {
		spoil: func(t *testing.T, fake *cudatest.Fake) {
			for _, name := range []string{"libcublas.so.11", "libcublas.so.12", "libcublas.so.13"} {
				require.NoError(t, os.Remove(filepath.Join(fake.Folder, name)))
			}
		},
		run: func(t *testing.T, fake *cudatest.Fake, env *Env) {
			gpu := env.WithDevice(device.GPU(0))
			x := array{dtype.Float32, []int{1, 1}, []float64{2}, nil}.tensor(gpu)
			fails(t, Invoke(MatMul, nil, x, x)[0], fault.ErrDevice, "matmul", "no cuBLAS for CUDA 12.4", "libcublas.so.12")
			works(t, gpu)
		},
	},
	"a cuBLAS of another version": {
		spoil: func(t *testing.T, fake *cudatest.Fake) {
			for _, name := range []string{"libcublas.so.11", "libcublas.so.12", "libcublas.so.13"} {
				require.NoError(t, os.Remove(filepath.Join(fake.Folder, name)))
				require.NoError(t, os.Symlink("/lib/x86_64-linux-gnu/libc.so.6", filepath.Join(fake.Folder, name)))
			}
		},
		run: func(t *testing.T, fake *cudatest.Fake, env *Env) {
			gpu := env.WithDevice(device.GPU(0))
			x := array{dtype.Float32, []int{1, 1}, []float64{2}, nil}.tensor(gpu)
			fails(t, Invoke(MatMul, nil, x, x)[0], fault.ErrDevice, "it is of another version", "cublasCreate_v2")
			works(t, gpu)
		},
	},
	"a cuDNN of another version": {
		spoil: func(t *testing.T, fake *cudatest.Fake) {
			for _, name := range []string{"libcudnn.so.8", "libcudnn.so.9"} {
				require.NoError(t, os.Remove(filepath.Join(fake.Folder, name)))
				require.NoError(t, os.Symlink("/lib/x86_64-linux-gnu/libc.so.6", filepath.Join(fake.Folder, name)))
			}
		},
		run: func(t *testing.T, fake *cudatest.Fake, env *Env) {
			var found bytes.Buffer
			require.NoError(t, cuda.Report(&found))
			require.Contains(t, found.String(), "cuDNN    "+fake.Folder+"/libcudnn.so.9: it is of another version: ")
			gpu := env.WithDevice(device.GPU(0))
			x := array{dtype.Float32, []int{1, 1, 1}, []float64{2}, nil}.tensor(gpu)
			require.Equal(t, []float64{4}, valuesOf(t, Invoke(Conv, ConvParams{}, x, x)[0]))
			require.Zero(t, fake.Get("convolutions"))
		},
	},
	"a cuDNN that fails": {run: func(t *testing.T, fake *cudatest.Fake, env *Env) {
		gpu := env.WithDevice(device.GPU(0))
		x := array{dtype.Float32, []int{1, 1, 1}, []float64{2}, nil}.tensor(gpu)
		fake.Set("dnnFails", 1)
		fails(t, Invoke(Conv, ConvParams{}, x, x)[0], fault.ErrDevice, "conv", "cudnnConvolutionForward: CUDNN_STATUS_EXECUTION_FAILED: the fake says so", "WEFT_CUDNN=0")
		require.Equal(t, []float64{4}, valuesOf(t, Invoke(Conv, ConvParams{}, x, x)[0]))
		require.Equal(t, 1, fake.Get("convolutions"))
	}},
	"out of memory": {run: func(t *testing.T, fake *cudatest.Fake, env *Env) {
		gpu := env.WithDevice(device.GPU(0))
		works(t, gpu)
		fake.Set("memory", 1<<20)
		fails(t, InvokeIn(gpu, Fill, FillParams{Shape: []int{1 << 20}, DType: dtype.Float64})[0], fault.ErrOutOfMemory, "gpu(0)", "8388608 bytes requested")
		works(t, gpu)
	}},
	"a device that is lost": {run: func(t *testing.T, fake *cudatest.Fake, env *Env) {
		gpu, other := env.WithDevice(device.GPU(0)), env.WithDevice(device.GPU(1))
		x, y := array{dtype.Float32, []int{1}, []float64{2}, nil}.tensor(gpu), array{dtype.Float32, []int{1}, []float64{2}, nil}.tensor(other)
		works(t, gpu)
		works(t, other)
		require.NoError(t, x.Wait(context.Background()))
		fake.Set("launchLoses", 1)
		lost := Invoke(Neg, nil, x)[0]
		for range 2 {
			fails(t, Invoke(Add, nil, lost, lost)[0], fault.ErrDevice, "gpu(0) is disabled", "CUDA_ERROR_ILLEGAL_ADDRESS", "only a new process")
		}
		fails(t, Invoke(Neg, nil, x)[0], fault.ErrDevice, "gpu(0) is disabled")
		require.Equal(t, []float64{-2}, valuesOf(t, Invoke(Neg, nil, y)[0]))
		works(t, other)
	}},
	"a copy that loses the device": {run: func(t *testing.T, fake *cudatest.Fake, env *Env) {
		gpu, other := env.WithDevice(device.GPU(0)), env.WithDevice(device.GPU(1))
		works(t, gpu)
		works(t, other)
		host := array{dtype.Float32, []int{1}, []float64{2}, nil}.tensor(env)
		fake.Set("copyLoses", 1)
		for range 2 {
			fails(t, Invoke(Neg, nil, host.In(gpu))[0], fault.ErrDevice, "gpu(0) is disabled", "CUDA_ERROR_ILLEGAL_ADDRESS", "only a new process")
		}
		require.Equal(t, []float64{-2}, valuesOf(t, Invoke(Neg, nil, host)[0]), "the replica on the host is as it was")
		require.Equal(t, []float64{-2}, valuesOf(t, Invoke(Neg, nil, host.In(other))[0]))
		works(t, other)
	}},
	"a driver that is killed later": {run: func(t *testing.T, fake *cudatest.Fake, env *Env) {
		gpu := env.WithDevice(device.GPU(0))
		works(t, gpu)
		x := array{dtype.Float32, []int{1}, []float64{2}, nil}.tensor(gpu)
		require.NoError(t, Invoke(Neg, nil, x)[0].Wait(context.Background()))
		fake.Set("killed", 1)
		fails(t, Invoke(Neg, nil, x)[0], fault.ErrDevice, "gpu(0) is disabled", "CUDA_ERROR_DEINITIALIZED")
	}},
}

// works fails unless operators run in env.
func works(t *testing.T, env *Env) {
	t.Helper()
	x := array{dtype.Float32, []int{2}, []float64{1, 2}, nil}.tensor(env)
	require.Equal(t, []float64{-1, -2}, valuesOf(t, Invoke(Neg, nil, x)[0]))
}

// fails fails unless x is in error, in the words given and with the line of the test.
func fails(t *testing.T, x *Tensor, cause error, words ...string) {
	t.Helper()
	err := x.Wait(context.Background())
	require.ErrorIs(t, err, cause)
	for _, w := range append(words, "cuda_mistakes_test.go") {
		require.ErrorContains(t, err, w)
	}
}

func TestWhatIsWrongWithAMachineIsOneClearErrorAndTheCPUWorks(t *testing.T) {
	if name := os.Getenv(mistakenMachine); name != "" {
		onMachine(t, name)
		return
	}
	cudatest.Install(t)
	for name := range machines {
		t.Run(name, func(t *testing.T) {
			again := exec.Command(os.Args[0], "-test.run", "^TestWhatIsWrongWithAMachineIsOneClearErrorAndTheCPUWorks$")
			again.Env = append(os.Environ(), mistakenMachine+"="+name, "GORACE=atexit_sleep_ms=0", "VIRTUAL_ENV=", "CONDA_PREFIX=")
			out, err := again.CombinedOutput()
			require.NoError(t, err, string(out))
		})
	}
}

func onMachine(t *testing.T, name string) {
	m := machines[name]
	fake := cudatest.Start(t)
	if m.spoil != nil {
		m.spoil(t, fake)
	}
	env := newEnv(t, "perdevice")
	if m.wrong != nil {
		err := device.Check(device.GPU(0))
		require.ErrorIs(t, err, fault.ErrDevice)
		for _, words := range m.wrong {
			require.ErrorContains(t, err, words)
		}
	} else {
		m.run(t, fake, env)
	}
	works(t, env)
}
