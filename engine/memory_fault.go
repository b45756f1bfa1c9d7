package engine

import (
	"errors"
	"runtime"
	"sync/atomic"
)

var explain atomic.Pointer[func(address uintptr) error]

// ExplainFaults makes engines call explanation with an address that a function touched in vain, because the memory is no longer
// there, such as that of a mapped file beyond its end. The error that it returns becomes the cause of the operation's error,
// along with fault.ErrPanic; nil means that it knows nothing of the address. It replaces the explanation set before, and is
// called from any goroutine.
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
