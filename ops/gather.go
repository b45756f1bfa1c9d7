package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/storage"
)

// TakeParams are the parameters of take.
type TakeParams struct {
	Axis int    `doc:"axis that the indices are of" default:"0"`
	Mode string `doc:"what an index out of range does" default:"raise" enum:"raise,wrap,clip"`
}

// ScatterParams are the parameters of scatter_add.
type ScatterParams struct {
	Shape []int  `doc:"shape of the result"`
	Axis  int    `doc:"axis that the indices are of" default:"0"`
	Mode  string `doc:"what an index out of range does" default:"raise" enum:"raise,wrap,clip"`
}

// OneHotParams are the parameters of one_hot.
type OneHotParams struct {
	Depth int         `doc:"number of classes" min:"0"`
	DType dtype.DType `doc:"element type of the result" default:"float32"`
}

// Operators that move elements to and from indices given by an array of any integer type. An index out of range is an error of
// the result, found while the operator runs. Those with a mode count negative indices from the end in mode raise, take indices modulo the
// length of the axis in mode wrap, and the nearest legal one in mode clip; an axis without elements has no legal one.
var (
	Take = Register(&Operator{
		Name: "take", Doc: "the parts of x along an axis that indices name", Inputs: []string{"x", "indices"}, Params: TakeParams{},
		Convert: integersAt(1), Saves: SaveInput(1),
		Infer: func(c *Call) {
			x := c.Inputs[0].Shape
			axis := c.Axis(c.Params.(TakeParams).Axis, len(x))
			c.Output(c.Inputs[0].DType, slices.Concat(x[:axis], c.Inputs[1].Shape, x[axis+1:]))
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(TakeParams)
			l.Integers = []int64{int64(c.Axis(p.Axis, len(c.Inputs[0].Shape))), indexMode(p.Mode)}
			l.Scratch = cpu.SelectionScratch(storage.Count(c.Inputs[1].Shape))
		},
		Brief: func(c *Call) bool { return c.areFew(1) },
		Gradient: func(r *Rule) {
			p := r.Params().(TakeParams)
			axis := (p.Axis + len(r.Shape(0))) % len(r.Shape(0))
			r.Set(0, r.Apply("scatter_add", ScatterParams{r.Shape(0), axis, p.Mode}, r.Upstream(), r.Input(1)))
		},
		Samples: []Sample{
			{Shapes: [][]int{{4, 3}, {5}}, Params: TakeParams{0, "wrap"}}, {Shapes: [][]int{{2, 4, 3}, {2, 2}}, Params: TakeParams{-2, "clip"}},
			{Shapes: [][]int{{4}, {}}, Params: TakeParams{0, "wrap"}}, {Shapes: [][]int{{4, 2}, {0}}, Params: TakeParams{0, "raise"}},
		},
	})

	ScatterAdd = Register(&Operator{
		Name: "scatter_add", Doc: "zeros with the parts of x along an axis added where indices name, in their order", Inputs: []string{"x", "indices"},
		Params: ScatterParams{}, Accepts: addable, Convert: integersAt(1), Saves: SaveInput(1),
		Infer: func(c *Call) {
			p := c.Params.(ScatterParams)
			c.checkSizes(p.Shape)
			axis := c.Axis(p.Axis, len(p.Shape))
			want := slices.Concat(p.Shape[:axis], c.Inputs[1].Shape, p.Shape[axis+1:])
			if !slices.Equal(want, c.Inputs[0].Shape) {
				c.Fail(fault.ErrShape, fmt.Sprintf("x has shape %s, the indices want %s", fault.FormatShape(c.Inputs[0].Shape), fault.FormatShape(want)))
			}
			c.Output(c.Inputs[0].DType, slices.Clone(p.Shape))
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(ScatterParams)
			l.Integers = []int64{int64(c.Axis(p.Axis, len(p.Shape))), indexMode(p.Mode)}
			l.Scratch = cpu.ScatterScratch(storage.Count(c.Inputs[1].Shape), p.Shape[l.Integers[0]])
		},
		Gradient: func(r *Rule) {
			p := r.Params().(ScatterParams)
			axis := (p.Axis + len(p.Shape)) % len(p.Shape)
			r.Set(0, r.Apply("take", TakeParams{axis, p.Mode}, r.Upstream(), r.Input(1)))
		},
		Samples: []Sample{
			{Shapes: [][]int{{5, 3}, {5}}, Params: ScatterParams{[]int{4, 3}, 0, "wrap"}},
			{Shapes: [][]int{{2, 2, 2, 3}, {2, 2}}, Params: ScatterParams{[]int{2, 4, 3}, 1, "clip"}},
			{Shapes: [][]int{{}, {}}, Params: ScatterParams{[]int{4}, 0, "wrap"}}, {Shapes: [][]int{{0, 2}, {0}}, Params: ScatterParams{[]int{4, 2}, 0, "raise"}},
		},
	})

	OneHot = Register(&Operator{
		Name: "one_hot", Doc: "a new last axis that is 1 at the index and 0 elsewhere", Inputs: []string{"indices"}, Params: OneHotParams{},
		Convert: integersAt(0),
		Infer: func(c *Call) {
			p := c.Params.(OneHotParams)
			if !slices.Contains(dtype.All(), p.DType) {
				c.Fail(fault.ErrDType, fmt.Sprintf("no result of %v (accepted: %v)", p.DType, dtype.All()))
			}
			c.Output(p.DType, append(slices.Clone(c.Inputs[0].Shape), p.Depth))
		},
		Lower:     func(c *Call, l *Lowered) { l.Scratch = cpu.AlongScratch(storage.Count(c.Inputs[0].Shape)) },
		Signature: func(c *Call) []dtype.DType { return []dtype.DType{c.Outputs[0].DType} },
		Samples: []Sample{
			{Shapes: [][]int{{5}}, Params: OneHotParams{4, dtype.Float32}}, {Shapes: [][]int{{2, 2}}, Params: OneHotParams{5, dtype.Int64}},
			{Shapes: [][]int{{}}, Params: OneHotParams{4, dtype.Float64}}, {Shapes: [][]int{{0}}, Params: OneHotParams{0, dtype.Float32}},
		},
	})
)

