package cudatest

import (
	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

func lackingMemory(s *suite) {
	s.fake.Set("allocationFails", 1)
	_, err := s.Allocate(1)
	refused(s, err, driver.OutOfMemory)
	upload[byte](s, 1)
	s.fake.Set("allocationFailures", 2)
	s.fake.Set("allocationFails", 2)
	upload[byte](s, 1)
	for range 2 {
		_, err = s.Allocate(1)
		refused(s, err, driver.OutOfMemory)
	}
	require.Zero(s, s.fake.Get("allocationFails"))
	upload[byte](s, 1)
	s.fake.Set("hostAllocationFails", 1)
	_, err = s.AllocateHost(1)
	refused(s, err, driver.OutOfMemory)
	require.ErrorIs(s, err, fault.ErrOutOfMemory)
	p, err := s.AllocateHost(1)
	require.NoError(s, err)
	require.NoError(s, s.FreeHost(p))
}

func refusedLaunches(s *suite) {
	p := upload[float32](s, 1)
	s.fake.Set("launchFails", 1)
	refused(s, s.negate(s.stream, p, 1), 701)
	require.NoError(s, s.negate(s.stream, p, 1))
	require.Equal(s, []float32{-1}, download[float32](s, p, 1))
}

func lostDevice(s *suite) {
	p := upload[float32](s, 1)
	s.fake.Set("launchLoses", 1)
	require.NoError(s, s.negate(s.stream, p, 1))
	for range 2 {
		err := s.Synchronize(s.stream)
		refused(s, err, driver.IllegalAddress)
		require.ErrorIs(s, err, fault.ErrDevice)
	}
	_, err := s.Allocate(1)
	refused(s, err, driver.IllegalAddress)
	s.fake.Set("restart", 1)
}

func lostByCopies(s *suite) {
	p := upload[float32](s, 1)
	s.fake.Set("copyLoses", 2)
	at, bytes := bytesOf([]float32{2})
	require.NoError(s, s.CopyIn(p, at, bytes, s.stream))
	require.NoError(s, s.Synchronize(s.stream), "the first copy")
	err := s.CopyOut(at, p, bytes, s.stream)
	if err == nil { // It may be known by now.
		err = s.Synchronize(s.stream)
	}
	refused(s, err, driver.IllegalAddress)
	require.ErrorIs(s, err, fault.ErrDevice)
	_, err = s.Allocate(1)
	refused(s, err, driver.IllegalAddress)
	s.fake.Set("restart", 1)
}

func killedDriver(s *suite) {
	p := upload[float32](s, 1)
	e, err := s.NewEvent()
	require.NoError(s, err)
	s.fake.Set("killed", 1)
	_, err = s.Allocate(1)
	_, errCount := s.driver.Count()
	_, _, errMemory := s.Memory()
	_, errReached := s.Reached(e)
	for _, err := range []error{err, errCount, errMemory, errReached, s.Zero(p, 1, s.stream), s.Record(e, s.stream), s.Await(e), s.Synchronize(s.stream)} {
		refused(s, err, driver.Deinitialized)
	}
	s.fake.Set("restart", 1)
	require.NoError(s, s.CloseEvent(e))
}

func refusedGraphs(s *suite) {
	s.fake.Set("noGraphs", 1)
	refused(s, s.Capture(s.stream), 801)
	s.fake.Set("noGraphs", 0)
	require.NoError(s, s.Capture(s.stream))
	require.Error(s, s.Synchronize(s.stream), "nobody can wait for work that is kept")
	_, err := s.EndCapture(s.stream)
	refused(s, err, 901)
	s.fake.Set("graphFails", 1)
	require.NoError(s, s.Capture(s.stream))
	_, err = s.EndCapture(s.stream)
	refused(s, err, driver.OutOfMemory)
	require.NoError(s, s.Synchronize(s.stream))
}
