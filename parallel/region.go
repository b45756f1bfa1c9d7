package parallel

import (
	"context"
	"math/bits"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"sync/atomic"
	"time"
)

// The parts of region.state: how many slots nobody has left, whether the launcher is parked, and how many of the slots are not claimed.
const (
	onePending   = uint64(1)
	parkedWaiter = uint64(1) << 31
	oneUnclaimed = uint64(1) << 32
)

func pending(state uint64) int { return int(state & (parkedWaiter - 1)) }

func unclaimed(state uint64) int { return int(state >> 32) }

// isOpen reports whether the region has slots to claim.
func (r *region) isOpen() bool { return unclaimed(r.state.Load()) > 0 }

// slot is the handle of one participant, on cache lines of its own, and its lot.
type slot struct {
	lot   counter
	taken atomic.Uint32 // the use of the region in which somebody has it
	Thread
	_ [64]byte
}

// region is one parallel loop. The regions of a pool are reused and never freed, so a helper may look at one at any time;
// it reads the plain fields only after it claimed a slot, which pins the region until that slot is left. A claim is a
// count-down of the unclaimed slots: one that was meant for an earlier use of the region is a good claim in the present one.
//
// The first 64 bytes, a line of the cache, are what changes from use to use, so that a helper that claims a slot has all of it: to fetch a
// line from another processor takes some hundred nanoseconds. The next are only read, as a rule.
type region struct {
	state  atomic.Uint64 // of the slots; none is unclaimed while the region is closed
	body   func(t *Thread, lo, hi int)
	items  int
	count  int   // slots
	chunks int   // into which the items are cut; 0 on the static schedule
	lead   int32 // items that the launcher has more than others on the static schedule
	host   int32 // the slot of the launcher
	mask   int32
	level  int32
	use    uint32 // counts the uses
	own    bool   // the participant of a slot keeps its lot
	brief  bool   // takes less time than waking a worker: helpers stay counted as searching
	cuts   uint8  // pieces of a lot on the static schedule, at most

	slots   []slot
	pool    *Pool
	bit     uint64                // of this region in Pool.free, and but for the first in Pool.open; 0 for one that helpers cannot see
	labels  context.Context       // of the launcher's Thread
	failure atomic.Pointer[Panic] // the first one

	done    chan struct{} // tells a parked launcher that the last slot was left
	joining func()        // join, for LayerGoroutine
	_       [48]byte
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

// launch runs the region with the calling goroutine, which has a slot, and whoever joins, and re-throws the first panic.
func (r *region) launch(slot, place int, body func(t *Thread, lo, hi int)) {
	p := r.pool
	r.state.Store(uint64(r.count)*onePending + uint64(r.count-1)*oneUnclaimed)
	p.invite(r)
	claimed, returned := 1, false
	defer func() {
		kept := claimed
		if r.isOpen() {
			// Those slots have nothing left to run: the schedule is dynamic, or a body has panicked.
			r.close(claimed)
			kept = 0
		}
		if r.isListed() && p.open.Load()&r.bit != 0 {
			p.open.And(^r.bit)
		}
		if !r.ended(kept, 1) {
			r.wait(kept)
		}
		failure := r.failure.Load()
		if failure != nil {
			r.failure.Store(nil)
		}
		if r.body != nil {
			r.body = nil
		}
		if r.labels != nil {
			r.labels = nil
		}
		if r.bit != 0 {
			p.free.Or(r.bit)
		}
		if failure != nil && returned { // Otherwise this goroutine is in runtime.Goexit.
			panic(failure)
		}
	}()
	r.participate(slot, place, r.count-1, &claimed, body)
	returned = true
}

// setLabels writes only what changes.
func (r *region) setLabels(labels context.Context) {
	if labels != nil || r.labels != nil {
		r.labels = labels
	}
}

// isListed tells whether helpers find the region by its bit in Pool.open. The first one they look at itself.
func (r *region) isListed() bool { return r.bit > 1 }

// begin begins a use of the region with count slots, and returns that of the launcher, whose place is given. What helpers look
// at is written last, together with what the caller writes next.
func (r *region) begin(place, count int) (slot int) {
	use := r.use + 1
	if use == 0 {
		for i := range r.slots {
			r.slots[i].lot.Store(0)
			r.slots[i].taken.Store(0)
		}
		use = 1
	}
	slot = placeOf(place) % count
	r.slots[slot].taken.Store(use)
	r.use, r.count, r.host = use, count, int32(slot)
	return slot
}

// help takes part in the region with a slot that the calling goroutine, whose place is given, has claimed when others more were
// unclaimed.
func (r *region) help(place, others int) {
	claimed := 1
	defer func() {
		// The launcher is gone after this, unless it parked: then it waits for the token.
		if r.leave(claimed) == parkedWaiter {
			r.done <- struct{}{}
			runtime.Gosched()
		}
	}()
	if r.labels != nil {
		pprof.SetGoroutineLabels(r.labels)
		defer pprof.SetGoroutineLabels(context.Background())
	}
	body := r.body
	if r.count == 2 {
		r.body = nil // While the line is here. Nobody else reads it.
	}
	r.participate(r.seat(place), place, others, &claimed, body)
}

// claim claims a slot of the region, and reports whether there was one, and how many others are left.
func (r *region) claim() (claimed bool, others int) {
	for {
		before := r.state.Load()
		others := unclaimed(before) - 1
		if others < 0 {
			return false, 0
		}
		if r.state.CompareAndSwap(before, before-oneUnclaimed) {
			if others == 0 && r.isListed() {
				r.pool.open.And(^r.bit)
			}
			return true, others
		}
	}
}

// seat returns the slot of somebody who has claimed one: that of its place if it is free.
func (r *region) seat(place int) int {
	for slot := placeOf(place) % r.count; ; slot = (slot + 1) % r.count {
		taken := &r.slots[slot].taken
		if use := taken.Load(); use != r.use && taken.CompareAndSwap(use, r.use) {
			return slot
		}
	}
}

// leave gives back claimed slots, and returns the state after that.
func (r *region) leave(claimed int) uint64 { return r.state.Add(-(uint64(claimed) * onePending)) }

// close gives back claimed slots and those that nobody has claimed, and returns the state after that.
func (r *region) close(claimed int) uint64 {
	for {
		before := r.state.Load()
		after := before - uint64(claimed)*onePending - uint64(unclaimed(before))*(oneUnclaimed+onePending)
		if r.state.CompareAndSwap(before, after) {
			return after
		}
	}
}

// participate runs the lot of a slot, then what is left of others. At last it claims slots that are still free, to run what
// only the holder of a slot may run, and adds them to claimed; it skips that if no other slot was free when it came. A panic
// ends it and is kept in failure.
func (r *region) participate(slot, place, others int, claimed *int, body func(t *Thread, lo, hi int)) {
	returned, faults := false, debug.SetPanicOnFault(true) // so that memory which is gone does not end the process
	defer func() {
		debug.SetPanicOnFault(faults)
		if !returned {
			r.failure.CompareAndSwap(nil, asPanic(recover()))
		}
	}()
	first, patience, begin := 0, 0, time.Time{}
	if r.own {
		begin = time.Now()
	}
	if r.chunks == 0 && r.failure.Load() == nil {
		first = 1
		r.call(slot, place, slot, 0, body)
	}
	for i := range r.count {
		lot := slot + i
		if lot >= r.count {
			lot -= r.count
		}
		if r.own && i == 1 {
			patience = int(min(time.Since(begin)/graceParts, longestGrace) / lookTime)
		}
		if r.own && i > 0 && r.isKept(lot, &patience) {
			continue
		}
		for count := r.pieces(lot); first < count && r.failure.Load() == nil; {
			piece, found := r.slots[lot].lot.take(r.use, first, count)
			if !found {
				break
			}
			r.call(slot, place, lot, piece, body)
		}
	}
	for others > 0 && r.chunks == 0 && r.failure.Load() == nil {
		found := false
		if found, others = r.claim(); !found {
			break
		}
		*claimed++
		slot = r.seat(place)
		r.call(slot, place, slot, 0, body)
	}
	returned = true
}

// In a region whose participants keep their lots, one that has run its own waits for those that have not come: they may be
// about to, and what they have in their caches takes long to fetch. These constants bound the wait in all, in nanoseconds and
// as one part in so many of the time that the participant's own lot took. It is counted in looks, of about the given number of
// nanoseconds each, as clocks may be coarse.
const (
	longestGrace = 20_000
	graceParts   = 4
	lookTime     = 100
)

// isKept reports whether somebody has the slot of a lot, looking again as long as patience lasts, which it counts down.
func (r *region) isKept(lot int, patience *int) bool {
	taken := &r.slots[lot].taken
	for ; taken.Load() != r.use; *patience-- {
		if *patience <= 0 {
			return false
		}
		for range spinLoads {
			if taken.Load() == r.use {
				break
			}
		}
	}
	return true
}

// call runs a piece of a lot in a slot.
func (r *region) call(slot, place, lot, piece int, body func(t *Thread, lo, hi int)) {
	lo, hi := r.bounds(lot, piece)
	t := &r.slots[slot].Thread
	t.pool, t.mask, t.chunk, t.id, t.level, t.labels, t.place = r.pool, int(r.mask), 0, slot, int(r.level), r.labels, place
	body(t, lo, hi)
}

// wait returns when every slot was left but kept ones, which are the launcher's. A participant that still runs has a processor,
// as a rule, so the launcher first keeps its own: if it yielded to a goroutine that computes, it would come back only after a
// time slice.
func (r *region) wait(kept int) {
	p := r.pool
	if r.ended(kept, spinLoads) {
		return
	}
	patience := int(p.patience.Load())
	if p.keep(&p.keepingLaunchers) {
		round, ended := r.endsWithin(patience, kept, false)
		p.keepingLaunchers.Add(-1)
		if ended {
			p.patience.Store(int32(learned(patience, round, p.keen)))
			return
		}
	}
	if !p.alone() {
		if _, ended := r.endsWithin(p.rounds, kept, true); ended {
			p.patience.Store(int32(learned(patience, patience, p.keen)))
			return
		}
	}
	if r.state.Add(parkedWaiter-uint64(kept)*onePending) != parkedWaiter {
		<-r.done
	}
}

// endsWithin looks for the given number of rounds whether every slot was left but the kept ones, and returns the round in which
// that was so.
func (r *region) endsWithin(rounds, kept int, yielding bool) (round int, ended bool) {
	for round := range rounds {
		if r.ended(kept, spinLoads) {
			return round, true
		}
		if yielding {
			runtime.Gosched()
		}
	}
	return rounds, false
}

// ended looks the given number of times whether every slot was left but the kept ones.
func (r *region) ended(kept, looks int) bool {
	for range looks {
		if pending(r.state.Load()) == kept {
			return true
		}
	}
	return false
}
