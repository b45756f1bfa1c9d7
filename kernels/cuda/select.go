package cuda

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// selection is where flags are set, of so many elements: see select.cu. It is in temporary memory, of selectionBytes.
type selection struct {
	*launcher
	count   int
	flags   device.View // of uint8, which the caller sets
	starts  device.View // how many flags are set before each chunk, and then in all
	list    device.View // the places of elements whose flags are set, and then nowhere
	numbers device.View // those of all elements in the list, where they are wanted
}

// selectionChunk is how many flags a block takes.
const selectionChunk = 1 << 12

// nowhere is a place that is none, as points.cu has it.
const nowhere = -1 << 63

func selectionBytes(count int) int {
	chunks := ceil(count, selectionChunk)
	return chunks*selectionChunk + (8*(2*chunks+2)+15)&^15 + 16*((count+1)&^1)
}

// newSelection begins with flags that are not set.
func newSelection(l *launcher, count int, memory device.Pointer) (*selection, error) {
	chunks := ceil(count, selectionChunk)
	s := &selection{launcher: l, count: count, flags: rowMajor(memory, dtype.Uint8, []int{chunks, selectionChunk})}
	memory = memory.Add(chunks * selectionChunk)
	s.starts = rowMajor(memory, dtype.Int64, []int{chunks + 1})
	memory = memory.Add((8*(2*chunks+2) + 15) &^ 15)
	s.list = rowMajor(memory, dtype.Int64, []int{count})
	s.numbers = rowMajor(memory.Add(8*((count+1)&^1)), dtype.Int64, []int{count})
	if err := l.fill(s.list, 0, nowhere); err != nil {
		return nil, err
	}
	return s, l.fill(s.flags, 0, 0)
}

// flagsOf returns the flags as an array.
func (s *selection) flagsOf(shape []int) device.View {
	return rowMajor(s.flags.Pointer, dtype.Uint8, shape)
}

// total is how many flags are set, once the list is made.
func (s *selection) total() device.View {
	chunks := s.starts.Shape[0] - 1
	return device.View{Pointer: s.starts.Pointer.Add(8 * chunks), DType: dtype.Int64}
}

// make enqueues what makes the list of places in x, and, if they are wanted, the numbers.
func (s *selection) make(x device.View, numbers bool) error {
	chunks := s.starts.Shape[0] - 1
	counts := rowMajor(s.starts.Pointer.Add(8*(chunks+1)), dtype.Int64, []int{chunks})
	if err := s.fill(s.starts, 0, 0); err != nil || chunks == 0 {
		return err
	}
	of := *s.launcher
	of.types = dtype.Uint8.String()
	err := of.fold("count", &device.Arguments{Outputs: []device.View{counts}, Inputs: []device.View{s.flags}, Integers: []int64{1, -1, countAll}})
	if err != nil {
		return err
	}
	ends := rowMajor(s.starts.Pointer.Add(8), dtype.Int64, []int{chunks})
	if err := s.launch("cumsum", "int64", &device.Arguments{Outputs: []device.View{ends}, Inputs: []device.View{counts}}); err != nil {
		return err
	}
	axes, err := sharedAxes(x.Shape, []device.View{x})
	if err != nil {
		return err
	}
	_, axes = collapse(axes)
	if 2+2*len(axes) > maxIntegers {
		return fmt.Errorf("a kernel cannot take %d axes that are not adjacent", len(axes))
	}
	integers := make([]int64, 2+2*len(axes))
	if numbers {
		integers[0] = int64(s.count)
	}
	integers[1] = int64(len(axes))
	for i, x := range axes {
		integers[2+i], integers[2+len(axes)+i] = int64(x.size), int64(x.strides[0])
	}
	shape := s.flags.Shape
	starts := s.starts
	starts.Shape, starts.Strides = shape, []int{1, 0}
	alone := func(v device.View) device.View { // of which only the start is looked at
		v.Shape, v.Strides = shape, []int{0, 0}
		return v
	}
	return s.launch("list", "uint8", &device.Arguments{
		Outputs: []device.View{s.flags, starts}, Inputs: []device.View{alone(s.list), alone(s.numbers)}, Integers: integers,
	})
}

