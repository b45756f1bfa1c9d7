package storagetest

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// RunManager tests a kind of manager. New returns a fresh one, with nothing in use, kept or limited; it is called for
// each property.
func RunManager(t *testing.T, new func() storage.Manager) {
	for _, property := range []struct {
		name  string
		check func(t *testing.T, m storage.Manager)
	}{
		{"MemoryIsAligned", alignment},
		{"SizeZeroIsTheNilPointer", sizeZero},
		{"StatsAreExact", exactStats},
		{"RoundingLosesAtMostAQuarterAndAPage", rounding},
		{"FreedMemoryIsKeptOrGone", reuse},
		{"LimitRefusesAndLeavesTheManagerUsable", limit},
		{"LoweredLimitGivesKeptMemoryBack", loweredLimit},
		{"AbsurdSizesAreOutOfMemory", absurdSizes},
		{"TrimGivesKeptMemoryBack", trim},
		{"FreeingWhatIsNotAllocatedPanics", badFrees},
		{"ConcurrentUsersNeverOverlap", concurrent},
	} {
		t.Run(property.name, func(t *testing.T) {
			m := new()
			property.check(t, m)
			m.Trim()
			stats := m.Stats()
			require.Zero(t, stats.InUse)
			require.Zero(t, stats.Cached)
		})
	}
}

func allocate(t *testing.T, m storage.Manager, bytes int) device.Pointer {
	t.Helper()
	p, err := m.Allocate(bytes)
	require.NoError(t, err)
	require.False(t, p.IsNil())
	return p
}

func address(p device.Pointer) uintptr {
	if p.Host != nil {
		return uintptr(p.Host)
	}
	return p.Address
}

// sizes are such that any rounding has something to do.
var sizes = []int{1, 2, 3, 4, 5, 8, 63, 64, 65, 100, 4095, 4096, 4097, 5000, 32 << 10, 100 << 10, 1<<20 - 1, 1<<20 + 1, 3<<20 + 12345}

func alignment(t *testing.T, m storage.Manager) {
	pointers := make([]device.Pointer, len(sizes))
	for i, bytes := range sizes {
		pointers[i] = allocate(t, m, bytes)
		require.Zero(t, address(pointers[i])%64, "%d bytes", bytes)
		if pointers[i].Host != nil {
			fill(pointers[i], bytes, byte(i))
		}
	}
	for i, bytes := range sizes {
		if pointers[i].Host != nil {
			require.True(t, holds(pointers[i], bytes, byte(i)), "%d bytes", bytes)
		}
		m.Free(pointers[i], bytes)
	}
}

func sizeZero(t *testing.T, m storage.Manager) {
	before := m.Stats()
	p, err := m.Allocate(0)
	require.NoError(t, err)
	require.True(t, p.IsNil())
	m.Free(p, 0)
	m.Free(p, 0)
	require.Equal(t, before, m.Stats())
}

// exactStats uses powers of two from a page on, which no rounding changes.
func exactStats(t *testing.T, m storage.Manager) {
	var held []device.Pointer
	inUse := int64(0)
	for i := range 8 {
		held = append(held, allocate(t, m, 4096<<i))
		inUse += 4096 << i
		stats := m.Stats()
		require.Equal(t, inUse, stats.InUse)
		require.Equal(t, inUse, stats.Peak)
		require.EqualValues(t, i+1, stats.Allocations)
		require.Zero(t, stats.Cached)
		require.Zero(t, stats.Reused)
	}
	peak := inUse
	for i, p := range held {
		m.Free(p, 4096<<i)
		inUse -= 4096 << i
		stats := m.Stats()
		require.Equal(t, inUse, stats.InUse)
		require.Equal(t, peak, stats.Peak)
		require.Contains(t, []int64{0, peak - inUse}, stats.Cached)
	}
	require.EqualValues(t, 8, m.Stats().Allocations)
}

func rounding(t *testing.T, m storage.Manager) {
	for bytes := 1; bytes < 4<<20; bytes = bytes*9/8 + 1 {
		p := allocate(t, m, bytes)
		used := m.Stats().InUse
		require.GreaterOrEqual(t, used, int64(bytes))
		require.LessOrEqual(t, used, int64(bytes+bytes/4+4096))
		m.Free(p, bytes)
		require.Zero(t, m.Stats().InUse)
	}
}

