package storage_test

import (
	"io"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/sim"
	"github.com/weft-nd/weft/storage"
)

// gift is memory of a caller's own, on any device, that is handed over.
type gift struct {
	device  device.Device
	pointer device.Pointer
	frees   atomic.Int32
	freed   chan struct{} // gets one value from each call of free
}

// newGift returns memory on d that holds values; on a device they may be those of new memory.
func newGift(t *testing.T, d device.Device, values []byte) *gift {
	g := &gift{device: d, freed: make(chan struct{}, 10)}
	if d.OnHost() {
		memory := aligned(len(values))
		copy(memory, values)
		g.pointer = hostPointer(memory)
		return g
	}
	var err error
	g.pointer, err = sim.Default().Allocate(d.Index, len(values))
	require.NoError(t, err)
	if slices.Equal(values, undefined(len(values))) {
		return g
	}
	stream, err := sim.Default().NewStream(d.Index)
	require.NoError(t, err)
	require.NoError(t, stream.Copy(g.pointer, hostPointer(values), len(values)))
	require.NoError(t, stream.Close())
	return g
}

// free returns a function that gives memory of a device back, which panics the second time and fails work that still is to
// use it, and writes to that of the host, which the race detector sees.
func (g *gift) free(bytes int) func() {
	return func() {
		if g.device.OnHost() {
			clear(g.pointer.Bytes(bytes))
		} else {
			sim.Default().Free(g.device.Index, g.pointer, bytes)
		}
		g.frees.Add(1)
		g.freed <- struct{}{}
	}
}

func (g *gift) requireFreedOnce(t *testing.T) {
	t.Helper()
	<-g.freed
	require.EqualValues(t, 1, g.frees.Load())
}

func TestMemoryOfACallerReplacesTheContents(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		for _, d := range everywhere {
			for _, before := range [][]device.Device{nil, {cpu0}, {sim0}, {cpu0, sim0, sim1}} {
				s := storage.NewSynced(m, size)
				for _, place := range before {
					m.update(s, place, 0, pattern(size, 3))
				}
				lent := newGift(t, d, pattern(size, 1))
				s.SetMemory(d, lent.pointer, nil, nil)
				require.Equal(t, []device.Device{d}, s.Valid(), "the others are stale")
				for _, place := range everywhere {
					m.read(s, place).requires(pattern(size, 1))
				}
				m.requireNoError(m.write(s, d, pattern(size, 2)))
				m.do("look", d, func(_ *engine.RunContext, at []device.Pointer) error {
					require.Equal(t, lent.pointer, at[0])
					return nil
				}, whole(s, engine.Read))
				s.Release(nil)
				require.NoError(t, m.WaitAll(background))
				if !d.OnHost() {
					sim.Default().Free(d.Index, lent.pointer, size) // panics if weft has freed it
				}
			}
		}
	})
}

func TestMemoryOfACallerCostsNoCopy(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		for _, d := range []device.Device{cpu0, sim0} {
			s := storage.NewSynced(m, size)
			m.requireNoError(m.write(s, sim1, pattern(size, 2))) // its own traffic is over
			lent := newGift(t, d, pattern(size, 1))
			m.forgetTraffic()
			s.SetMemory(d, lent.pointer, nil, nil)
			m.read(s, d).requires(pattern(size, 1))
			m.requireNoError(m.update(s, d, 0, []byte{1}))
			require.Zero(t, m.traffic())
			m.read(s, cpu1)
			require.LessOrEqual(t, m.traffic(), 1)
		}
	})
}

// The four ways in which memory that was handed over comes to an end: other memory, weft's own, release, and the collector.
func TestMemoryThatWasHandedOverIsFreedExactlyOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		for _, d := range everywhere {
			s := storage.NewSynced(m, size)
			first, second := newGift(t, d, pattern(size, 1)), newGift(t, d, pattern(size, 2))
			s.SetMemory(d, first.pointer, first.free(size), nil)
			m.read(s, sim1).requires(pattern(size, 1))
			s.SetMemory(d, second.pointer, second.free(size), nil)
			first.requireFreedOnce(t)
			m.read(s, cpu1).requires(pattern(size, 2))
			s.Release(nil)
			s.Release(nil)
			second.requireFreedOnce(t)

			dropped := newGift(t, d, pattern(size, 3))
			func() {
				s := storage.NewSynced(m, size)
				s.SetMemory(d, dropped.pointer, dropped.free(size), nil)
				m.read(s, sim0).requires(pattern(size, 3))
				m.read(s, cpu0).requires(pattern(size, 3))
			}()
			collectUntil(t, func() bool { return dropped.frees.Load() > 0 })
			dropped.requireFreedOnce(t)
			collectOnce()
			for _, g := range []*gift{first, second, dropped} {
				require.EqualValues(t, 1, g.frees.Load())
			}
		}
	})
}

func TestMemoryOfWeftIsFreedWhenACallersTakesItsPlace(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		for _, d := range []device.Device{cpu0, sim0} {
			manager := useManager(t, d, storage.NewNaive)
			s := storage.NewSynced(m, size)
			m.requireNoError(m.write(s, d, pattern(size, 1)))
			require.EqualValues(t, size, manager.Stats().InUse)
			s.SetMemory(d, newGift(t, d, pattern(size, 2)).pointer, nil, nil)
			require.NoError(t, m.WaitAll(background))
			require.Zero(t, manager.Stats().InUse)
			m.read(s, d).requires(pattern(size, 2))
			require.EqualValues(t, 1, manager.Stats().Allocations)
		}
	})
}

