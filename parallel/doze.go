package parallel

import "time"

// To wake a worker takes microseconds of a goroutine that publishes work. Where the sources are calm it mostly does the
// work itself, and nobody need be woken. So a worker that parks then looks for work by itself for a while: first soon,
// then after twice the time each, at last every millisecond. What nobody does waits for it about as long as nothing was
// to do before, at most.
const (
	firstDoze   = 64 * time.Microsecond
	longestDoze = 1024 * time.Microsecond
	dozeLooks   = 50 // Afterwards the worker sleeps until it is woken, so that an idle process uses no processor.
)

// Dozes reports whether a parked worker looks for work by itself, within about a millisecond. Who has published some that may wait so long
// need not call Notify then.
//
// None is lost between the two: the publication comes before the look at p.dozing, and a worker looks for work once more after it
// has taken itself out of p.dozing, before it blocks. So where Dozes has counted it, that look finds what was published.
func (p *Pool) Dozes() bool { return p.dozing.Load() > 0 }

// doze looks for work now and then while the sources are calm, and reports whether the worker, which is parked, is a searching one again.
// It counts as parked all the time, so that Notify wakes it as any other.
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
