package parallel

import (
	"math/bits"
	"runtime"
)

// The halves of Pool.idle.
const (
	oneSearching = uint64(1)
	oneParked    = uint64(1) << 32
)

func searching(idle uint64) int { return int(uint32(idle)) }

func parked(idle uint64) int { return int(idle >> 32) }

// Notify is called after work was published to a source. It wakes one parked worker, unless one is looking for work already or
// none is parked; then it costs one atomic load. A goroutine that wakes a worker yields its processor to it, so Notify must be
// called without locks held.
func (p *Pool) Notify() {
	if p.wake(1) {
		p.yield()
	}
}

// Rouse is Notify without the yield, for a goroutine that is likely to do the work itself: the worker may start late.
func (p *Pool) Rouse() { p.wake(1) }

// Sleeps reports whether Notify would wake a worker.
func (p *Pool) Sleeps() bool {
	idle := p.idle.Load()
	return parked(idle) > 0 && searching(idle) == 0
}

// wake turns one parked worker into a searching one, unless as many as wanted are searching, and reports whether it did.
// The publisher of work calls it after the publication; a worker looks for work after it was counted as parked. So one of
// the two sees the other.
func (p *Pool) wake(wanted int) bool {
	for {
		idle := p.idle.Load()
		if parked(idle) == 0 || searching(idle) >= wanted {
			return false
		}
		if p.idle.CompareAndSwap(idle, idle-oneParked+oneSearching) {
			p.tokens <- struct{}{}
			return true
		}
	}
}

// yield follows a wake-up: the woken goroutine sits in the run-next slot of this processor, where others do not steal it
// for a long time, and would start late if the waker kept computing.
func (p *Pool) yield() {
	if !p.alone() {
		runtime.Gosched()
	}
}

// alone reports whether there is only one processor, where spinning and waking helpers for a region are wasted. Asking the
// runtime takes its scheduler's lock, so the answer "several" is kept until a worker parks.
func (p *Pool) alone() bool {
	return p.processors.Load() == 1 && p.countProcessors() == 1
}

func (p *Pool) countProcessors() int32 {
	count := int32(runtime.GOMAXPROCS(0))
	p.processors.Store(count)
	return count
}

// isCalm reports whether workers should look for work rarely.
func (p *Pool) isCalm() bool {
	sources := *p.sources.Load()
	for _, s := range sources {
		if c, ok := s.(Calm); !ok || !c.IsCalm() {
			return false
		}
	}
	return len(sources) > 0
}

func (p *Pool) hasWork() bool { return p.hasRegion() || hasWork(*p.sources.Load()) }

// HasWorkBeside reports whether a region, or a source other than s, has work. While it reports false a source may keep the
// worker.
func (p *Pool) HasWorkBeside(s Source) bool {
	if p.hasRegion() {
		return true
	}
	for _, other := range *p.sources.Load() {
		if other != s && other.HasWork() {
			return true
		}
	}
	return false
}

func (p *Pool) hasRegion() bool {
	if p.regions[0].isOpen() {
		return true
	}
	for open := p.open.Load(); open != 0; open &= open - 1 {
		if p.regions[bits.TrailingZeros64(open)].isOpen() {
			return true
		}
	}
	return false
}

func hasWork(sources []Source) bool {
	for _, s := range sources {
		if s.HasWork() {
			return true
		}
	}
	return false
}

// BeginWait announces that the calling goroutine yields its processor until workers have done something. Until EndWait, workers
// that look for the next region yield theirs too: Go's scheduler may have queued the goroutine behind one of them, and a
// processor that has goroutines of its own does not steal it from there.
func (p *Pool) BeginWait() { p.waiting.Add(1) }

// EndWait ends what BeginWait began.
func (p *Pool) EndWait() { p.waiting.Add(-1) }

// Invites reports whether a region has room for a worker, which may be queued behind the goroutine that asks.
func (p *Pool) Invites() bool { return p.regions[0].isOpen() || p.open.Load() != 0 }
