package ndarray

import (
	"reflect"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// Launch runs a kernel that the program brings, such as one that kernels/cuda.Compile has compiled, on the device of
// the arrays that it is given, and returns at once. It takes an *Array for each parameter that is one, of its dtype and
// in row-major order, of any shape, and a number of Go that its type holds for each other. Arrays that the kernel
// writes are updated in place; calls that read them wait for it, as for any operator, and a capture keeps it. Launch
// panics with *Error if an argument does not fit, or a grid is larger than any GPU takes; what fails later, as where
// memory is lacking or the driver refuses the launch, is an error of the arrays that the kernel writes. It does not
// look at what the kernel does: one that writes past the end of an array, or to one that it was to read, spoils memory,
// and one that reaches memory that is not there loses the device. An array that a tape watches is an error: a gradient
// is given by autograd.Function.
func Launch(kernel device.UserKernel, grid device.Grid, arguments ...any) {
	if v := reflect.ValueOf(kernel); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() { // as beside an error of Kernel
		fail("Launch", fault.ErrMisuse, "the kernel is nil")
	}
	all := make([]any, len(arguments))
	for i, v := range arguments {
		if a, isArray := v.(*Array); isArray {
			checkNotNil(kernel.Name(), a)
			v = a.tensor()
		}
		all[i] = v
	}
	ops.LaunchKernel(kernel, grid, all, fault.Here(1))
}
