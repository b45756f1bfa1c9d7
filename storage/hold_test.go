package storage_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

func TestDiscardedMemoryGoesBackWithItsLastHold(t *testing.T) {
	for holds := range 4 {
		e, place, manager := engine.NewPooled(), device.Sim(1), useManager(t, device.Sim(1), storage.NewNaive)
		s := storage.NewSyncedFrom(e, place, newBlock(t, place, 1<<16), 1<<16)
		var all []*storage.Hold
		for range holds {
			e.Atomically(func(engine.Pusher) { all = append(all, s.Hold(fault.Here(0))) })
		}
		s.Discard(nil)
		s.Discard(nil)
		for i, h := range all {
			require.NoError(t, e.WaitAll(t.Context()))
			require.EqualValues(t, 1<<16, manager.Stats().InUse, "%d of %d dropped", i, holds)
			h.Drop()
			h.Drop()
		}
		require.NoError(t, e.WaitAll(t.Context()))
		require.Zero(t, manager.Stats().InUse)
		require.Panics(t, func() { s.Prefetch(place, nil) })
		runtime.KeepAlive(s)
		require.NoError(t, e.Close(t.Context()))
	}
}

func TestMemoryIsForgottenWhenItIsDiscardedAndKeptOnce(t *testing.T) {
	e := engine.NewNaive()
	s := storage.NewSynced(e, 1<<16)
	var kept, again, saved *storage.Hold
	e.Atomically(func(engine.Pusher) {
		require.False(t, s.IsKept())
		kept = s.Keep(nil)
		require.True(t, s.IsKept())
	})
	require.False(t, s.IsForgotten(), "somebody may read it")
	s.Discard(nil)
	require.True(t, s.IsForgotten())
	e.Atomically(func(engine.Pusher) { again, saved = s.Keep(nil), s.Hold(nil) })
	require.False(t, s.IsForgotten())
	require.False(t, s.IsKept())
	saved.Drop()
	require.False(t, s.IsForgotten(), "another program reads it")
	again.Drop()
	require.True(t, s.IsForgotten())
	kept.Drop()
	require.False(t, s.IsForgotten())
}

func TestDiscardLeavesSmallMemoryAlone(t *testing.T) {
	e := engine.NewNaive()
	s := storage.NewSynced(e, 100)
	s.Discard(nil)
	require.NotPanics(t, func() { s.Prefetch(device.CPU(0), nil) })
}

// written returns memory of so many bytes that an operation has filled with a value, and where it lies.
func written(t *testing.T, e engine.Engine, bytes int, value byte) (s *storage.Synced, at *byte) {
	s = storage.NewSynced(e, bytes)
	e.Atomically(func(p engine.Pusher) {
		r, accesses := s.Acquire(p, device.CPU(0), engine.Write, 0, bytes, nil, nil)
		p.Push(&engine.Operation{Name: "write", Accesses: accesses, Function: engine.FunctionOf(func(*engine.RunContext) error {
			memory, err := r.Claim()
			for i := range memory.Bytes(bytes) {
				memory.Bytes(bytes)[i] = value
			}
			at = &memory.Bytes(bytes)[0]
			return err
		})})
	})
	require.NoError(t, e.Wait(t.Context(), s.Var()))
	return s, at
}

func TestReleasedMemoryOfTheHeapIsUsedAgain(t *testing.T) {
	e := engine.NewNaive()
	for name, release := range map[string]func(*storage.Synced){
		"Release":    func(s *storage.Synced) { s.Release(nil) },
		"TryRelease": func(s *storage.Synced) { require.True(t, s.TryRelease(nil)) },
		"Discard":    func(s *storage.Synced) { s.Discard(nil) },
	} {
		for _, bytes := range []int{4 << 10, 5000, 32 << 10} {
			reused := 0
			for range 100 { // Under the race detector a sync.Pool forgets some.
				first, before := written(t, e, bytes, 1)
				release(first)
				if _, at := written(t, e, bytes, 2); at == before {
					reused++
				}
			}
			require.Positive(t, reused, "%s of %d bytes", name, bytes)
		}
	}
}

func TestDroppedMemoryOfTheHeapIsLeftToWhoStillLooksAtIt(t *testing.T) {
	e := engine.NewNaive()
	_, before := written(t, e, 8<<10, 1)
	for range 100 {
		written(t, e, 8<<10, 2)
		runtime.GC()
	}
	require.EqualValues(t, 1, *before)
}

func TestDiscardedMemoryServesOneAtATime(t *testing.T) {
	e := engine.NewPooled()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 200 {
				s, at := written(t, e, 8<<10, byte(i))
				require.EqualValues(t, i, *at)
				s.Discard(nil)
			}
		})
	}
	all.Wait()
	require.NoError(t, e.Close(t.Context()))
}
