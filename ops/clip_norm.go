package ops

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/storage"
)

// ClipNormParams are the parameters of clip_norm.
type ClipNormParams struct {
	Most float64 `doc:"the largest norm" default:"1"`
}

// ClipNorm scales all operands by one factor, in place, where the Euclidean norm of all their elements together is
// larger than Most: to that norm (Pascanu, Mikolov and Bengio, "On the difficulty of training recurrent neural
// networks", 2013). The result is the norm before, of squares that are summed in float64. The factor is rounded to the
// element type of each operand: in float16 it is coarse below 6e-5, and 0 below 3e-8.
var ClipNorm = Register(&Operator{
	Name: "clip_norm", Doc: "scales the operands, in place, where the Euclidean norm of all elements together is larger than a limit; the result is the norm before, a 0-d float64",
	Inputs: []string{"tensors..."}, Params: ClipNormParams{}, Accepts: floating,
	Mutates: func(*Call, int) bool { return true },
	Infer: func(c *Call) {
		if most := c.Params.(ClipNormParams).Most; !(most > 0) || math.IsInf(most, 1) {
			c.Fail(fault.ErrParameter, fmt.Sprintf("the limit is %v (legal: positive and finite)", most))
		}
		for i, in := range c.Inputs {
			if !in.DType.IsFloat() {
				c.Fail(fault.ErrDType, fmt.Sprintf("operand %d is %v, want floats", i, in.DType))
			}
		}
		c.Output(dtype.Float64, nil)
	},
	Lower: func(c *Call, l *Lowered) {
		l.Scalars = []float64{c.Params.(ClipNormParams).Most}
		for _, in := range c.Inputs {
			l.Scratch = max(l.Scratch, cpu.ReductionScratch(1, storage.Count(in.Shape), 8))
		}
	},
	Samples: []Sample{
		{Shapes: [][]int{{2, 3}, {4}}, Params: ClipNormParams{1}}, {Shapes: [][]int{{3}, {}, {0, 2}}, Params: ClipNormParams{1e9}},
		{Shapes: [][]int{{0}}, Params: ClipNormParams{2}}, {Shapes: [][]int{{100, 60}, {7, 1000}, {5}}, Params: ClipNormParams{0.5}},
	},
})
