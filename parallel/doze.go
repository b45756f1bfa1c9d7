package parallel

import "time"

// Waking a worker costs the goroutine that publishes work some microseconds. Where the sources are calm, that goroutine mostly
// does the work itself, and nobody need be woken. So a worker that parks then looks for work by itself for a while, at
// intervals that double up to a millisecond. Work that nobody does waits for it no longer than about the idle time before.
const (
	firstDoze   = 64 * time.Microsecond
	longestDoze = 1024 * time.Microsecond
	dozeLooks   = 50 // Afterwards the worker sleeps until it is woken, so that an idle process uses no processor.
)

// Dozes reports whether a parked worker looks for work by itself, within about a millisecond. Then a goroutine that has
// published work which may wait that long need not call Notify.
//
// No work is lost: it is published before Dozes reads p.dozing, and a worker looks for work once more after it has left
// p.dozing, before it blocks. So if Dozes has counted the worker, that look finds what was published.
func (p *Pool) Dozes() bool { return p.dozing.Load() > 0 }

// doze looks for work now and then while the sources are calm, and reports whether the worker, which is parked, is a searching
// one again. It counts as parked all the time, so that Notify wakes it like any other.
func (w *worker) doze() bool {
	p := w.pool
	if !p.isCalm() {
		return false
	}
	p.dozing.Add(1)
	defer p.dozing.Add(-1)
	pause := firstDoze
	for range p.looks {
		if w.alarm == nil {
			w.alarm = time.NewTimer(pause)
		} else {
			w.alarm.Reset(pause)
		}
		select {
		case <-p.tokens:
			w.alarm.Stop()
			w.woken = true
			return true
		case <-w.alarm.C:
		}
		if p.isWanted() {
			return p.unpark()
		}
		if !p.isCalm() {
			break
		}
		pause = min(2*pause, longestDoze)
	}
	return false
}