// Setting memory is an operation: what was pushed before works on the old memory, which is not freed under it, on a device
// either, and what is pushed later works on the new.
func TestPendingOperationsKeepTheirMemory(t *testing.T) {
	for _, d := range []device.Device{sim0, cpu0} {
		t.Run(d.String(), func(t *testing.T) {
			m := newMachine(t, "perdevice")
			s := storage.NewSynced(m, size)
			old, fresh := newGift(t, d, pattern(size, 1)), newGift(t, d, pattern(size, 2))
			s.SetMemory(d, old.pointer, old.free(size), nil)
			m.requireNoError(s.Prefetch(sim0, nil))
			release := hold(0)
			reads := []reading{m.read(s, sim0), m.read(s, d)}
			m.update(s, sim0, 0, []byte{100})
			reads = append(reads, m.read(s, sim0), m.read(s, d))
			s.SetMemory(d, fresh.pointer, fresh.free(size), nil)
			later := []reading{m.read(s, d), m.read(s, sim0), m.read(s, sim1)}
			m.passBarriers(cpu0, sim1)
			require.Zero(t, old.frees.Load(), "freed under operations that are held")
			release()
			want := pattern(size, 1)
			for i, r := range reads {
				if i == 2 {
					want[0] = 100
				}
				r.requires(want)
			}
			for _, r := range later {
				r.requires(pattern(size, 2))
			}
			old.requireFreedOnce(t)
			s.Release(nil)
			fresh.requireFreedOnce(t)
		})
	}
}

func TestMemoryOfACallerCuresAnError(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		for _, d := range everywhere {
			s := storage.NewSynced(m, size)
			m.do("fails", sim0, func(*engine.RunContext, []device.Pointer) error { return io.ErrClosedPipe }, whole(s, engine.Write))
			_, err := m.read(s, d).wait()
			require.ErrorIs(t, err, io.ErrClosedPipe)
			s.SetMemory(d, newGift(t, d, pattern(size, 1)).pointer, nil, nil)
			for _, place := range everywhere {
				m.read(s, place).requires(pattern(size, 1))
			}
		}
	})
}

func TestMemoryThatCannotBeIsAMistakeAndStaysTheCallers(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		s, gone := storage.NewSynced(m, size), storage.NewSynced(m, size)
		m.write(s, cpu0, pattern(size, 1))
		gone.Release(nil)
		host, near := newGift(t, cpu0, pattern(size, 2)), newGift(t, sim0, pattern(size, 2))
		var saved *storage.Hold
		for _, c := range []struct {
			cause error
			set   func()
		}{
			{fault.ErrMisuse, func() { s.SetMemory(cpu0, device.Pointer{}, host.free(size), nil) }},
			{fault.ErrMisuse, func() { s.SetMemory(sim0, host.pointer, host.free(size), nil) }},
			{fault.ErrMisuse, func() { s.SetMemory(cpu0, near.pointer, near.free(size), nil) }},
			{fault.ErrReleased, func() { gone.SetMemory(cpu0, host.pointer, host.free(size), nil) }},
			{fault.ErrSaved, func() {
				m.Atomically(func(engine.Pusher) { saved = s.Hold(nil) })
				defer saved.Drop()
				s.SetMemory(cpu0, host.pointer, host.free(size), nil)
			}},
		} {
			failure := panicOf(t, c.set)
			require.ErrorIs(t, failure, c.cause)
			require.Regexp(t, `external_test\.go:\d+`, failure.Site.String())
		}
		m.read(s, sim0).requires(pattern(size, 1))
		s.Release(nil)
		require.NoError(t, m.WaitAll(background))
		collectOnce()
		require.Zero(t, host.frees.Load()+near.frees.Load())

		empty := storage.NewSynced(m, 0)
		empty.SetMemory(cpu0, device.Pointer{}, host.free(0), nil)
		m.read(empty, sim0).requires([]byte{})
		empty.Release(nil)
		host.requireFreedOnce(t)
	})
}

// A function that frees memory is the user's: it may lock what the pusher holds, wait for the engine, and panic.
func TestFreeingMemoryOfACallerBlocksNobody(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		s := storage.NewSynced(m, size)
		freed, locked := make(chan struct{}), make(chan struct{})
		s.SetMemory(cpu0, newGift(t, cpu0, pattern(size, 1)).pointer, func() {
			<-locked
			m.WaitAll(background)
			close(freed)
			panic("of the user")
		}, nil)
		s.Release(nil)
		require.NoError(t, m.WaitAll(background))
		close(locked)
		<-freed
	})
}

// A closed engine does not set the memory, and frees it all the same.
func TestMemoryHandedToAClosedEngineIsFreed(t *testing.T) {
	e := engine.NewPerDevice()
	s := storage.NewSynced(e, size)
	require.NoError(t, e.Close(background))
	g := newGift(t, sim0, pattern(size, 1))
	s.SetMemory(sim0, g.pointer, g.free(size), nil)
	require.ErrorIs(t, s.Var().Err(), fault.ErrClosed)
	s = nil
	collectUntil(t, func() bool { return g.frees.Load() > 0 })
	g.requireFreedOnce(t)
}
