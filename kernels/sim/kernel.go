package sim

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/parallel"
)

// kernel runs a CPU kernel as a command of a stream.
type kernel struct {
	backend *Backend
	name    string
	run     cpu.Kernel
}

var _ device.Kernel = (*kernel)(nil)

// Launch enqueues the kernel on s, a stream of the same backend. The arguments are copied: a may be used again at once.
func (k *kernel) Launch(s device.Stream, a *device.Arguments) error {
	own, ok := s.(*stream)
	if !ok || own == nil || own.unit.backend != k.backend {
		return fmt.Errorf("sim: launch of %s on a stream of another backend: %T", k.name, s)
	}
	arguments := clone(a)
	err := own.work(k.name, func() error { return k.execute(own.unit, arguments) })
	if err == nil {
		own.unit.counters.Launched(1)
	}
	return err
}

// execute translates the addresses in a, which it owns, and runs the kernel on what is there.
func (k *kernel) execute(u *unit, a *device.Arguments) error {
	var written []*block
	for i := range a.Outputs {
		b, err := u.translate(&a.Outputs[i])
		if err != nil {
			return fmt.Errorf("%s: output %d: %w", k.name, i, err)
		}
		if b != nil {
			written = append(written, b)
		}
	}
	for i := range a.Inputs {
		if _, err := u.translate(&a.Inputs[i]); err != nil {
			return fmt.Errorf("%s: input %d: %w", k.name, i, err)
		}
	}
	if !a.Scratch.IsNil() {
		// Of which size is known to the kernel alone; the guards tell if it uses more than there is.
		b, err := u.find(a.Scratch, 0, 1)
		if err != nil {
			return fmt.Errorf("%s: scratch memory: %w", k.name, err)
		}
		a.Scratch = hostPointer(b, a.Scratch.Address)
		written = append(written, b)
	}
	if err := k.run(parallel.Serial(), a); err != nil {
		return err
	}
	for _, b := range written {
		if !b.intact() {
			return fmt.Errorf("%s: %w", k.name, &MemoryFault{u.device, b.address, b.size(), "the kernel wrote outside of the allocation"})
		}
	}
	return nil
}

// translate makes v point to host memory. A view without elements needs none and gives no block.
func (u *unit) translate(v *device.View) (*block, error) {
	size := v.DType.Size()
	if size == 0 || len(v.Shape) != len(v.Strides) || slices.ContainsFunc(v.Shape, func(n int) bool { return n < 0 }) {
		return nil, fmt.Errorf("%v: no view: %v of shape %v with strides %v", u.device, v.DType, v.Shape, v.Strides)
	}
	if slices.Contains(v.Shape, 0) {
		v.Pointer = device.Pointer{}
		return nil, nil
	}
	if v.Pointer.Address%uintptr(size) != 0 {
		return nil, &MemoryFault{u.device, v.Pointer.Address, size, fmt.Sprintf("misaligned address of %v", v.DType)}
	}
	low, high, fits := extent(v.Shape, v.Strides, math.MaxInt/4/size)
	if !fits {
		return nil, &MemoryFault{u.device, v.Pointer.Address, size, fmt.Sprintf("shape %v with strides %v leaves the address space", v.Shape, v.Strides)}
	}
	b, err := u.find(v.Pointer, low*size, (high-low+1)*size)
	if err != nil {
		return nil, err
	}
	v.Pointer = hostPointer(b, v.Pointer.Address)
	return b, nil
}

// extent returns the offsets, in elements, of the first and last element in memory of an array that has elements; fits is
// false if one of them is larger than limit.
func extent(shape, strides []int, limit int) (low, high int, fits bool) {
	for axis, stride := range strides {
		steps := shape[axis] - 1
		switch {
		case steps == 0 || stride == 0:
		case stride > 0:
			if stride > (limit-high)/steps {
				return 0, 0, false
			}
			high += steps * stride
		default:
			if stride < (-limit-low)/steps {
				return 0, 0, false
			}
			low += steps * stride
		}
	}
	return low, high, true
}

// find returns the block of u that holds all of size bytes from offset bytes behind p.
func (u *unit) find(p device.Pointer, offset, size int) (*block, error) {
	if p.Host != nil {
		return nil, &MemoryFault{u.device, uintptr(p.Host), size, "kernels do not reach host memory"}
	}
	return u.memory.find(u.device, p.Address+uintptr(offset), size)
}

func hostPointer(b *block, address uintptr) device.Pointer {
	return device.Pointer{Host: unsafe.Pointer(unsafe.SliceData(b.at(address, 1)))}
}

func clone(a *device.Arguments) *device.Arguments {
	return &device.Arguments{
		Outputs: cloneViews(a.Outputs), Inputs: cloneViews(a.Inputs),
		Integers: slices.Clone(a.Integers), Scalars: slices.Clone(a.Scalars), Scratch: a.Scratch,
	}
}

func cloneViews(views []device.View) []device.View {
	views = slices.Clone(views)
	for i := range views {
		views[i].Shape, views[i].Strides = slices.Clone(views[i].Shape), slices.Clone(views[i].Strides)
	}
	return views
}
