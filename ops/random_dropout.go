package ops

import "github.com/weft-nd/weft/resource"

// DropoutParams are the parameters of dropout.
type DropoutParams struct {
	Probability float64 `doc:"probability of an element to be dropped" default:"0.5" min:"0" max:"1"`
}

// DropoutReplayParams are the parameters of dropout_replay.
type DropoutReplayParams struct {
	Probability float64 `doc:"probability of the call that is repeated" default:"0.5" min:"0" max:"1"`
	Key         uint64  `doc:"key of its ticket"`
	Sequence    uint64  `doc:"sequence of its ticket"`
}

func (p DropoutReplayParams) ticket() resource.Ticket {
	return resource.Ticket{Key: p.Key, Sequence: p.Sequence}
}

func (p DropoutReplayParams) withTicket(t resource.Ticket) any {
	p.Key, p.Sequence = t.Key, t.Sequence
	return p
}

// Dropout of training (Srivastava et al., "Dropout: a simple way to prevent neural networks from overfitting", JMLR 15, 2014),
// scaled so that inference needs none. The mask is a function of the ticket of the call: nothing is saved for the
// gradient, which makes it again.
var (
	// Of probability 1 it gives zeros. A dropped element is 0 whatever it was, NaN among them.
	Dropout = Register(&Operator{
		Name: "dropout", Doc: "x with each element set to 0 with the given probability p, the others divided by 1 − p", Inputs: []string{"x"},
		Params: DropoutParams{}, Draws: true, Accepts: floating, Convert: toFloat, Work: perElement,
		Infer: func(c *Call) { c.Output(c.Inputs[0].DType, c.Inputs[0].Shape) },
		Lower: func(c *Call, l *Lowered) { l.Scalars = []float64{c.Params.(DropoutParams).Probability} },
		Gradient: func(r *Rule) {
			r.replay(DropoutReplayParams{r.Params().(DropoutParams).Probability, r.Ticket().Key, r.Ticket().Sequence})
		},
		Samples: []Sample{
			{Shapes: [][]int{{3, 7}}, Params: DropoutParams{0.3}}, {Shapes: [][]int{{1000}}, Params: DropoutParams{0.5}}, {Shapes: [][]int{{2, 2}}, Params: DropoutParams{0}},
			{Shapes: [][]int{{5}}, Params: DropoutParams{1}}, {Shapes: [][]int{{}}, Params: DropoutParams{0.1}}, {Shapes: [][]int{{0, 3}}, Params: DropoutParams{0.5}},
		},
	})

	DropoutReplay = Register(&Operator{
		Name: "dropout_replay", Doc: "x with the elements dropped and scaled that a call of dropout did", Inputs: []string{"x"},
		Params: DropoutReplayParams{}, Accepts: floating, Convert: toFloat, Work: perElement,
		Infer: func(c *Call) { c.Output(c.Inputs[0].DType, c.Inputs[0].Shape) },
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(DropoutReplayParams)
			l.Integers, l.Scalars = []int64{int64(p.Key), int64(p.Sequence)}, []float64{p.Probability}
		},
		Gradient: func(r *Rule) { r.replay(r.Params().(DropoutReplayParams)) },
		Samples: []Sample{
			{Shapes: [][]int{{3, 7}}, Params: DropoutReplayParams{0.3, 1, 2}}, {Shapes: [][]int{{1000}}, Params: DropoutReplayParams{0.5, 1<<64 - 5, 1 << 40}},
			{Shapes: [][]int{{5}}, Params: DropoutReplayParams{1, 0, 0}}, {Shapes: [][]int{{}}, Params: DropoutReplayParams{0, 3, 4}}, {Shapes: [][]int{{0, 3}}, Params: DropoutReplayParams{0.5, 1, 1}},
		},
	})
)

// replay gives the operand the gradient of a dropout.
func (r *Rule) replay(p DropoutReplayParams) { r.Set(0, r.Apply("dropout_replay", p, r.Upstream())) }
