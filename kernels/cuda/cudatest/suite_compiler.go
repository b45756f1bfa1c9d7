package cudatest

import (
	"errors"
	"math"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

const reversing = `
template <class T> __global__ void reversed(const T *x, T *y, bool negate, double shift) {
  extern __shared__ T line[];
  unsigned i = threadIdx.x, row = blockIdx.y * blockDim.x;
  line[i] = x[row + i];
  __syncthreads();
  T v = line[blockDim.x - 1 - i];
  y[row + i] = (negate ? -v : v) + shift;
}
`

// programs compiles a kernel for the device and runs it: in a stream, and in a graph; with more shared memory than is plain, too.
func programs(s *suite) {
	compiler, ok := s.driver.(driver.Compiler)
	if !ok {
		s.Skip("the driver does not compile")
	}
	p, err := s.driver.Describe(0)
	require.NoError(s, err)
	program := &driver.Program{Source: reversing, Names: []string{"reversed<float>"}, Major: p.Major, Minor: p.Minor}
	made, err := compiler.Compile(program)
	if errors.Is(err, errors.ErrUnsupported) {
		s.Skip(err)
	}
	require.NoError(s, err)
	m, err := s.Load(made.Image)
	require.NoError(s, err)
	f, err := s.Function(m, made.Lowered[0])
	require.NoError(s, err)
	x, y := upload[float32](s, 1, 2, 3, 4), upload[float32](s, 0, 0, 0, 0)
	grid := device.Grid{Blocks: [3]int{1, 2, 1}, Threads: [3]int{2, 1, 1}, Shared: 8}
	launch := func(negate uint64, shift float64) error {
		return s.LaunchGrid(f, grid, s.stream, []uint64{uint64(x), uint64(y), negate, math.Float64bits(shift)})
	}
	require.NoError(s, launch(0, 0.5))
	require.Equal(s, []float32{2.5, 1.5, 4.5, 3.5}, download[float32](s, y, 4))
	grid.Shared = 64 << 10
	require.NoError(s, s.AllowShared(f, grid.Shared))
	require.NoError(s, s.Capture(s.stream))
	require.NoError(s, launch(1, 0))
	g, err := s.EndCapture(s.stream)
	require.NoError(s, err)
	require.NoError(s, s.Replay(g, s.stream))
	require.Equal(s, []float32{-2, -1, -4, -3}, download[float32](s, y, 4))
	require.NoError(s, s.CloseGraph(g))
	refused(s, s.AllowShared(f, 1<<30), 1)
	grid.Shared++
	refused(s, launch(0, 0), 1)
	program.Source = "__global__ void f() { undeclared(); }"
	var wrong *driver.CompileError
	_, err = compiler.Compile(program)
	require.ErrorAs(s, err, &wrong)
	require.ErrorIs(s, err, fault.ErrParameter)
	require.Contains(s, wrong.Log, "undeclared")
}
