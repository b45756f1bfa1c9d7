package device

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

func TestParseInvertsString(t *testing.T) {
	for _, d := range []Device{CPU(0), CPU(3), GPU(1), Sim(0), CPUPinned(2), CPUShared(0)} {
		parsed, err := Parse(d.String())
		require.NoError(t, err)
		require.Equal(t, d, parsed)
	}
	bare, err := Parse(" gpu ")
	require.NoError(t, err)
	require.Equal(t, GPU(0), bare)
}

func TestParseRefusesWhatIsNoDevice(t *testing.T) {
	for _, name := range []string{"", "tpu(0)", "cpu(-1)", "cpu(x)", "cpu(0", "gpu0", "cpu()"} {
		_, err := Parse(name)
		require.ErrorIs(t, err, fault.ErrDevice, name)
		require.Contains(t, err.Error(), "device_test.go")
	}
	_, err := Parse("tpu(0)")
	require.ErrorContains(t, err, "cpu, cpu_pinned, cpu_shared, gpu, sim")
}

func TestCheckTellsWhichPackageIsMissing(t *testing.T) {
	require.NoError(t, Check(CPU(5)))
	require.ErrorContains(t, Check(GPU(0)), "kernels/cuda")
	require.ErrorContains(t, Check(Sim(0)), "kernels/sim")
	for _, d := range []Device{CPU(-1), CPUPinned(-1), CPUShared(-1), GPU(-1)} {
		require.Error(t, Check(d))
	}
}

func TestHostDevicesExistInAnyNumber(t *testing.T) {
	for i := range 3 {
		require.NoError(t, Check(CPU(i)))
		require.NoError(t, Check(CPUPinned(i)))
		if err := Check(CPUShared(i)); runtime.GOOS == "windows" {
			require.ErrorContains(t, err, "Windows")
		} else {
			require.NoError(t, err)
		}
	}
}

func TestKernelNamesJoinOperatorAndTypes(t *testing.T) {
	require.Equal(t, "add/float32", KernelName("add", dtype.Float32))
	require.Equal(t, "cast/float32/int64", KernelName("cast", dtype.Float32, dtype.Int64))
}

func TestAGridOverElementsHasAThreadForEach(t *testing.T) {
	for _, c := range []struct{ count, threads, blocks int }{{0, 256, 1}, {1, 256, 1}, {256, 256, 1}, {257, 256, 2}, {1000, 256, 4}, {5, 0, 5}, {0, 0, 1}} {
		g := Over(c.count, c.threads)
		require.Empty(t, g.Problem())
		require.Equal(t, [3]int{c.blocks, 1, 1}, g.Whole().Blocks, c)
	}
	require.NotEmpty(t, Over(5, -1).Problem())
}
