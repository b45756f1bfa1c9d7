package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
)

func TestDevicesListsWhatIsThere(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("one processor is enough")
	}
	fake := cudatest.Start(t)
	var out bytes.Buffer
	require.NoError(t, run([]string{"devices"}, &out))
	for _, line := range []string{"cpu(0)   ", "driver   " + fake.Folder, "cuBLAS   " + fake.Folder, "NVRTC    " + fake.Folder, "CUDA     12.4", "gpu(1)   Fake GPU, compute capability 9.0"} {
		require.Contains(t, out.String(), line)
	}
	require.ErrorContains(t, run(nil, &out), "usage")
	require.ErrorContains(t, run([]string{"device"}, &out), "usage")
}

// machine names, for a process of its own, the machine below that it finds itself on.
const machine = "TEST_WEFT_MACHINE"

// machines are those on which not all is there that GPUs need: what is wrong, and what the program tells then.
var machines = map[string]struct {
	spoil func(t *testing.T, fake *cudatest.Fake)
	lines []string // each a regular expression
}{
	"no driver": {
		func(t *testing.T, fake *cudatest.Fake) { require.NoError(t, os.RemoveAll(fake.Folder)) },
		[]string{`driver   not found: no libcuda.so.1 is found .*WEFT_CUDA_PATH`, `gpu      none: .*no CUDA driver: no libcuda.so.1 is found`},
	},
	"a driver that is none": {
		func(t *testing.T, fake *cudatest.Fake) {
			folder := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(folder, "libcuda.so.1"), []byte("text"), 0o600))
			t.Setenv("WEFT_CUDA_PATH", folder)
		},
		[]string{`driver   not found: cannot load .*/libcuda.so.1: .*file too short`, `gpu      none: .*cannot load`},
	},
	"hidden devices": {
		func(t *testing.T, fake *cudatest.Fake) { t.Setenv("CUDA_VISIBLE_DEVICES", "") },
		[]string{`driver   /.*/libcuda.so.1: .*CUDA_ERROR_NO_DEVICE`, `gpu      none: .*CUDA_VISIBLE_DEVICES="" hides all devices`},
	},
	"an old driver": {
		func(t *testing.T, fake *cudatest.Fake) { fake.Set("version", 10020) },
		[]string{`gpu      none: .*it supports CUDA 10.2, and 11.4 is needed`},
	},
	"no cuBLAS": {
		func(t *testing.T, fake *cudatest.Fake) {
			for _, name := range []string{"libcublas.so.11", "libcublas.so.12", "libcublas.so.13"} {
				require.NoError(t, os.Remove(filepath.Join(fake.Folder, name)))
			}
		},
		[]string{`cuBLAS   not found: no libcublas.so.12, libcublas.so.11 is found`, `CUDA     12.4`, `gpu\(0\)   Fake GPU, .*MiB`},
	},
	"old devices": {
		func(t *testing.T, fake *cudatest.Fake) { fake.Set("computeCapability", 61) },
		[]string{`gpu\(0\)   Fake GPU, compute capability 6.1, .*MiB: .*7.0`, `gpu\(1\)   Fake GPU, compute capability 6.1, .*MiB: .*7.0`},
	},
}

func TestDevicesTellsWhatIsWrongWithAMachine(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("one processor is enough")
	}
	if name := os.Getenv(machine); name != "" {
		machines[name].spoil(t, cudatest.Start(t))
		require.NoError(t, run([]string{"devices"}, os.Stdout))
		return
	}
	cudatest.Start(t) // skips where there is no compiler
	for name, m := range machines {
		t.Run(name, func(t *testing.T) {
			again := exec.Command(os.Args[0], "-test.run", "^TestDevicesTellsWhatIsWrongWithAMachine$")
			again.Env = append(os.Environ(), machine+"="+name, "VIRTUAL_ENV=", "CONDA_PREFIX=")
			out, err := again.CombinedOutput()
			require.NoError(t, err, string(out))
			require.Regexp(t, `(?m)^cpu\(0\)   `, string(out))
			for _, line := range m.lines {
				require.Regexp(t, "(?m)^"+line, string(out))
			}
		})
	}
}

// TestOnlyWhoImportsCUDALinksIt asks the go command for all packages that the library's users get.
func TestOnlyWhoImportsCUDALinksIt(t *testing.T) {
	const module, purego = "github.com/weft-nd/weft", "github.com/ebitengine/purego"
	list := func(arguments ...string) []string {
		out, err := exec.Command("go", append([]string{"list"}, arguments...)...).Output()
		if err != nil {
			t.Skip("there is no go command that lists packages: ", err)
		}
		return strings.Fields(string(out))
	}
	for _, program := range []string{"/kernels/cuda", "/examples/mnist", "/examples/chartransformer", "/cmd/weft"} {
		require.Contains(t, list("-deps", module+program), purego, program)
	}
	users := slices.DeleteFunc(list(module+"/..."), func(name string) bool {
		folder, _, _ := strings.Cut(strings.TrimPrefix(name, module+"/"), "/")
		return slices.Contains([]string{"examples", "bench", "cmd"}, folder) || strings.HasPrefix(name, module+"/kernels/cuda")
	})
	require.Greater(t, len(users), 30)
	require.NotContains(t, list(append([]string{"-deps"}, users...)...), purego, "a program without kernels/cuda links purego")
}
