package storage

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// regionModel holds what regions have handed out.
type regionModel struct {
	*testing.T
	regions
	watched *watchedSource
	held    []*chunk
	now     time.Duration
}

func newRegionModel(t *testing.T) *regionModel {
	m := &regionModel{T: t, watched: newWatchedSource()}
	m.regions.source = m.watched
	return m
}

// check walks through everything there is.
func (m *regionModel) check() {
	binned := map[*chunk]int{}
	for class, c := range m.free.lists {
		if used := m.free.used[class/64]>>(class%64)&1 == 1; used != (c != nil) {
			m.Fatalf("class %d is marked %v", class, used)
		}
		var earlier *chunk
		for ; c != nil; earlier, c = c, c.piece.later {
			require.Equal(m, classOf(c.bytes), class)
			require.Same(m, earlier, c.piece.earlier)
			binned[c] = class
		}
	}
	found := map[*region]bool{}
	for c := range binned {
		found[c.piece.region] = true
	}
	for _, c := range m.held {
		found[c.piece.region] = true
	}
	mapped, dirty, pieces := 0, 0, 0
	for r := range found {
		require.Equal(m, m.watched.mapped[uintptr(r.pointer.Host)], r.bytes)
		mapped += r.bytes
		at, before := 0, (*chunk)(nil)
		for c := r.first; c != nil; before, c = c, c.piece.behind {
			pieces++
			require.Equal(m, r.pointer.Add(at), c.pointer)
			require.Same(m, r, c.piece.region)
			require.Same(m, before, c.piece.before)
			_, free := binned[c]
			require.Equal(m, free, c.piece.free)
			if free {
				require.False(m, before != nil && before.piece.free, "free neighbours")
				dirty += c.piece.dirty.bytes()
				m.checkDirty(c)
			} else {
				require.True(m, slices.Contains(m.held, c))
			}
			at += c.bytes
		}
		require.Equal(m, r.bytes, at)
	}
	require.Equal(m, len(binned)+len(m.held), pieces)
	require.Len(m, found, len(m.watched.mapped), "a mapping is lost")
	require.EqualValues(m, mapped, m.mapped)
	require.EqualValues(m, dirty, m.dirty)
}

// checkDirty compares what c, which is free, is said to have of memory with what it has.
func (m *regionModel) checkDirty(c *chunk) {
	e := c.piece.dirty
	require.True(m, 0 <= e.lo && e.lo <= e.hi && e.hi <= c.bytes)
	for at := 0; at < c.bytes; at += classPage {
		if m.watched.dirty[uintptr(c.pointer.Host)+uintptr(at)] {
			if at < e.lo || e.hi <= at {
				m.Fatalf("page %d of %d has memory; %v is known", at/classPage, c.bytes/classPage, e)
			}
		}
	}
	require.Zero(m, e.lo%classPage+e.hi%classPage)
}

func (m *regionModel) take(size, spare int) {
	smallest := classCount
	m.free.each(func(c *chunk) {
		if c.bytes >= size {
			smallest = min(smallest, classOf(c.bytes))
		}
	})
	from := m.free.fit(size)
	mappings := len(m.watched.mapped)
	if smallest == classCount {
		require.Nil(m, from)
	} else {
		require.Equal(m, smallest, classOf(from.bytes))
		from = &chunk{pointer: from.pointer, bytes: from.bytes} // it may be divided
	}
	c, fresh, err := m.regions.take(size, spare)
	require.NoError(m, err)
	require.GreaterOrEqual(m, c.bytes, size)
	require.LessOrEqual(m, c.bytes-size, spare)
	require.Equal(m, classOf(size), classOf(c.bytes))
	require.Equal(m, classOf(size), c.class)
	if from != nil {
		require.Len(m, m.watched.mapped, mappings)
		require.GreaterOrEqual(m, uintptr(c.pointer.Host), uintptr(from.pointer.Host))
		require.LessOrEqual(m, uintptr(c.pointer.Add(c.bytes).Host), uintptr(from.pointer.Add(from.bytes).Host))
	}
	touched := 0
	for at := 0; at < c.bytes; at += classPage {
		if m.watched.dirty[uintptr(c.pointer.Add(at).Host)] {
			touched += classPage
		}
	}
	require.GreaterOrEqual(m, c.bytes-fresh, touched)
	m.watched.touch(c.pointer, c.bytes)
	m.held = append(m.held, c)
}

