package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// columnWidth is how many neighbouring outputs are reduced together.
const columnWidth = 128

// byColumns reports whether neighbouring outputs have neighbouring inputs while the reduced elements lie further apart, as
// in the sum over the first axis of a row-major array. Then whole rows are joined into each other.
func (r *reduction) byColumns() bool {
	kept := r.kept
	if r.reduced.count == 0 {
		return false
	}
	size := kept.operands[1].size
	return kept.inner() >= 16 && kept.stride(1) == size && magnitude(r.reduced.stride(0)) > size
}

// reduceColumns computes the partial results that fold.rows would, many outputs at a time.
func reduceColumns[T any](t *parallel.Thread, r *reduction, join func(dst, x, y []T), partial []T, segments int) {
	inner := r.kept.inner()
	groups := (inner + columnWidth - 1) / columnWidth
	rows := r.kept.count / inner
	cost := light * float64(min(r.reduced.count, segment)*min(inner, columnWidth))
	t.ForCost(rows*groups*segments, cost, func(_ *parallel.Thread, lo, hi int) {
		var c cursor
		s := columnStack[T]{join: join}
		for unit := lo; unit < hi; unit++ {
			part := unit % segments
			column := unit / segments % groups * columnWidth
			first := unit/segments/groups*inner + column
			s.width = min(columnWidth, inner-column)
			c.seek(r.kept, first)
			totals := s.segment(r.reduced, c.pointer(1), part*segment)
			for i, total := range totals {
				partial[(first+i)*segments+part] = total
			}
		}
	})
}

// columnStack is the stack of a reduction for several outputs at once.
type columnStack[T any] struct {
	width    int
	join     func(dst, x, y []T)
	lane     [lanes][columnWidth]T
	subtrees [16][columnWidth]T // a segment has 256 leaves
	depth    int
	pushed   int
}

// segment reduces the segment that begins at element begin; first is the address of element 0 of the first output.
func (s *columnStack[T]) segment(reduced *nest, first unsafe.Pointer, begin int) []T {
	s.depth, s.pushed = 0, 0
	end := min(begin+segment, reduced.count)
	if begin >= end {
		return nil
	}
	var c cursor
	c.seek(reduced, begin)
	for at := begin; at < end; at += leaf {
		count := min(leaf, end-at)
		for i := range count {
			row := slice[T](unsafe.Add(first, c.offsets[0]), s.width)
			lane := s.lane[i%lanes][:s.width]
			if i < lanes {
				copy(lane, row)
			} else {
				s.join(lane, lane, row)
			}
			c.advance(1)
		}
		s.push(min(count, lanes))
	}
	for ; s.depth > 1; s.depth-- {
		below, top := s.subtrees[s.depth-2][:s.width], s.subtrees[s.depth-1][:s.width]
		s.join(below, below, top)
	}
	return s.subtrees[0][:s.width]
}

// push joins the lanes of a leaf and puts the result on the stack.
func (s *columnStack[T]) push(used int) {
	for half := lanes / 2; half > 0; half /= 2 {
		for i := half; i < min(used, 2*half); i++ {
			to := s.lane[i-half][:s.width]
			s.join(to, to, s.lane[i][:s.width])
		}
	}
	value := s.lane[0][:s.width]
	for merged := s.pushed; merged&1 == 1; merged >>= 1 {
		s.depth--
		s.join(value, s.subtrees[s.depth][:s.width], value)
	}
	copy(s.subtrees[s.depth][:], value)
	s.depth++
	s.pushed++
}
