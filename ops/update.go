package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// SGDParams are the parameters of sgd.
type SGDParams struct {
	LearningRate float64 `doc:"step along the velocity"`
	Momentum     float64 `doc:"part of the velocity that stays" default:"0" min:"0"`
	WeightDecay  float64 `doc:"part of the weight that is added to the gradient" default:"0" min:"0"`
}

// SGD is one step of stochastic gradient descent with momentum on all weights of a model at once: v = momentum·v + g +
// decay·w, then w = w − rate·v. Either all weights and velocities change or none: when a gradient is in error the step is
// skipped, and its error is that of the result, a 0-d bool that is true after a step.
var SGD = Register(&Operator{
	Name: "sgd", Doc: "one step of gradient descent with momentum, in place; operands are weight and velocity pairs, then the gradients",
	Inputs: []string{"tensors..."}, Params: SGDParams{}, Accepts: floats, KeepOnSkip: true,
	Mutates: func(c *Call, i int) bool { return i < 2*(len(c.Inputs)/3) },
	Infer: func(c *Call) {
		n := len(c.Inputs) / 3
		if len(c.Inputs) == 0 || len(c.Inputs)%3 != 0 {
			c.Fail(fault.ErrMisuse, fmt.Sprintf("%d operands are not weights, velocities and gradients", len(c.Inputs)))
		}
		for i := range n {
			weight, velocity, gradient := c.Inputs[2*i], c.Inputs[2*i+1], c.Inputs[2*n+i]
			if !slices.Equal(weight.Shape, velocity.Shape) || !slices.Equal(weight.Shape, gradient.Shape) {
				c.Fail(fault.ErrShape, fmt.Sprintf("weight %d has shape %s, its velocity %s and its gradient %s", i,
					fault.FormatShape(weight.Shape), fault.FormatShape(velocity.Shape), fault.FormatShape(gradient.Shape)))
			}
			if d := c.Inputs[0].DType; weight.DType != d || velocity.DType != d || gradient.DType != d {
				c.Fail(fault.ErrDType, fmt.Sprintf("weight %d, its velocity and its gradient are not all %v", i, d))
			}
		}
		c.Output(dtype.Bool, nil)
	},
	Lower: func(c *Call, l *Lowered) {
		p := c.Params.(SGDParams)
		l.Scalars = []float64{p.LearningRate, p.Momentum, p.WeightDecay}
	},
	Samples: []Sample{
		{Shapes: [][]int{{2, 3}, {2, 3}, {4}, {4}, {2, 3}, {4}}, Params: SGDParams{LearningRate: 0.1, Momentum: 0.9, WeightDecay: 0.01}},
		{Shapes: [][]int{{}, {}, {}}, Params: SGDParams{LearningRate: 1}}, {Shapes: [][]int{{0}, {0}, {0}}, Params: SGDParams{}},
	},
})
