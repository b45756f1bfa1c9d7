package cuda

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// recipe tells how an operator is made of kernels of package ptx and of products, which follow one another on the stream.
type recipe struct {
	kernel  string                        // the operator of package ptx that has to be there for the element type; empty for that of the same name
	scratch func(a *device.Arguments) int // bytes of Arguments.Scratch, from shapes alone; nil for none
	run     func(l *launcher, a *device.Arguments) error
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
