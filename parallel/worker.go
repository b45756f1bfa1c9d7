package parallel

import (
	"math/bits"
	"runtime"
	"time"
)

// The spin window is counted, not timed: spinLoads looks for work, then a yield to whatever else wants the processor,
// searchRounds times. A worker that has just taken part in a region first looks without yielding, at most keenRounds times.
const (
	spinLoads    = 300
	searchRounds = 100
	// Where the sources are calm they are looked at only once in so many rounds, which are as long as others.
	calmRounds = 4
	calmLoads  = 600
	keenRounds = 1000
	// Workers look for one part in workerShare of that: they get nothing done meanwhile, and other processes get the time that
	// they use up in return.
	workerShare = 3
)

// worker is one goroutine of a pool.
type worker struct {
	pool   *Pool
	thread Thread // outside any region; what sources run with
	turn   int    // the source to look at first, so that none starves

	counted  bool // as searching
	patience int  // rounds without yielding after a region
	woken    bool // and its waker may wait for the processor
	alarm    *time.Timer
	_        [64]byte
}

func (w *worker) run() {
	stopped := false
	defer func() {
		w.uncount()
		if stopped {
			w.pool.running.Done()
		} else {
			go w.run() // A body or a source called runtime.Goexit: the pool keeps its size.
		}
	}()
	for searched := false; !w.pool.closed.Load(); {
		helped := w.help()
		if !helped {
			if w.uncount(); w.serve() {
				searched = false
				continue
			}
		}
		if searched && !helped {
			runtime.Gosched() // Another worker was faster, or a source has work that it does not give out.
		}
		w.search(helped)
		searched = true
	}
	stopped = true
}

// help joins an open region, if there is one.
func (w *worker) help() bool {
	p := w.pool
	if w.join(&p.regions[0]) {
		return true
	}
	for open := p.open.Load(); open != 0; open &= open - 1 {
		r := &p.regions[bits.TrailingZeros64(open)]
		r.state.Add(0) // which fetches the line to be written, where a load would fetch it to be read, and the rest would wait again
		if w.join(r) {
			return true
		}
	}
	return false
}

// join takes part in a region if it has a slot to claim.
func (w *worker) join(r *region) bool {
	claimed, others := r.claim()
	if !claimed {
		return false
	}
	if !r.brief {
		w.uncount()
	}
	w.recruit(others)
	r.help(w.thread.place, others)
	return true
}

// count counts the worker as searching.
func (w *worker) count() {
	if !w.counted {
		w.counted = true
		w.pool.idle.Add(oneSearching)
	}
}

// uncount takes that back.
func (w *worker) uncount() {
	if w.counted {
		w.counted = false
		w.pool.idle.Add(^oneSearching + 1)
	}
}

// recruit wakes two workers for the other slots of a region, so that a region reaches the parked workers along a tree, and
// one for a source whose notification relied on this worker.
func (w *worker) recruit(slots int) {
	p := w.pool
	if parked(p.idle.Load()) == 0 {
		return
	}
	itself := 0
	if w.counted {
		itself = 1 // among those that search
	}
	woken := p.wake(slots + itself)
	woken = p.wake(slots+itself) || woken
	if hasWork(*p.sources.Load()) {
		woken = p.wake(1+itself) || woken
	}
	if woken {
		p.yield()
	}
}

// serve runs one piece of work of a source, if there is one.
func (w *worker) serve() bool {
	p := w.pool
	// The list is loaded for each call, so that none begins on a source that was removed during the previous one.
	for i := 0; ; i++ {
		sources := *p.sources.Load()
		if i >= len(sources) {
			return false
		}
		index := (w.turn + i) % len(sources)
		if !sources[index].HasWork() {
			continue
		}
		// A notification of another source may have relied on this worker.
		if len(sources) > 1 && parked(p.idle.Load()) > 0 && (hasWork(sources[:index]) || hasWork(sources[index+1:])) {
			p.Notify()
		}
		if sources[index].RunOne(&w.thread) {
			w.turn = index + 1
			if parked(p.idle.Load()) > 0 && p.hasWork() {
				p.Notify()
			}
			return true
		}
	}
}

// search returns when there is work to try for, or the pool is closed. While the worker is counted as searching, nobody
// wakes another for a single piece of work; so after the count is taken back it tries all work once before it counts as
// searching again.
func (w *worker) search(keenly bool) {
	p := w.pool
	w.count()
	if w.woken {
		if w.woken = false; !keenly {
			p.yield()
		}
	}
	if !keenly || !w.linger() {
		found := w.spin()
		if found && keenly && p.waiting.Load() == 0 {
			w.patience = learned(w.patience, w.patience, p.keen/workerShare)
		}
		for !found && !p.closed.Load() {
			w.park()
			found = w.spin()
		}
	}
}

// spin looks for work for the length of the spin window. The yields keep the window from delaying a goroutine that was
// readied on this processor.
func (w *worker) spin() bool {
	p := w.pool
	if p.alone() {
		return p.hasWork()
	}
	for round := range p.rounds {
		if w.look(p.isCalm(), round) {
			return true
		}
		runtime.Gosched()
	}
	return p.hasWork()
}

// look looks for work in one round of spin: for all work, or, where the sources are calm, for regions alone, and for other work
// once in a few rounds; that must still be there a moment later to be the worker's.
func (w *worker) look(calm bool, round int) bool {
	p := w.pool
	if !calm {
		for range spinLoads {
			if p.hasWork() {
				return true
			}
		}
		return false
	}
	found := round%calmRounds == calmRounds-1 && p.hasWork()
	for range calmLoads {
		if p.hasRegion() {
			return true
		}
	}
	return found && p.hasWork()
}

// linger looks for work without yielding, unless somebody waits for workers, who may be queued behind this one.
func (w *worker) linger() bool {
	p := w.pool
	if w.glance() {
		return true
	}
	if !p.keep(&p.keepingWorkers) {
		return false
	}
	defer p.keepingWorkers.Add(-1)
	for round := range w.patience {
		if p.waiting.Load() > 0 {
			return false
		}
		if w.glance() {
			w.patience = learned(w.patience, round, p.keen/workerShare)
			return true
		}
	}
	return false
}

// glance looks for a moment for a region, which takes a single load, and then once for any work.
func (w *worker) glance() bool {
	for range spinLoads {
		if w.pool.Invites() {
			return true
		}
	}
	return w.pool.hasWork()
}

// park blocks a searching worker until it is woken; it is a searching one again when park returns.
func (w *worker) park() {
	p := w.pool
	p.countProcessors()
	p.idle.Add(oneParked - oneSearching)
	// Work published before the worker counted as parked did not wake it, and work published while it dozed need not have.
	if p.isWanted() && p.unpark() || w.doze() || p.isWanted() && p.unpark() {
		return
	}
	<-p.tokens
	w.woken = true
}

// isWanted reports whether there is something for a parked worker to do.
func (p *Pool) isWanted() bool { return p.hasWork() || p.closed.Load() }

// unpark makes the parked worker that calls it a searching one. It reports false if a waker has already counted it as one: then
// the worker has to take the token that the waker sends.
func (p *Pool) unpark() bool {
	for {
		idle := p.idle.Load()
		if parked(idle) == 0 {
			return false
		}
		if p.idle.CompareAndSwap(idle, idle-oneParked+oneSearching) {
			return true
		}
	}
}
