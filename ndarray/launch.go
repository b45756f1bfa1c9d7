package ndarray

import (
	"reflect"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// Launch runs a kernel that the program brings, such as one that kernels/cuda.Compile has compiled, on the device of its
// arguments, and returns at once. Arguments are those of the kernel, in order: an *Array for each array, of its dtype, in
// row-major order and of any shape, and for each other parameter a Go number that its type can hold. Arrays that the kernel
// writes are updated in place; calls that read them wait for it, as for any operator, and a capture keeps it. Launch panics
// with *Error if an argument does not fit, or the grid is larger than any GPU takes. What fails later, for lack of memory or
// because the driver refuses the launch, is an error of the arrays that the kernel writes. Launch does not check what the
// kernel does: one that writes past the end of an array, or to one that it should only read, corrupts memory, and one that
// touches memory that is not there loses the device. An array that a tape watches is an error: use autograd.Function to give a
// gradient.
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
