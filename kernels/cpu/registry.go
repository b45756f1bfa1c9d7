package cpu

import (
	"fmt"
	"maps"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/parallel"
)

// Kernel computes the outputs of a from its inputs, all in host memory. It may use t to share the work. It never waits, never
// takes a lock that users can hold, and starts no operator. An error says what in the data did not fit.
type Kernel func(t *parallel.Thread, a *device.Arguments) error

// dataError is an error for the contents of the operands of a kernel.
type dataError struct {
	cause error // such as fault.ErrIndex
	text  string
}

func (e *dataError) Error() string { return e.text }

func (e *dataError) Unwrap() error { return e.cause }

// dataErrorf returns a dataError.
func dataErrorf(cause error, format string, values ...any) error {
	return &dataError{cause, fmt.Sprintf(format, values...)}
}

// Lookup returns the kernel with the name that device.KernelName gives; found is false where there is none. It may be
// called from any goroutine.
func Lookup(name string) (kernel Kernel, found bool) {
	kernel, found = kernels[name]
	return kernel, found
}

// Names returns the names of all kernels, sorted.
func Names() []string { return slices.Sorted(maps.Keys(kernels)) }

// kernels is complete when the package is initialised and is only read afterwards.
var kernels = map[string]Kernel{}

// entry is a kernel for the element types that dtypes names, such as "float32" or "bool/int64".
type entry struct {
	dtypes string
	kernel Kernel
}

// register adds the entries of one operator. It returns a value so that it can be called in a variable declaration, next to the
// function that it registers.
func register(operator string, entries ...entry) struct{} {
	for _, e := range entries {
		registerNamed(operator+"/"+e.dtypes, e.kernel)
	}
	return struct{}{}
}

func registerNamed(name string, k Kernel) {
	if _, taken := kernels[name]; taken {
		panic(fmt.Sprintf("cpu: kernel %s is registered twice", name))
	}
	kernels[name] = k
}
