package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
)

// MaskTakeParams are the parameters of mask_take.
type MaskTakeParams struct {
	Axis  int `doc:"the first axis that the mask is of, counted from the front" default:"0" min:"0"`
	Count int `doc:"how many elements of the mask are true" min:"0"`
}

// MaskPutParams are the parameters of mask_put.
type MaskPutParams struct {
	Axis      int       `doc:"the first axis that the mask is of, counted from the front" default:"0" min:"0"`
	Reduction Reduction `doc:"what becomes of what is there, and of values that come to one place" default:"none" enum:"none,add,mul,max,min"`
}

// Operators that have a mask, an array of bools, for as many axes of x as it has: those of x, from the given one on, have its
// shape. In what is taken from there, or put there, they are one axis with an element for each true one of the mask, in row-major
// order. That there are other than so many is an error of the result, found while the operator runs.
var (
	MaskTake = Register(&Operator{
		Name: "mask_take", Doc: "the parts of x where mask is true", Inputs: []string{"x", "mask"}, Params: MaskTakeParams{},
		Convert: maskAt(1), Saves: SaveInput(1),
		Infer: func(c *Call) {
			p := c.Params.(MaskTakeParams)
			x, mask := c.Inputs[0].Shape, c.checkMask(p.Axis)
			c.Output(c.Inputs[0].DType, slices.Concat(x[:p.Axis], []int{p.Count}, x[p.Axis+len(mask):]))
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(MaskTakeParams)
			l.Integers = []int64{int64(p.Axis)}
			l.Scratch = cpu.MaskScratch(layoutOf(l.Inputs[0]), layoutOf(l.Inputs[1]), layoutOf(l.Outputs[0]), p.Axis, false)
		},
		Gradient: func(r *Rule) {
			p := r.Params().(MaskTakeParams)
			r.Set(0, r.Apply("mask_put", MaskPutParams{p.Axis, ReduceNone}, r.zeros(r.Shape(0)), r.Input(1), r.Upstream()))
		},
		Samples: []Sample{
			{Shapes: [][]int{{9}, {9}}, Params: MaskTakeParams{0, 5}}, {Shapes: [][]int{{3, 4, 5}, {4, 5}}, Params: MaskTakeParams{1, 10}},
			{Shapes: [][]int{{3, 4, 5}, {3, 4}}, Params: MaskTakeParams{0, 6}}, {Shapes: [][]int{{2, 3, 4}, {3}}, Params: MaskTakeParams{1, 2}},
			{Shapes: [][]int{{0, 2}, {0}}, Params: MaskTakeParams{0, 0}}, {Shapes: [][]int{{0, 3}, {3}}, Params: MaskTakeParams{1, 2}},
			{Shapes: [][]int{{100, 100}, {100, 100}}, Params: MaskTakeParams{0, 5000}},
		},
	})

	// MaskPut may be given the memory of x for its result, and then leaves alone what the mask does not name. Values broadcast to what
	// mask_take reads, also along the axis of the elements.
	MaskPut = Register(&Operator{
		Name: "mask_put", Doc: "x with values in the parts where mask is true", Inputs: []string{"x", "mask", "values"}, Params: MaskPutParams{},
		Convert: maskAndValues, InPlace: true,
		SavesFor: func(params any) Saved {
			return savesJoined(2, params.(MaskPutParams).Reduction, SaveInput(1)) &^ SaveOutputs
		},
		Infer: func(c *Call) {
			p := c.Params.(MaskPutParams)
			c.checkMask(p.Axis)
			c.checkJoined(2, p.Reduction)
			c.checkValues(2, c.maskedShape(p.Axis))
			c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(MaskPutParams)
			l.Inputs[2] = l.Inputs[2].Broadcast(c.maskedShape(p.Axis))
			l.Integers = []int64{int64(p.Axis), p.Reduction.number()}
			l.Scratch = cpu.MaskScratch(layoutOf(l.Outputs[0]), layoutOf(l.Inputs[1]), layoutOf(l.Inputs[2]), p.Axis, p.Reduction != ReduceNone)
		},
		Gradient: func(r *Rule) {
			p := r.Params().(MaskPutParams)
			if p.Reduction != ReduceNone && p.Reduction != ReduceAdd {
				r.derive((*Rule).reducedMasked)
				return
			}
			r.Set(0, r.Upstream())
			if p.Reduction == ReduceNone {
				r.Set(0, r.Apply("mask_put", p, r.Upstream(), r.Input(1), r.Constant(0, r.Upstream())))
			}
			if !r.Wants(2) {
				return
			}
			if count := r.countMasked(p.Axis); count != 1 {
				r.Set(2, r.Apply("mask_take", MaskTakeParams{Axis: p.Axis, Count: count}, r.Upstream(), r.Input(1)))
				return
			}
			r.Set(2, r.sumMasked(p.Axis))
		},
		Samples: []Sample{
			{Shapes: [][]int{{9}, {9}, {5}}, Params: MaskPutParams{0, ReduceNone}}, {Shapes: [][]int{{9}, {9}, {5}}, Params: MaskPutParams{0, ReduceAdd}},
			{Shapes: [][]int{{3, 4, 5}, {4, 5}, {3, 10}}, Params: MaskPutParams{1, ReduceNone}}, {Shapes: [][]int{{3, 4, 5}, {3, 4}, {5}}, Params: MaskPutParams{0, ReduceNone}},
			{Shapes: [][]int{{2, 3, 4}, {3}, {2, 1, 4}}, Params: MaskPutParams{1, ReduceAdd}}, {Shapes: [][]int{{2, 3, 4}, {3}, {1, 2, 1}}, Params: MaskPutParams{1, ReduceNone}},
			{Shapes: [][]int{{7}, {7}, {}}, Params: MaskPutParams{0, ReduceNone}}, {Shapes: [][]int{{0, 2}, {0}, {2}}, Params: MaskPutParams{0, ReduceNone}},
			{Shapes: [][]int{{100, 100}, {100, 100}, {5000}}, Params: MaskPutParams{0, ReduceNone}},
			{Shapes: [][]int{{9}, {9}, {5}}, Params: MaskPutParams{0, ReduceMul}}, {Shapes: [][]int{{2, 3, 4}, {3}, {2, 1, 4}}, Params: MaskPutParams{1, ReduceMax}},
			{Shapes: [][]int{{3, 4, 5}, {3, 4}, {5}}, Params: MaskPutParams{0, ReduceMin}}, {Shapes: [][]int{{7}, {7}, {}}, Params: MaskPutParams{0, ReduceMul}},
		},
	})
)

