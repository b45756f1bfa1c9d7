package storage

import (
	"math/bits"
	"slices"
	"sync"
	"time"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
)

// rounded keeps freed memory for allocations of about its size, and divides nothing.
type rounded struct {
	device device.Device
	source source
	round  func(bytes int) int
	within int // a kept chunk serves sizes from its own down to this part of it

	mu      sync.Mutex
	kept    map[int][]*chunk // by size, the latest last
	sizes   []int            // of kept, sorted
	stats   Stats
	trimmer trimmer
}

// NewRoundMultiple returns a manager of d that rounds sizes up as MXNet's default pool does, to pages of 4096 bytes and from
// 2 MiB on to multiples of 2 MiB, and keeps freed memory for allocations of the same rounded size. An error tells that d does
// not exist on this machine.
func NewRoundMultiple(d device.Device) (Manager, error) {
	const large = 2 << 20
	return newRoundedOf(d, func(bytes int) int {
		if bytes > large {
			return multipleOf(bytes, large)
		}
		return multipleOf(bytes, classPage)
	})
}

// NewRoundPower2 returns a manager of d that rounds sizes up as MXNet's pool "Round" does, to powers of two from 4096 bytes on
// and beyond 16 MiB to multiples of that, and keeps freed memory for allocations of the same rounded size. An error tells that
// d does not exist on this machine.
func NewRoundPower2(d device.Device) (Manager, error) {
	return newRoundedOf(d, roundPower2(1<<24))
}

// roundPower2 rounds up to powers of two, and beyond cutoff to its multiples.
func roundPower2(cutoff int) func(int) int {
	return func(bytes int) int {
		if bytes > cutoff {
			return multipleOf(bytes, cutoff)
		}
		return max(classPage, 1<<bits.Len(uint(bytes-1)))
	}
}

// multipleOf rounds up; the result overflows for sizes that no system has.
func multipleOf(bytes, step int) int { return (bytes + step - 1) / step * step }

func newRoundedOf(d device.Device, round func(int) int) (Manager, error) {
	from, err := sourceOf(d)
	if err != nil {
		return nil, err
	}
	return newRounded(d, from, round, 1), nil
}

func newRounded(d device.Device, from source, round func(int) int, within int) *rounded {
	m := &rounded{device: d, source: from, round: round, within: within, kept: map[int][]*chunk{}}
	m.stats.Limit = defaultLimit(d)
	m.trimmer.trim = m.trimUnused
	return m
}

// Allocate implements Manager.
func (m *rounded) Allocate(bytes int) (Memory, error) {
	if bytes == 0 {
		return Memory{}, nil
	}
	size := m.round(bytes)
	if bytes < 0 || size < bytes {
		return Memory{}, absurd(bytes)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.fit(size)
	if c == nil {
		var err error
		if c, err = m.obtain(size, bytes); err != nil {
			return Memory{}, err
		}
	}
	m.stats.take(int64(c.bytes))
	return c.handOut(bytes), nil
}

// fit takes the smallest kept chunk that serves size; nil if there is none. A larger one is taken as long as less than half of
// the limit is in use: later the rest of it may be what somebody lacks.
func (m *rounded) fit(size int) *chunk {
	within := m.within
	if m.stats.Limit > 0 && m.stats.InUse > m.stats.Limit/2 {
		within = 1
	}
	i, _ := slices.BinarySearch(m.sizes, size)
	if i == len(m.sizes) || m.sizes[i]/within > size {
		return nil
	}
	found := m.sizes[i]
	chunks := m.kept[found]
	c := chunks[len(chunks)-1]
	m.drop(found, len(chunks)-1, len(chunks))
	m.stats.Reused++
	return c
}

// drop forgets the chunks [lo, hi) that are kept of a size.
func (m *rounded) drop(size, lo, hi int) {
	m.stats.Cached -= int64(size) * int64(hi-lo)
	left := slices.Delete(m.kept[size], lo, hi)
	if m.kept[size] = left; len(left) == 0 {
		delete(m.kept, size)
		i, _ := slices.BinarySearch(m.sizes, size)
		m.sizes = slices.Delete(m.sizes, i, i+1)
	}
}

// obtain asks the system for size bytes. What is kept goes back if that makes room.
func (m *rounded) obtain(size, bytes int) (*chunk, error) {
	if limit := m.stats.Limit; limit > 0 && int64(size) > limit-m.stats.InUse-m.stats.Cached {
		m.trim(0)
		if int64(size) > limit-m.stats.InUse {
			return nil, overLimit(m.device, bytes, m.stats.InUse, limit)
		}
	}
	p, err := m.source.Allocate(size)
	if err != nil && m.stats.Cached > 0 {
		m.trim(0)
		p, err = m.source.Allocate(size)
	}
	if err != nil {
		return nil, err
	}
	return &chunk{owner: m, pointer: p, bytes: size}, nil
}

// Free implements Manager.
func (m *rounded) Free(memory Memory) {
	if memory.Bytes == 0 {
		return
	}
	c := memory.takeBack(m)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stats.InUse -= int64(c.bytes)
	if limit := m.stats.Limit; limit > 0 && int64(c.bytes) > limit-m.stats.InUse-m.stats.Cached {
		m.source.Free(c.pointer, c.bytes)
		return
	}
	c.piece.since = m.trimmer.now()
	if m.kept[c.bytes] == nil {
		i, _ := slices.BinarySearch(m.sizes, c.bytes)
		m.sizes = slices.Insert(m.sizes, i, c.bytes)
	}
	m.kept[c.bytes] = append(m.kept[c.bytes], c)
	m.stats.Cached += int64(c.bytes)
	m.trimmer.start()
}

// Stats implements Manager.
func (m *rounded) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stats
}

// Trim implements Manager.
func (m *rounded) Trim() { m.TrimUnused(0) }

// TrimUnused implements Manager.
func (m *rounded) TrimUnused(age time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.trim(age)
}

func (m *rounded) trim(age time.Duration) {
	before := m.trimmer.now() - age
	for _, size := range slices.Clone(m.sizes) {
		chunks := m.kept[size]
		old := len(chunks)
		for old > 0 && chunks[old-1].piece.since > before {
			old--
		}
		for _, c := range chunks[:old] {
			m.source.Free(c.pointer, c.bytes)
		}
		m.drop(size, 0, old)
	}
}

func (m *rounded) trimUnused() (again bool) {
	m.TrimUnused(TrimAge)
	return m.Stats().Cached > 0
}

func (m *rounded) rounded(bytes int) int { return m.round(bytes) }

// Limit implements Manager.
func (m *rounded) Limit() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stats.Limit
}

// SetLimit implements Manager.
func (m *rounded) SetLimit(bytes int64) {
	defer engine.MemoryFreed()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stats.Limit = bytes
	if bytes > 0 && m.stats.InUse+m.stats.Cached > bytes {
		m.trim(0)
	}
}
