package cudatest

import (
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

const launchFailed driver.Status = 719

// mistake runs a kernel of fake/mistakes.cc on a block of four threads, and returns the results and the error of their copy.
func (s *suite) mistake(entry string) ([]float32, error) {
	m, err := s.Load(".version 7.0\n.target sm_70\n.visible .entry " + entry + "(\n")
	require.NoError(s, err)
	f, err := s.Function(m, entry)
	require.NoError(s, err)
	results := make([]float32, 4)
	at, bytes := bytesOf(results)
	p, err := s.Allocate(bytes)
	require.NoError(s, err)
	a := &negated{count: 4, inner: 1, outerAxes: 1}
	a.shape[0] = 4
	a.operands[0].start, a.operands[0].dtype, a.operands[0].strides[0] = p, uint64(dtype.Float32), 1
	require.NoError(s, s.Launch(f, 1, 4, 0, s.stream, unsafe.Pointer(a)))
	if err = s.CopyOut(at, p, bytes, s.stream); err == nil { // It may fail by now.
		err = s.Synchronize(s.stream)
	}
	s.fake.Set("restart", 1)
	require.NoError(s, s.Free(p))
	return results, err
}

func partedThreads(s *suite) {
	_, err := s.mistake("tile_parting")
	refused(s, err, launchFailed)
	_, err = s.mistake("tile_rotating")
	require.NoError(s, err, "the threads begin anew")
}

func overflownStacks(s *suite) {
	_, err := s.mistake("tile_overflowing")
	refused(s, err, launchFailed)
}

func lackingBarriers(s *suite) {
	want := []float32{1, 2, 3, 0}
	for range 8 { // in both orders
		results, err := s.mistake("tile_rotating")
		require.NoError(s, err)
		require.Equal(s, want, results)
		results, err = s.mistake("tile_rotating_early")
		require.NoError(s, err)
		require.NotEqual(s, want, results)
	}
}
