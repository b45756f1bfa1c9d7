package main

import (
	"bytes"
	"os/exec"
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
	for _, line := range []string{"cpu(0)   ", "driver   " + fake.Folder, "cuBLAS   " + fake.Folder, "CUDA     12.4", "gpu(1)   Fake GPU, compute capability 9.0"} {
		require.Contains(t, out.String(), line)
	}
	require.ErrorContains(t, run(nil, &out), "usage")
	require.ErrorContains(t, run([]string{"device"}, &out), "usage")
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
