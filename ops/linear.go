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
// activation. Float16 and bfloat16 are computed in float32, and round once at the end.
var Linear = Register(&Operator{
	Name: "linear", Doc: "activation of alpha · x·weight plus addends, a bias for example; x (...,inputs), weight (inputs,outputs), one or two addends that broadcast to (...,outputs)",
	Inputs: []string{"x", "weight", "addends..."}, Params: LinearParams{}, Accepts: floating, Convert: toCommonFloat, Saves: SaveInputs | SaveOutputs,
	Brief: func(c *Call) bool { return isSmallProduct(c) && c.Outputs[0].elements() <= fewElements },
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
		l.Scratch = cpu.LinearScratch(layoutOf(l.Outputs[0]), views, p.Alpha)
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
	rows := func(a Value) Value {
		shape := a.Shape()
		if len(shape) == 2 {
			return a
		}
		return r.Reshape(a, []int{storage.Count(shape[:len(shape)-1]), shape[len(shape)-1]})
	}
	carried := r.Count() == 4 && p.Activation == NoActivation && slices.Equal(r.Shape(3), r.Output().Shape()) // past the layer
	if p.Activation != GeluActivation && p.Alpha == 1 && r.Wants(1) && (r.Count() == 3 || carried) && slices.Equal(r.Shape(2), r.Shape(1)[1:]) {
		own := LinearGradientParams{Rectified: p.Activation == ReluActivation, Data: r.Wants(0)}
		gradients := r.ApplyAll("linear_gradient", own, rows(r.Input(0)), r.Input(1), rows(r.Output()), rows(up))
		r.Set(1, gradients[0])
		r.Set(2, gradients[1])
		if own.Data {
			r.Set(0, r.Reshape(gradients[2], r.Shape(0)))
		}
		if carried && r.Wants(3) {
			r.Set(3, up)
		}
		return
	}
	switch p.Activation {
	case ReluActivation:
		up = r.Apply("relu_gradient", nil, r.Output(), up)
	case GeluActivation:
		operands := []Value{}
		for i := range r.Count() {
			operands = append(operands, r.Input(i))
		}
		sum := r.Apply("linear", LinearParams{NoActivation, p.Alpha}, operands...)
		up = r.Apply("gelu_gradient", nil, sum, up)
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
		r.Set(1, r.Apply("matmul", nil, r.swapLast(rows(r.Input(0))), rows(up)))
	}
}

// LinearGradientParams are the parameters of linear_gradient.
type LinearGradientParams struct {
	Rectified bool `doc:"whether the layer ends with relu"`
	Data      bool `doc:"whether the gradient of x is a result too"`
}

// LinearGradient is the gradient of a fully connected layer with a bias. The bits are those of relu_gradient, if the
// layer ends with relu, and then of matmul, sum and matmul; on CPUs the sum may be one of the sums of blocks of at most 512 rows.
var LinearGradient = Register(&Operator{
	Name: "linear_gradient", Doc: "gradients of linear, with one addend (outputs,), with respect to weight, the addend and, if wanted, x; x (rows,inputs), weight (inputs,outputs), result and upstream (rows,outputs)",
	Inputs: []string{"x", "weight", "result", "upstream"}, Params: LinearGradientParams{}, Accepts: floating, Convert: toCommonFloat, Saves: SaveInputs,
	Infer: func(c *Call) {
		x, weight := c.Inputs[0].Shape, c.Inputs[1].Shape
		if len(x) != 2 || len(weight) != 2 || x[1] != weight[0] {
			c.Fail(fault.ErrShape, fmt.Sprintf("x %s and weight %s do not fit: want (rows,inputs) and (inputs,outputs)", fault.FormatShape(x), fault.FormatShape(weight)))
		}
		c.checkShape(2, []int{x[0], weight[1]})
		c.checkShape(3, []int{x[0], weight[1]})
		c.Output(c.Inputs[0].DType, slices.Clone(weight))
		c.Output(c.Inputs[0].DType, slices.Clone(weight[1:]))
		if c.Params.(LinearGradientParams).Data {
			c.Output(c.Inputs[0].DType, slices.Clone(x))
		}
	},
	Lower: func(c *Call, l *Lowered) {
		l.Integers = []int64{cpu.LinearPlain}
		if c.Params.(LinearGradientParams).Rectified {
			l.Integers[0] = cpu.LinearRelu
		}
		views := make([]device.View, 0, 7)
		for _, v := range l.Outputs {
			views = append(views, layoutOf(v))
		}
		for _, v := range l.Inputs {
			views = append(views, layoutOf(v))
		}
		l.Scratch = cpu.LinearGradientScratch(views[:len(l.Outputs)], views[len(l.Outputs):], l.Integers[0])
	},
	Work: func(c *Call) int64 {
		return 2 * int64(len(c.Outputs)-1) * c.Inputs[0].elements() * int64(c.Inputs[1].Shape[1])
	},
	Gradient: linearSecondGradient,
	Samples: []Sample{
		{Shapes: [][]int{{2, 3}, {3, 4}, {2, 4}, {2, 4}}, Params: LinearGradientParams{false, true}},
		{Shapes: [][]int{{3, 2}, {2, 5}, {3, 5}, {3, 5}}, Params: LinearGradientParams{true, true}},
		{Shapes: [][]int{{3, 2}, {2, 1}, {3, 1}, {3, 1}}, Params: LinearGradientParams{true, false}},
		{Shapes: [][]int{{0, 2}, {2, 3}, {0, 3}, {0, 3}}, Params: LinearGradientParams{true, true}},
		{Shapes: [][]int{{2, 0}, {0, 3}, {2, 3}, {2, 3}}, Params: LinearGradientParams{false, true}},
		{Shapes: [][]int{{70, 90}, {90, 50}, {70, 50}, {70, 50}}, Params: LinearGradientParams{true, true}},
	},
})

// linearSecondGradient is the rule of linear_gradient. The results are products of the upstream gradient behind the activation, and the
// result of the layer only says where that is zero.
func linearSecondGradient(r *Rule) {
	behind := func(a Value) Value { return a }
	if r.Params().(LinearGradientParams).Rectified {
		behind = func(a Value) Value { return r.Apply("relu_gradient", nil, r.Input(2), a) }
	}
	for i := 1; i < 3; i++ { // The weight's is set below where the gradient of x is a result.
		if r.Wants(i) {
			r.Set(i, r.zerosOf(r.record.Inputs[i].Operand))
		}
	}
	up := behind(r.Input(3))
	var sum Value
	add := func(a Value) {
		if sum != nil {
			a = r.Add(sum, a)
		}
		sum = a
	}
	if weight := r.UpstreamOf(0); weight != nil {
		add(r.Apply("matmul", nil, r.Input(0), weight))
		r.Set(0, r.Apply("matmul", nil, up, r.swapLast(weight)))
	}
	if len(r.record.Outputs) > 2 && r.UpstreamOf(2) != nil {
		data := r.UpstreamOf(2)
		add(r.Apply("matmul", nil, data, r.Input(1)))
		r.Set(1, r.Apply("matmul", nil, r.swapLast(data), up))
	}
	if addend := r.UpstreamOf(1); addend != nil {
		add(r.BroadcastTo(addend, r.Shape(3)))
	}
	r.Set(3, behind(sum))
}
