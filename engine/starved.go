package engine

import (
	"sync"
	"sync/atomic"
)

// Starved marks the error of a Function that found no memory and has changed nothing. That does not end the operation: it is
// parked, keeps the variables that it has got, and takes no worker. Run is called again, from the start, when memory may have
// been freed: when another operation of the engine has ended, when relief is closed, and after MemoryFreed. While an operation
// is parked, later ones of the same device that take memory (Operation.Bytes) do not start, so that they do not take what it
// needs. It fails with err, as an Untouched one, when it was tried in vain and nothing in flight can free memory: when relief
// is nil or closed, and no other operation runs or is ready, not counting host functions, which may themselves wait for this
// one. Of several, the one that was pushed first fails first; then the next one is tried.
//
// Relief, if it is not nil, is closed by its maker when something outside of the engine has ended that may free memory, such as
// the garbage collector. A Function that is called again may ask for relief again; if it always does, it is tried without end.
// A relief that is closed before Starved is called is worth an attempt only if another operation has ended, or MemoryFreed was
// called, since the attempt before.
//
// Run must return what Starved returns as it is, not wrapped: an error with a starved one inside is that of something else. Err
// must not be nil. For deletions and for Operation.Async, Starved is Untouched. An engine made by NewNaive waits for relief where
// it runs the Function, and does not wait for anything else.
func Starved(err error, relief <-chan struct{}) error {
	return &starved{error: err, relief: relief, promised: !isClosed(relief)}
}

type starved struct {
	error
	relief   <-chan struct{}
	promised bool // relief was not closed then: when it is, something has happened since the function looked for memory
}

// isClosed reports whether what never sends is closed. A nil channel is not.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Unwrap returns the error that was marked.
func (s *starved) Unwrap() error { return s.error }

// starvation returns why the operation has not ended; nil if it has.
func (o outcome) starvation() *starved {
	if o.err == nil || !o.ran {
		return nil
	}
	s, _ := o.err.Cause.(*starved)
	return s
}

// givenUp returns how an operation ends that has starved.
func (o outcome) givenUp() outcome {
	o.err.Cause = &untouched{o.err.Cause.(*starved).error}
	return o
}

// mayStarve reports whether op is one that can be parked.
func (op *Operation) mayStarve() bool { return op.Async == nil && op.Property != DeleteVar }

// MemoryFreed tells all engines of the process that memory was given back by something other than the end of an operation, so
// that parked operations try again; see Starved. If none is parked it costs an atomic load. It waits for nothing: it may be
// called from any goroutine, by running functions, by Finishers and by cleanups of the garbage collector. The memory must be
// free before the call.
func MemoryFreed() {
	if starving.engines.Load() == 0 {
		return
	}
	starving.mu.Lock()
	defer starving.mu.Unlock()
	for c := range starving.cores {
		c.hearOfMemory()
	}
}

// starving are the engines with parked operations.
var starving struct {
	engines atomic.Int32
	mu      sync.Mutex // taken inside core.mu, never around it
	cores   map[*core]bool
}

// begsForMemory makes MemoryFreed notify c, or no longer. The caller holds c.mu.
func (c *core) begsForMemory(begs bool) {
	starving.mu.Lock()
	defer starving.mu.Unlock()
	if begs {
		if starving.cores == nil {
			starving.cores = map[*core]bool{}
		}
		starving.cores[c] = true
	} else {
		delete(starving.cores, c)
	}
	starving.engines.Store(int32(len(starving.cores)))
}

// hearOfMemory notifies c of freed memory, in a goroutine that holds no lock. Calls before c has been notified count as one.
func (c *core) hearOfMemory() {
	if c.parking.told.CompareAndSwap(false, true) {
		go func() {
			c.parking.told.Store(false)
			c.mu.Lock()
			c.parking.freed++
			c.unlock()
		}()
	}
}
