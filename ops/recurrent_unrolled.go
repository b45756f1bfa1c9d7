package ops

import (
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/storage"
)

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

// parts returns the columns of the four gates of a time, one by one.
func (s *unrolled) parts(x Value) []Value {
	all := make([]Value, 4)
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
