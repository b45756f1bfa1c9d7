package cpu

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// stretches give parts of an array, in row-major order, as slices: in place where they lie in one piece, otherwise through
// memory of their own, which one goroutine at a time may use.
type stretches[T any] struct {
	nest   *nest
	direct bool // all parts that are asked for lie in one piece
	block  []T
	past   bool           // parts that are whole lines go past the caches
	to     unsafe.Pointer // where the part of room goes past them, or nil
}

// newStretches returns the parts of view. What is asked for never crosses a multiple of period elements.
func newStretches[T any](view device.View, period int) stretches[T] {
	n := newOrderedNest(view)
	o := &n.operands[0]
	return stretches[T]{nest: n, direct: n.count == 0 || o.whole || n.stride(0) == o.size && n.inner()%period == 0}
}

// at returns count elements from element lo on, of an array whose first element is at first; they may be changed if they
// are put back.
func (s *stretches[T]) at(first unsafe.Pointer, lo, count int) []T {
	if s.direct {
		return slice[T](s.address(first, lo), count)
	}
	block := s.room(first, lo, count)
	s.nest.gatherFrom(unsafe.Pointer(unsafe.SliceData(block)), first, 0, lo, count)
	return block
}

// room is at, with undefined contents.
func (s *stretches[T]) room(first unsafe.Pointer, lo, count int) []T {
	if s.direct {
		at, bytes := s.address(first, lo), count*s.nest.operands[0].size
		if s.to = nil; !s.past || bytes > cached || !wholeLines(at, bytes) {
			return slice[T](at, count)
		}
		s.to = at
	}
	if cap(s.block) < count {
		s.block = make([]T, count)
	}
	return s.block[:count]
}

// put writes what at or room has returned to where it belongs.
func (s *stretches[T]) put(first unsafe.Pointer, lo, count int) {
	if s.to != nil {
		streamRow((*byte)(s.to), (*byte)(unsafe.Pointer(unsafe.SliceData(s.block))), count*s.nest.operands[0].size)
		return
	}
	if s.direct {
		return
	}
	s.nest.scatterTo(first, unsafe.Pointer(unsafe.SliceData(s.block)), 0, lo, count)
}

// cached is how many bytes of a part stay in the cache until they are put.
const cached = 1 << 18

// pastCaches makes room of a large view memory that stays in the cache, from which put stores past the caches, unless the view and
// what is read beside it stay there together: what is overwritten is not read before. After the last put finish is called.
func (s *stretches[T]) pastCaches(view device.View, beside ...device.View) {
	read := 0
	for i := range beside {
		read += beside[i].Count() * beside[i].DType.Size()
	}
	s.past = s.direct && overflowsCaches(view.Count()*view.DType.Size(), read)
}

// finish makes what was put visible to other goroutines.
func (s *stretches[T]) finish() {
	if s.past {
		storeFence()
	}
}

func (s *stretches[T]) address(first unsafe.Pointer, lo int) unsafe.Pointer {
	o := &s.nest.operands[0]
	if o.whole || s.nest.count == 0 {
		return unsafe.Add(first, lo*o.size)
	}
	for axis := len(s.nest.shape) - 1; axis > 0; axis-- {
		length := s.nest.shape[axis]
		first = unsafe.Add(first, lo%length*o.strides[axis])
		lo /= length
	}
	return unsafe.Add(first, lo*o.strides[0])
}

// assignAll writes values, in row-major order, to view.
func assignAll[T any](view device.View, values []T) {
	s := newStretches[T](view, max(1, len(values)))
	if len(values) == 0 {
		return
	}
	copy(s.room(view.Pointer.Host, 0, len(values)), values)
	s.put(view.Pointer.Host, 0, len(values))
}

// rowWork is what computes rows: one goroutine's own.
type rowWork[T dtype.Float] struct {
	*rowLoops[T]
	sums laneSums
	more laneSums // of joint loops
	p    [6]T     // parameters of loops
	pair [2][6]T  // of loops over two rows
	part []T      // memory for a part of a row
	rows [maxOperands][]T

	turned [maxOperands][]T // blocks of columnsAsRows
}

// rowWorks are those that nobody uses, of float32 and float64.
var rowWorks [2]sync.Pool

func newRowWork[T dtype.Float]() *rowWork[T] {
	w, ok := rowWorks[rowLanes[T]()/16].Get().(*rowWork[T])
	if !ok {
		w = new(rowWork[T])
	}
	*w = rowWork[T]{rowLoops: rowLoopsOf[T](), part: w.part, turned: w.turned}
	return w
}

// release keeps w for later, with its own memory but without what would keep that of arrays alive.
func (w *rowWork[T]) release() {
	w.rows = [maxOperands][]T{}
	rowWorks[rowLanes[T]()/16].Put(w)
}

