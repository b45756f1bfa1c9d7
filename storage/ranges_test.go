package storage_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/storage"
)

// meeting pushes host functions that use parts of s, each of which ends only when all have begun.
func (m *machine) meeting(d device.Device, uses ...use) (done []*engine.Var) {
	begun := make(chan struct{}, len(uses))
	all := make(chan struct{})
	go func() {
		for range uses {
			<-begun
		}
		close(all)
	}()
	for _, u := range uses {
		m.Atomically(func(p engine.Pusher) {
			done = append(done, m.acquire(p, &engine.Operation{Name: "meet", Host: true}, d, nil, func(_ *engine.RunContext, at []device.Pointer) error {
				begun <- struct{}{}
				<-all
				if u.mode != engine.Read {
					copy(at[0].Add(u.lo).Bytes(u.hi-u.lo), pattern(u.hi-u.lo, u.lo))
				}
				return nil
			}, u))
		})
	}
	return done
}

// Operators on disjoint parts run at the same time, writers too; on a stale replica one copy comes before them all.
func TestDisjointPartsAreUsedAtTheSameTime(t *testing.T) {
	for _, stale := range []bool{false, true} {
		m := newMachine(t, "perdevice")
		s := storage.NewSynced(m, size)
		want, copies := pattern(size, 1), 0
		m.requireNoError(m.write(s, cpu0, want))
		if stale {
			m.requireNoError(m.update(s, sim0, 0, []byte{9}))
			want[0], copies = 9, 1
		}
		m.forgetTraffic()
		parts := []use{
			{s, engine.Update, 1, 100}, {s, engine.Read, 100, 200}, {s, engine.Update, 200, 5000}, {s, engine.Read, 150, 200}, {s, engine.Update, 5000, size},
		}
		m.requireNoError(m.meeting(cpu0, parts...)...)
		require.Equal(t, copies, m.traffic())
		for _, u := range parts {
			if u.mode != engine.Read {
				copy(want[u.lo:], pattern(u.hi-u.lo, u.lo))
			}
		}
		for _, d := range everywhere {
			m.read(s, d).requires(want)
		}
	}
}

// A write of a part completes a replica that has nothing, is stale, or was prefetched; it copies first if it has to, once.
func TestAWriteOfAPartCopiesWhatIsMissing(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		for _, c := range []struct {
			name    string
			prepare func(s *storage.Synced)
			copies  int
		}{
			{"no memory", func(*storage.Synced) {}, 1},
			{"stale", func(s *storage.Synced) { m.read(s, sim0); m.write(s, cpu0, pattern(size, 1)) }, 1},
			{"valid", func(s *storage.Synced) { m.read(s, sim0) }, 0},
			{"prefetched", func(s *storage.Synced) { s.Prefetch(sim0, nil) }, 0},
		} {
			s := storage.NewSynced(m, size)
			m.write(s, cpu0, pattern(size, 1))
			c.prepare(s)
			require.NoError(t, m.WaitAll(background))
			m.forgetTraffic()
			want := pattern(size, 1)
			for _, lo := range []int{0, 3000, size - 100} {
				m.requireNoError(m.update(s, sim0, lo, pattern(100, lo)))
				copy(want[lo:], pattern(100, lo))
			}
			require.Equal(t, c.copies, m.traffic(), c.name)
			require.Equal(t, []device.Device{sim0}, s.Valid())
			m.read(s, cpu0).requires(want)
			m.read(s, sim0).requires(want)
		}
	})
}
