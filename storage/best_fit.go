package storage

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// bestFit divides large mappings of host memory. What is freed goes to a front cache for the next allocation of its size, and
// from there to the shared regions, where neighbours are put together and serve other sizes.
type bestFit struct {
	device device.Device
	fronts fronts

	// Locked behind a front.
	mu      sync.Mutex
	regions regions
	limit   int64
	out     int64 // bytes of the chunks that are in use or in a front
	peak    int64
	high    [2]int64 // the most that out was since the trimmer looked last, and between the two looks before
	trimmer trimmer

	tight atomic.Bool // more is in use than the limit allows: fronts keep nothing
}

// NewBestFit returns a manager of d, which is in host memory, that divides and joins what it keeps. Sizes are rounded up by at
// most one part in 8, and to pages; an allocation takes a smallest free piece that holds it. What is unused for TrimAge goes
// back to the system. An error tells that d does not exist on this machine, or has no memory that can be divided.
func NewBestFit(d device.Device) (Manager, error) {
	from, err := sourceOf(d)
	if err != nil {
		return nil, err
	}
	divisible, ok := from.(discarding)
	if !ok {
		return nil, fmt.Errorf("%w: the memory of %v cannot be divided", fault.ErrDevice, d)
	}
	return newBestFit(d, divisible), nil
}

func newBestFit(d device.Device, from discarding) *bestFit {
	m := &bestFit{device: d, limit: defaultLimit(d)}
	m.regions = regions{owner: m, source: from}
	// One for each worker that can run: memory in a front that nobody looks for any more would lie idle.
	m.fronts.all = make([]front, runtime.GOMAXPROCS(0))
	m.trimmer.trim = m.trimUnused
	return m
}

// Allocate implements Manager.
func (m *bestFit) Allocate(bytes int) (memory Memory, err error) {
	if bytes == 0 {
		return Memory{}, nil
	}
	size := roundToClass(bytes)
	if bytes < 0 || size < bytes {
		return Memory{}, absurd(bytes)
	}
	class := classOf(size)
	own := m.fronts.lock()
	c := own.pop(class)
	if c == nil {
		if c, err = m.refill(own, size, bytes); err != nil {
			m.fronts.unlock(own)
			return m.allocateLast(size, bytes)
		}
	} else {
		own.reused++
	}
	own.handedOut(c)
	m.fronts.unlock(own)
	// A result that is put together elsewhere is copied as a whole, which waits for its parts to have been written.
	memory.Pointer, memory.Bytes, memory.chunk, memory.generation = c.pointer, bytes, c, atomic.LoadUint64(&c.generation)
	return memory, nil
}

// give makes c free, which nobody has used since the given time.
func (m *bestFit) give(c *chunk, since time.Duration) {
	m.out -= int64(c.bytes)
	m.regions.give(c, since)
}

// empty takes back what own keeps, which nobody has used since the given time.
func (m *bestFit) empty(own *front, since time.Duration) {
	own.drain(func(c *chunk) { m.give(c, since) })
	m.keepLimit() // What lies between dirty pieces counts as dirty: that may be more than they were alone.
}

// Free implements Manager.
func (m *bestFit) Free(memory Memory) {
	if memory.Bytes == 0 {
		return
	}
	c := memory.chunk
	if c == nil {
		panic(foreign(memory))
	}
	if owner, ours := c.owner.(*bestFit); !ours || owner != m {
		panic(foreign(memory))
	}
	if !m.takeBack(c, memory.generation) {
		panic(freedTwice(memory))
	}
	m.trimmer.start()
}

// takeBack ends the use of c with the given generation, and reports false if it has ended before. The chunk goes back to the
// front that it came from: most often that is at hand, and will serve the next allocation. Under the front's lock the
// generation can be counted without a further atomic instruction; taking and releasing the lock are already most of the cost.
func (m *bestFit) takeBack(c *chunk, generation uint64) bool {
	own := c.front.Load()
	own.mu.Lock()
	if c.generation != generation {
		own.mu.Unlock()
		return false
	}
	c.generation++
	own.inUse -= int64(c.bytes)
	if own.full(c) || m.tight.Load() {
		m.spill(own, c)
	} else {
		own.push(c)
	}
	own.mu.Unlock()
	return true
}

// spill gives c to the regions, and half of what own keeps of its class.
func (m *bestFit) spill(own *front, c *chunk) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.trimmer.now()
	m.give(c, now)
	if c.bytes <= largeChunk {
		for range own.count[c.class] / 2 {
			m.give(own.pop(c.class), now)
		}
	}
	m.keepLimit()
}

// Stats implements Manager.
func (m *bestFit) Stats() Stats {
	var s Stats
	m.fronts.freeze(func() {
		for i := range m.fronts.all {
			own := &m.fronts.all[i]
			s.InUse += own.inUse
			s.Allocations += own.allocations
			s.Reused += own.reused
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		s.Cached, s.Peak, s.Limit = m.out-s.InUse+m.regions.dirty, m.peak, m.limit
	})
	return s
}

func (m *bestFit) rounded(bytes int) int { return roundToClass(bytes) }

// Limit implements Manager.
func (m *bestFit) Limit() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.limit
}

// Trim implements Manager.
func (m *bestFit) Trim() { m.TrimUnused(0) }

// TrimUnused implements Manager. How long a front has kept a chunk is not known: all of them give back what they have.
func (m *bestFit) TrimUnused(age time.Duration) {
	m.fronts.each(func(own *front) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.empty(own, m.trimmer.now())
	})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.trim(age)
}

// trim gives back what has been free for age, and mappings of which nothing is in use.
func (m *bestFit) trim(age time.Duration) {
	before := m.trimmer.now() - age
	m.regions.free.each(func(c *chunk) {
		if c.piece.since <= before && (c.piece.dirty.bytes() > 0 || c.bytes == c.piece.region.bytes) {
			m.regions.discard(c)
		}
	})
}

// trimUnused is what the trimmer does from time to time: what fronts have not used since the last time, and what is free for long
// enough, goes back. It reports whether something is kept that will be old enough later.
func (m *bestFit) trimUnused() (again bool) {
	lastLook := m.trimmer.now() - TrimAge
	m.fronts.each(func(own *front) {
		m.mu.Lock()
		defer m.mu.Unlock()
		left := own.look(func(c *chunk) { m.give(c, lastLook) })
		m.keepLimit()
		again = again || left
	})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.trim(TrimAge)
	m.regions.rest()
	m.looked()
	return again || m.regions.dirty > 0
}

// looked begins another time between two looks of the trimmer.
func (m *bestFit) looked() { m.high = [2]int64{m.out, m.high[0]} }

// SetLimit implements Manager.
func (m *bestFit) SetLimit(bytes int64) {
	defer engine.MemoryFreed()
	m.fronts.freeze(func() {
		m.mu.Lock()
		m.limit = bytes
		over := bytes > 0 && m.out+m.regions.dirty > bytes
		m.mu.Unlock()
		if over {
			m.drain()
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.keepLimit()
	})
}