// masked returns the selection by a mask, Inputs[1], of the axes of x from the given one on. If wanted is not negative, another number of
// true elements is an error.
func masked(l *launcher, a *device.Arguments, x device.View, axis, wanted int) (*selection, error) {
	mask := a.Inputs[1]
	s, err := newSelection(l, mask.Count(), a.Scratch)
	if err != nil {
		return nil, err
	}
	mask.DType = dtype.Uint8
	if mask.Count() > 0 {
		err = l.launch("copy", "uint8", &device.Arguments{Outputs: []device.View{s.flagsOf(mask.Shape)}, Inputs: []device.View{mask}})
	}
	x.Shape, x.Strides = mask.Shape, x.Strides[axis:axis+len(mask.Shape)]
	if err == nil {
		err = s.make(x, false)
	}
	if err != nil || wanted < 0 {
		return s, err
	}
	of := device.Arguments{Inputs: []device.View{s.total()}, Integers: []int64{int64(wanted)}}
	return s, l.look("check_total", "int64", of, func(f finding) error {
		return &dataError{fmt.Sprintf("the mask is true in %d elements, there are %d", f.bits, wanted), fault.ErrShape}
	})
}

// among returns places as an array of the given shape, in which they are along an axis.
func among(places device.View, shape []int, axis int) device.View {
	places.Shape, places.Strides = shape, make([]int, len(shape))
	places.Strides[axis] = 1
	return places
}

// maskTake computes the parts of Inputs[0] where Inputs[1], a mask of its axes from Integers[0] on, is true.
func maskTake(l *launcher, a *device.Arguments) error {
	z, x, axis := a.Outputs[0], a.Inputs[0], int(a.Integers[0])
	s, err := masked(l, a, x, axis, z.Shape[axis])
	if err != nil || z.Count() == 0 || x.Count() == 0 {
		return err
	}
	places := among(s.list, z.Shape, axis)
	if z.Shape[axis] > s.count { // which is an error
		return nil
	}
	x = unnamed(x, z.Shape, axis, len(a.Inputs[1].Shape))
	return l.launch("pick", l.types, &device.Arguments{Outputs: a.Outputs, Inputs: []device.View{x, places}})
}

// maskPut joins Inputs[2] to a copy of Inputs[0] where maskTake would read, by the reduction Integers[1]. One element is for all.
func maskPut(l *launcher, a *device.Arguments) error {
	z, x, values, axis := a.Outputs[0], a.Inputs[0], a.Inputs[2], int(a.Integers[0])
	wanted := values.Shape[axis]
	check := wanted
	if wanted == 1 {
		check = -1
	}
	s, err := masked(l, a, z, axis, check)
	if err != nil {
		return err
	}
	if z.Pointer != x.Pointer || !slices.Equal(z.Strides, x.Strides) {
		if err := l.copy(z, x); err != nil {
			return err
		}
	}
	if wanted == 1 {
		values.Shape, values.Strides = slices.Clone(values.Shape), slices.Clone(values.Strides)
		values.Shape[axis], values.Strides[axis] = s.count, 0
	}
	if values.Count() == 0 || values.Shape[axis] > s.count {
		return nil
	}
	return l.launch("set_"+reductions[a.Integers[1]], l.types, &device.Arguments{
		Outputs: []device.View{unnamed(z, values.Shape, axis, len(a.Inputs[1].Shape))},
		Inputs:  []device.View{values, among(s.list, values.Shape, axis)},
	})
}

func maskScratch(a *device.Arguments) int { return selectionBytes(a.Inputs[1].Count()) }

// nonzero computes the indices of the elements of Inputs[0] that are not zero, and how many there are.
func nonzero(l *launcher, a *device.Arguments) error {
	x, z := a.Inputs[0], a.Outputs[0]
	s, err := newSelection(l, x.Count(), a.Scratch)
	if err != nil {
		return err
	}
	if flags := s.flagsOf(x.Shape); x.Count() > 0 {
		flags.DType = dtype.Bool
		for i, from := range []device.View{x, flags} { // not zero, twice
			types := from.DType.String()
			if err := l.launch("logical_not", types, &device.Arguments{Outputs: []device.View{flags}, Inputs: []device.View{from}}); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
	}
	if err := s.make(rowMajor(x.Pointer, x.DType, x.Shape), false); err != nil {
		return err
	}
	if z.Count() > 0 {
		integers := []int64{int64(z.Shape[1])}
		for _, n := range x.Shape {
			integers = append(integers, int64(n))
		}
		err := l.launch("index", "int64", &device.Arguments{
			Outputs: a.Outputs[:1], Inputs: []device.View{among(s.list, z.Shape, 1)}, Integers: append(integers, 0),
		})
		if err != nil {
			return err
		}
	}
	return l.launch("copy", "int64", &device.Arguments{Outputs: a.Outputs[1:], Inputs: []device.View{s.total()}})
}

func nonzeroScratch(a *device.Arguments) int { return selectionBytes(a.Inputs[0].Count()) }