func reuse(t *testing.T, m storage.Manager) {
	const bytes = 1 << 20
	p := allocate(t, m, bytes)
	m.Free(p, bytes)
	kept := m.Stats().Cached
	q := allocate(t, m, bytes)
	stats := m.Stats()
	if kept == 0 {
		require.Zero(t, stats.Reused)
	} else {
		require.EqualValues(t, bytes, kept)
		require.Equal(t, p, q)
		require.EqualValues(t, 1, stats.Reused)
		require.Zero(t, stats.Cached)
	}
	r := allocate(t, m, bytes)
	require.NotEqual(t, q, r)
	m.Free(q, bytes)
	m.Free(r, bytes)
}

func limit(t *testing.T, m storage.Manager) {
	m.SetLimit(1 << 20)
	require.EqualValues(t, 1<<20, m.Stats().Limit)
	half := allocate(t, m, 512<<10)
	before := m.Stats()
	_, err := m.Allocate(513 << 10)
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	for _, bytes := range []int{513 << 10, 512 << 10, 1 << 20} {
		require.ErrorContains(t, err, fmt.Sprintf("%d bytes", bytes))
	}
	require.Equal(t, before, m.Stats())

	rest := allocate(t, m, 512<<10)
	_, err = m.Allocate(1)
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	m.Free(rest, 512<<10)
	for range 8 { // what is kept in other sizes must make room
		for _, bytes := range []int{4096, 64 << 10, 512 << 10, 8192} {
			m.Free(allocate(t, m, bytes), bytes)
			stats := m.Stats()
			require.LessOrEqual(t, stats.InUse+stats.Cached, stats.Limit)
		}
	}
	m.SetLimit(0)
	m.Free(allocate(t, m, 4<<20), 4<<20)
	m.Free(half, 512<<10)
}

func loweredLimit(t *testing.T, m storage.Manager) {
	held, other := allocate(t, m, 1<<20), allocate(t, m, 1<<20)
	m.Free(allocate(t, m, 2<<20), 2<<20)
	m.SetLimit(1 << 20)
	stats := m.Stats()
	require.EqualValues(t, 2<<20, stats.InUse, "what is in use stays")
	require.Zero(t, stats.Cached)
	m.Free(other, 1<<20)
	require.Zero(t, m.Stats().Cached)
	_, err := m.Allocate(4096)
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	m.Free(held, 1<<20)
	m.Free(allocate(t, m, 1<<20), 1<<20)
}

func absurdSizes(t *testing.T, m storage.Manager) {
	for _, limit := range []int64{0, 1 << 20} {
		m.SetLimit(limit)
		p := allocate(t, m, 4096)
		before := m.Stats()
		for _, bytes := range []int{math.MaxInt, math.MaxInt - 4096, 1<<62 + 1, 1 << 60} {
			_, err := m.Allocate(bytes)
			require.ErrorIs(t, err, fault.ErrOutOfMemory, "%d bytes", bytes)
			require.Equal(t, before, m.Stats())
		}
		m.Free(p, 4096)
	}
}

func trim(t *testing.T, m storage.Manager) {
	held := allocate(t, m, 1<<20)
	for i := range 8 {
		m.Free(allocate(t, m, 4096<<i), 4096<<i)
	}
	m.Trim()
	stats := m.Stats()
	require.Zero(t, stats.Cached)
	require.EqualValues(t, 1<<20, stats.InUse)
	m.Trim()
	if held.Host != nil {
		fill(held, 1<<20, 7)
	}
	m.Free(held, 1<<20)
}

func badFrees(t *testing.T, m storage.Manager) {
	p := allocate(t, m, 1<<20)
	before := m.Stats()
	foreign := make([]byte, 4096)
	require.Panics(t, func() { m.Free(device.Pointer{Host: unsafe.Pointer(&foreign[0])}, 4096) })
	require.Panics(t, func() { m.Free(device.Pointer{Address: 64}, 4096) })
	require.Panics(t, func() { m.Free(p.Add(4096), 4096) })
	require.Panics(t, func() { m.Free(p, 64<<20) }, "another size")
	require.Panics(t, func() { m.Free(device.Pointer{}, 4096) })
	require.Equal(t, before, m.Stats())
	m.Free(p, 1<<20)
	before = m.Stats()
	require.Panics(t, func() { m.Free(p, 1<<20) })
	require.Equal(t, before, m.Stats())
	m.Free(allocate(t, m, 1<<20), 1<<20)
}
