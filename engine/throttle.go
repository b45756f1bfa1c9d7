package engine

import "github.com/weft-nd/weft/parallel"

// throttle keeps a goroutine that pushes from running ahead without bound: it helps, one operation at a time and not what
// that makes ready, and waits only while a leaf runs, which ends by itself. It never waits for a host function: that may
// need something the goroutine holds.
func (e *threaded) throttle() {
	for e.pending.count.Load() > e.limit {
		if op := e.take(); op != nil {
			e.dispatch(e.help(op))
			continue
		}
		if !e.awaitProgress() {
			return
		}
	}
}

// help runs one leaf in the calling goroutine.
func (e *threaded) help(op *Operation) queue {
	defer e.leave()
	t := e.threads.Get().(*parallel.Thread)
	t.Reset()
	defer e.threads.Put(t)
	return e.execute(op, t)
}

// awaitProgress waits for the end of a running leaf, or for a ready one; it returns false if no leaf runs.
func (e *threaded) awaitProgress() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.running == 0 {
		return e.ready.Load() > 0
	}
	if e.ready.Load() == 0 {
		e.throttled++
		e.progress.Wait()
		e.throttled--
	}
	return true
}
