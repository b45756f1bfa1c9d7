package parallel

import (
	"context"
	"math/bits"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"sync/atomic"
)

// waiting is added to region.pending by a launcher that parks.
const waiting = int64(1) << 32

// slot is the handle of one participant, on cache lines of its own.
type slot struct {
	Thread
	_ [64]byte
}

// region is one parallel loop. The regions of a pool are reused and never freed, so a helper may look at one at any time;
// it reads the plain fields only after it claimed a slot, which pins the region until that slot is left. A claim is a
// count-down of unclaimed: one that was meant for an earlier use of the region is a good claim in the present one.
type region struct {
	unclaimed atomic.Int64 // slots that nobody has claimed; 0 while the region is closed
	_         [56]byte
	next      atomic.Int64 // the next shared piece
	_         [56]byte
	pending   atomic.Int64 // slots that nobody has left
	_         [56]byte

	pool    *Pool
	bit     uint64 // of this region in Pool.open; 0 for one that helpers cannot see
	slots   []slot
	done    chan struct{}         // tells a parked launcher that the last slot was left
	joining func()                // join, for LayerGoroutine
	failure atomic.Pointer[Panic] // the first one

	body   func(t *Thread, lo, hi int)
	labels context.Context // of the launcher's Thread
	mask   int
	level  int
	count  int // slots
	share  int // items of each slot: those before count*share
	pieces int // shared pieces of the items after
	piece  int // items of each of the first ones
	larger int // one more in so many of them
	halved int // so often, after each count of them, the pieces get half as long
	items  int
}

// halvings of the pieces make the last ones short, so that the participants end together.
const halvings = 2

// scheduleShares divides n items among count slots: each owns a share, three quarters of an even one, and the rest is shared in
// pieces from an eighth of an even one downwards. Long shares are whole numbers of 64 items, for cache lines and vectors.
func (r *region) scheduleShares(n, count int) {
	even := n / count
	r.items, r.count, r.larger, r.halved = n, count, 0, halvings
	r.share, r.piece, r.pieces = max(1, align(even-even/4)), max(1, align(even/8)), 0
	rest, piece := n-count*r.share, r.piece
	for range r.halved {
		if rest <= count*piece {
			break
		}
		rest -= count * piece
		r.pieces += count
		piece = half(piece)
	}
	r.pieces += 1 + (rest-1)/piece
	if rest == 0 {
		r.pieces = 0
	}
}

// scheduleChunks divides n items into chunks that are all shared, as even as can be, the larger ones first.
func (r *region) scheduleChunks(n, count, chunks int) {
	r.items, r.count, r.share, r.halved = n, count, 0, 0
	r.pieces, r.piece, r.larger = chunks, n/chunks, n%chunks
}

// bounds returns the items of a shared piece.
func (r *region) bounds(number int) (lo, hi int) {
	lo, piece := r.count*r.share, r.piece
	for range r.halved {
		if number < r.count {
			break
		}
		number -= r.count
		lo += r.count * piece
		piece = half(piece)
	}
	lo += number*piece + min(number, r.larger)
	hi = lo + min(piece, r.items-lo)
	if number < r.larger {
		hi++
	}
	return lo, hi
}

func half(piece int) int { return max(1, align(piece/2)) }

func align(n int) int {
	if n < 512 {
		return n
	}
	return n &^ 63
}

// acquire returns a region that nobody uses.
func (p *Pool) acquire() *region {
	for {
		free := p.free.Load()
		if free == 0 {
			r := &region{}
			r.prepare(p, 0)
			return r
		}
		i := bits.TrailingZeros64(free)
		if !p.free.CompareAndSwap(free, free&(free-1)) {
			continue
		}
		r := &p.regions[i]
		if r.slots == nil {
			r.prepare(p, 1<<i)
		}
		return r
	}
}

func (r *region) prepare(p *Pool, bit uint64) {
	r.pool, r.bit, r.joining = p, bit, r.join
	r.slots, r.done = make([]slot, p.workers), make(chan struct{}, 1)
}

