package sim

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

var _ device.PinningBackend = (*Backend)(nil)

func allocatePinned(t *testing.T, b *Backend, bytes int) device.Pointer {
	t.Helper()
	p, err := b.AllocatePinned(bytes)
	require.NoError(t, err)
	return p
}

func TestPinnedMemoryIsCountedAndAligned(t *testing.T) {
	b := New(1)
	total := 0
	var held []device.Pointer
	for i := range 100 {
		held = append(held, allocatePinned(t, b, i))
		require.Zero(t, uintptr(held[i].Host)%hostAlign)
		total += i
		require.Equal(t, PinnedStats{InUse: total, Peak: total, Limit: defaultLimit, Live: i + 1, Allocations: i + 1}, b.PinnedStats())
	}
	for i, p := range held {
		b.FreePinned(p, i)
	}
	require.Equal(t, PinnedStats{Peak: total, Limit: defaultLimit, Allocations: 100}, b.PinnedStats())
	require.Zero(t, New(1).PinnedStats().Allocations, "machines count apart")
}

func TestPinnedMemoryEndsAtItsLimit(t *testing.T) {
	b := New(1)
	b.SetPinnedLimit(1000)
	p := allocatePinned(t, b, 900)
	for _, bytes := range []int{101, 1 << 62} {
		_, err := b.AllocatePinned(bytes)
		require.ErrorIs(t, err, fault.ErrOutOfMemory)
		require.ErrorContains(t, err, "900 of 1000 in use")
	}
	b.SetPinnedLimit(500)
	_, err := b.AllocatePinned(1)
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	b.FreePinned(p, 900)
	b.FreePinned(allocatePinned(t, b, 500), 500)
}

func TestMistakesWithPinnedMemoryPanic(t *testing.T) {
	b := New(1)
	p := allocatePinned(t, b, 100)
	before := b.PinnedStats()
	require.Panics(t, func() { b.FreePinned(p, 99) })
	require.Panics(t, func() { b.FreePinned(p.Add(64), 36) })
	require.Panics(t, func() { b.FreePinned(device.Pointer{}, 100) })
	require.Panics(t, func() { b.FreePinned(allocate(t, b, 0, 100), 100) })
	require.Panics(t, func() { New(1).FreePinned(p, 100) })
	require.Panics(t, func() { _, _ = b.AllocatePinned(-1) })
	require.Equal(t, before, b.PinnedStats())
	b.FreePinned(p, 100)
	require.Panics(t, func() { b.FreePinned(p, 100) }, "freed twice")

	for _, outside := range []int{-1, 100} {
		p = allocatePinned(t, b, 100)
		*(*byte)(p.Add(outside).Host)++
		require.PanicsWithValue(t, fmt.Sprintf("sim: FreePinned of 100 bytes at %p: bytes outside of them were written", p.Host), func() { b.FreePinned(p, 100) })
	}
}

func TestNewAndFreedPinnedMemoryIsPoisoned(t *testing.T) {
	b := New(1)
	p := allocatePinned(t, b, 64)
	require.Equal(t, poison[:64], p.Bytes(64))
	clear(p.Bytes(64))
	b.FreePinned(p, 64)
	require.Equal(t, poison[:64], p.Bytes(64))
}

func TestPinnedMemoryIsCopiedLikeHostMemory(t *testing.T) {
	b := New(1)
	s, p, q := newStream(t, b, 0), allocatePinned(t, b, 3), allocatePinned(t, b, 3)
	copy(p.Bytes(3), []byte{1, 2, 3})
	remote := allocate(t, b, 0, 3)
	require.NoError(t, s.Copy(remote, p, 3))
	require.NoError(t, s.Copy(q, remote, 3))
	require.NoError(t, record(t, s).Wait())
	require.Equal(t, []byte{1, 2, 3}, q.Bytes(3))
	require.Equal(t, device.Traffic{Copies: 1, Bytes: 3}, b.Stats(0).HostToDevice)
}

func TestPinnedMemoryIsSharedByGoroutines(t *testing.T) {
	b := New(2)
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for i := range 100 {
				p, err := b.AllocatePinned(g + i)
				if err != nil {
					t.Error(err)
					return
				}
				b.FreePinned(p, g+i)
			}
		})
	}
	group.Wait()
	require.Zero(t, b.PinnedStats().Live)
	require.Equal(t, 800, b.PinnedStats().Allocations)
}
