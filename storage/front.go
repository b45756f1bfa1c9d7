package storage

import (
	"sync"
	"sync/atomic"
)

// front is a cache of free chunks for one worker, in front of the regions that all share. Chunks that it has handed out come
// back to it. A worker finds its own by a sync.Pool, which keeps one for each processor of Go's scheduler: so its lock is
// usually free and its cache line at hand.
type front struct {
	mu    sync.Mutex
	lists [classCount]*chunk
	count [classCount]uint8
	bytes int    // of the chunks in the lists
	large *chunk // the last one freed that is too large for the lists

	// What was not used since the trimmer looked last: so many of each list, and the large one.
	idle      [classCount]uint8
	idleLarge bool

	// What this front has served.
	inUse       int64
	allocations uint64
	reused      uint64

	_ [64]byte // the next front is another worker's
}

// What a front keeps: some chunks of each class up to a size, so many bytes of them, and one chunk that is larger.
const (
	maximumKept = 16
	largeChunk  = 4 << 20
	roomOfLists = 8 << 20
	largestKept = 128 << 20
)

// fronts are those of one manager.
type fronts struct {
	local sync.Pool
	all   []front
	next  atomic.Uint32
}

// lock returns a front that the caller has to itself until unlock.
func (f *fronts) lock() *front {
	own, _ := f.local.Get().(*front)
	if own == nil || !own.mu.TryLock() { // Another worker frees what it has of this front, or was given the same.
		return f.lockNext()
	}
	return own
}

// lockNext locks a front that nobody has locked, if there is one.
func (f *fronts) lockNext() (own *front) {
	for range f.all {
		own = &f.all[int(f.next.Add(1))%len(f.all)]
		if own.mu.TryLock() {
			return own
		}
	}
	own.mu.Lock()
	return own
}

func (f *fronts) unlock(own *front) {
	own.mu.Unlock()
	f.local.Put(own)
}

// each calls body for every front, which it has to itself meanwhile.
func (f *fronts) each(body func(own *front)) {
	for i := range f.all {
		own := &f.all[i]
		own.mu.Lock()
		body(own)
		own.mu.Unlock()
	}
}

// freeze calls body while the caller has all fronts to itself.
func (f *fronts) freeze(body func()) {
	for i := range f.all {
		f.all[i].mu.Lock()
		defer f.all[i].mu.Unlock()
	}
	body()
}

// handedOut counts c, which is about to be returned by an allocation.
func (f *front) handedOut(c *chunk) {
	f.allocations++
	f.inUse += int64(c.bytes)
	if c.front.Load() != f {
		c.front.Store(f)
	}
}

// pop returns a chunk of class, nil if there is none.
func (f *front) pop(class int) *chunk {
	c := f.lists[class]
	if c == nil {
		if c = f.large; c == nil || c.class != class {
			return nil
		}
		f.large = nil
		return c
	}
	f.lists[class] = c.next
	f.count[class]--
	f.idle[class] = min(f.idle[class], f.count[class])
	f.bytes -= c.bytes
	c.next = nil
	return c
}

// push keeps c, which is not too much.
func (f *front) push(c *chunk) {
	if c.bytes > largeChunk {
		f.large, f.idleLarge = c, false
		return
	}
	c.next = f.lists[c.class]
	f.lists[c.class] = c
	f.count[c.class]++
	f.bytes += c.bytes
}

// full reports whether one more chunk like c is too much.
func (f *front) full(c *chunk) bool {
	if c.bytes > largeChunk {
		return f.large != nil || c.bytes > largestKept
	}
	return f.count[c.class] >= maximumKept || f.bytes+c.bytes > roomOfLists
}

// drain passes all that f keeps to give.
func (f *front) drain(give func(c *chunk)) {
	for class := range f.lists {
		for f.lists[class] != nil {
			give(f.pop(class))
		}
	}
	if f.large != nil {
		give(f.large)
		f.large = nil
	}
}

// look passes what was not used since the last look to give, and reports whether something is left.
func (f *front) look(give func(c *chunk)) (again bool) {
	for class := range f.lists {
		for range f.idle[class] {
			give(f.pop(class))
		}
		f.idle[class] = f.count[class]
	}
	if f.large != nil && f.idleLarge {
		give(f.large)
		f.large = nil
	}
	f.idleLarge = f.large != nil
	return f.bytes > 0 || f.large != nil
}
