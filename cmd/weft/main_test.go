package main

import (
	"bytes"
	"os/exec"
	"runtime"
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
	const purego = "github.com/ebitengine/purego"
	list := func(packages ...string) string {
		out, err := exec.Command("go", append([]string{"list", "-deps"}, packages...)...).Output()
		if err != nil {
			t.Skip("there is no go command that lists packages: ", err)
		}
		return string(out)
	}
	require.Contains(t, list("github.com/weft-nd/weft/kernels/cuda"), purego)
	users := list("github.com/weft-nd/weft", "github.com/weft-nd/weft/ndarray", "github.com/weft-nd/weft/nn", "github.com/weft-nd/weft/optim",
		"github.com/weft-nd/weft/data", "github.com/weft-nd/weft/autograd", "github.com/weft-nd/weft/examples/...")
	require.Contains(t, users, "github.com/weft-nd/weft/ops")
	require.False(t, strings.Contains(users, purego), "a program without kernels/cuda links purego")
}
