package engine

import (
	"time"

	"github.com/weft-nd/weft/profile"
)

// If a goroutine waits for what it has just pushed, and no worker is busy, it is fastest to run that itself: handing it to
// another processor, and its results back, takes several times as long as a small function. While goroutines do so, workers are
// in their way: each look of a worker at the signals takes a cache line from the goroutine that pushes. So workers look rarely
// then, and need not be woken for a first push: a worker that dozes finds it if no goroutine waits for it; see
// parallel.Pool.Dozes.

// maximumHelp is how many leaves a waiting goroutine runs, one after another.
const maximumHelp = 16

// quickHelp is the longest time for which the leaves that a waiting goroutine has run count as brief: workers that look rarely
// would begin longer ones too late if no goroutine waited for them at once.
const quickHelp = 20 * time.Microsecond

// Signals.helped grows by surer to sure with help that was enough, and is halved whenever a worker had to run something. From calm on
// workers look rarely.
const (
	sure  = 64
	surer = 16
	calm  = 8
)

// help runs leaves as long as one, which is inline, is all that there is to do.
func (e *threaded) help(v *Var, target uint64) bool {
	if e.signals.serving.Load() > 0 || !e.mu.TryLock() {
		return false
	}
	start, done := profile.Now(), false
	for range maximumHelp {
		e.absorb()
		e.route()
		if done = v.finished() >= target; done || e.running > 0 || !e.mayHelp() {
			break
		}
		t := e.take()
		if t == nil {
			break
		}
		e.runLeaf(t, nil)
	}
	if done {
		e.countHelp(profile.Now() - start)
	}
	e.unlock()
	return done
}

// countHelp counts help that was enough, and took so long. The caller holds core.mu.
func (e *threaded) countHelp(duration time.Duration) {
	if duration > quickHelp {
		e.doubtHelp()
	} else if h := e.signals.helped.Load(); h < sure {
		e.signals.helped.Store(h + surer)
	}
}

// mayHelp reports whether a single leaf is ready, of a kind that a waiting goroutine may run. The caller holds core.mu.
func (e *threaded) mayHelp() bool {
	if e.leaves != 1 {
		return false
	}
	for _, h := range e.hosts {
		if t := h.compute.plain.first; t != nil {
			return t.rare == nil && t.operation.Inline
		}
	}
	return false
}

// doubtHelp follows the work of a worker, and help that took long. The caller holds core.mu.
func (e *threaded) doubtHelp() {
	if h := e.signals.helped.Load(); h > 0 {
		e.signals.helped.Store(h / 2)
	}
}

// IsCalm implements parallel.Calm.
func (e *threaded) IsCalm() bool { return e.signals.helped.Load() >= calm }
