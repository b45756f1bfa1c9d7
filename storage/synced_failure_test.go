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

func hold(index int) (release func()) { return sim.Default().Hold(index) }

func TestAFailedCopyPoisonsItsReplicaAloneAndIsRepeated(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		s := storage.NewSynced(m, size)
		m.requireNoError(m.write(s, cpu0, pattern(size, 1)))
		for _, d := range []device.Device{sim0, sim1} {
			sim.Default().InjectFault("copy", io.ErrUnexpectedEOF)
			_, err := m.read(s, d).wait()
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.NoError(t, s.Var().Err())
			m.read(s, cpu0).requires(pattern(size, 1))
			m.forgetTraffic()
			m.read(s, d).requires(pattern(size, 1))
			m.read(s, d).requires(pattern(size, 1))
			require.Equal(t, 1, m.traffic())
		}
	})
}

func TestFailedZerosAreRepeated(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		s := storage.NewSynced(m, size)
		for _, d := range []device.Device{sim0, sim1} {
			sim.Default().InjectFault("fill", io.ErrUnexpectedEOF)
			_, err := m.read(s, d).wait()
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.NoError(t, s.Var().Err())
		}
		m.read(s, sim0).requires(make([]byte, size))
		m.read(s, cpu0).requires(make([]byte, size))
		m.read(s, sim1).requires(make([]byte, size))
	})
}

func TestOutOfMemoryIsAnErrorOfTheOperationAndPasses(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		manager := useManager(t, sim0, storage.NewNaive)
		manager.SetLimit(size - 1)
		s := storage.NewSynced(m, size)
		m.write(s, cpu0, pattern(size, 1))
		_, err := m.read(s, sim0).wait()
		require.ErrorIs(t, err, fault.ErrOutOfMemory)
		manager.SetLimit(0)
		m.read(s, sim0).requires(pattern(size, 1))
	})
}

// A replica whose filling has failed is replaced by an operation that is still pending. A reader must see that one's
// result: neither the old contents nor zeros.
func TestAPendingOverwriteCuresAFailedCopy(t *testing.T) {
	m := newMachine(t, "perdevice")
	s := storage.NewSynced(m, size)
	m.write(s, cpu0, pattern(size, 1))
	sim.Default().InjectFault("copy", io.ErrUnexpectedEOF)
	_, err := m.read(s, sim0).wait()
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	release := hold(0)
	m.write(s, sim0, pattern(size, 2))
	reads := []reading{m.read(s, sim0), m.read(s, cpu0), m.read(s, sim1)}
	release()
	for _, r := range reads {
		r.requires(pattern(size, 2))
	}
}

// The same while the repeated copy is pending: it must not run again over an update behind it.
func TestAPendingRepetitionIsNotRepeated(t *testing.T) {
	m := newMachine(t, "perdevice")
	s := storage.NewSynced(m, size)
	want := pattern(size, 1)
	m.write(s, cpu0, want)
	sim.Default().InjectFault("copy", io.ErrUnexpectedEOF)
	_, err := m.read(s, sim0).wait()
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	m.forgetTraffic()
	release := hold(0)
	m.update(s, sim0, 0, pattern(100, 2))
	copy(want, pattern(100, 2))
	reads := []reading{m.read(s, sim0), m.read(s, cpu0)}
	release()
	for _, r := range reads {
		r.requires(want)
	}
	require.Equal(t, 2, m.traffic())
}

// A step of an optimiser for whose operand there was no memory on the device is skipped and can be repeated.
func TestAStepSkippedForLackOfMemoryLeavesTheContents(t *testing.T) {
	for _, later := range []device.Device{cpu0, sim0, sim1} {
		t.Run(later.String(), func(t *testing.T) {
			m := newMachine(t, "perdevice")
			manager := useManager(t, sim0, storage.NewNaive)
			manager.SetLimit(size - 1)
			s := storage.NewSynced(m, size)
			open := make(chan struct{})
			m.slowWrite(s, open, pattern(size, 1))
			steps := []*engine.Var{m.step(s, sim0), m.step(s, sim0)}
			close(open)
			for _, step := range steps {
				require.ErrorIs(t, m.Wait(background, step), fault.ErrOutOfMemory)
			}
			require.NoError(t, m.Wait(background, s.Var()))
			manager.SetLimit(0)
			m.read(s, later).requires(pattern(size, 1))
			m.read(s, sim0).requires(pattern(size, 1))
			m.requireNoError(m.step(s, sim0))
			m.read(s, later).requires(make([]byte, size))
		})
	}
}

