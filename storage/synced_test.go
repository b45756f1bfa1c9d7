package storage_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/storage"
)

const size = 64 << 10

// The transitions of Caffe's SyncedMemory, from each of its states by each access of each side, and what each may cost.
func TestEachTransitionCopiesOnlyWhatItMust(t *testing.T) {
	first, second := pattern(size, 1), pattern(size, 2)
	zeros := make([]byte, size)
	states := map[string]func(m *machine, s *storage.Synced) []byte{
		"uninitialised": func(*machine, *storage.Synced) []byte { return zeros },
		"at host":       func(m *machine, s *storage.Synced) []byte { m.write(s, cpu0, first); return first },
		"at device":     func(m *machine, s *storage.Synced) []byte { m.write(s, sim0, first); return first },
		"synced": func(m *machine, s *storage.Synced) []byte {
			m.write(s, cpu0, first)
			m.read(s, sim0)
			return first
		},
		"zeros read on the device": func(m *machine, s *storage.Synced) []byte { m.read(s, sim0); return zeros },
	}
	steps := map[string]func(m *machine, s *storage.Synced, held []byte) []byte{
		"read host":     func(m *machine, s *storage.Synced, held []byte) []byte { m.read(s, cpu0).requires(held); return held },
		"read device":   func(m *machine, s *storage.Synced, held []byte) []byte { m.read(s, sim0).requires(held); return held },
		"write host":    func(m *machine, s *storage.Synced, _ []byte) []byte { m.write(s, cpu0, second); return second },
		"write device":  func(m *machine, s *storage.Synced, _ []byte) []byte { m.write(s, sim0, second); return second },
		"update host":   func(m *machine, s *storage.Synced, held []byte) []byte { return updated(m, s, cpu0, held) },
		"update device": func(m *machine, s *storage.Synced, held []byte) []byte { return updated(m, s, sim0, held) },
	}
	costs := map[string]map[string]int{ // in copies and fills of the device; none where there is no entry
		"uninitialised":            {"read device": 1, "update device": 1},
		"at host":                  {"read device": 1, "update device": 1},
		"at device":                {"read host": 1, "update host": 1},
		"zeros read on the device": {"read host": 1, "update host": 1},
	}
	onEngines(t, func(t *testing.T, m *machine) {
		for state, reach := range states {
			for name, step := range steps {
				s := storage.NewSynced(m, size)
				held := reach(m, s)
				require.NoError(t, m.WaitAll(background))
				m.forgetTraffic()
				held = step(m, s, held)
				require.NoError(t, m.WaitAll(background))
				require.Equal(t, costs[state][name], m.traffic(), "%s: %s", state, name)
				m.read(s, cpu0).requires(held)
				m.read(s, sim0).requires(held)
				m.read(s, cpu0).requires(held)
				require.LessOrEqual(t, m.traffic(), costs[state][name]+1, "%s: %s, and both read", state, name)
				s.Release(nil)
			}
		}
	})
}

func updated(m *machine, s *storage.Synced, d device.Device, held []byte) []byte {
	part := pattern(1000, 9)
	m.update(s, d, 500, part)
	now := append([]byte{}, held...)
	copy(now[500:], part)
	return now
}

func TestReadingDoesNotCountAsWriting(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		s := storage.NewSynced(m, 100)
		m.read(s, sim0).requires(make([]byte, 100))
		m.read(s, cpu0).requires(make([]byte, 100))
		require.Zero(t, s.Var().Sequence())
		m.write(s, cpu0, pattern(100, 1))
		m.read(s, sim1).requires(pattern(100, 1))
		require.EqualValues(t, 1, s.Var().Sequence())
	})
}

func TestEveryDeviceSeesTheLatestContents(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		places := []device.Device{cpu0, sim0, sim1, cpu1}
		for _, bytes := range []int{1, 4, 100, size} {
			s := storage.NewSynced(m, bytes)
			for i, writer := range places {
				m.write(s, writer, pattern(bytes, i))
				for _, reader := range places {
					m.read(s, reader).requires(pattern(bytes, i))
				}
			}
			m.forgetTraffic()
			for _, reader := range places {
				m.read(s, reader).requires(pattern(bytes, len(places)-1))
			}
			require.Zero(t, m.traffic())
			m.write(s, sim0, pattern(bytes, 8))
			m.read(s, sim1).requires(pattern(bytes, 8))
			require.Equal(t, 1, m.traffic(), "a copy between devices does not pass by the host")
		}
	})
}

func TestWholeOverwritesCopyNothing(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		s := storage.NewSynced(m, size)
		for i := range 20 {
			m.write(s, []device.Device{cpu0, sim0, sim1}[i%3], pattern(size, i))
		}
		require.NoError(t, m.WaitAll(background))
		require.Zero(t, m.traffic())
		m.read(s, sim0).requires(pattern(size, 19))
		require.Zero(t, m.traffic())
	})
}

func TestUpdatesOfSlicesKeepTheRest(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		s := storage.NewSynced(m, size)
		want := pattern(size, 3)
		m.write(s, cpu0, want)
		for i, d := range []device.Device{sim0, sim0, cpu0, sim1, cpu1, sim0, cpu0} {
			part := pattern(1000, 10+i)
			m.update(s, d, 700*i, part)
			copy(want[700*i:], part)
		}
		m.readPart(s, sim1, 600, 900).requires(want[600:900])
		m.read(s, cpu0).requires(want)
	})
}

func TestEmptyMemoryIsLegalEverywhere(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		s := storage.NewSynced(m, 0)
		for _, d := range []device.Device{cpu0, sim0, sim1} {
			m.read(s, d).requires([]byte{})
			m.requireNoError(m.write(s, d, nil), m.update(s, d, 0, nil))
			m.read(s, d).requires([]byte{})
		}
		s.Release(nil)
	})
}