// launch runs the region with the calling goroutine in slot 0 and whoever joins, and re-throws the first panic.
func (r *region) launch() {
	p := r.pool
	r.next.Store(0)
	r.pending.Store(int64(r.count))
	r.unclaimed.Store(int64(r.count - 1))
	p.invite(r)
	claimed, returned := 1, false
	defer func() {
		// Slots still unclaimed have nothing left to run: the schedule is dynamic, or a body has panicked.
		claimed += int(r.unclaimed.Swap(0))
		if r.bit != 0 && p.open.Load()&r.bit != 0 {
			p.open.And(^r.bit)
		}
		if r.pending.Add(-int64(claimed)) != 0 {
			r.wait()
		}
		failure := r.failure.Swap(nil)
		r.body, r.labels = nil, nil
		if r.bit != 0 {
			p.free.Or(r.bit)
		}
		if failure != nil && returned { // Otherwise this goroutine is in runtime.Goexit.
			panic(failure)
		}
	}()
	r.participate(0, &claimed)
	returned = true
}

// help takes part in the region from a claimed slot.
func (r *region) help(slot int) {
	claimed := 1
	defer func() {
		// The launcher is gone after this, unless it parked: then it waits for the token.
		if r.pending.Add(-int64(claimed)) == waiting {
			r.done <- struct{}{}
			runtime.Gosched()
		}
	}()
	if r.labels != nil {
		pprof.SetGoroutineLabels(r.labels)
		defer pprof.SetGoroutineLabels(context.Background())
	}
	r.participate(slot, &claimed)
}

// claim returns a slot of the region, or -1 if it has none, and how many others are left.
func (r *region) claim() (slot, unclaimed int) {
	for {
		unclaimed := r.unclaimed.Load()
		if unclaimed == 0 {
			return -1, 0
		}
		if r.unclaimed.CompareAndSwap(unclaimed, unclaimed-1) {
			if unclaimed == 1 && r.bit != 0 {
				r.pool.open.And(^r.bit)
			}
			return r.count - int(unclaimed), int(unclaimed - 1)
		}
	}
}

// participate runs the share of a slot and of those that it can claim, adding them to claimed, then shared pieces. A panic
// ends it and is kept in failure.
func (r *region) participate(slot int, claimed *int) {
	returned, faults := false, debug.SetPanicOnFault(true) // so that memory which is gone does not end the process
	defer func() {
		debug.SetPanicOnFault(faults)
		if !returned {
			r.failure.CompareAndSwap(nil, asPanic(recover()))
		}
	}()
	for r.share > 0 && r.failure.Load() == nil {
		r.call(slot, slot*r.share, (slot+1)*r.share)
		other, _ := r.claim()
		if other < 0 {
			break
		}
		slot = other
		*claimed++
	}
	for r.failure.Load() == nil {
		piece := int(r.next.Add(1)) - 1
		if piece >= r.pieces {
			break
		}
		lo, hi := r.bounds(piece)
		r.call(slot, lo, hi)
	}
	returned = true
}

func (r *region) call(slot, lo, hi int) {
	t := &r.slots[slot].Thread
	t.pool, t.mask, t.chunk, t.id, t.level, t.labels = r.pool, r.mask, 0, slot, r.level, r.labels
	r.body(t, lo, hi)
}

// wait returns when every slot was left. Who still runs something has a processor, as a rule, so the launcher first keeps its
// own: yielded to a goroutine that computes, it would come back after a time slice.
func (r *region) wait() {
	p := r.pool
	if r.ended() {
		return
	}
	patience := int(p.patience.Load())
	if p.keep(&p.keepingLaunchers) {
		round, ended := r.endsWithin(patience, false)
		p.keepingLaunchers.Add(-1)
		if ended {
			p.patience.Store(int32(learned(patience, round, p.keen)))
			return
		}
	}
	if !p.alone() {
		if _, ended := r.endsWithin(p.rounds, true); ended {
			p.patience.Store(int32(learned(patience, patience, p.keen)))
			return
		}
	}
	if r.pending.Add(waiting) != waiting {
		<-r.done
	}
}

// endsWithin looks for so many rounds whether every slot was left, and returns in which.
func (r *region) endsWithin(rounds int, yielding bool) (round int, ended bool) {
	for round := range rounds {
		if r.ended() {
			return round, true
		}
		if yielding {
			runtime.Gosched()
		}
	}
	return rounds, false
}

// ended looks for a moment whether every slot was left.
func (r *region) ended() bool {
	for range spinLoads {
		if r.pending.Load() == 0 {
			return true
		}
	}
	return false
}
