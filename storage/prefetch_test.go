package storage_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/sim"
	"github.com/weft-nd/weft/storage"
)

// Caffe's asynchronous push calls the memory synced at once, and a buffer that was used again was read half copied.
func TestAPrefetchedReplicaIsValidWhenItsCopyIsDone(t *testing.T) {
	m := newMachine(t, "perdevice")
	s := storage.NewSynced(m, size)
	m.requireNoError(m.write(s, cpu0, pattern(size, 1)))
	m.forgetTraffic()
	release := hold(0)
	done := s.Prefetch(sim0, nil)
	again := s.Prefetch(sim0, nil)
	require.Equal(t, []device.Device{cpu0}, s.Valid())
	m.read(s, cpu0).requires(pattern(size, 1))
	reader := m.read(s, sim0)
	m.passBarriers(cpu0, sim1)
	require.Equal(t, []device.Device{cpu0}, s.Valid())
	release()
	m.requireNoError(done, again)
	require.Equal(t, []device.Device{cpu0, sim0}, s.Valid())
	reader.requires(pattern(size, 1))
	require.Equal(t, 1, m.traffic(), "one copy serves both and the reader")
}

// A writer on the host waits for the copy that reads what it overwrites, and leaves its result stale.
func TestAWriterOnTheHostMakesAPrefetchStale(t *testing.T) {
	for _, mode := range []engine.Mode{engine.Write, engine.Update} {
		m := newMachine(t, "perdevice")
		s := storage.NewSynced(m, size)
		m.requireNoError(m.write(s, cpu0, pattern(size, 1)))
		release := hold(0)
		s.Prefetch(sim0, nil)
		early := m.read(s, sim0)
		written := m.do("overwrite", cpu0, m.put(pattern(size, 2), 0), whole(s, mode))
		require.Equal(t, []device.Device{cpu0}, s.Valid())
		late := m.read(s, sim0)
		m.passBarriers(cpu0, sim1)
		require.EqualValues(t, 1, s.Var().Version(), "the writer waits for the copy")
		release()
		m.requireNoError(written)
		early.requires(pattern(size, 1))
		late.requires(pattern(size, 2))
	}
}

func TestPrefetchesOnSeveralDevicesServeTheirReaders(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		s := storage.NewSynced(m, size)
		m.requireNoError(m.write(s, sim0, pattern(size, 1)))
		m.forgetTraffic()
		m.requireNoError(s.Prefetch(cpu0, nil), s.Prefetch(sim1, nil), s.Prefetch(cpu1, nil), s.Prefetch(sim0, nil))
		require.Len(t, s.Valid(), 4)
		before := m.traffic()
		require.LessOrEqual(t, before, 3)
		for _, d := range everywhere {
			m.read(s, d).requires(pattern(size, 1))
		}
		require.Equal(t, before, m.traffic())
		require.EqualValues(t, 1, s.Var().Sequence(), "a prefetch is no write")
	})
}

func TestAPrefetchOfZerosFillsThem(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		for _, bytes := range []int{0, 1, size} {
			s := storage.NewSynced(m, bytes)
			m.requireNoError(s.Prefetch(sim0, nil))
			require.Equal(t, []device.Device{sim0}, s.Valid())
			m.read(s, sim0).requires(make([]byte, bytes))
			m.read(s, cpu0).requires(make([]byte, bytes))
		}
	})
}

func TestAFailedPrefetchIsAnErrorOfItsReplicaAndIsRepeated(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		s := storage.NewSynced(m, size)
		m.requireNoError(m.write(s, cpu0, pattern(size, 1)))
		sim.Default().InjectFault("copy", io.ErrUnexpectedEOF)
		done := s.Prefetch(sim0, fault.Here(0))
		err := m.Wait(background, done)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.Regexp(t, `prefetch_test\.go:\d+`, err.Error())
		require.NoError(t, s.Var().Err())
		require.Equal(t, []device.Device{cpu0}, s.Valid())
		m.read(s, cpu0).requires(pattern(size, 1))
		m.requireNoError(s.Prefetch(sim0, nil))
		m.forgetTraffic()
		m.read(s, sim0).requires(pattern(size, 1))
		require.Zero(t, m.traffic())
	})
}

func TestAPrefetchOfContentsInErrorFails(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		s := storage.NewSynced(m, size)
		m.do("fails", cpu0, func(*engine.RunContext, []device.Pointer) error { return io.ErrClosedPipe }, whole(s, engine.Write))
		require.ErrorIs(t, m.Wait(background, s.Prefetch(sim0, nil)), io.ErrClosedPipe)
		m.write(s, cpu0, pattern(size, 1))
		m.requireNoError(s.Prefetch(sim0, nil))
		m.read(s, sim0).requires(pattern(size, 1))
	})
}

func TestAPrefetchOfReleasedMemoryIsAMistake(t *testing.T) {
	s := storage.NewSynced(newMachine(t, "perdevice"), size)
	s.Release(nil)
	failure := panicOf(t, func() { s.Prefetch(sim0, nil) })
	require.ErrorIs(t, failure, fault.ErrReleased)
	require.Regexp(t, `prefetch_test\.go:\d+`, failure.Site.String())
}

// Memory that is valid in two places is read in both at once, without a copy: the reader on the device is let through while
// the one on the host runs, and the other way round.
func TestReadersOnHostAndDeviceOverlapWithoutACopy(t *testing.T) {
	m := newMachine(t, "perdevice")
	s := storage.NewSynced(m, size)
	m.write(s, cpu0, pattern(size, 1))
	m.requireNoError(s.Prefetch(sim0, nil))
	m.forgetTraffic()

	open, started := make(chan struct{}), make(chan struct{})
	var onHost *engine.Var
	m.Atomically(func(p engine.Pusher) {
		onHost = m.acquire(p, &engine.Operation{Name: "slow read", Host: true}, cpu0, nil, func(*engine.RunContext, []device.Pointer) error {
			close(started)
			<-open
			return nil
		}, whole(s, engine.Read))
	})
	<-started
	m.read(s, sim0).requires(pattern(size, 1))
	release := hold(0)
	onDevice := m.read(s, sim0)
	m.read(s, cpu0).requires(pattern(size, 1))
	close(open)
	m.requireNoError(onHost)
	release()
	onDevice.requires(pattern(size, 1))
	require.Zero(t, m.traffic())
}
