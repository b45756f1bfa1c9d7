package engine

import (
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// sanitizeVariable makes engines find functions that touch what their operations do not declare if it is 1; see engine.WithSanitizer.
const sanitizeVariable = "WEFT_SANITIZE"

// WithSanitizer makes an engine that finds functions that touch memory which their operation does not declare, or declares only
// to read. Package storage protects the memory of arrays by pages: those of a Synced can be touched only while an operation runs
// that declares them, and only as far as it does; the end of an array is followed by a page that never can be touched, and memory
// that was freed cannot be touched for a while. A function that tries is stopped, and its operation has an error that wraps
// fault.ErrAccess and tells what was touched, where that was made, and why it must not be touched; the stack is in the error. The
// error is logged too if the operation writes nothing that it could stick to.
//
// Leaves run one at a time in all of these engines together, without helpers, so that one does not see what was opened for
// another; host functions, asynchronous ones, and streams, run beside them. An operation on a stream that declares host memory is
// waited for where it is launched, so copies do not overlap what follows them. An operation takes some five microseconds more.
// Results are the same. WithPool has no effect.
//
// It does not find what is touched inside the pages that are open. What other goroutines touch than the one that runs a function,
// or what is touched outside of any operation, ends the process where it would be an error. Memory of the user's that was adopted,
// of devices that the host cannot address, and of managers chosen by storage.SetManager, is not protected, nor are arrays of up to
// 32 KiB while there are more than 14336 allocations; 24576 are the most that there can be.
//
// The environment variable WEFT_SANITIZE=1 does so for all engines.
func WithSanitizer() Option { return func(o *options) { o.sanitize = true } }

// sanitizing says whether the process has had an engine with WithSanitizer.
var sanitizing atomic.Bool

// Sanitizing reports whether an engine of this process was made with WithSanitizer, so that memory has to be such as can be
// protected.
func Sanitizing() bool { return sanitizing.Load() }

// sanitized are the workers of engines with WithSanitizer: a single one, so that functions have no helpers, whose goroutines
// would not survive what they must not touch.
var sanitized = parallel.New(1)

// withSanitizer returns o changed as the option and the environment ask for.
func (o options) withSanitizer() options {
	if o.sanitize || os.Getenv(sanitizeVariable) == "1" {
		sanitizing.Store(true)
		o.pool = sanitized
	}
	return o
}

func (c *core) sanitizes() bool { return c.pool == sanitized }

// Sanitized reports whether the engine of v was made with WithSanitizer.
func (v *Var) Sanitized() bool { return v.core.sanitizes() }

// leaves is held while a leaf runs.
var leaves sync.Mutex

// runSanitized calls the function of op while what op declares is open.
func runSanitized(op *Operation, site *fault.Site, r *RunContext) (err error) {
	if !op.Host && op.Property != DeleteVar && r.Stream == nil {
		leaves.Lock()
		defer leaves.Unlock()
	}
	opened := op.open()
	defer opened.close()
	if r.Stream != nil && len(opened) > 0 {
		defer func() {
			if late := finish(r.Stream); err == nil {
				err = late
			}
		}()
	}
	return op.watch(site, func() error { return op.Function.Run(r) })
}

// finish waits for the work on s, which uses what is open, and returns its fault.
func finish(s device.Stream) error {
	event, err := s.Record()
	if err != nil {
		return err
	}
	return event.Wait()
}

// watch calls a function of op. If that touches memory which it must not touch, watch returns what it was. That is logged where
// op writes nothing that the error could stick to.
func (op *Operation) watch(site *fault.Site, call func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if panicked := recover(); panicked != nil {
			found := op.intrusion(panicked)
			if found == nil {
				panic(panicked)
			}
			if err = found; !op.writes() {
				slog.Error("a function touched what its operation does not declare", "error", op.failed(err, site))
			}
		}
	}()
	return call()
}

// writes reports whether op writes anything.
func (op *Operation) writes() bool {
	return slices.ContainsFunc(op.Accesses, func(a Access) bool { return a.Mode != Read })
}

// startSanitized calls the function while what the operation declares is open, which it is until the end.
func (e *completion) startSanitized(r *RunContext) {
	e.opened = e.op.open()
	err := e.op.watch(e.site, func() error {
		e.op.Async(r, e.complete)
		return nil
	})
	if err != nil {
		e.fail(e.op.failed(err, e.site))
	}
}
