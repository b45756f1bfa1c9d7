package engine

import (
	"time"

	"github.com/weft-nd/weft/profile"
)

// Where functions are brief, workers hinder each other more than they help: what they share travels between their caches, and
// so do the locks. So a second worker that has measured that the functions are brief leaves again, and no other is woken until
// the first is too slow. A timer checks that.
const (
	briefFunction = time.Microsecond
	patienceTime  = 100 * time.Microsecond
)

// patience is the timer, guarded by core.mu.
type patience struct {
	timer *time.Timer
	seen  uint64        // operations done when it was set
	since time.Duration // when it was set

	needless uint64        // operations done when a second worker last found nothing to run
	last     time.Duration // when that was
}

// isServed reports whether a worker is at work that wants no help.
func (e *threaded) isServed() bool { return e.signals.brief.Load() && e.signals.serving.Load() > 0 }

// areBrief reports, and remembers, whether the n operations that a second worker has run since start have been brief, and the
// other workers, which have run others since done were, not slower. The caller holds core.mu.
func (e *threaded) areBrief(start time.Duration, done uint64, n int) bool {
	others := int64(e.counted-done) - int64(n) // below zero if some of the n are asynchronous, or wait for memory, and are not done
	brief := 2*others >= int64(n) && profile.Now()-start < time.Duration(n)*briefFunction
	if brief && !e.signals.brief.Load() {
		e.signals.brief.Store(true)
		e.setPatience()
	}
	return brief
}

// wasNeedless is called by a second worker that has found nothing to run. It has taken the locks from the first one, and would
// soon do so again: so it judges whether functions are brief by how many the first one has run since a second worker last found
// nothing. The caller holds core.mu.
func (e *threaded) wasNeedless() {
	p, now := &e.patience, profile.Now()
	others, elapsed := e.counted-p.needless, now-p.last
	p.needless, p.last = e.counted, now
	if others >= burst && elapsed < time.Duration(others)*briefFunction && !e.signals.brief.Load() {
		e.signals.brief.Store(true)
		e.setPatience()
	}
}

func (e *threaded) setPatience() {
	e.patience.seen, e.patience.since = e.counted, profile.Now()
	e.patience.timer.Reset(patienceTime)
}

// losePatience calls for help if little was done since the timer was set.
func (e *threaded) losePatience() {
	if !e.mu.TryLock() { // A worker is at work, or another goroutine is; to wait for it would take the processor from a goroutine that pushes.
		e.patience.timer.Reset(patienceTime)
		return
	}
	if time.Duration(e.counted-e.patience.seen)*briefFunction >= profile.Now()-e.patience.since { // The timer may be late.
		e.setPatience()
		e.mu.Unlock()
		return
	}
	e.signals.brief.Store(false)
	e.mu.Unlock()
	if e.HasWork() {
		e.wake()
	}
}
