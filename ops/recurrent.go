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

// Operators that go through sequences time by time. X has the sums that come from the inputs, all times at once, so that only the products
// of the states with the weight are left to a time. Lengths are int64, from 0 to the number of times: the times of a sequence behind its
// length are not there, their results are zero, the state stays what it was, and reversed sequences begin at their own ends. A length out of
// range is an error of the results, found while the operator runs.

// RecurrentParams are the parameters of lstm, gru and their gradients.
type RecurrentParams struct {
	Reverse bool `doc:"whether times are taken from the last one on"`
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

// lowerRecurrent is Lower of a call with these flags, whose weight is the given operand, and whose kernel takes memory for so many further
// arrays of the size of y.
func lowerRecurrent(l *Lowered, weight int, y []int, further int, flags ...bool) {
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
	for _, f := range flags {
		l.Integers = append(l.Integers, flag(f))
	}
	l.Scratch = cpu.RecurrentScratch(views, l.Outputs[0].DType.Size(), parts...)
}

// recurrentWork counts the operations of so many products of all times.
func recurrentWork(times, weight []int, products int64) int64 {
	return 2 * products * int64(times[0]) * int64(times[1]) * int64(storage.Count(weight))
}

// upstreams returns the gradients of the results, zeros for those that nothing depends on.
func (r *Rule) upstreams(count int) []Value {
	all := make([]Value, count)
	for i := range all {
		all[i] = r.zerosOf(r.Result(i))
		if i < len(r.upstream) && r.upstream[i] != nil {
			all[i] = r.upstream[i]
		}
	}
	return all
}

// zerosOf returns zeros of a shape and an element type.
func (r *Rule) zerosOf(o Operand) Value {
	return r.BroadcastTo(r.emitter.Constant(0, o.DType), o.Shape)
}

// unrolled are sequences in terms of operators, time by time.
type unrolled struct {
	r              *Rule
	times, hidden  int
	lengths, first Value
	reverse        bool
}

// newUnrolled returns the sequences with the states y, of which the first is given.
func newUnrolled(r *Rule, y, lengths, first Value, reverse bool) *unrolled {
	return &unrolled{r, y.Shape()[1], y.Shape()[2], lengths, first, reverse}
}

// time returns which time a step is at.
func (s *unrolled) time(step int) int {
	if s.reverse {
		return s.times - 1 - step
	}
	return step
}

// at returns a time of all sequences, (sequences, columns).
func (s *unrolled) at(x Value, time int) Value {
	shape := x.Shape()
	spans := []storage.Span{{Count: shape[0], Step: 1}, {Start: time, Count: 1, Step: 1}, {Count: shape[2], Step: 1}}
	return s.r.Reshape(s.r.Apply("slice", SliceParams{spans}, x), []int{shape[0], shape[2]})
}

// parts returns the columns of so many gates, one by one.
func (s *unrolled) parts(x Value, number int) []Value {
	all := make([]Value, number)
	for i := range all {
		spans := []storage.Span{{Count: x.Shape()[0], Step: 1}, {Start: i * s.hidden, Count: s.hidden, Step: 1}}
		all[i] = s.r.Apply("slice", SliceParams{spans}, x)
	}
	return all
}

// joined is the opposite of parts.
func (s *unrolled) joined(parts ...Value) Value {
	return s.r.Apply("concat", ConcatParams{1}, parts...)
}

// stacked returns an array of the given shape that has the given times.
func (s *unrolled) stacked(times []Value, like Value, columns int) Value {
	shape := []int{like.Shape()[0], 1, columns}
	if len(times) == 0 {
		return s.r.zerosOf(Operand{[]int{shape[0], 0, columns}, like.DType()})
	}
	all := make([]Value, len(times))
	for i, time := range times {
		all[i] = s.r.Reshape(time, shape)
	}
	return s.r.Apply("concat", ConcatParams{1}, all...)
}

// isThere returns a column that tells of which sequences a time is.
func (s *unrolled) isThere(time int) Value {
	longer := s.r.Apply("greater", nil, s.lengths, s.r.emitter.Constant(float64(time), dtype.Int64))
	return s.r.Reshape(longer, []int{s.lengths.Shape()[0], 1})
}

// there returns x where a time is of the sequence, else other.
func (s *unrolled) there(time int, x, other Value) Value {
	return s.r.Apply("where", nil, s.isThere(time), x, other)
}

// before returns the states before a time, of those of all times and the first.
func (s *unrolled) before(all, first Value, time int) Value {
	switch {
	case !s.reverse && time > 0:
		return s.at(all, time-1)
	case s.reverse && time+1 < s.times:
		return s.there(time+1, s.at(all, time+1), first)
	}
	return first
}

// sumOf returns the sum of values, one at least, zeros like the given operand if there is none.
func (s *unrolled) sumOf(values []Value, like Value) Value {
	if len(values) == 0 {
		return s.r.zerosOf(Operand{like.Shape(), like.DType()})
	}
	sum := values[0]
	for _, v := range values[1:] {
		sum = s.r.Add(sum, v)
	}
	return sum
}

// slopeOfSigmoid and slopeOfTanh return slopes of the functions with the result y.
func (r *Rule) slopeOfSigmoid(y Value) Value { return r.Mul(y, r.oneMinus(y)) }

func (r *Rule) slopeOfTanh(y Value) Value { return r.oneMinus(r.Apply("square", nil, y)) }