// An operation may read and replace the same memory, and name it several times.
func TestAnOperationMayNameMemoryTwice(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		s := storage.NewSynced(m, 100)
		m.write(s, cpu0, pattern(100, 1))
		for _, d := range []device.Device{sim0, cpu0} {
			keep := func(*engine.RunContext, []device.Pointer) error { return nil }
			m.requireNoError(m.do("square", d, keep, whole(s, engine.Read), whole(s, engine.Read)))
			m.requireNoError(m.do("negate", d, keep, whole(s, engine.Read), whole(s, engine.Write)))
			m.requireNoError(m.do("scale", d, keep, use{s, engine.Read, 3, 9}, use{s, engine.Update, 5, 20}))
			m.read(s, sim1).requires(pattern(100, 1))
		}
	})
}

func TestAdoptedMemoryIsWrittenAndNeverFreed(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		manager := useManager(t, cpu0, storage.NewPooled)
		values := pattern(size, 1)
		s := storage.Adopt(m, hostPointer(values), size)
		m.read(s, sim0).requires(pattern(size, 1))
		m.requireNoError(m.write(s, sim0, pattern(size, 2)))
		require.Equal(t, pattern(size, 1), values, "nobody has read it back")
		m.read(s, cpu0).requires(pattern(size, 2))
		require.Equal(t, pattern(size, 2), values)
		m.requireNoError(m.update(s, cpu0, 0, []byte{9}))
		s.Release(nil)
		require.NoError(t, m.WaitAll(background))
		require.EqualValues(t, 9, values[0])
		require.Zero(t, manager.Stats().Allocations)
	})
}

func TestNewSyncedFromUsesTheBlock(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		manager := useManager(t, cpu1, storage.NewNaive)
		b := newBlock(t, cpu1, size)
		copy(b.Pointer().Bytes(size), pattern(size, 5))
		s := storage.NewSyncedFrom(m, cpu1, b, size)
		m.read(s, sim0).requires(pattern(size, 5))
		m.read(s, cpu1).requires(pattern(size, 5))
		require.EqualValues(t, 1, manager.Stats().Allocations)
		s.Release(nil)
		require.NoError(t, m.WaitAll(background))
		require.Zero(t, manager.Stats().InUse)
	})
}

// A reader on the host and one on a device run at once; a writer waits for both.
func TestReadersOnTwoDevicesRunTogetherAndBeforeAWriter(t *testing.T) {
	m := newMachine(t, "perdevice")
	s := storage.NewSynced(m, size)
	m.write(s, cpu0, pattern(size, 1))
	m.read(s, sim0).requires(pattern(size, 1))

	open, started, seen := make(chan struct{}), make(chan struct{}), make([]byte, size)
	var hostRead *engine.Var
	m.Atomically(func(p engine.Pusher) {
		op := &engine.Operation{Name: "slow read", Host: true}
		hostRead = m.acquire(p, op, cpu0, nil, func(_ *engine.RunContext, at []device.Pointer) error {
			close(started)
			<-open
			copy(seen, at[0].Bytes(size))
			return nil
		}, whole(s, engine.Read))
	})
	<-started
	m.read(s, sim0).requires(pattern(size, 1))
	release := hold(0)
	deviceRead := m.read(s, sim0)
	written := m.write(s, cpu0, pattern(size, 2))
	last := m.read(s, sim1)
	m.passBarriers(cpu0, sim1)
	require.EqualValues(t, 1, s.Var().Version(), "the writer waits")
	close(open)
	m.requireNoError(hostRead)
	m.passBarriers(cpu0, sim1)
	require.EqualValues(t, 1, s.Var().Version(), "the writer waits for the device too")
	release()
	deviceRead.requires(pattern(size, 1))
	m.requireNoError(written)
	last.requires(pattern(size, 2))
	require.Equal(t, pattern(size, 1), seen)
}

// A reader of a part, pushed when there was one replica, is still running when another part is updated elsewhere and the
// first replica is filled again.
func TestFillingAReplicaAgainWaitsForItsReaders(t *testing.T) {
	m := newMachine(t, "perdevice")
	s := storage.NewSynced(m, size)
	m.requireNoError(m.write(s, cpu0, pattern(size, 1)))
	open, ended := make(chan struct{}), false
	var reader *engine.Var
	m.Atomically(func(p engine.Pusher) {
		op := &engine.Operation{Name: "slow read", Host: true}
		reader = m.acquire(p, op, cpu0, nil, func(_ *engine.RunContext, at []device.Pointer) error {
			<-open
			ended = at[0].Bytes(size)[size-1] == pattern(size, 1)[size-1]
			return nil
		}, use{s, engine.Read, size / 2, size})
	})
	m.update(s, sim0, 0, pattern(100, 2))
	overtook := false
	again := m.do("read again", cpu0, func(*engine.RunContext, []device.Pointer) error {
		overtook = !ended
		return nil
	}, use{s, engine.Read, 0, 100})
	m.passBarriers(cpu0, sim0)
	close(open)
	m.requireNoError(reader, again)
	require.True(t, ended)
	require.False(t, overtook)
}

// passBarriers waits for unrelated operations on the given devices, so that what was ready before has had its turn.
func (m *machine) passBarriers(places ...device.Device) {
	for range 20 {
		for _, d := range places {
			v := m.NewVar()
			m.Push(&engine.Operation{
				Name: "barrier", Device: d, Accesses: []engine.Access{{Var: v, Mode: engine.Write}},
				Function: engine.FunctionOf(func(*engine.RunContext) error { return nil }),
			})
			m.requireNoError(v)
		}
	}
}
