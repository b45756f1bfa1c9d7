package cuda

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cuda/internal/ptx"
)

// The sizes of struct Arguments in weft.h.
const (
	maxAxes     = 32
	maxOperands = 6
	maxIntegers = 48
	maxScalars  = 12
)

// operand is struct Operand.
type operand struct {
	start   uint64
	dtype   int64
	strides [maxAxes]int64
}

// arguments is struct Arguments.
type arguments struct {
	count, inner         uint64
	outerAxes, innerAxes int64
	part, parts          uint64
	columns, joins       int64
	packs                uint64
	shape                [maxAxes]int64
	operands             [maxOperands]operand
	integers             [maxIntegers]int64
	scalars              [maxScalars]float64
}

// axis is an axis of a launch: its size, and the stride of each operand.
type axis struct {
	size    int
	strides [maxOperands]int
}

// set makes p the arguments of a kernel of the given form.
func (p *arguments) set(form ptx.Form, a *device.Arguments) error {
	var room struct { // on the stack
		views [maxOperands]device.View
		axes  [8]axis
	}
	views := append(append(room.views[:0], a.Outputs...), a.Inputs...)
	if len(views) == 0 || len(views) > maxOperands || len(a.Integers) > maxIntegers || len(a.Scalars) > maxScalars {
		return fmt.Errorf("a kernel cannot take %d arrays, %d integers and %d numbers", len(views), len(a.Integers), len(a.Scalars))
	}
	outer, inner, err := axesOf(form, views, len(a.Outputs), a.Integers, room.axes[:])
	if err != nil {
		return err
	}
	*p = arguments{parts: 1, columns: 1}
	copy(p.integers[:], a.Integers)
	copy(p.scalars[:], a.Scalars)
	for i, v := range views {
		p.operands[i].start, p.operands[i].dtype = uint64(v.Pointer.Address), int64(v.DType)
	}
	p.count, outer = collapse(outer)
	p.inner, inner = collapse(inner)
	p.outerAxes, p.innerAxes = int64(len(outer)), int64(len(inner))
	all := append(outer, inner...)
	if len(all) > maxAxes {
		return fmt.Errorf("a kernel cannot take %d axes that are not adjacent", len(all))
	}
	for i, x := range all {
		p.shape[i] = int64(x.size)
		for k, stride := range x.strides {
			p.operands[k].strides[i] = int64(stride)
		}
	}
	p.part = p.inner
	switch form {
	case ptx.Packed:
		p.pack(views)
	case ptx.Hold:
		p.packRows(views)
	}
	return nil
}

// packBytes and mostInPack are those of weft.h.
const packBytes, mostInPack = 16, 8

// pack finds how many packs the first elements are: see weft.h.
func (p *arguments) pack(views []device.View) {
	last := int(p.outerAxes) - 1
	if last < 0 {
		return
	}
	size := packSize(views)
	for k, v := range views {
		o := &p.operands[k]
		if o.strides[last] == 0 && k > 0 {
			continue
		}
		if o.strides[last] != 1 || o.start%(size*uint64(v.DType.Size())) != 0 {
			return
		}
		for _, stride := range o.strides[:last] {
			if stride%int64(size) != 0 {
				return
			}
		}
	}
	if last > 0 && p.shape[last]%int64(size) != 0 {
		return
	}
	p.packs = p.count / size
}

// heldPack is how many elements threads hold that follow one another, inHeld of hold.cuh, and heldElements how many they hold.
const heldPack, heldElements = 4, 8

// packRows finds whether rows are packs.
func (p *arguments) packRows(views []device.View) {
	if p.innerAxes != 1 || p.shape[p.outerAxes]%heldPack != 0 {
		return
	}
	for k, v := range views {
		o := &p.operands[k]
		switch o.strides[p.outerAxes] {
		case 0:
			continue
		case 1:
			if o.start%uint64(heldPack*v.DType.Size()) != 0 {
				return
			}
		default:
			return
		}
		for _, stride := range o.strides[:p.outerAxes] {
			if stride%heldPack != 0 {
				return
			}
		}
	}
	p.packs = 1
}

