package cuda

import (
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// places are those of the elements that indices name, as kernels of points.cu have them: of the given shape, row-major.
type places struct {
	*launcher
	view  device.View
	spare device.Pointer // room for as many
}

// placesScratch tells the temporary memory for operators of which Inputs[i] are indices: the places, twice.
func placesScratch(i int) func(a *device.Arguments) int {
	return func(a *device.Arguments) int { return 16 * elements(a.Inputs[i].Shape) }
}

// tuplesScratch tells it for tuples of indices along the last axis of Inputs[1].
func tuplesScratch(a *device.Arguments) int {
	shape := a.Inputs[1].Shape
	return 16 * elements(shape[:len(shape)-1])
}

// newPlaces begins with places that are all zero.
func newPlaces(l *launcher, shape []int, scratch device.Pointer) (*places, error) {
	p := &places{l, rowMajor(scratch, dtype.Int64, shape), scratch.Add(8 * elements(shape))}
	return p, l.fill(p.view, 0, 0)
}

// add adds what indices of that shape say along an axis of x.
func (p *places) add(x device.View, axis int, indices device.View, mode int64) error {
	length := x.Shape[axis]
	if err := p.check(indices, mode, length, outOfRange(axis, length)); err != nil {
		return err
	}
	return p.launch("place", indices.DType.String(), &device.Arguments{
		Outputs: []device.View{p.view}, Inputs: []device.View{indices}, Integers: []int64{mode, int64(length), int64(x.Strides[axis])},
	})
}

// once leaves each place, in lines of so many, where it comes last.
func (p *places) once(line int) error {
	from := p.view
	p.view.Pointer = p.spare
	return p.launch("once", "int64", &device.Arguments{Outputs: []device.View{p.view}, Inputs: []device.View{from}, Integers: []int64{int64(line)}})
}

// pick computes z, whose axes are so many of a batch, those of the places behind the batch, and the others of x. Of x so many axes behind
// the batch are those that the indices are of.
func (p *places) pick(z, x device.View, batch, named int) error {
	if x.Count() == 0 { // All places are out of range.
		return nil
	}
	x = unnamed(x, z.Shape, batch, named)
	return p.launch("pick", p.types, &device.Arguments{Outputs: []device.View{z}, Inputs: []device.View{x, extended(p.view, z.Shape)}})
}

// reductions name those of package ops by their numbers, as kernels of join.cuh do.
var reductions = []string{"none", "add", "mul", "max", "min"}

// put is pick the other way, after x has been copied to z: values are joined to z by a reduction.
func (p *places) put(z, x, values device.View, batch, named int, reduction int64) error {
	if z.Pointer != x.Pointer || !slices.Equal(z.Strides, x.Strides) {
		if err := p.copy(z, x); err != nil {
			return err
		}
	}
	if values.Count() == 0 {
		return nil
	}
	order, inner := []int{}, len(p.view.Shape) // of the axes: those of the places behind the batch are the last
	for axis := range values.Shape {
		if axis < batch || axis >= inner {
			order = append(order, axis)
		}
	}
	for axis := batch; axis < inner; axis++ {
		order = append(order, axis)
	}
	z = unnamed(z, values.Shape, batch, named)
	return p.launch("put_"+reductions[reduction], p.types, &device.Arguments{
		Outputs: []device.View{permuted(z, order)}, Inputs: []device.View{permuted(values, order), permuted(extended(p.view, values.Shape), order)},
		Integers: []int64{int64(inner - batch)},
	})
}

// unnamed returns x repeated along those of the axes of shape, behind the batch, that stand for so many named axes of x.
func unnamed(x device.View, shape []int, batch, named int) device.View {
	behind := x.Strides[batch+named:]
	x.Strides = slices.Concat(x.Strides[:batch], make([]int, len(shape)-batch-len(behind)), behind)
	x.Shape = shape
	return x
}

// line returns v with the given axis as the last.
func line(v device.View, axis int) device.View {
	order := []int{}
	for i := range v.Shape {
		if i != axis {
			order = append(order, i)
		}
	}
	return permuted(v, append(order, axis))
}

// alongPlaces returns the places that Integers[0] and [1], an axis and a mode, and indices name in x, with that axis as the last.
func alongPlaces(l *launcher, a *device.Arguments, x device.View) (*places, error) {
	indices := line(a.Inputs[1], int(a.Integers[0]))
	p, err := newPlaces(l, indices.Shape, a.Scratch)
	if err == nil {
		err = p.add(line(x, int(a.Integers[0])), len(x.Shape)-1, indices, a.Integers[1])
	}
	return p, err
}

// takeAlongAxis computes the elements of Inputs[0] that Inputs[1] names; with Integers[2] those named last alone, zero for the others.
func takeAlongAxis(l *launcher, a *device.Arguments) error {
	x, axis := a.Inputs[0], int(a.Integers[0])
	if a.Outputs[0].Count() == 0 {
		return nil
	}
	p, err := alongPlaces(l, a, x)
	if err == nil && a.Integers[2] != 0 {
		err = p.once(a.Inputs[1].Shape[axis])
	}
	if err != nil {
		return err
	}
	return p.pick(line(a.Outputs[0], axis), line(x, axis), len(x.Shape)-1, 1)
}

// putAlongAxis joins Inputs[2] to a copy of Inputs[0] where takeAlongAxis would read, by the reduction Integers[2].
func putAlongAxis(l *launcher, a *device.Arguments) error {
	z, axis := a.Outputs[0], int(a.Integers[0])
	p, err := alongPlaces(l, a, z)
	if err != nil {
		return err
	}
	return p.put(line(z, axis), line(a.Inputs[0], axis), line(a.Inputs[2], axis), len(z.Shape)-1, 1, a.Integers[2])
}

// pointPlaces returns the places that indices, one array for each of the first axes, name in x.
func pointPlaces(l *launcher, a *device.Arguments, x device.View, indices []device.View) (*places, error) {
	p, err := newPlaces(l, indices[0].Shape, a.Scratch)
	for axis := 0; axis < len(indices) && err == nil; axis++ {
		err = p.add(x, axis, indices[axis], 0)
	}
	return p, err
}

// takePoints computes the parts of Inputs[0] that the other inputs name; with Integers[0] those named last alone, zeros for the others.
func takePoints(l *launcher, a *device.Arguments) error {
	indices := a.Inputs[1:]
	p, err := pointPlaces(l, a, a.Inputs[0], indices)
	if err == nil && a.Integers[0] != 0 {
		err = p.once(elements(p.view.Shape))
	}
	if err != nil {
		return err
	}
	return p.pick(a.Outputs[0], a.Inputs[0], 0, len(indices))
}

// putPoints joins Inputs[1] to a copy of Inputs[0] where the other inputs say, by the reduction Integers[0].
func putPoints(l *launcher, a *device.Arguments) error {
	z, indices := a.Outputs[0], a.Inputs[2:]
	p, err := pointPlaces(l, a, z, indices)
	if err != nil {
		return err
	}
	return p.put(z, a.Inputs[0], a.Inputs[1], 0, len(indices), a.Integers[0])
}

// tuplePlaces returns the places that the tuples along the last axis of indices name in x, behind the batch, and how long the tuples are.
func tuplePlaces(l *launcher, a *device.Arguments, x device.View) (p *places, named int, err error) {
	indices, batch := a.Inputs[1], int(a.Integers[0])
	last := len(indices.Shape) - 1
	named = indices.Shape[last]
	p, err = newPlaces(l, indices.Shape[:last], a.Scratch)
	for i := 0; i < named && err == nil; i++ {
		part := indices
		part.Pointer = part.Pointer.Add(i * part.Strides[last] * part.DType.Size())
		part.Shape, part.Strides = part.Shape[:last], part.Strides[:last]
		err = p.add(x, batch+i, part, 0)
	}
	return p, named, err
}

// gatherND computes the parts of Inputs[0] that tuples name; with Integers[1] those named last alone, zeros for the others.
func gatherND(l *launcher, a *device.Arguments) error {
	batch := int(a.Integers[0])
	p, named, err := tuplePlaces(l, a, a.Inputs[0])
	if err == nil && a.Integers[1] != 0 {
		err = p.once(elements(p.view.Shape[batch:]))
	}
	if err != nil {
		return err
	}
	return p.pick(a.Outputs[0], a.Inputs[0], batch, named)
}

// scatterND joins Inputs[2] to a copy of Inputs[0] where tuples say, by the reduction Integers[1].
func scatterND(l *launcher, a *device.Arguments) error {
	z := a.Outputs[0]
	p, named, err := tuplePlaces(l, a, z)
	if err != nil {
		return err
	}
	return p.put(z, a.Inputs[0], a.Inputs[2], int(a.Integers[0]), named, a.Integers[1])
}

// rowMajor returns memory as an array of the given shape.
func rowMajor(memory device.Pointer, d dtype.DType, shape []int) device.View {
	v := device.View{Pointer: memory, DType: d, Shape: shape, Strides: make([]int, len(shape))}
	for axis, stride := len(shape)-1, 1; axis >= 0; axis-- {
		v.Strides[axis] = stride
		stride *= shape[axis]
	}
	return v
}