func (m *regionModel) give(i int) {
	c := m.held[i]
	m.held = slices.Delete(m.held, i, i+1)
	m.regions.give(c, m.now)
}

// trim checks that no more is left than there must be.
func (m *regionModel) trim(before time.Duration, keep int64) {
	m.regions.trim(before, keep)
	if m.dirty > keep {
		m.free.each(func(c *chunk) { require.False(m, c.piece.since <= before && c.piece.dirty.bytes() > 0) })
	}
}

func TestRegionsAgreeWithAModel(t *testing.T) {
	steps := 500
	if testing.Short() {
		steps = 150
	}
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 3))
		m := newRegionModel(t)
		for step := range steps {
			m.now += time.Duration(random.IntN(3))
			grows := 5 + 3*(step/100%2) // so that much is held at some times and little at others
			switch n := random.IntN(13); {
			case n < grows || len(m.held) == 0:
				size := roundToClass(1 + random.IntN(1<<(10+random.IntN(13))))
				m.take(size, random.IntN(2)*size)
			case n < 11:
				m.give(random.IntN(len(m.held)))
			case n == 11:
				m.trim(m.now-time.Duration(random.IntN(20)), random.Int64N(m.dirty+1))
			default:
				all := []*chunk{}
				m.free.each(func(c *chunk) { all = append(all, c) })
				if len(all) > 0 {
					m.discard(all[random.IntN(len(all))])
				}
			}
			if step%4 == 0 {
				m.check()
			}
		}
		for len(m.held) > 0 {
			m.give(random.IntN(len(m.held)))
		}
		m.check()
		m.free.each(func(c *chunk) { require.Equal(t, c.piece.region.bytes, c.bytes) })
		m.trim(m.now-1000, 0)
		m.trim(m.now, 0)
		m.check()
		require.Zero(t, m.dirty)
		require.Empty(t, m.watched.dirty)
		m.free.each(func(c *chunk) { m.discard(c) })
		require.Empty(t, m.watched.mapped)
		require.Zero(t, m.mapped)
	}
}

// What was used and discarded since is no memory, wherever in a piece it is; what was not is, although the rest is clean.
func TestMemoryIsTakenFromWhereThereIsSome(t *testing.T) {
	const size = 256 << 10
	for _, front := range []bool{true, false} {
		m := newRegionModel(t)
		for range smallestRegion / size {
			m.take(size, 0)
		}
		clean, used := m.held[0], m.held[1]
		if front {
			clean, used = used, clean
		}
		m.give(slices.Index(m.held, clean))
		m.discard(clean)
		m.give(slices.Index(m.held, used))
		m.check()
		require.EqualValues(t, size, m.dirty)
		c, fresh, err := m.regions.take(size, 0)
		require.NoError(t, err)
		require.Zero(t, fresh)
		require.Equal(t, used.pointer, c.pointer)
		require.Zero(t, m.dirty)
		m.held = append(m.held, c)
		m.check()
		for len(m.held) > 0 {
			m.give(0)
		}
		m.trim(m.now, 0)
		require.Empty(t, m.watched.mapped)
	}
}

func TestExtentsAgreeWithSetsOfPages(t *testing.T) {
	set := func(e extent, offset int) (pages uint64) {
		for i := e.lo; i < e.hi; i++ {
			pages |= 1 << (i + offset)
		}
		return pages
	}
	every := func(n int) (all []extent) {
		for lo := range n + 1 {
			for hi := lo; hi <= n; hi++ {
				all = append(all, extent{lo, hi})
			}
		}
		return all
	}
	for _, e := range every(6) {
		for _, part := range every(6) {
			want := (set(e, 0) & set(part, 0)) >> part.lo
			require.Equal(t, want, set(e.within(part.lo, part.hi), 0), "%v within %v", e, part)
		}
		for _, other := range every(4) {
			both := set(e, 0) | set(other, 6)
			hull := set(e.hull(other, 6), 0)
			require.Equal(t, both, hull&both)
			require.Equal(t, bits.TrailingZeros64(both), bits.TrailingZeros64(hull))
			require.Equal(t, bits.Len64(both), bits.Len64(hull))
		}
	}
}