// Each step is registered as a write that then does not happen: the contents stay those from before the first one.
func TestAStepMayBeSkippedSeveralTimes(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		s := storage.NewSynced(m, size)
		m.requireNoError(m.write(s, cpu0, pattern(size, 1)))
		for range 3 {
			sim.Default().InjectFault("copy", io.ErrUnexpectedEOF)
			require.ErrorIs(t, m.Wait(background, m.step(s, sim0)), io.ErrUnexpectedEOF)
			require.NoError(t, m.Wait(background, s.Var()))
		}
		m.read(s, sim0).requires(pattern(size, 1))
		m.requireNoError(m.step(s, sim0))
		m.read(s, cpu0).requires(make([]byte, size))
	})
}

// Contents that cannot be told any more are an error, never zeros or old contents.
func TestContentsThatAreLostAreAnError(t *testing.T) {
	m := newMachine(t, "perdevice")
	manager := useManager(t, sim0, storage.NewNaive)
	manager.SetLimit(size - 1)
	s := storage.NewSynced(m, size)
	open := make(chan struct{})
	m.slowWrite(s, open, pattern(size, 1))
	m.step(s, sim0)
	early := m.read(s, cpu0)
	close(open)
	_, err := early.wait()
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	manager.SetLimit(0)
	for _, d := range []device.Device{sim0, cpu0, sim1, sim0} {
		_, err = m.read(s, d).wait()
		require.ErrorIs(t, err, fault.ErrOutOfMemory)
	}
	m.write(s, sim0, pattern(size, 2))
	for _, d := range []device.Device{sim0, cpu0, sim1} {
		m.read(s, d).requires(pattern(size, 2))
	}
}

// slowWrite replaces s on the host when open is closed.
func (m *machine) slowWrite(s *storage.Synced, open <-chan struct{}, values []byte) {
	m.Atomically(func(p engine.Pusher) {
		m.acquire(p, &engine.Operation{Name: "slow write", Host: true}, cpu0, nil, func(rc *engine.RunContext, at []device.Pointer) error {
			<-open
			return m.put(values, 0)(rc, at)
		}, whole(s, engine.Write))
	})
}

// step zeroes s by an update that leaves s valid when it is skipped.
func (m *machine) step(s *storage.Synced, d device.Device) (done *engine.Var) {
	m.Atomically(func(p engine.Pusher) {
		done = m.acquire(p, &engine.Operation{Name: "step", KeepOnSkip: true}, d, nil, m.clear(0, s.Bytes()), whole(s, engine.Update))
	})
	return done
}

// clear is work that zeroes [lo, hi).
func (m *machine) clear(lo, hi int) work {
	return func(rc *engine.RunContext, at []device.Pointer) error {
		if rc.Stream == nil {
			clear(at[0].Add(lo).Bytes(hi - lo))
			return nil
		}
		m.own.Add(1)
		return rc.Stream.Fill(at[0].Add(lo), hi-lo)
	}
}

func TestErrorsStickToTheLogicalVariable(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		for _, mode := range []engine.Mode{engine.Write, engine.Update} {
			for _, writer := range []device.Device{cpu0, sim0} {
				s := storage.NewSynced(m, size)
				m.write(s, cpu0, pattern(size, 1))
				m.read(s, sim1).requires(pattern(size, 1))
				m.do("fails", writer, func(*engine.RunContext, []device.Pointer) error { return io.ErrClosedPipe }, whole(s, mode))
				for range 2 {
					require.ErrorIs(t, m.Wait(background, s.Var()), io.ErrClosedPipe)
					for _, reader := range []device.Device{sim1, cpu0, sim0} {
						_, err := m.read(s, reader).wait()
						require.ErrorIs(t, err, io.ErrClosedPipe)
					}
					require.ErrorIs(t, m.Wait(background, m.update(s, sim1, 0, []byte{1})), io.ErrClosedPipe)
				}
				m.requireNoError(m.write(s, sim0, pattern(size, 2)), s.Var())
				for _, reader := range []device.Device{sim1, cpu0, sim0} {
					m.read(s, reader).requires(pattern(size, 2))
				}
			}
		}
	})
}

