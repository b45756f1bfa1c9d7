package ops

import "github.com/weft-nd/weft/kernels/cpu"

// Inverse is the inverse of square matrices.
var Inverse = Register(&Operator{
	Name: "inverse", Doc: "inverse of square matrices, by LU with partial pivoting", Inputs: []string{"a"},
	Accepts: floats, Convert: toFloat, Saves: SaveOutputs, Work: func(c *Call) int64 { return cubes(c, 2) }, Brief: briefFactoring(beforeFactoring),
	Infer: func(c *Call) {
		c.squareSize()
		c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
	},
	Lower: func(_ *Call, l *Lowered) {
		l.Scratch = cpu.EquationsScratch(layoutOf(l.Outputs[0]), layoutOf(l.Inputs[0]))
	},
	Gradient: func(r *Rule) {
		turned := r.swapLast(r.Output())
		r.Set(0, r.Neg(r.product(turned, r.product(r.Upstream(), turned))))
	},
	Samples: squareSamples,
})

// squareSamples are samples of operators on square matrices.
var squareSamples = []Sample{
	{Shapes: [][]int{{3, 3}}}, {Shapes: [][]int{{2, 2, 4, 4}}}, {Shapes: [][]int{{1, 1}}}, {Shapes: [][]int{{40, 40}}},
	{Shapes: [][]int{{0, 0}}}, {Shapes: [][]int{{0, 3, 3}}}, {Shapes: [][]int{{2, 0, 0}}},
}
