package cpu

import (
	"fmt"
	"maps"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/parallel"
)

// Kernel computes the outputs of a from its inputs, all in host memory. It may use t to share the work. It never waits,
// never locks what users can hold and starts no operator. An error tells what in the data did not fit.
type Kernel func(t *parallel.Thread, a *device.Arguments) error

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

// register makes the entries of one operator known. Its result only lets it be called where a variable is declared, next
// to the function that it registers.
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
