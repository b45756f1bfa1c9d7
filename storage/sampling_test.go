package storage_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/storage"
)

// liveHere returns how many arrays of this file LiveArrays tells of, and their bytes.
func liveHere() (arrays int, bytes int64) {
	for _, h := range storage.LiveArrays() {
		if strings.Contains(h.Site.String(), "sampling_test.go") {
			arrays, bytes = arrays+h.Arrays, bytes+h.Bytes
		}
	}
	return arrays, bytes
}

func TestLiveArraysTellsOfEveryArrayWhileItLives(t *testing.T) {
	e := engine.NewNaive()
	defer storage.SampleArrays(0)
	storage.SampleArrays(1)
	kept := []*storage.Synced{}
	for range 10 {
		kept = append(kept, storage.NewSynced(e, 100))
		storage.NewSynced(e, 1000)
	}
	storage.SampleArrays(0)
	storage.NewSynced(e, 1<<20)
	collectUntil(t, func() bool { arrays, bytes := liveHere(); return arrays == 10 && bytes == 1000 })
	kept[0].Release(nil)
	kept[0].Release(nil)
	arrays, bytes := liveHere()
	require.Equal(t, 10, arrays)
	require.EqualValues(t, 900, bytes)
	runtime.KeepAlive(kept)
	kept = nil
	collectUntil(t, func() bool { arrays, bytes := liveHere(); return arrays == 0 && bytes == 0 })
}

func TestSampledArraysStandForTheOthers(t *testing.T) {
	e := engine.NewNaive()
	defer storage.SampleArrays(0)
	storage.SampleArrays(10)
	kept := make([]*storage.Synced, 1000)
	for i := range kept {
		kept[i] = storage.NewSynced(e, 8)
	}
	arrays, bytes := liveHere()
	require.Equal(t, 1000, arrays)
	require.EqualValues(t, 8000, bytes)
	runtime.KeepAlive(kept)
}

func TestHoldersAndUsageTellOfEachDevice(t *testing.T) {
	m := useManager(t, device.Sim(1), storage.NewPooled)
	b := newBlock(t, device.Sim(1), 5000)
	holders := storage.Holders()["sim(1)"]
	require.Len(t, holders, 1)
	require.Equal(t, 1, holders[0].Arrays)
	require.EqualValues(t, 5000, holders[0].Bytes)
	require.Contains(t, holders[0].Site.String(), "_test.go")
	require.Equal(t, m.Stats(), storage.Usage()["sim(1)"])
	require.EqualValues(t, 8192, storage.Usage()["sim(1)"].InUse)
	b.Release()
	require.Empty(t, storage.Holders()["sim(1)"])
	storage.ReleaseAll()
	require.Zero(t, storage.Usage()["sim(1)"].Cached)
}
