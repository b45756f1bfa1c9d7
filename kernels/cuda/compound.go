package cuda

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

var _ device.ScratchKernel = (*compound)(nil)

// recipe tells how an operator is made of kernels of package ptx and of products, which follow one another on the stream.
type recipe struct {
	floats  bool                          // it is for float32 and float64 alone, whatever its kernel is for
	widens  bool                          // it computes float16 and bfloat16 in float32, too; see widened
	kernel  string                        // the operator of package ptx that has to be there for the element type; empty for that of the same name
	scratch func(a *device.Arguments) int // bytes of Arguments.Scratch, from shapes alone; nil for none
	run     func(l *launcher, a *device.Arguments) error

	workspace func(u *unit, a *device.Arguments) int // bytes that a library of the device takes, beside those of scratch; nil for none
}

// compound is the kernel of an operator that has a recipe.
type compound struct {
	*kernel
	types string
	recipe
}

// Launch enqueues the kernels of the recipe.
func (k *compound) Launch(s device.Stream, a *device.Arguments) error {
	own, err := k.streamOf(s)
	if err != nil {
		return err
	}
	return own.enqueue(func(c driver.Context) error { return k.run(&launcher{k.backend, c, own, k.types}, a) })
}

// Scratch returns the bytes of temporary memory for a call.
func (k *compound) Scratch(index int, a *device.Arguments) (bytes int) {
	if k.scratch != nil {
		bytes = k.scratch(a)
	}
	if k.workspace != nil {
		if u, err := k.backend.unit(index); err == nil {
			bytes += k.workspace(u, a)
		}
	}
	return bytes
}

// launcher enqueues kernels for a recipe.
type launcher struct {
	backend *Backend
	context driver.Context
	stream  *stream
	types   string // of the operator, as names of kernels have them
}

// launch enqueues the kernel of an operator for the given element types.
func (l *launcher) launch(operator, types string, a *device.Arguments) error {
	name := operator + "/" + types
	found, ok := findKernel(name)
	if !ok {
		panic("cuda: a recipe wants " + name)
	}
	return (&kernel{l.backend, name, found}).enqueue(l.context, l.stream, a)
}

// multiply enqueues z = x·y, products of matrices of float32 or float64.
func (l *launcher) multiply(z, x, y device.View) error {
	name := "matmul/" + l.types
	found, ok := findKernel(name)
	if !ok {
		panic("cuda: a recipe wants " + name)
	}
	p := &product{&kernel{l.backend, name, found}}
	return p.multiply(l.context, l.stream, &device.Arguments{Outputs: []device.View{z}, Inputs: []device.View{x, y}})
}

// withoutInputs runs a kernel whose results depend on no operand; operands tell their shape.
func withoutInputs(operator string) recipe {
	return recipe{run: func(l *launcher, a *device.Arguments) error {
		alone := *a
		alone.Inputs = nil
		return l.launch(operator, l.types, &alone)
	}}
}
