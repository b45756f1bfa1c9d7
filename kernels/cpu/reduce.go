package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// Reductions follow one tree, which depends on the number of reduced elements alone; layouts and threads only change who
// computes which part of it. The reduced elements of an output, in row-major order, are cut into leaves of 128. In a leaf
// the element i is accumulated in lane i%8, in order; then lane i+4 joins lane i, i+2 joins i, and 1 joins 0, as far as
// these lanes have elements. Leaves join pairwise: neighbours, then pairs of neighbours, and so on, until what is left is
// joined from the right. The error of a sum thus grows with the logarithm of the number of elements (Higham, "The accuracy
// of floating point summation", SIAM Journal on Scientific Computing 14(4), 1993).
const (
	lanes = 8
	leaf  = 128
	// segment is the part of a reduction that one thread does at least: complete subtrees of that many elements.
	segment = 256 * leaf
)

// fold is a reduction of elements T by way of partial results S to a result D.
type fold[T, S, D any] struct {
	// leaf reduces at least one and at most 128 elements; the first of them has the number first.
	leaf func(x []T, first int) S
	join func(a, b S) S
	// finish makes the result of what count elements were reduced to.
	finish func(total S, count int) D
	// columns, if not nil, joins element by element; S is then T.
	columns func(dst, x, y []T)
}

// kernel reduces the last Integers[0] axes of Inputs[0] into Outputs[0]. Without elements to reduce, the result is what
// finish makes of a zero S.
func (f fold[T, S, D]) kernel(t *parallel.Thread, a *device.Arguments) error {
	r := newReduction(a.Outputs[0], a.Inputs[0], int(a.Integers[0]))
	outputs := r.kept.count
	if outputs == 0 {
		return nil
	}
	count := r.reduced.count
	segments := (count + segment - 1) / segment
	partial := make([]S, outputs*segments)
	if sums, same := any(partial).([]T); same && f.columns != nil && r.byColumns() {
		reduceColumns(t, r, f.columns, sums, segments)
	} else {
		t.ForCost(len(partial), light*float64(min(count, segment))+5, func(_ *parallel.Thread, lo, hi int) {
			f.rows(r, partial, segments, lo, hi)
		})
	}
	cost := light * float64(segments+8)
	t.ForCost(outputs, cost, func(_ *parallel.Thread, lo, hi int) {
		var c cursor
		c.seek(r.kept, lo)
		for i := lo; i < hi; i++ {
			*(*D)(c.pointer(0)) = f.finish(f.total(partial[i*segments:(i+1)*segments]), count)
			c.advance(1)
		}
	})
	return nil
}

// total joins the partial results of the segments of one output.
func (f fold[T, S, D]) total(partial []S) S {
	if len(partial) == 1 {
		return partial[0]
	}
	var s stack[S]
	for _, part := range partial {
		s.push(part, f.join)
	}
	return s.total(f.join)
}

// rows computes partial results [lo, hi), the one numbered i being segment i%segments of output i/segments.
func (f fold[T, S, D]) rows(r *reduction, partial []S, segments, lo, hi int) {
	var block [leaf]T
	input := &r.reduced.operands[0]
	var c cursor
	c.seek(r.kept, lo/segments)
	for i := lo; i < hi; i++ {
		first := c.pointer(1)
		begin := i % segments * segment
		end := min(begin+segment, r.reduced.count)
		elements := func(at, count int) []T {
			if input.whole {
				return slice[T](unsafe.Add(first, at*input.size), count)
			}
			r.reduced.gatherFrom(unsafe.Pointer(&block), first, 0, at, count)
			return block[:count]
		}
		if end-begin <= leaf {
			partial[i] = f.leaf(elements(begin, end-begin), begin)
		} else {
			var s stack[S]
			for at := begin; at < end; at += leaf {
				s.push(f.leaf(elements(at, min(leaf, end-at)), at), f.join)
			}
			partial[i] = s.total(f.join)
		}
		if i%segments == segments-1 {
			c.advance(1)
		}
	}
}