// countMasked returns how many elements values, operand 2 of mask_put, has along the axis of the masked ones.
func (r *Rule) countMasked(axis int) int {
	return fromEnd(r.Shape(2), len(r.Shape(0))-len(r.Shape(1))-axis)
}

// besideMask returns mask with so many axes behind.
func (r *Rule) besideMask(mask Value, behind int) Value {
	return r.Reshape(mask, slices.Concat(mask.Shape(), slices.Repeat([]int{1}, behind)))
}

// reducedMasked returns what mask_put makes of its operands by a product or an extreme, in terms of operators on pairs:
// a mask names an element once.
func (r *Rule) reducedMasked(operands []Value) []Value {
	p, x, mask, values := r.Params().(MaskPutParams), operands[0], operands[1], operands[2]
	join := func(a, b Value) Value {
		switch p.Reduction {
		case ReduceMul:
			return r.Mul(a, b)
		case ReduceMax:
			return r.Apply("maximum", nil, a, b)
		}
		return r.Apply("minimum", nil, a, b)
	}
	if count := r.countMasked(p.Axis); count != 1 {
		there := r.Apply("mask_take", MaskTakeParams{p.Axis, count}, x, mask)
		return []Value{r.Apply("mask_put", MaskPutParams{p.Axis, ReduceNone}, x, mask, join(there, values))}
	}
	behind := len(x.Shape()) - p.Axis - len(mask.Shape())
	own := values.Shape()
	if at := len(own) - 1 - behind; at >= 0 { // the axis of the elements becomes those of the mask
		own = slices.Concat(own[:at], slices.Repeat([]int{1}, len(mask.Shape())), own[at+1:])
	}
	joined := join(x, r.Reshape(values, own))
	return []Value{r.Apply("where", nil, r.besideMask(mask, behind), joined, x)}
}

// sumMasked returns the sums of the upstream gradient where the mask, operand 1, is true, in place of whose axes there is one, of one
// element.
func (r *Rule) sumMasked(axis int) Value {
	mask, up := r.Input(1), r.Upstream()
	end, shape := axis+len(mask.Shape()), up.Shape()
	axes := []int{}
	for a := axis; a < end; a++ {
		axes = append(axes, a)
	}
	chosen := r.Apply("where", nil, r.besideMask(mask, len(shape)-end), up, r.Constant(0, up))
	return r.Reshape(r.Apply("sum", ReduceParams{Axes: axes}, chosen), slices.Concat(shape[:axis], []int{1}, shape[end:]))
}

// checkMask returns the shape of the mask, operand 1; it fails unless the axes of x from the given one on have it.
func (c *Call) checkMask(axis int) (mask []int) {
	x, mask := c.Inputs[0].Shape, c.Inputs[1].Shape
	if len(mask) == 0 || axis+len(mask) > len(x) || !slices.Equal(x[axis:axis+len(mask)], mask) {
		c.Fail(fault.ErrShape, fmt.Sprintf("the mask has shape %s, which is not that of the axes of x from %d on", fault.FormatShape(mask), axis))
	}
	return mask
}

// maskedShape returns the shape of the parts of x that the mask names, as far as that is known: there are as many as values has, one
// for all if that is one.
func (c *Call) maskedShape(axis int) []int {
	x, behind := c.Inputs[0].Shape, axis+len(c.Inputs[1].Shape)
	return slices.Concat(x[:axis], []int{fromEnd(c.Inputs[2].Shape, len(x)-behind)}, x[behind:])
}

// maskAt checks that operand i is of bools.
func maskAt(i int) func(c *Call) []dtype.DType {
	return func(c *Call) []dtype.DType {
		if c.Inputs[i].DType != dtype.Bool {
			c.Fail(fault.ErrDType, fmt.Sprintf("a mask of %v, want bool", c.Inputs[i].DType))
		}
		return nil
	}
}

// maskAndValues checks that operand 1 is of bools, and makes a scalar operand 2 one of the type of operand 0.
func maskAndValues(c *Call) []dtype.DType {
	maskAt(1)(c)
	return c.scalarValues(2)
}
