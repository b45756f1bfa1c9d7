package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/storage"
)

// Operators that go through sequences time by time. X has the sums that come from the inputs, all times at once, so
// that only the products of the states with the weight are left to a time. Lengths are int64, from 0 to the number of
// times: the times of a sequence behind its length are not there, their results are zero, the state stays what it was,
// and reversed sequences begin at their own ends. A length out of range is an error of the results, found while the
// operator runs.

// RecurrentParams are the parameters of lstm, gru and their gradients.
type RecurrentParams struct {
	Reverse bool `doc:"whether times are taken from the last one on"`
}

func (p RecurrentParams) flags() []bool { return []bool{p.Reverse} }

func recurrentParams(reverse bool) any { return RecurrentParams{reverse} }

// recurrentForward registers an operator that computes states, with operands x, the weight, what else there is, and the lengths.
func recurrentForward(op Operator) *Operator {
	op.Accepts, op.Convert = floating, toRecurrent(len(op.Inputs)-1)
	op.Lower = func(c *Call, l *Lowered) { lowerRecurrent(c, l, 1, nil, 0) }
	op.Work = func(c *Call) int64 { return recurrentWork(c.Inputs[0].Shape, c.Inputs[1].Shape, 1) }
	return Register(&op)
}

// recurrentBackward registers the operator of its gradients, with operands weight, the first states, the lengths, all
// states, and what else there is. Its kernel takes memory for so many further arrays of the size of all states.
func recurrentBackward(op Operator, further int) *Operator {
	lengths := slices.Index(op.Inputs, "lengths")
	op.Accepts, op.Convert, op.Saves = floating, toRecurrent(lengths), SaveInputs
	op.Lower = func(c *Call, l *Lowered) { lowerRecurrent(c, l, 0, c.Inputs[lengths+1].Shape, further) }
	op.Work = func(c *Call) int64 { return recurrentWork(c.Inputs[lengths+1].Shape, c.Inputs[0].Shape, 2) }
	return Register(&op)
}

// recurrentSlopes sets the gradients of a call by the operator that computes them. It has the operands of the given numbers (the weight,
// first states and lengths), all states, what is kept beside these, and the gradients of all results.
func (r *Rule) recurrentSlopes(operator string, operands []int, y Value, kept ...Value) {
	all := []Value{}
	for _, i := range operands {
		all = append(all, r.Input(i))
	}
	all = append(append(all, y), kept...)
	results := len(operands) - 1 // all states, and the last ones
	for i := range results {
		all = append(all, r.upstreamOr(i, r.Result(i)))
	}
	for i, v := range kept {
		all = append(all, r.upstreamOr(results+i, Operand{v.Shape(), v.DType()}))
	}
	for i, g := range r.ApplyAll(operator, r.Params(), all...) {
		r.Set(i, g)
	}
}

// upstreamOr returns the gradient of a result, zeros like it if nothing depends on it, or the call does not have it.
func (r *Rule) upstreamOr(i int, like Operand) Value {
	if i < len(r.upstream) && r.upstream[i] != nil {
		return r.upstream[i]
	}
	return r.zerosOf(like)
}

// recurrentSamples returns samples whose operands have the given shapes.
func recurrentSamples(params func(reverse bool) any, shapes func(s recurrentSizes) [][]int) (samples []Sample) {
	for _, s := range []recurrentSizes{{2, 3, 2}, {1, 1, 1}, {9, 2, 1}, {0, 2, 3}, {2, 2, 0}} {
		samples = append(samples, Sample{shapes(s), params(false)})
	}
	for _, s := range []recurrentSizes{{3, 2, 3}, {2, 0, 3}, {19, 4, 17}} {
		samples = append(samples, Sample{shapes(s), params(true)})
	}
	return samples
}

// recurrentSizes are those of a call.
type recurrentSizes struct{ sequences, times, hidden int }

func (s recurrentSizes) all(columns int) []int { return []int{s.sequences, s.times, columns} }

func (s recurrentSizes) state() []int { return []int{s.sequences, s.hidden} }

// checkRecurrent returns the sizes of a call whose operand x has so many parts, and the weight as many rows of as many columns as a part
// has. The operands from the given one on are states; the one behind is the lengths.
func (c *Call) checkRecurrent(parts, firstState, lengths int) recurrentSizes {
	x, weight := c.Inputs[0].Shape, c.Inputs[1].Shape
	if len(x) != 3 || len(weight) != 2 || weight[0] != x[2] || weight[0] != parts*weight[1] {
		c.Fail(fault.ErrShape, fmt.Sprintf("x %s and weight %s do not fit: want (sequences,times,%[3]d·hidden) and (%[3]d·hidden,hidden)", fault.FormatShape(x), fault.FormatShape(weight), parts))
	}
	s := recurrentSizes{x[0], x[1], weight[1]}
	for i := firstState; i < lengths; i++ {
		c.checkShape(i, s.state())
	}
	c.checkShape(lengths, []int{s.sequences})
	return s
}

// checkRecurrentGradient is checkRecurrent for the gradient, whose operand 0 is the weight, and y follows the lengths.
func (c *Call) checkRecurrentGradient(parts, lengths int) recurrentSizes {
	weight, y := c.Inputs[0].Shape, c.Inputs[lengths+1].Shape
	if len(y) != 3 || len(weight) != 2 || weight[1] != y[2] || weight[0] != parts*weight[1] {
		c.Fail(fault.ErrShape, fmt.Sprintf("weight %s and y %s do not fit: want (%d·hidden,hidden) and (sequences,times,hidden)", fault.FormatShape(weight), fault.FormatShape(y), parts))
	}
	s := recurrentSizes{y[0], y[1], y[2]}
	for i := 1; i < lengths; i++ {
		c.checkShape(i, s.state())
	}
	c.checkShape(lengths, []int{s.sequences})
	return s
}

// toRecurrent gives all operands their common type of floats, but the lengths, which must be int64.
func toRecurrent(lengths int) func(c *Call) []dtype.DType {
	return func(c *Call) []dtype.DType {
		if d := c.Inputs[lengths].DType; d != dtype.Int64 {
			c.Fail(fault.ErrDType, fmt.Sprintf("lengths of %v, want int64", d))
		}
		own := c.Inputs[lengths]
		c.Inputs[lengths] = c.Inputs[0]
		wanted := toCommonFloat(c)
		c.Inputs[lengths], wanted[lengths] = own, dtype.Int64
		return wanted
	}
}

// lowerRecurrent is Lower of a call whose weight is the given operand, and whose kernel takes memory for so many further arrays of the size
// of y.
func lowerRecurrent(c *Call, l *Lowered, weight int, y []int, further int) {
	views := []device.View{}
	for i, v := range slices.Concat(l.Inputs, l.Outputs) {
		if i != weight {
			views = append(views, layoutOf(v))
		}
	}
	parts := []int{l.Inputs[weight].Count()}
	for range further {
		parts = append(parts, storage.Count(y))
	}
	for _, f := range c.Params.(interface{ flags() []bool }).flags() {
		l.Integers = append(l.Integers, flag(f))
	}
	l.Scratch = cpu.RecurrentScratch(views, l.Outputs[0].DType.Size(), parts...)
}

// recurrentWork counts the operations of so many products of all times.
func recurrentWork(times, weight []int, products int64) int64 {
	return 2 * products * int64(times[0]) * int64(times[1]) * int64(storage.Count(weight))
}

// zerosOf returns zeros of a shape and an element type.
func (r *Rule) zerosOf(o Operand) Value {
	return r.BroadcastTo(r.emitter.Constant(0, o.DType), o.Shape)
}