// packSize returns how many elements a pack is.
func packSize(views ...[]device.View) uint64 {
	largest := 1
	for _, some := range views {
		for _, v := range some {
			largest = max(largest, v.DType.Size())
		}
	}
	return uint64(min(packBytes/largest, mostInPack))
}

// axesOf returns the outer and the inner axes of a launch, in room where that is enough; of the views the first are results.
func axesOf(form ptx.Form, views []device.View, results int, integers []int64, room []axis) (outer, inner []axis, err error) {
	shape := views[0].Shape
	switch form {
	case ptx.Each, ptx.Packed:
		outer, err = sharedAxesIn(room, shape, views)
	case ptx.Row:
		if outer, err = sharedAxesIn(room, shape, views); err == nil && len(outer) > 0 {
			outer, inner = outer[:len(outer)-1], outer[len(outer)-1:]
		}
	case ptx.Fold:
		shape = views[len(views)-1].Shape
		if len(integers) == 0 || int(integers[0]) > len(shape) {
			return nil, nil, fmt.Errorf("a reduction of an array of shape %v without the number of its axes", shape)
		}
		views = slices.Clone(views)
		for i := range results {
			if len(views[i].Strides) < len(shape) {
				views[i] = extended(views[i], shape)
			}
		}
		outer, err = sharedAxesIn(room, shape, views)
		split := len(shape) - int(integers[0])
		outer, inner = outer[:split], outer[split:]
	case ptx.Spread, ptx.Hold:
		axes := 1
		if len(integers) > 0 {
			axes = int(integers[len(integers)-1])
		}
		if outer, err = sharedAxesIn(room, shape, views); err == nil {
			split := len(shape) - axes
			outer, inner = outer[:split], outer[split:]
		}
	case ptx.Tile:
	case ptx.Inner:
		rank := len(shape)
		x, y := views[1], views[2]
		inner = []axis{{size: x.Shape[rank-1], strides: [maxOperands]int{0, x.Strides[rank-1], y.Strides[rank-2]}}}
		x.Strides, y.Strides = slices.Clone(x.Strides), slices.Clone(y.Strides)
		x.Strides[rank-1], y.Strides[rank-2] = 0, 0
		x.Shape, y.Shape = shape, shape
		outer, err = sharedAxes(shape, []device.View{views[0], x, y})
	default:
		err = fmt.Errorf("no kernel has the form %s", form)
	}
	return outer, inner, err
}

// sharedAxes are those of views that all have one shape.
func sharedAxes(shape []int, views []device.View) ([]axis, error) {
	return sharedAxesIn(nil, shape, views)
}

func sharedAxesIn(room []axis, shape []int, views []device.View) ([]axis, error) {
	axes := room
	if len(shape) > len(room) {
		axes = make([]axis, len(shape))
	}
	axes = axes[:len(shape)]
	for k, v := range views {
		if !slices.Equal(v.Shape, shape) {
			return nil, fmt.Errorf("a kernel cannot take arrays of shapes %v and %v", shape, v.Shape)
		}
		for i := range shape {
			axes[i].size, axes[i].strides[k] = shape[i], v.Strides[i]
		}
	}
	return axes, nil
}

// collapse returns the number of elements, and as few axes as have them in the same order: axes of one element go, and those that
// follow one another in memory become one. They are in the place of the axes.
func collapse(axes []axis) (count uint64, fewer []axis) {
	count = 1
	for _, x := range axes {
		count *= uint64(x.size)
	}
	if count == 0 {
		return 0, nil
	}
	fewer = axes[:0]
	for _, x := range axes {
		if x.size == 1 {
			continue
		}
		if last := len(fewer) - 1; last >= 0 && follows(fewer[last], x) {
			fewer[last] = axis{fewer[last].size * x.size, x.strides}
			continue
		}
		fewer = append(fewer, x)
	}
	return count, fewer
}

// follows reports whether a step along x is as far, for all operands, as going along all of y, the next axis.
func follows(x, y axis) bool {
	if x.size > math.MaxInt/y.size {
		return false
	}
	for k := range x.strides {
		if x.strides[k] != y.strides[k]*y.size {
			return false
		}
	}
	return true
}
