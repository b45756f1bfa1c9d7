package storage

import (
	"math"
	"time"

	"github.com/weft-nd/weft/device"
)

// region is one mapping of the system, divided into pieces without gaps.
type region struct {
	pointer device.Pointer
	bytes   int
	first   *chunk // by address
}

// piece is the place of a chunk in its region. Guarded by the lock of the manager, but for chunks that are handed out or in a
// front cache nothing changes.
type piece struct {
	region         *region
	before, behind *chunk // neighbours by address
	free           bool   // in the bins, with the fields below
	later, earlier *chunk // in a bin
	dirty          extent // what may have memory of the system behind it; the rest costs nothing
	since          time.Duration
}

// extent is a part of a piece, by offsets.
type extent struct{ lo, hi int }

func (e extent) bytes() int { return e.hi - e.lo }

// within returns what of e is in [lo, hi), by offsets from lo.
func (e extent) within(lo, hi int) extent {
	if lo, hi := max(e.lo-lo, 0), min(e.hi, hi)-lo; lo < hi {
		return extent{lo, hi}
	}
	return extent{}
}

// hull returns the smallest extent with e and, moved by offset, other.
func (e extent) hull(other extent, offset int) extent {
	switch {
	case other.bytes() == 0:
		return e
	case e.bytes() == 0:
		return extent{other.lo + offset, other.hi + offset}
	}
	return extent{min(e.lo, other.lo+offset), max(e.hi, other.hi+offset)}
}

// ends returns how much is dirty of the first and of the last bytes of c.
func (c *chunk) ends(bytes int) (first, last int) {
	dirty := c.piece.dirty
	return dirty.within(0, bytes).bytes(), dirty.within(c.bytes-bytes, c.bytes).bytes()
}

// regions divides the memory of a source into chunks, best fit first, and puts neighbours together again when both are free.
// It is not safe for concurrent use.
type regions struct {
	owner  Manager
	source discarding
	free   bins
	mapped int64
	dirty  int64 // of what is free
	idle   int64 // the least that dirty was between operations since rest
}

// regionSizes are those of mappings for what is smaller, by what is mapped already.
const (
	smallestRegion = 2 << 20
	largestRegion  = 64 << 20
)

// take returns a chunk of bytes, which is the size of a class, or of more, by no more than spare, if that is of the same class;
// and how much of it has no memory behind it yet.
func (r *regions) take(bytes, spare int) (c *chunk, fresh int, err error) {
	if c = r.free.fit(bytes); c == nil {
		if c, err = r.grow(bytes); err != nil {
			return nil, 0, err
		}
	}
	r.remove(c)
	c.class = classOf(bytes)
	if c.bytes-bytes > spare || classOf(c.bytes) != c.class {
		c = r.divide(c, bytes)
	}
	r.idle = min(r.idle, r.dirty)
	return c, c.bytes - c.piece.dirty.bytes(), nil
}

// divide cuts so many bytes off the end of c where more is dirty, and makes the rest free.
func (r *regions) divide(c *chunk, bytes int) *chunk {
	first, last := c.ends(bytes)
	at := bytes
	if last > first {
		at = c.bytes - bytes
	}
	dirty := c.piece.dirty
	behind := &chunk{owner: r.owner, pointer: c.pointer.Add(at), bytes: c.bytes - at}
	behind.piece = piece{
		region: c.piece.region, before: c, behind: c.piece.behind, since: c.piece.since, dirty: dirty.within(at, c.bytes),
	}
	if c.piece.behind != nil {
		c.piece.behind.piece.before = behind
	}
	c.piece.behind, c.bytes, c.piece.dirty = behind, at, dirty.within(0, at)
	if last > first {
		c, behind = behind, c
	}
	r.insert(behind)
	c.class = classOf(bytes)
	return c
}

// insert makes c, whose dirty bytes are known, free.
func (r *regions) insert(c *chunk) {
	c.piece.free = true
	r.dirty += int64(c.piece.dirty.bytes())
	r.free.insert(c)
}

// remove takes c, which is free, out of the bins.
func (r *regions) remove(c *chunk) {
	r.free.remove(c)
	c.piece.free = false
	r.dirty -= int64(c.piece.dirty.bytes())
}

// grow maps a region for at least bytes, and leaves it in the bins.
func (r *regions) grow(bytes int) (*chunk, error) {
	size := bytes
	if bytes < largestRegion/4 {
		size = max(bytes, min(largestRegion, max(smallestRegion, int(r.mapped/4)/smallestRegion*smallestRegion)))
	}
	p, err := r.source.Allocate(size)
	if err != nil && size > bytes {
		size = bytes
		p, err = r.source.Allocate(size)
	}
	if err != nil {
		return nil, err
	}
	c := &chunk{owner: r.owner, pointer: p, bytes: size}
	c.piece.region, c.piece.since = &region{pointer: p, bytes: size, first: c}, math.MinInt64
	r.mapped += int64(size)
	r.insert(c)
	return c, nil
}

// give takes c back, all of it dirty, which nobody has used since the given time.
func (r *regions) give(c *chunk, since time.Duration) {
	c.piece.dirty, c.piece.since = extent{0, c.bytes}, since
	if b := c.piece.behind; b != nil && b.piece.free {
		r.remove(b)
		r.join(c, b)
	}
	if b := c.piece.before; b != nil && b.piece.free {
		r.remove(b)
		r.join(b, c)
		c = b
	}
	r.insert(c)
}

// join makes c and its neighbour b one. The chunk of b is nobody's any more.
func (r *regions) join(c, b *chunk) {
	c.piece.dirty = c.piece.dirty.hull(b.piece.dirty, c.bytes)
	c.piece.since = max(c.piece.since, b.piece.since)
	c.bytes += b.bytes
	c.piece.behind = b.piece.behind
	if b.piece.behind != nil {
		b.piece.behind.piece.before = c
	}
}

// discard empties c, which is free; if that is all of its region it goes back to the system.
func (r *regions) discard(c *chunk) {
	r.remove(c)
	if whole := c.piece.region; whole.bytes == c.bytes {
		r.mapped -= int64(whole.bytes)
		r.source.Free(whole.pointer, whole.bytes)
		return
	}
	if dirty := c.piece.dirty; dirty.bytes() > 0 {
		r.source.Discard(c.pointer.Add(dirty.lo), dirty.bytes())
		c.piece.dirty = extent{}
	}
	r.insert(c)
}

// rest empties, largest first, as much as was never needed since it was called last: pieces that are used and joined again look young.
func (r *regions) rest() {
	r.trim(math.MaxInt64, r.dirty-min(r.idle, r.dirty))
	r.idle = r.dirty
}

// trim empties what has been free since before the given time, largest first, until no more than keep bytes are dirty.
func (r *regions) trim(before time.Duration, keep int64) {
	for class := len(r.free.lists) - 1; class >= 0 && r.dirty > keep; class-- {
		for c := r.free.lists[class]; c != nil && r.dirty > keep; {
			following := c.piece.later
			if c.piece.since <= before && c.piece.dirty.bytes() > 0 {
				r.discard(c)
			}
			c = following
		}
	}
}
