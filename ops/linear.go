package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/storage"
)

// LinearParams are the parameters of linear.
type LinearParams struct {
	Activation Activation `doc:"function of the sum" default:"none" enum:"none,relu,gelu"`
	Alpha      float64    `doc:"factor of the product" default:"1"`
}

// Linear is a fully connected layer with all that follows its product, done while the product is in the cache. Each step
// rounds as the operator of its own does: the bits are those of matmul, mul if alpha is not 1, add for every addend, and the
// activation.
var Linear = Register(&Operator{
	Name: "linear", Doc: "activation of alpha · x·weight plus addends, a bias for example; x (...,inputs), weight (inputs,outputs), one or two addends that broadcast to (...,outputs)",
	Inputs: []string{"x", "weight", "addends..."}, Params: LinearParams{}, Accepts: floats, Convert: toCommonFloat, Saves: SaveInputs | SaveOutputs,
	Infer: func(c *Call) {
		x, weight := c.Inputs[0].Shape, c.Inputs[1].Shape
		if len(x) == 0 || len(weight) != 2 || x[len(x)-1] != weight[0] {
			c.Fail(fault.ErrShape, fmt.Sprintf("x %s and weight %s do not fit: want (...,inputs) and (inputs,outputs)", fault.FormatShape(x), fault.FormatShape(weight)))
		}
		shape := append(slices.Clone(x[:len(x)-1]), weight[1])
		if len(c.Inputs) > 4 {
			c.Fail(fault.ErrMisuse, fmt.Sprintf("%d addends given, want one or two", len(c.Inputs)-2))
		}
		for _, addend := range c.Inputs[2:] {
			if joint := c.broadcastPair(shape, addend.Shape); !slices.Equal(joint, shape) {
				c.Fail(fault.ErrShape, fmt.Sprintf("the addend %s does not broadcast to the result %s", fault.FormatShape(addend.Shape), fault.FormatShape(shape)))
			}
		}
		c.Output(c.Inputs[0].DType, shape)
	},
	Lower: func(c *Call, l *Lowered) {
		p := c.Params.(LinearParams)
		views := []device.View{}
		for i := range l.Inputs {
			if i >= 2 {
				l.Inputs[i] = l.Inputs[i].Broadcast(c.Outputs[0].Shape)
			}
			views = append(views, layoutOf(l.Inputs[i]))
		}
		l.Scalars, l.Integers = []float64{p.Alpha}, []int64{cpu.LinearPlain}
		switch p.Activation {
		case ReluActivation:
			l.Integers[0] = cpu.LinearRelu
		case GeluActivation:
			l.Integers[0] = cpu.LinearGelu
		}
		l.Scratch = cpu.LinearScratch(layoutOf(l.Outputs[0]), views)
	},
	Work: func(c *Call) int64 {
		return 2 * c.Outputs[0].elements() * int64(c.Inputs[1].Shape[0])
	},
	Gradient: linearGradient,
	Samples: []Sample{
		{Shapes: [][]int{{2, 3}, {3, 4}, {4}}, Params: LinearParams{NoActivation, 1}},
		{Shapes: [][]int{{2, 3}, {3, 4}, {2, 4}, {4}}, Params: LinearParams{ReluActivation, 0.5}},
		{Shapes: [][]int{{5, 2, 3}, {3, 2}, {2, 1}, {5, 2, 2}}, Params: LinearParams{GeluActivation, 1}},
		{Shapes: [][]int{{3}, {3, 2}, {}}, Params: LinearParams{ReluActivation, 1}},
		{Shapes: [][]int{{0, 3}, {3, 2}, {2}}, Params: LinearParams{ReluActivation, 1}},
		{Shapes: [][]int{{2, 0}, {0, 3}, {3}}, Params: LinearParams{GeluActivation, 1}},
		{Shapes: [][]int{{70, 90}, {90, 130}, {130}}, Params: LinearParams{ReluActivation, 1}},
	},
})

// linearGradient computes the sum again where the activation needs it.
func linearGradient(r *Rule) {
	p := r.Params().(LinearParams)
	up := r.Upstream()
	switch p.Activation {
	case ReluActivation:
		up = r.Apply("relu_gradient", nil, r.Output(), up)
	case GeluActivation:
		operands := []Value{}
		for i := range r.Count() {
			operands = append(operands, r.Input(i))
		}
		sum := r.Apply("linear", LinearParams{NoActivation, p.Alpha}, operands...)
		up = r.Mul(up, r.geluSlope(sum))
	}
	for i := 2; i < r.Count(); i++ {
		if r.Wants(i) {
			r.Set(i, up)
		}
	}
	if p.Alpha != 1 {
		up = r.Scale(up, p.Alpha)
	}
	if r.Wants(0) {
		r.Set(0, r.Apply("matmul", nil, up, r.swapLast(r.Input(1))))
	}
	if r.Wants(1) {
		x := r.Input(0)
		rows := func(a Value) Value {
			shape := a.Shape()
			return r.Reshape(a, []int{storage.Count(shape[:len(shape)-1]), shape[len(shape)-1]})
		}
		r.Set(1, r.Apply("matmul", nil, r.swapLast(rows(x)), rows(up)))
	}
}
