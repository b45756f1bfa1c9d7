package engine

import (
	"errors"
	"runtime"
	"sync/atomic"
)

var explain atomic.Pointer[func(address uintptr) error]

// ExplainFaults makes engines ask explain about an address that a function touched in vain: memory that is there no more, such as that of
// a mapped file behind its end. Its error becomes the cause of that of the operation, which goes with fault.ErrPanic; nil means that
// explain knows nothing of the address. It is called from any goroutine, in place of the one set before.
//
// A function that touches such memory panics, on workers, on goroutines that push, and on those that help by parallel.For: see
// runtime/debug.SetPanicOnFault. The process ends if a goroutine of the user's own does so.
func ExplainFaults(explanation func(address uintptr) error) { explain.Store(&explanation) }

// memoryFault is what the runtime panics with where memory cannot be touched.
type memoryFault interface {
	runtime.Error
	Addr() uintptr
}

// explained returns what is known of an error, or the value of a panic, that is a fault of memory; else nil.
func explained(failure any) error {
	explanation := explain.Load()
	err, isError := failure.(error)
	var touched memoryFault
	if explanation == nil || !isError || !errors.As(err, &touched) {
		return nil
	}
	return (*explanation)(touched.Addr())
}
