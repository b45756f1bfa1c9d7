package engine

import (
	"context"

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

// Function is what an operation does. A returned error, or a panic, sticks to every variable that the operation writes.
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

// Finisher is implemented by Functions that borrow something for as long as their operation is not done, which on a stream
// is longer than Run. Finished is called once, skipped or not, with the engine's lock held: it must return what was
// borrowed and nothing else.
type Finisher interface {
	Finished()
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

// Operation is one piece of work. It is pushed once, by pointer, and must not be changed after.
type Operation struct {
	Name     string
	Function Function
	// Async, in place of Function, starts work that ends when complete is called: exactly once, from any goroutine, with the
	// error of the work. The operation is done then, not when Async returns; rc must not be used after that. A second call of
	// complete panics with *Error. Operations with Async run on the host.
	Async    func(rc *RunContext, complete func(err error))
	Accesses []Access // every variable that Function touches; the engine takes the slice over
	Device   device.Device
	Property Property
	Priority int  // of two ready operations of one queue, that of higher priority runs first
	Host     bool // Function is user code that may wait, lock and push
	// KeepOnSkip leaves variables accessed with Update valid when the operation is skipped because of an input's error, or
	// fails with an Untouched one. It never touched them; optimiser steps are repeated this way after a failure.
	KeepOnSkip bool
	Context    context.Context // cancel scope: an operation not started when it ends is skipped; nil means none
	Site       *fault.Site     // where the user asked for the operation; nil means the line that pushes it

	run          RunContext
	pushed       bool
	refused      bool         // pushed after Close
	blocked      int          // accesses not granted yet
	next         *Operation   // in a queue of ready operations
	number       uint64       // order of registration
	lane         *streamLane  // of an operation on a stream
	event        device.Event // set when issued
	after        []*Operation // issued, not done, and waited for by event
	successors   []*Operation // that were launched behind this one's event
	predecessors int          // operations in after that are not done
	done         bool         // guarded by core.mu
	held         *outcome     // of an operation whose predecessors are not done
	waiter       chan<- error // of Wait: receives the error of the only access
}

// outcome tells how an operation ended.
type outcome struct {
	err *Error
	ran bool // false if it was skipped, so that it touched nothing
}

// describe returns an error with what is known of op.
func (op *Operation) describe() *Error {
	e := &Error{Operator: op.Name, Site: op.Site, Device: op.Device.String()}
	if describer, ok := op.Function.(Describer); ok {
		describer.Describe(e)
	}
	return e
}

// touchedNothing reports whether the contents of what the operation would have written are as before.
func (o outcome) touchedNothing() bool {
	if !o.ran {
		return true
	}
	_, marked := o.err.Cause.(*untouched)
	return marked
}