func TestReleaseFreesBehindThePendingOperations(t *testing.T) {
	m := newMachine(t, "perdevice")
	host, near, far := useManager(t, cpu0, storage.NewNaive), useManager(t, sim0, storage.NewNaive), useManager(t, sim1, storage.NewNaive)
	s := storage.NewSynced(m, size)
	m.write(s, cpu0, pattern(size, 1))
	m.read(s, sim0).requires(pattern(size, 1))
	release := hold(0)
	reads := []reading{m.read(s, sim0), m.read(s, cpu0)}
	m.update(s, sim0, 0, []byte{100})
	reads = append(reads, m.read(s, sim0), m.read(s, sim1), m.read(s, cpu0))
	s.Release(fault.Here(0))
	s.Release(fault.Here(0))
	m.passBarriers(cpu0)
	require.EqualValues(t, size, near.Stats().InUse, "freed under the operations that are held")
	release()
	want := pattern(size, 1)
	for i, r := range reads {
		if i == 2 {
			want[0] = 100
		}
		r.requires(want)
	}
	require.NoError(t, m.WaitAll(background))
	for _, manager := range []storage.Manager{host, near, far} {
		require.EqualValues(t, 1, manager.Stats().Allocations)
		require.Zero(t, manager.Stats().InUse)
	}
}

func TestUseAfterReleaseNamesThePlaceOfTheRelease(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		s := storage.NewSynced(m, size)
		m.write(s, cpu0, pattern(size, 1))
		s.Release(fault.Here(0))
		for _, use := range []func(){
			func() { m.read(s, cpu0) }, func() { m.write(s, sim0, pattern(size, 1)) }, func() { m.update(s, sim1, 0, nil) },
		} {
			failure := panicOf(t, use)
			require.ErrorIs(t, failure, fault.ErrReleased)
			require.Regexp(t, `released at synced_failure_test\.go:\d+`, failure.Detail)
			require.Contains(t, failure.Site.String(), "_test.go:")
		}
		unknown := storage.NewSynced(m, size)
		unknown.Release(nil)
		require.ErrorIs(t, panicOf(t, func() { m.read(unknown, cpu0) }), fault.ErrReleased)
	})
}

func TestHeldMemoryIsReadAndNotWritten(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		s := storage.NewSynced(m, size)
		m.write(s, cpu0, pattern(size, 1))
		var first, second *storage.Hold
		m.Atomically(func(engine.Pusher) { first, second = s.Hold(fault.Here(0)), s.Hold(fault.Here(0)) })
		requireSaved := func(use func()) {
			failure := panicOf(t, use)
			require.ErrorIs(t, failure, fault.ErrSaved)
			require.Regexp(t, `synced_failure_test\.go:\d+`, failure.Detail, "where it was saved")
			require.Contains(t, failure.Site.String(), "_test.go:", "where it would be written")
		}
		for range 2 {
			requireSaved(func() { m.write(s, cpu0, pattern(size, 2)) })
			requireSaved(func() { m.update(s, sim0, 0, []byte{1}) })
			requireSaved(func() { s.Release(fault.Here(0)) })
			m.read(s, sim0).requires(pattern(size, 1))
			m.read(s, cpu0).requires(pattern(size, 1))
			first.Drop()
			first.Drop()
		}
		second.Drop()
		m.requireNoError(m.write(s, cpu0, pattern(size, 2)))
		m.read(s, sim0).requires(pattern(size, 2))
		s.Release(fault.Here(0))
	})
}

// Check comes before any Acquire, so that a refused operation leaves its other operands as they were.
func TestARefusedOperationChangesNothing(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		target, gone := storage.NewSynced(m, size), storage.NewSynced(m, size)
		m.write(target, cpu0, pattern(size, 1))
		gone.Release(nil)
		nothing := func(*engine.RunContext, []device.Pointer) error { return nil }
		panicOf(t, func() { m.do("copy", sim0, nothing, whole(target, engine.Write), whole(gone, engine.Read)) })
		m.read(target, sim0).requires(pattern(size, 1))
		m.read(target, cpu0).requires(pattern(size, 1))
	})
}

// The memory of a Synced that was dropped with operations pending is freed behind them.
func TestADroppedSyncedIsFreedBehindItsOperations(t *testing.T) {
	m := newMachine(t, "perdevice")
	manager := useManager(t, sim0, storage.NewNaive)
	release := hold(0)
	r := func() reading {
		s := storage.NewSynced(m, size)
		m.write(s, cpu0, pattern(size, 1))
		m.update(s, sim0, 0, []byte{50})
		return m.read(s, sim0)
	}()
	for range 5 {
		collectOnce()
	}
	release()
	want := pattern(size, 1)
	want[0] = 50
	r.requires(want)
	collectUntil(t, func() bool { return manager.Stats().InUse == 0 })
	require.EqualValues(t, 1, manager.Stats().Allocations)
}
