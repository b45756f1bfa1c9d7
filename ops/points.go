package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/storage"
)

// GatherNDParams are the parameters of gather_nd.
type GatherNDParams struct {
	Batch int  `doc:"leading axes that x and the indices share" default:"0" min:"0"`
	Last  bool `doc:"give zeros for a tuple that comes again in its batch" default:"false"`
}

// ScatterNDParams are the parameters of scatter_nd.
type ScatterNDParams struct {
	Batch     int       `doc:"leading axes that x and the indices share" default:"0" min:"0"`
	Reduction Reduction `doc:"what becomes of what is there, and of values that come to one place" default:"none" enum:"none,add,mul,max,min"`
}

// TakePointsParams are the parameters of take_points.
type TakePointsParams struct {
	Last bool `doc:"give zeros for a part that is named again" default:"false"`
}

// PutPointsParams are the parameters of put_points.
type PutPointsParams struct {
	Reduction Reduction `doc:"what becomes of what is there, and of values that come to one place" default:"none" enum:"none,add,mul,max,min"`
}

// Operators that have a tuple of indices for each part of x: along the last axis of the indices, one for each axis of x behind
// the batch. Indices have any integer type; negative ones count from the end, and one out of range is an error of the result,
// found while the operator runs. Of several tuples that name one part, the last one's values stay, or all are reduced in order.
var (
	GatherND = Register(&Operator{
		Name: "gather_nd", Doc: "the parts of x that tuples of indices name", Inputs: []string{"x", "indices"},
		Params: GatherNDParams{}, Convert: integersAt(1), Saves: SaveInput(1),
		Infer: func(c *Call) { c.Output(c.Inputs[0].DType, c.pointsShape(c.Params.(GatherNDParams).Batch)) },
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(GatherNDParams)
			l.Integers = []int64{int64(p.Batch), flag(p.Last)}
			l.Scratch = cpu.SelectionScratch(tuples(c.Inputs[1].Shape))
		},
		Gradient: func(r *Rule) {
			p := r.Params().(GatherNDParams)
			r.Set(0, r.Apply("scatter_nd", ScatterNDParams{p.Batch, addingUnless(p.Last)}, r.zeros(r.Shape(0)), r.Input(1), r.Upstream()))
		},
		Samples: []Sample{
			{Shapes: [][]int{{4, 4}, {5, 2}}, Params: GatherNDParams{}}, {Shapes: [][]int{{4, 4, 3}, {2, 3, 2}}, Params: GatherNDParams{}},
			{Shapes: [][]int{{2, 4, 3}, {2, 5, 1}}, Params: GatherNDParams{1, false}}, {Shapes: [][]int{{2, 4, 3}, {2, 6, 1}}, Params: GatherNDParams{1, true}},
			{Shapes: [][]int{{4}, {1}}, Params: GatherNDParams{}}, {Shapes: [][]int{{2, 3}, {4, 0}}, Params: GatherNDParams{}}, {Shapes: [][]int{{4, 4}, {0, 2}}, Params: GatherNDParams{}},
		},
	})

	// ScatterND may be given the memory of x for its result, and then leaves alone what is not named.
	ScatterND = Register(&Operator{
		Name: "scatter_nd", Doc: "x with values in the parts that tuples of indices name", Inputs: []string{"x", "indices", "values"},
		Params: ScatterNDParams{}, Convert: integersAndValues, InPlace: true,
		SavesFor: func(params any) Saved { return savesJoined(2, params.(ScatterNDParams).Reduction, SaveInput(1)) },
		Infer: func(c *Call) {
			p := c.Params.(ScatterNDParams)
			c.checkJoined(2, p.Reduction)
			c.checkValues(2, c.pointsShape(p.Batch))
			c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(ScatterNDParams)
			l.Inputs[2] = l.Inputs[2].Broadcast(c.pointsShape(p.Batch))
			l.Integers = []int64{int64(p.Batch), p.Reduction.number()}
			l.Scratch = cpu.SelectionScratch(tuples(c.Inputs[1].Shape))
		},
		Gradient: func(r *Rule) {
			p := r.Params().(ScatterNDParams)
			r.setJoined(2, p.Reduction, joining{
				read: func(x Value, last bool) Value {
					return r.Apply("gather_nd", GatherNDParams{p.Batch, last}, x, r.Input(1))
				},
				put: func(x, values Value, reduction Reduction) Value {
					return r.Apply("scatter_nd", ScatterNDParams{p.Batch, reduction}, x, r.Input(1), values)
				},
			})
		},
		Samples: []Sample{
			{Shapes: [][]int{{4, 4}, {5, 2}, {5}}, Params: ScatterNDParams{Reduction: ReduceNone}}, {Shapes: [][]int{{4, 4, 3}, {2, 3, 2}, {3, 1}}, Params: ScatterNDParams{0, ReduceAdd}},
			{Shapes: [][]int{{2, 4, 3}, {2, 6, 1}, {2, 6, 3}}, Params: ScatterNDParams{1, ReduceNone}}, {Shapes: [][]int{{2, 4, 3}, {2, 6, 1}, {2, 6, 3}}, Params: ScatterNDParams{1, ReduceAdd}},
			{Shapes: [][]int{{4}, {9, 1}, {}}, Params: ScatterNDParams{0, ReduceAdd}}, {Shapes: [][]int{{2, 3}, {2, 0}, {2, 2, 3}}, Params: ScatterNDParams{Reduction: ReduceNone}},
			{Shapes: [][]int{{4, 4}, {0, 2}, {0}}, Params: ScatterNDParams{Reduction: ReduceNone}}, {Shapes: [][]int{{2, 3, 40}, {2, 6, 1}, {2, 6, 40}}, Params: ScatterNDParams{1, ReduceMul}},
			{Shapes: [][]int{{4}, {9, 1}, {}}, Params: ScatterNDParams{0, ReduceMul}}, {Shapes: [][]int{{4, 4, 3}, {2, 3, 2}, {3, 1}}, Params: ScatterNDParams{0, ReduceMax}},
			{Shapes: [][]int{{2, 4, 40}, {2, 6, 1}, {2, 6, 40}}, Params: ScatterNDParams{1, ReduceMin}}, {Shapes: [][]int{{4, 4}, {0, 2}, {0}}, Params: ScatterNDParams{0, ReduceMax}},
		},
	})

	// TakePoints is GatherND with the indices of each axis of x, from the first on, in an array of their own; these broadcast.
	TakePoints = Register(&Operator{
		Name: "take_points", Doc: "the parts of x that arrays of indices, one for each of its first axes, name together", Inputs: []string{"x", "indices..."},
		Params: TakePointsParams{}, Convert: integersFrom(1), Saves: SaveInputs &^ SaveInput(0),
		Infer: func(c *Call) { c.Output(c.Inputs[0].DType, c.namedShape(1)) },
		Lower: func(c *Call, l *Lowered) {
			l.Integers = []int64{flag(c.Params.(TakePointsParams).Last)}
			l.Scratch = cpu.SelectionScratch(c.broadcastIndices(l, 1))
		},
		Gradient: func(r *Rule) {
			operands := []Value{r.zeros(r.Shape(0)), r.Upstream()}
			for i := 1; i < r.Count(); i++ {
				operands = append(operands, r.Input(i))
			}
			r.Set(0, r.Apply("put_points", PutPointsParams{addingUnless(r.Params().(TakePointsParams).Last)}, operands...))
		},
		Samples: []Sample{
			{Shapes: [][]int{{4, 4}, {5}, {5}}, Params: TakePointsParams{}}, {Shapes: [][]int{{4, 4, 3}, {2, 1}, {3}}, Params: TakePointsParams{}},
			{Shapes: [][]int{{4, 4}, {6}, {1}}, Params: TakePointsParams{true}}, {Shapes: [][]int{{4, 2}, {2, 3}}, Params: TakePointsParams{}},
			{Shapes: [][]int{{4, 4, 4}, {2}, {}, {2}}, Params: TakePointsParams{}}, {Shapes: [][]int{{4, 4}, {0}, {1}}, Params: TakePointsParams{}},
		},
	})

	// PutPoints may be given the memory of x for its result, and then leaves alone what is not named. Values broadcast to what take_points
	// reads.
	PutPoints = Register(&Operator{
		Name: "put_points", Doc: "x with values in the parts that arrays of indices, one for each of its first axes, name together",
		Inputs: []string{"x", "values", "indices..."}, Params: PutPointsParams{}, InPlace: true,
		Convert: func(c *Call) []dtype.DType {
			integersFrom(2)(c)
			return c.scalarValues(1)
		},
		SavesFor: func(params any) Saved {
			return savesJoined(1, params.(PutPointsParams).Reduction, SaveInputs&^(SaveInput(0)|SaveInput(1)))
		},
		Infer: func(c *Call) {
			c.checkJoined(1, c.Params.(PutPointsParams).Reduction)
			c.checkValues(1, c.namedShape(2))
			c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
		},
		Lower: func(c *Call, l *Lowered) {
			l.Integers = []int64{c.Params.(PutPointsParams).Reduction.number()}
			l.Inputs[1] = l.Inputs[1].Broadcast(c.namedShape(2))
			l.Scratch = cpu.SelectionScratch(c.broadcastIndices(l, 2))
		},
		Gradient: func(r *Rule) {
			indices := []Value{}
			for i := 2; i < r.Count(); i++ {
				indices = append(indices, r.Input(i))
			}
			r.setJoined(1, r.Params().(PutPointsParams).Reduction, joining{
				read: func(x Value, last bool) Value {
					return r.Apply("take_points", TakePointsParams{last}, append([]Value{x}, indices...)...)
				},
				put: func(x, values Value, reduction Reduction) Value {
					return r.Apply("put_points", PutPointsParams{reduction}, append([]Value{x, values}, indices...)...)
				},
			})
		},
		Samples: []Sample{
			{Shapes: [][]int{{4, 4}, {5}, {5}, {5}}, Params: PutPointsParams{ReduceNone}}, {Shapes: [][]int{{4, 4, 3}, {3, 1}, {2, 1}, {3}}, Params: PutPointsParams{ReduceAdd}},
			{Shapes: [][]int{{4, 4}, {}, {6}, {1}}, Params: PutPointsParams{ReduceNone}}, {Shapes: [][]int{{4, 2}, {2, 3, 2}, {2, 3}}, Params: PutPointsParams{ReduceAdd}},
			{Shapes: [][]int{{4, 4, 4}, {2}, {2}, {}, {2}}, Params: PutPointsParams{ReduceNone}}, {Shapes: [][]int{{4, 4}, {0}, {0}, {1}}, Params: PutPointsParams{ReduceNone}},
			{Shapes: [][]int{{4, 4, 3}, {3, 1}, {2, 1}, {3}}, Params: PutPointsParams{ReduceMul}}, {Shapes: [][]int{{4, 4}, {6}, {6}, {1}}, Params: PutPointsParams{ReduceMax}},
			{Shapes: [][]int{{4, 2}, {2, 3, 2}, {2, 3}}, Params: PutPointsParams{ReduceMin}},
		},
	})
)

