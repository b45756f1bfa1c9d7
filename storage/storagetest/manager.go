package storagetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// RunManager tests a kind of manager. New returns a fresh one, with nothing in use, kept or limited; it is called for
// each property.
func RunManager(t *testing.T, new func() storage.Manager) {
	t.Run("FreeingWhatIsNotAllocatedPanics", func(t *testing.T) { badFrees(t, new(), new()) })
	for _, property := range []struct {
		name  string
		check func(t *testing.T, m storage.Manager)
	}{
		{"MemoryIsAligned", alignment},
		{"SizeZeroIsTheNilPointer", sizeZero},
		{"StatsAreExact", exactStats},
		{"RoundingLosesAtMostHalfAndAPage", rounding},
		{"FreedMemoryIsKeptOrGone", reuse},
		{"LimitRefusesAndLeavesTheManagerUsable", limit},
		{"LoweredLimitGivesKeptMemoryBack", loweredLimit},
		{"LimitHoldsAtEveryMoment", limitAlways},
		{"AbsurdSizesAreOutOfMemory", absurdSizes},
		{"TrimGivesKeptMemoryBack", trim},
		{"TrimByAgeLeavesWhatIsYoung", trimByAge},
		{"ContentsOutliveWhatHappensToOthers", contents},
		{"ConcurrentUsersNeverOverlap", concurrent},
		{"MemoryIsFreedByAnybody", handedOver},
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

func allocate(t *testing.T, m storage.Manager, bytes int) storage.Memory {
	t.Helper()
	memory, err := m.Allocate(bytes)
	require.NoError(t, err)
	require.False(t, memory.Pointer.IsNil())
	require.Equal(t, bytes, memory.Bytes)
	return memory
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
	all := make([]storage.Memory, len(sizes))
	for i, bytes := range sizes {
		all[i] = allocate(t, m, bytes)
		require.Zero(t, address(all[i].Pointer)%64, "%d bytes", bytes)
		if all[i].Pointer.Host != nil {
			fill(all[i].Pointer, bytes, byte(i))
		}
	}
	for i, bytes := range sizes {
		if all[i].Pointer.Host != nil {
			require.True(t, holds(all[i].Pointer, bytes, byte(i)), "%d bytes", bytes)
		}
		m.Free(all[i])
	}
}

func sizeZero(t *testing.T, m storage.Manager) {
	before := m.Stats()
	p, err := m.Allocate(0)
	require.NoError(t, err)
	require.True(t, p.Pointer.IsNil())
	m.Free(p)
	m.Free(p)
	m.Free(storage.Memory{})
	require.Equal(t, before, m.Stats())
}

// exactStats uses powers of two from a page on, which no rounding changes.
func exactStats(t *testing.T, m storage.Manager) {
	var held []storage.Memory
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
		m.Free(p)
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
		require.LessOrEqual(t, used, int64(2*bytes+4096))
		m.Free(p)
		require.Zero(t, m.Stats().InUse)
	}
}

func reuse(t *testing.T, m storage.Manager) {
	const bytes = 1 << 20
	p := allocate(t, m, bytes)
	m.Free(p)
	kept := m.Stats().Cached
	q := allocate(t, m, bytes)
	stats := m.Stats()
	if kept == 0 {
		require.Zero(t, stats.Reused)
	} else {
		require.EqualValues(t, bytes, kept)
		require.Equal(t, p.Pointer, q.Pointer)
		require.EqualValues(t, 1, stats.Reused)
		require.Zero(t, stats.Cached)
	}
	r := allocate(t, m, bytes)
	require.NotEqual(t, q.Pointer, r.Pointer)
	m.Free(q)
	m.Free(r)
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
	m.Free(rest)
	for range 8 { // what is kept in other sizes must make room
		for _, bytes := range []int{4096, 64 << 10, 512 << 10, 8192} {
			m.Free(allocate(t, m, bytes))
			stats := m.Stats()
			require.LessOrEqual(t, stats.InUse+stats.Cached, stats.Limit)
		}
	}
	m.SetLimit(0)
	m.Free(allocate(t, m, 4<<20))
	m.Free(half)
}

func loweredLimit(t *testing.T, m storage.Manager) {
	held, other := allocate(t, m, 1<<20), allocate(t, m, 1<<20)
	m.Free(allocate(t, m, 2<<20))
	m.SetLimit(1 << 20)
	stats := m.Stats()
	require.EqualValues(t, 2<<20, stats.InUse, "what is in use stays")
	require.Zero(t, stats.Cached)
	m.Free(other)
	require.Zero(t, m.Stats().Cached)
	_, err := m.Allocate(4096)
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	m.Free(held)
	m.Free(allocate(t, m, 1<<20))
}

func absurdSizes(t *testing.T, m storage.Manager) {
	for _, limit := range []int64{0, 1 << 20} {
		m.SetLimit(limit)
		p := allocate(t, m, 4096)
		before := m.Stats()
		for _, bytes := range []int{math.MaxInt, math.MaxInt - 4096, 1<<62 + 1, 1 << 60, -1, -4096, math.MinInt} {
			_, err := m.Allocate(bytes)
			require.ErrorIs(t, err, fault.ErrOutOfMemory, "%d bytes", bytes)
			require.Equal(t, before, m.Stats())
		}
		m.Free(p)
	}
}

// within checks that no more is kept than the limit leaves.
func within(t *testing.T, s storage.Stats) {
	t.Helper()
	require.GreaterOrEqual(t, s.InUse, int64(0))
	require.GreaterOrEqual(t, s.Peak, s.InUse)
	require.LessOrEqual(t, s.Reused, s.Allocations)
	if s.Limit > 0 {
		require.LessOrEqual(t, s.Cached, max(0, s.Limit-s.InUse))
	}
}

// limitAlways changes the limit between allocations of all sizes. An allocation that is refused had no room.
func limitAlways(t *testing.T, m storage.Manager) {
	random := rand.New(rand.NewPCG(7, 7))
	var held []storage.Memory
	for range 1000 {
		switch n := random.IntN(10); {
		case n == 0:
			m.SetLimit(random.Int64N(4 << 20))
		case n < 5 && len(held) > 0:
			m.Free(held[0])
			held = held[1:]
		default:
			bytes := 1 + random.IntN(1<<(6+random.IntN(14)))
			before := m.Stats()
			memory, err := m.Allocate(bytes)
			if err == nil {
				held = append(held, memory)
				break
			}
			require.ErrorIs(t, err, fault.ErrOutOfMemory)
			require.Greater(t, before.InUse+int64(2*bytes+4096), before.Limit, "there was room for %d bytes", bytes)
			require.Equal(t, before.InUse, m.Stats().InUse)
		}
		within(t, m.Stats())
	}
	for _, memory := range held {
		m.Free(memory)
		within(t, m.Stats())
	}
}

// contents checks that neither frees nor trims nor limits touch what somebody else has.
func contents(t *testing.T, m storage.Manager) {
	random := rand.New(rand.NewPCG(8, 8))
	var held []piece
	for i := range 400 {
		switch n := random.IntN(12); {
		case n == 0:
			m.Trim()
		case n == 1:
			m.SetLimit(m.Stats().InUse / 2)
			m.SetLimit(0)
		case n < 6 && len(held) > 0:
			at := random.IntN(len(held))
			m.Free(held[at].Memory)
			held[at] = held[len(held)-1]
			held = held[:len(held)-1]
		default:
			p := piece{allocate(t, m, 1+random.IntN(1<<(6+random.IntN(13)))), byte(i)}
			if p.Pointer.Host != nil {
				fill(p.Pointer, p.Bytes, p.mark)
			}
			held = append(held, p)
		}
		if i%20 == 0 || len(held) == 0 {
			for _, p := range held {
				require.True(t, p.Pointer.Host == nil || holds(p.Pointer, p.Bytes, p.mark), "%d bytes", p.Bytes)
			}
		}
	}
	for _, p := range held {
		require.True(t, p.Pointer.Host == nil || holds(p.Pointer, p.Bytes, p.mark), "%d bytes", p.Bytes)
		m.Free(p.Memory)
	}
}

func trim(t *testing.T, m storage.Manager) {
	held := allocate(t, m, 1<<20)
	for i := range 8 {
		m.Free(allocate(t, m, 4096<<i))
	}
	m.Trim()
	stats := m.Stats()
	require.Zero(t, stats.Cached)
	require.EqualValues(t, 1<<20, stats.InUse)
	m.Trim()
	if held.Pointer.Host != nil {
		fill(held.Pointer, 1<<20, 7)
	}
	m.Free(held)
}

func trimByAge(t *testing.T, m storage.Manager) {
	m.Free(allocate(t, m, 1<<20))
	kept := m.Stats().Cached
	m.TrimUnused(time.Hour)
	require.Equal(t, kept, m.Stats().Cached)
	m.TrimUnused(0)
	require.Zero(t, m.Stats().Cached)
}

func badFrees(t *testing.T, m, other storage.Manager) {
	p, foreign := allocate(t, m, 1<<20), allocate(t, other, 1<<20)
	before := m.Stats()
	require.Panics(t, func() { m.Free(foreign) })
	require.Panics(t, func() { m.Free(storage.Memory{Pointer: p.Pointer, Bytes: 1 << 20}) }, "not what was handed out")
	require.Equal(t, before, m.Stats())
	other.Free(foreign)
	m.Free(p)
	before = m.Stats()
	require.Panics(t, func() { m.Free(p) })
	require.Equal(t, before, m.Stats())
	again := allocate(t, m, 1<<20) // perhaps at the same address
	require.Panics(t, func() { m.Free(p) }, "the memory of somebody else")
	m.Free(again)
}
