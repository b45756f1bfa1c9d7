package storage_test

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/sim"
	"github.com/weft-nd/weft/storage"
)

// useManager makes m the manager of d for the time of a test.
func useManager(t *testing.T, d device.Device, maker func(device.Device) (storage.Manager, error)) storage.Manager {
	t.Helper()
	before, err := storage.ManagerOf(d)
	require.NoError(t, err)
	m := newManager(t, maker, d)
	storage.SetManager(d, m)
	t.Cleanup(func() { storage.SetManager(d, before) })
	return m
}

func newBlock(t *testing.T, d device.Device, bytes int) *storage.Block {
	t.Helper()
	b, err := storage.NewBlock(d, bytes)
	require.NoError(t, err)
	return b
}

// collectUntil runs the collector, a bounded number of times, until done.
func collectUntil(t *testing.T, done func() bool) {
	t.Helper()
	for range 1000 {
		if done() {
			return
		}
		collectOnce()
	}
	t.Fatal("the collector has not freed what was dropped")
}

func TestDroppedBlocksGoBackToTheirManager(t *testing.T) {
	for name, maker := range makers {
		for _, d := range []device.Device{device.CPU(0), device.Sim(0)} {
			t.Run(name+"/"+d.String(), func(t *testing.T) {
				m := useManager(t, d, maker)
				kept := newBlock(t, d, 1<<20)
				for range 10 {
					newBlock(t, d, 1<<20)
				}
				require.EqualValues(t, 11, m.Stats().Allocations)
				collectUntil(t, func() bool { return m.Stats().InUse == 1<<20 })
				runtime.GC()
				require.EqualValues(t, 1<<20, m.Stats().InUse)
				require.False(t, kept.Pointer().IsNil())
				kept.Release()
				require.Zero(t, m.Stats().InUse)
				kept.Release()
				runtime.GC()
				require.Zero(t, m.Stats().InUse)
				require.True(t, kept.Pointer().IsNil())
				m.Trim()
			})
		}
	}
}

// A block goes back to the manager that it came from, also when that is no longer the manager of the device.
func TestBlocksOutliveTheirManagersTerm(t *testing.T) {
	first := useManager(t, device.Sim(0), storage.NewPooled)
	b := newBlock(t, device.Sim(0), 8192)
	second := useManager(t, device.Sim(0), storage.NewNaive)
	b.Release()
	require.EqualValues(t, 8192, first.Stats().Cached)
	require.Zero(t, second.Stats().Allocations)
	first.Trim()
}

func TestSmallBlocksAreAlignedAndNeverReachTheManager(t *testing.T) {
	m := useManager(t, device.CPU(0), storage.NewPooled)
	for bytes := 1; bytes <= 32<<10; bytes += 1 + bytes/50 {
		b := newBlock(t, device.CPU(0), bytes)
		require.Zero(t, uintptr(b.Pointer().Host)%64, "%d bytes", bytes)
		memory := b.Pointer().Bytes(bytes)
		memory[0], memory[bytes-1] = 1, 2
		b.Release()
		require.True(t, b.Pointer().IsNil())
	}
	require.Zero(t, m.Stats().Allocations)
	newBlock(t, device.CPU(0), 32<<10+1).Release()
	require.EqualValues(t, 1, m.Stats().Allocations)
	newBlock(t, device.Sim(0), 4).Release()
	require.True(t, newBlock(t, device.CPU(0), 0).Pointer().IsNil())
	require.True(t, newBlock(t, device.Sim(0), 0).Pointer().IsNil())
	m.Trim()
}

func TestDroppedBlocksKeepMemoryBounded(t *testing.T) {
	const live, dropped, bytes = 0, 100_000, 100 << 10
	before := residentBytes(t)
	m := useManager(t, device.CPU(0), storage.NewPooled)
	for i := range dropped {
		newBlock(t, device.CPU(0), bytes).Pointer().Bytes(bytes)[0] = byte(i)
	}
	stats := m.Stats()
	require.EqualValues(t, dropped, stats.Allocations)
	require.Less(t, stats.Peak, int64(256<<20))
	require.Less(t, stats.InUse+stats.Cached, int64(256<<20))
	require.Less(t, residentBytes(t)-before, 300<<20)
	collectUntil(t, func() bool { return m.Stats().InUse == live })
	m.Trim()
}

// With a live set of L bytes the collector is started when another half of L was dropped, neither never nor every time.
func TestTheCollectorIsStartedInProportionToTheLiveSet(t *testing.T) {
	const live, step = 128 << 20, 1 << 20
	m := useManager(t, device.Sim(0), storage.NewPooled)
	var held []*storage.Block
	for range live / (8 << 20) {
		held = append(held, newBlock(t, device.Sim(0), 8<<20))
	}
	collections := collectionsDuring(func() {
		for range 1024 {
			newBlock(t, device.Sim(0), step)
		}
	})
	require.Less(t, m.Stats().Peak, int64(live*2+64<<20))
	require.GreaterOrEqual(t, collections, uint32(4))
	require.LessOrEqual(t, collections, uint32(64), "1 GiB was dropped, 64 MiB at a time")

	collectUntil(t, func() bool { return m.Stats().InUse == live })
	collections = collectionsDuring(func() {
		for range 1024 {
			newBlock(t, device.Sim(0), step).Release()
		}
	})
	require.LessOrEqual(t, collections, uint32(1), "released blocks need no collector")
	for _, b := range held {
		b.Release()
	}
	m.Trim()
}

// Memory that was dropped is found before an allocation fails, whether the limit is the manager's or the device's.
func TestDroppedBlocksMakeRoom(t *testing.T) {
	for name, restrict := range map[string]func(m storage.Manager) (restore func()){
		"limit":  func(m storage.Manager) func() { m.SetLimit(32 << 20); return func() { m.SetLimit(0) } },
		"device": func(storage.Manager) func() { return limitDevice(1, sim.Default().Stats(1).InUse+32<<20) },
	} {
		t.Run(name, func(t *testing.T) {
			m := useManager(t, device.Sim(1), storage.NewPooled)
			defer restrict(m)()
			for range 8 {
				for range 28 {
					newBlock(t, device.Sim(1), 1<<20)
				}
				newBlock(t, device.Sim(1), 24<<20).Release()
			}
			collectUntil(t, func() bool { return m.Stats().InUse == 0 })
			m.Trim()
		})
	}
}

func collectionsDuring(run func()) uint32 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	return after.NumForcedGC - before.NumForcedGC
}

// residentBytes returns the memory of the process that is in use, or zero where the system does not tell.
func residentBytes(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Logf("resident memory is not checked: %v", err)
		return 0
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	require.NoError(t, err)
	return pages * os.Getpagesize()
}

func collectOnce() {
	runtime.GC()
	runtime.Gosched()
}