// pointsShape returns the shape of the parts of operand 0 that the tuples of operand 1 name.
func (c *Call) pointsShape(batch int) []int {
	x, indices := c.Inputs[0].Shape, c.Inputs[1].Shape
	if len(indices) <= batch || len(x) < batch || !slices.Equal(x[:batch], indices[:batch]) {
		c.Fail(fault.ErrShape, fmt.Sprintf("x and the indices do not share %d leading axes, before the tuples", batch))
	}
	last := len(indices) - 1
	if indices[last] > len(x)-batch {
		c.Fail(fault.ErrShape, fmt.Sprintf("tuples of %d indices for %d axes", indices[last], len(x)-batch))
	}
	return slices.Concat(indices[:last], x[batch+indices[last]:])
}

// tuples returns how many tuples indices of the given shape have.
func tuples(shape []int) int { return storage.Count(shape[:len(shape)-1]) }

// namedShape returns the shape of the parts of operand 0 that the indices, the operands from first on, name together.
func (c *Call) namedShape(first int) []int {
	x, indices := c.Inputs[0].Shape, c.Inputs[min(first, len(c.Inputs)):]
	switch {
	case len(indices) == 0:
		c.Fail(fault.ErrMisuse, "there are no indices")
	case len(indices) > len(x):
		c.Fail(fault.ErrShape, fmt.Sprintf("%d arrays of indices for %d axes", len(indices), len(x)))
	}
	return slices.Concat(c.jointIndices(indices), x[len(indices):])
}

// jointIndices returns the shape to which indices broadcast.
func (c *Call) jointIndices(indices []Operand) []int {
	joint := indices[0].Shape
	for _, next := range indices[1:] {
		joint = c.broadcastPair(joint, next.Shape)
	}
	return joint
}

// broadcastIndices broadcasts the operands from first on to one shape, and returns how many elements that has.
func (c *Call) broadcastIndices(l *Lowered, first int) (count int) {
	joint := c.jointIndices(c.Inputs[first:])
	for i := first; i < len(l.Inputs); i++ {
		l.Inputs[i] = l.Inputs[i].Broadcast(joint)
	}
	return storage.Count(joint)
}
