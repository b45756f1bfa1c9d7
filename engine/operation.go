package engine

import (
	"context"
	"errors"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// Property says which queue an operation belongs to.
type Property uint8

// The properties. An engine without a queue for one treats it as Normal.
const (
	Normal         Property = iota
	CopyFromDevice          // a copy from a device to the host
	CopyToDevice            // a copy from the host to a device
	Prioritized             // before all normal operations of the same device
	DeleteVar               // frees memory: short, runs wherever it becomes ready, even after Close
	NoSkip                  // runs even if an input carries an error
)

// Function is the work of an operation. An error that Run returns, or a panic, sticks to every variable that the operation
// writes, unless the error is Starved: then Run is called again later.
type Function interface {
	Run(rc *RunContext) error
}

// FunctionOf makes a Function of a Go function.
type FunctionOf func(rc *RunContext) error

// Run calls f.
func (f FunctionOf) Run(rc *RunContext) error { return f(rc) }

// Untouched marks the error of a Function that failed before it changed anything, as when it got no memory: to KeepOnSkip
// that is as if the operation had been skipped.
func Untouched(err error) error { return &untouched{err} }

type untouched struct{ error }

// Unwrap returns the error that was marked.
func (u *untouched) Unwrap() error { return u.error }

// Describer is implemented by Functions that can add shapes and element types to the error of their operation.
type Describer interface {
	Describe(e *Error)
}

// Finisher is implemented by Functions that borrow something until their operation is done, which on a stream is later than the
// end of Run, and may take several calls of Run if they starve. Finished is called once, whether or not the operation was
// skipped, with the engine's lock held: it must give back what was borrowed and do nothing else.
type Finisher interface {
	Finished()
}

// Recycler is implemented by Functions that are used again, with their Operation, for another push. Recycle is called, with the
// engine's lock held, when the engine will not look at either any more. It is not called for operations that failed or were
// skipped, are part of a bulk, belong to an operator, or are observed: those are left to the garbage collector.
type Recycler interface {
	Recycle()
}

// RunContext is what a running Function may use. It is valid until Run returns.
type RunContext struct {
	// Thread shares work with the idle workers of the process.
	Thread *parallel.Thread
	// Stream takes the work of an operation on a device that the host cannot address; nil otherwise.
	Stream device.Stream
	// Context is the cancel scope of the operation; never nil.
	Context context.Context
}

// Operation describes one piece of work. It may be pushed again and again, by one goroutine at a time, and must not be
// changed while a run of it is pending; see also Engine.NewOperator.
type Operation struct {
	Function Function
	Accesses []Access        // every variable that Function touches
	Context  context.Context // cancel scope: an operation not started when it ends is skipped; nil means none
	owner    *core           // of an operation made by NewOperator; which has found out what follows

	Device   device.Device
	Property Property
	Host     bool // Function is user code that may wait, lock and push
	// Brief promises that Function takes no longer than handing it to a worker would, some microseconds, that it changes
	// nothing if it fails, and that it does not call the engine. A Pusher may run it at once, in the goroutine that pushes it,
	// if nothing else is pending.
	Brief bool
	// Inline promises that Function returns or panics, and never ends its goroutine with runtime.Goexit. So a goroutine that
	// waits for the operation may run it, which takes a fraction of the time of handing it to a worker.
	Inline bool
	// KeepOnSkip leaves variables accessed with Update valid when the operation is skipped because of an input's error, or
	// fails with an Untouched one. It never touched them; optimiser steps are repeated this way after a failure.
	KeepOnSkip bool
	// Repeats promises that Function gives the stream of its device the same work whenever it runs, on the same memory, and
	// depends on nothing else. If all operations of a NewBulkOperator repeat, a stream that is a device.Capturer keeps their
	// work, and runs it by one call.
	Repeats   bool
	deleted   bool       // guarded by core.intake.mu
	gathers   bool       // in bulks
	finisher  bool       // Function is a Finisher
	recording *recording // of NewBulkOperator
	Priority  int        // of two ready operations of one queue, that of higher priority runs first
	Bytes     int64      // memory that the operation takes until it is done, for the engine's limit; see also Starved
	// Async, in place of Function, starts work that ends when complete is called: exactly once, from any goroutine, with the
	// error of the work. The operation is done then, not when Async returns; rc must not be used after that. A second call of
	// complete panics with *Error. Operations with Async run on the host.
	Async func(rc *RunContext, complete func(err error))
	Site  *fault.Site // where the user asked for the operation; nil means the line that pushes it
	Name  string
}

// outcome tells how an operation ended.
type outcome struct {
	err *Error
	ran bool // false if it was skipped, so that it touched nothing
}

// touchedNothing reports whether the contents of what the operation would have written are as before.
func (o outcome) touchedNothing() bool {
	if !o.ran {
		return true
	}
	_, marked := o.err.Cause.(*untouched)
	return marked
}

// describe returns an error with what is known of op, which was asked for at site.
func (op *Operation) describe(site *fault.Site) *Error {
	e := &Error{Operator: op.Name, Site: site, Device: op.Device.String()}
	if describer, ok := op.Function.(Describer); ok {
		describer.Describe(e)
	}
	return e
}

// failed returns err with what is known of op.
func (op *Operation) failed(err error, site *fault.Site) *Error {
	e := op.describe(site)
	if s, ok := err.(*starved); ok && !op.mayStarve() {
		err = Untouched(s.error)
	}
	if reason := explained(err); reason != nil { // of a stream
		err = errors.Join(fault.ErrPanic, reason)
		e.Detail = reason.Error()
	} else {
		e.Detail = err.Error()
	}
	e.Cause = err
	if found, ok := err.(*intrusion); ok {
		e.Stack = found.stack
	}
	return e
}