// indexMode returns the number by which kernels know what to do with an index out of range.
func indexMode(mode string) int64 {
	return int64(slices.Index([]string{"raise", "wrap", "clip"}, mode))
}

// indicesAt makes operand i int64; it must be of an integer type.
func indicesAt(i int) func(c *Call) []dtype.DType {
	return func(c *Call) []dtype.DType {
		if !c.Inputs[i].DType.IsInteger() {
			c.Fail(fault.ErrDType, fmt.Sprintf("indices of %v, want integers", c.Inputs[i].DType))
		}
		wanted := make([]dtype.DType, len(c.Inputs))
		wanted[i] = dtype.Int64
		return wanted
	}
}

// integersAt checks that operand i is of an integer type.
func integersAt(i int) func(c *Call) []dtype.DType {
	return func(c *Call) []dtype.DType {
		if !c.Inputs[i].DType.IsInteger() {
			c.Fail(fault.ErrDType, fmt.Sprintf("indices of %v, want integers", c.Inputs[i].DType))
		}
		return nil
	}
}

// integersFrom checks that the operands from the given one on are of integer types.
func integersFrom(first int) func(c *Call) []dtype.DType {
	return func(c *Call) []dtype.DType {
		for i := first; i < len(c.Inputs); i++ {
			integersAt(i)(c)
		}
		return nil
	}
}

// integersAndValues checks that operand 1 is of an integer type, and makes a scalar operand 2 one of the type of operand 0.
func integersAndValues(c *Call) []dtype.DType {
	integersAt(1)(c)
	return c.scalarValues(2)
}

// scalarValues makes operand i, if it is a scalar, one of the type of operand 0.
func (c *Call) scalarValues(i int) []dtype.DType {
	if i >= len(c.inputs) || !c.inputs[i].IsScalar() {
		return nil
	}
	wanted := make([]dtype.DType, len(c.Inputs))
	wanted[i] = c.Inputs[0].DType
	return wanted
}
