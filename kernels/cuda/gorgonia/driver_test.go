package gorgonia

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device/devicetest"
	"github.com/weft-nd/weft/kernels/cuda"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
)

var onReal = flag.Bool("gpu", false, "run the tests named Real on the GPUs of the machine")

func TestRealDriverPassesTheSuites(t *testing.T) {
	if !*onReal {
		t.Skip("the flag -gpu is not set")
	}
	d, _, err := Open()
	require.NoError(t, err)
	cudatest.RunDriver(t, d, nil)
	devicetest.RunAll(t, cuda.NewOn(Open))
}

func TestDriverPassesTheSuite(t *testing.T) {
	fake := cudatest.Linked(t)
	d, _, err := Open()
	require.NoError(t, err)
	cudatest.RunDriver(t, d, fake)
}

func TestBackendOnTheDriverPassesTheSuite(t *testing.T) {
	cudatest.Linked(t)
	devicetest.RunAll(t, cuda.NewOn(Open))
}