// rowOverhead is the nanoseconds that a row takes beside its elements.
const rowOverhead = 20

// rowwise calls body for the rows that the last axes of views make; the first views are written, the others are read. Rows
// have at least one element. Row numbers are row-major.
func rowwise[T dtype.Float](t *parallel.Thread, nanoseconds float64, axes int, written, read []device.View,
	body func(w *rowWork[T], row int, rows *[maxOperands][]T)) {
	shape := read[0].Shape
	split := len(shape) - axes
	rows, length := product(shape[:split]), product(shape[split:])
	if rows*length == 0 {
		return
	}
	t.ForCost(rows, nanoseconds*float64(length)+rowOverhead, func(_ *parallel.Thread, lo, hi int) {
		forEachRow(written, read, split, lo, hi, body)
	})
}

func product(shape []int) int {
	count := 1
	for _, n := range shape {
		count *= n
	}
	return count
}

// direct reports whether all rows lie in one piece.
func direct[T any](rows []stretches[T]) bool {
	for i := range rows {
		if !rows[i].direct {
			return false
		}
	}
	return true
}

// forEachPlainRow is forEachRow where rows are along the last axis, lie in one piece each, and are equally far apart. It reports false, and
// does nothing, where they are not.
func forEachPlainRow[T dtype.Float](w *rowWork[T], written, read []device.View, split, lo, hi int, body func(w *rowWork[T], row int, rows *[maxOperands][]T)) bool {
	var starts [maxOperands]unsafe.Pointer
	var strides [maxOperands]int
	length, count := product(read[0].Shape[split:]), 0
	for _, views := range [...][]device.View{written, read} {
		for i := range views {
			var found bool
			if starts[count], strides[count], found = plainRows(&views[i], split); !found {
				return false
			}
			count++
		}
	}
	for row := lo; row < hi; row++ {
		for i := range count {
			w.rows[i] = slice[T](unsafe.Add(starts[i], row*strides[i]), length)
		}
		body(w, row, &w.rows)
	}
	return true
}

// plainRows returns the first row of v and how many bytes its rows are apart, where they are along the last axis, lie in one piece each,
// and are equally far apart.
func plainRows(v *device.View, split int) (start unsafe.Pointer, stride int, found bool) {
	if split != len(v.Shape)-1 {
		return nil, 0, false
	}
	_, m, found := asMatrix(*v)
	return m.Start, m.RowStride * v.DType.Size(), found && (m.ColumnStride == 1 || v.Shape[split] == 1)
}

// evenRows sets starts to the first rows of views, and returns how many bytes the rows of each are apart, where they are plain, and as far
// apart in all views.
func evenRows(views []device.View, split int, starts []unsafe.Pointer) (stride int, found bool) {
	for i := range views {
		start, apart, found := plainRows(&views[i], split)
		if !found || i > 0 && apart != stride {
			return 0, false
		}
		starts[i], stride = start, apart
	}
	return stride, true
}

// forEachRow calls body for rows [lo, hi) of those that rowwise has, each made of the axes from split on.
func forEachRow[T dtype.Float](written, read []device.View, split, lo, hi int, body func(w *rowWork[T], row int, rows *[maxOperands][]T)) {
	w := newRowWork[T]()
	defer w.release()
	if forEachPlainRow(w, written, read, split, lo, hi, body) {
		return
	}
	var outer [maxOperands]device.View
	var inner [maxOperands]stretches[T]
	length, count := product(read[0].Shape[split:]), len(written)+len(read)
	for i := range count {
		v := &outer[i]
		if i < len(written) {
			*v = written[i]
		} else {
			*v = read[i-len(written)]
		}
		inner[i] = newStretches[T](part(*v, split, len(v.Shape)), length)
		*v = part(*v, 0, split)
	}
	n := newOrderedNest(outer[:count]...)
	var rows [maxOperands][]T
	if direct(inner[:count]) && len(n.shape) == 1 {
		for row := lo; row < hi; row++ {
			for i := range n.operands {
				rows[i] = slice[T](unsafe.Add(n.operands[i].pointer, row*n.stride(i)), length)
			}
			body(w, row, &rows)
		}
		return
	}
	if columns, found := newColumnsAsRows(w, n, inner[:count], len(written), length); found {
		columns.run(lo, hi, body)
		return
	}
	var c cursor
	c.seek(n, lo)
	for row := lo; row < hi; row++ {
		for i := range count {
			if i < len(written) {
				rows[i] = inner[i].room(c.pointer(i), 0, length)
			} else {
				rows[i] = inner[i].at(c.pointer(i), 0, length)
			}
		}
		body(w, row, &rows)
		for i := range written {
			inner[i].put(c.pointer(i), 0, length)
		}
		c.advance(1)
	}
}
