//go:build linux && amd64

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
	"github.com/weft-nd/weft/train"
)

// lossesOf reads the loss of every step from a log.
func lossesOf(t *testing.T, path string) (all []float64) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	entries, err := train.ReadLog(file)
	require.NoError(t, err)
	for _, e := range entries {
		if e.Kind == "step" {
			all = append(all, e.Values["loss"])
		}
	}
	return all
}

func TestGPULearnsAsTheCPU(t *testing.T) {
	cudatest.Start(t)
	folder := drawnData(t, 4, 1)
	for model := range models {
		t.Run(model, func(t *testing.T) {
			own := t.TempDir()
			args := []string{"-data", folder, "-model", model, "-epochs", "1", "-charts", "", "-batch", "2", "-log"}
			_, status, code := mnist(t, nil, append(args, filepath.Join(own, "cpu.jsonl"))...)
			require.Zero(t, code, status)
			out, status, code := mnist(t, nil, append(args, filepath.Join(own, "gpu.jsonl"), "-device", "gpu(0)", "-profile", own)...)
			require.Zero(t, code, status)
			require.Contains(t, out, "test accuracy: ")
			want := lossesOf(t, filepath.Join(own, "cpu.jsonl"))
			require.Len(t, want, 2)
			require.InDeltaSlice(t, want, lossesOf(t, filepath.Join(own, "gpu.jsonl")), 1e-4)
			trace, err := os.ReadFile(filepath.Join(own, "trace.json"))
			require.NoError(t, err)
			require.Contains(t, string(trace), "gpu(0)")
			require.NotContains(t, string(trace), "on cpu for gpu", "no operator falls back")
		})
	}
}

func TestDriverThatCannotBeLoadedIsTheReasonForNoGPU(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "libcuda.so.1")
	require.NoError(t, os.WriteFile(file, []byte("no library"), 0o600))
	_, status, code := mnist(t, []string{"WEFT_CUDA_PATH=" + folder}, "-device", "gpu(63)")
	require.Equal(t, 1, code)
	if strings.Contains(status, "does not exist") {
		t.Skip("the system has a driver")
	}
	require.Regexp(t, `^mnist: -device: device gpu\(63\): .*no CUDA driver: cannot load `+file+`: .*\n$`, status)
}
