package parallel

import (
	"errors"
	"math/bits"
	"runtime"
	"sync/atomic"
)

// errGoexit is what a launcher panics with when a body called runtime.Goexit in a helper.
var errGoexit = errors.New("parallel: a body called runtime.Goexit")

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
	done    chan struct{} // tells a parked launcher that the last slot was left
	failure atomic.Pointer[failure]

	body   func(t *Thread, lo, hi int)
	mask   int
	level  int
	count  int // slots
	share  int // items of each slot: those before count*share
	piece  int // items of each shared piece: those after
	pieces int
	items  int
}

// failure is the first panic of a region.
type failure struct{ value any }

// schedule divides n items among count slots: with chunk 0 each slot owns a share, three quarters of an even one, and the
// rest is shared in pieces of an eighth of an even one. Long shares are whole numbers of 64 items, for cache lines and vectors.
func (r *region) schedule(n, count, chunk int) {
	r.items, r.count = n, count
	if chunk > 0 {
		r.share, r.piece = 0, chunk
	} else {
		even := n / count
		r.share, r.piece = max(1, align(even-even/4)), max(1, align(even/8))
	}
	rest := n - count*r.share
	r.pieces = rest / r.piece
	if rest%r.piece > 0 {
		r.pieces++
	}
}

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
			return &region{pool: p, slots: make([]slot, p.workers), done: make(chan struct{}, 1)}
		}
		i := bits.TrailingZeros64(free)
		if !p.free.CompareAndSwap(free, free&(free-1)) {
			continue
		}
		r := &p.regions[i]
		if r.slots == nil {
			r.pool, r.bit = p, 1<<i
			r.slots, r.done = make([]slot, p.workers), make(chan struct{}, 1)
		}
		return r
	}
}

// launch runs the region with the calling goroutine in slot 0 and whoever joins, and re-throws the first panic.
func (r *region) launch() {
	p := r.pool
	r.next.Store(0)
	r.pending.Store(int64(r.count))
	r.unclaimed.Store(int64(r.count - 1))
	if r.bit != 0 {
		p.open.Or(r.bit)
		if !p.alone() && p.wake(r.count-1) {
			p.yield()
		}
	}
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
		r.body = nil
		if r.bit != 0 {
			p.free.Or(r.bit)
		}
		if failure != nil && returned { // Otherwise this goroutine is in runtime.Goexit.
			panic(failure.value)
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
	returned := false
	defer func() {
		if !returned {
			value := recover()
			if value == nil {
				value = errGoexit
			}
			r.failure.CompareAndSwap(nil, &failure{value})
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
		lo := r.count*r.share + piece*r.piece
		r.call(slot, lo, lo+min(r.piece, r.items-lo))
	}
	returned = true
}

func (r *region) call(slot, lo, hi int) {
	t := &r.slots[slot].Thread
	t.pool, t.mask, t.chunk, t.id, t.level = r.pool, r.mask, 0, slot, r.level
	r.body(t, lo, hi)
}

// wait returns when every slot was left.
func (r *region) wait() {
	if !r.pool.alone() {
		for range r.pool.rounds {
			for range spinLoads {
				if r.pending.Load() == 0 {
					return
				}
			}
			runtime.Gosched()
		}
	}
	if r.pending.Add(waiting) != waiting {
		<-r.done
	}
}
