package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/storage"
)

// TakeAlongAxisParams are the parameters of take_along_axis.
type TakeAlongAxisParams struct {
	Axis int    `doc:"axis that the indices are of" default:"-1"`
	Mode string `doc:"what an index out of range does" default:"raise" enum:"raise,wrap,clip"`
	Last bool   `doc:"give zero for an index that comes again in its line" default:"false"`
}

// PutAlongAxisParams are the parameters of put_along_axis.
type PutAlongAxisParams struct {
	Axis      int       `doc:"axis that the indices are of" default:"-1"`
	Mode      string    `doc:"what an index out of range does" default:"raise" enum:"raise,wrap,clip"`
	Reduction Reduction `doc:"what becomes of what is there, and of values that come to one place" default:"none" enum:"none,add,mul,max,min"`
}

// Operators that have an index for each element, of its line along one axis. Operands have equally many axes, and those other
// than the indexed one broadcast. Indices have any integer type; out of range they are as in take. Of several indices that
// name one element, the last one's value stays, or all are reduced in the order of the indices.
var (
	TakeAlongAxis = Register(&Operator{
		Name: "take_along_axis", Doc: "the elements of x that indices name in their line along an axis", Inputs: []string{"x", "indices"},
		Params: TakeAlongAxisParams{}, Convert: integersAt(1), Saves: SaveInput(1),
		Infer: func(c *Call) {
			axis := c.checkLines(c.Params.(TakeAlongAxisParams).Axis)
			x, indices := c.Inputs[0].Shape, c.Inputs[1].Shape
			shape := slices.Clone(c.broadcastPair(with(x, axis, 1), with(indices, axis, 1)))
			c.Output(c.Inputs[0].DType, with(shape, axis, indices[axis]))
		},
		Lower: func(c *Call, l *Lowered) {
			p, shape := c.Params.(TakeAlongAxisParams), c.Outputs[0].Shape
			axis := c.Axis(p.Axis, len(shape))
			l.Inputs[0] = l.Inputs[0].Broadcast(with(shape, axis, c.Inputs[0].Shape[axis]))
			l.Inputs[1] = l.Inputs[1].Broadcast(shape)
			l.Integers = []int64{int64(axis), indexMode(p.Mode), flag(p.Last)}
			l.Scratch = cpu.AlongScratch(storage.Count(c.Inputs[1].Shape))
		},
		Brief: func(c *Call) bool {
			return c.Outputs[0].elements() <= 256 && c.Params.(TakeAlongAxisParams).Mode != "raise"
		},
		Gradient: func(r *Rule) {
			p := r.Params().(TakeAlongAxisParams)
			axis := (p.Axis + len(r.Shape(0))) % len(r.Shape(0))
			zeros := r.zeros(with(r.Upstream().Shape(), axis, r.Shape(0)[axis]))
			r.Set(0, r.Apply("put_along_axis", PutAlongAxisParams{axis, p.Mode, addingUnless(p.Last)}, zeros, r.Input(1), r.Upstream()))
		},
		Samples: []Sample{
			{Shapes: [][]int{{4, 3}, {5, 3}}, Params: TakeAlongAxisParams{0, "raise", false}}, {Shapes: [][]int{{2, 4, 3}, {2, 1, 5}}, Params: TakeAlongAxisParams{-1, "wrap", false}},
			{Shapes: [][]int{{1, 4, 3}, {2, 6, 1}}, Params: TakeAlongAxisParams{1, "clip", false}}, {Shapes: [][]int{{6}, {5}}, Params: TakeAlongAxisParams{0, "raise", true}},
			{Shapes: [][]int{{4, 70}, {6, 70}}, Params: TakeAlongAxisParams{0, "wrap", true}}, {Shapes: [][]int{{0, 3}, {0, 3}}, Params: TakeAlongAxisParams{0, "raise", false}},
		},
	})

	// PutAlongAxis may be given the memory of x for its result, and then leaves alone what is not named.
	PutAlongAxis = Register(&Operator{
		Name: "put_along_axis", Doc: "x with values where indices name elements of their line along an axis", Inputs: []string{"x", "indices", "values"},
		Params: PutAlongAxisParams{}, Convert: integersAndValues, InPlace: true,
		SavesFor: func(params any) Saved { return savesJoined(2, params.(PutAlongAxisParams).Reduction, SaveInput(1)) },
		Infer: func(c *Call) {
			p := c.Params.(PutAlongAxisParams)
			axis := c.checkLines(p.Axis)
			c.checkJoined(2, p.Reduction)
			x, indices := c.Inputs[0].Shape, c.Inputs[1].Shape
			wanted := with(x, axis, indices[axis])
			if joint := c.broadcastPair(wanted, indices); !slices.Equal(joint, wanted) {
				c.Fail(fault.ErrShape, fmt.Sprintf("the indices, of shape %s, do not broadcast to %s", fault.FormatShape(indices), fault.FormatShape(wanted)))
			}
			c.checkValues(2, wanted)
			c.Output(c.Inputs[0].DType, x)
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(PutAlongAxisParams)
			axis := c.Axis(p.Axis, len(c.Inputs[0].Shape))
			wanted := with(c.Inputs[0].Shape, axis, c.Inputs[1].Shape[axis])
			l.Inputs[1], l.Inputs[2] = l.Inputs[1].Broadcast(wanted), l.Inputs[2].Broadcast(wanted)
			l.Integers = []int64{int64(axis), indexMode(p.Mode), p.Reduction.number()}
			l.Scratch = cpu.AlongScratch(storage.Count(c.Inputs[1].Shape))
		},
		Gradient: func(r *Rule) {
			p := r.Params().(PutAlongAxisParams)
			axis := (p.Axis + len(r.Shape(0))) % len(r.Shape(0))
			r.setJoined(2, p.Reduction, joining{
				read: func(x Value, last bool) Value {
					return r.Apply("take_along_axis", TakeAlongAxisParams{axis, p.Mode, last}, x, r.Input(1))
				},
				put: func(x, values Value, reduction Reduction) Value {
					return r.Apply("put_along_axis", PutAlongAxisParams{axis, p.Mode, reduction}, x, r.Input(1), values)
				},
			})
		},
		Samples: []Sample{
			{Shapes: [][]int{{4, 3}, {5, 3}, {5, 3}}, Params: PutAlongAxisParams{0, "raise", ReduceNone}}, {Shapes: [][]int{{4, 3}, {5, 3}, {5, 1}}, Params: PutAlongAxisParams{0, "raise", ReduceAdd}},
			{Shapes: [][]int{{2, 4, 3}, {2, 1, 5}, {}}, Params: PutAlongAxisParams{-1, "wrap", ReduceNone}}, {Shapes: [][]int{{2, 4, 3}, {1, 6, 3}, {2, 6, 3}}, Params: PutAlongAxisParams{1, "clip", ReduceAdd}},
			{Shapes: [][]int{{6}, {5}, {5}}, Params: PutAlongAxisParams{0, "raise", ReduceNone}}, {Shapes: [][]int{{4, 70}, {6, 70}, {6, 70}}, Params: PutAlongAxisParams{0, "wrap", ReduceAdd}},
			{Shapes: [][]int{{3, 2}, {0, 2}, {0, 2}}, Params: PutAlongAxisParams{0, "raise", ReduceNone}}, {Shapes: [][]int{{0}, {0}, {0}}, Params: PutAlongAxisParams{0, "raise", ReduceAdd}},
			{Shapes: [][]int{{4, 3}, {5, 3}, {5, 1}}, Params: PutAlongAxisParams{0, "raise", ReduceMul}}, {Shapes: [][]int{{2, 3, 4}, {1, 3, 9}, {2, 1, 9}}, Params: PutAlongAxisParams{2, "wrap", ReduceMul}},
			{Shapes: [][]int{{2, 4, 3}, {2, 1, 5}, {}}, Params: PutAlongAxisParams{-1, "wrap", ReduceMax}}, {Shapes: [][]int{{4, 70}, {6, 70}, {6, 70}}, Params: PutAlongAxisParams{0, "wrap", ReduceMax}},
			{Shapes: [][]int{{2, 4, 3}, {1, 6, 3}, {2, 6, 3}}, Params: PutAlongAxisParams{1, "clip", ReduceMin}}, {Shapes: [][]int{{3, 2}, {0, 2}, {0, 2}}, Params: PutAlongAxisParams{0, "raise", ReduceMul}},
		},
	})
)

// checkLines returns the axis counted from the front; it fails unless x and indices have equally many.
func (c *Call) checkLines(axis int) int {
	x, indices := c.Inputs[0].Shape, c.Inputs[1].Shape
	if len(x) != len(indices) {
		c.Fail(fault.ErrShape, fmt.Sprintf("the indices have %d axes, x %d", len(indices), len(x)))
	}
	return c.Axis(axis, len(x))
}

// checkValues fails unless the values, operand i, broadcast to the shape that the indices want.
func (c *Call) checkValues(i int, wanted []int) {
	if joint := c.broadcastPair(wanted, c.Inputs[i].Shape); !slices.Equal(joint, wanted) {
		c.Fail(fault.ErrShape, fmt.Sprintf("the values, of shape %s, do not broadcast to %s", fault.FormatShape(c.Inputs[i].Shape), fault.FormatShape(wanted)))
	}
}

// with returns shape with another length of an axis.
func with(shape []int, axis, length int) []int {
	changed := slices.Clone(shape)
	changed[axis] = length
	return changed
}

// zeros returns zeros of the given shape with the element type of the upstream gradient.
func (r *Rule) zeros(shape []int) Value {
	return r.BroadcastTo(r.Constant(0, r.Upstream()), shape)
}
