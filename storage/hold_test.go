package storage_test

import (
	"runtime"
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

func TestDiscardLeavesSmallMemoryAlone(t *testing.T) {
	e := engine.NewNaive()
	s := storage.NewSynced(e, 100)
	s.Discard(nil)
	require.NotPanics(t, func() { s.Prefetch(device.CPU(0), nil) })
}