// reduction is a view split into the axes that are kept, with those of the output, and the axes that are reduced.
type reduction struct {
	kept    *nest // operand 0 is the output, operand 1 the input
	reduced *nest // operand 0 is the input, in row-major order
}

func newReduction(output, input device.View, axes int) *reduction {
	split := len(input.Shape) - axes
	kept, reduced := input, input
	kept.Shape, kept.Strides = input.Shape[:split], input.Strides[:split]
	reduced.Shape, reduced.Strides = input.Shape[split:], input.Strides[split:]
	if reduced.Count() == 0 {
		kept = output // there is no input to point into
	}
	return &reduction{newNest(output, kept), newOrderedNest(reduced)}
}

// stack holds the results of complete subtrees, larger ones below.
type stack[S any] struct {
	subtrees [64]S
	depth    int
	pushed   int
}

func (s *stack[S]) push(value S, join func(a, b S) S) {
	for merged := s.pushed; merged&1 == 1; merged >>= 1 {
		s.depth--
		value = join(s.subtrees[s.depth], value)
	}
	s.subtrees[s.depth] = value
	s.depth++
	s.pushed++
}

// total joins what is on the stack; zero if nothing was pushed.
func (s *stack[S]) total(join func(a, b S) S) S {
	if s.depth == 0 {
		var zero S
		return zero
	}
	value := s.subtrees[s.depth-1]
	for i := s.depth - 2; i >= 0; i-- {
		value = join(s.subtrees[i], value)
	}
	return value
}

func plus[T dtype.Real](a, b T) T { return a + b }

// sumLeaf is the sum of a leaf.
func sumLeaf[T dtype.Real](x []T, _ int) T {
	var lane [lanes]T
	if len(x) >= lanes {
		l0, l1, l2, l3, l4, l5, l6, l7 := x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
		for x = x[lanes:]; len(x) >= lanes; x = x[lanes:] {
			l0, l1, l2, l3 = l0+x[0], l1+x[1], l2+x[2], l3+x[3]
			l4, l5, l6, l7 = l4+x[4], l5+x[5], l6+x[6], l7+x[7]
		}
		lane = [lanes]T{l0, l1, l2, l3, l4, l5, l6, l7}
		for i, v := range x {
			lane[i] += v
		}
		l0, l1, l2, l3 = lane[0]+lane[4], lane[1]+lane[5], lane[2]+lane[6], lane[3]+lane[7]
		return (l0 + l2) + (l1 + l3)
	}
	return joinLanes(&lane, copy(lane[:], x), plus)
}

func joinLanes[T any](lane *[lanes]T, used int, join func(a, b T) T) T {
	for half := lanes / 2; half > 0; half /= 2 {
		for i := half; i < min(used, 2*half); i++ {
			lane[i-half] = join(lane[i-half], lane[i])
		}
	}
	return lane[0]
}

func same[S any](total S, _ int) S { return total }

func summing[T dtype.Real](finish func(total T, count int) T) entry {
	return entry{dtype.Of[T]().String(), fold[T, T, T]{sumLeaf[T], plus[T], finish, add[T]}.kernel}
}

var _ = register("sum", summing(same[float32]), summing(same[float64]), summing(same[int64]))

func quotient[T dtype.Float](total T, count int) T { return total / T(count) }

var _ = register("mean", summing(quotient[float32]), summing(quotient[float64]))

// maxLeaf is the maximum of a leaf; NaN if one is among the elements.
func maxLeaf[T dtype.Real](x []T, _ int) T {
	best := x[0]
	for _, v := range x[1:] {
		best = max(best, v)
	}
	return best
}

func larger[T dtype.Real](a, b T) T { return max(a, b) }

func maximal[T dtype.Real]() entry {
	return entry{dtype.Of[T]().String(), fold[T, T, T]{maxLeaf[T], larger[T], same[T], maximum[T]}.kernel}
}

var _ = register("max", maximal[float32](), maximal[float64](), maximal[int64]())
