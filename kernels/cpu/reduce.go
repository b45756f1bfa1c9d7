package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// Reductions follow one tree, which depends on the number of reduced elements alone; layouts, threads and instruction sets only
// decide who computes which part of it. The reduced elements of an output, in row-major order, are cut into leaves of 256. In a
// leaf the element i is accumulated in lane i%16, in order; then lane i+8 joins lane i, i+4 joins i, i+2 joins i, and 1 joins
// 0, as far as these lanes have elements. Leaves join pairwise: neighbours, then pairs of neighbours, and so on, until what is
// left is joined from the right. The error of a sum thus grows with the logarithm of the number of elements (Higham, "The
// accuracy of floating point summation", SIAM Journal on Scientific Computing 14(4), 1993).
const (
	lanes = 16
	leaf  = 256
	// segment is the part of a long reduction that one thread does at a time: complete subtrees of that many elements. Shorter
	// reductions have shorter segments.
	segment = 256 * leaf
	// manyOutputs is the number of outputs from which on no reduction is cut into segments.
	manyOutputs = 64
)

// fold is a reduction of elements A to partial results S. Its functions may use the workspace; they get at least one element.
type fold[A, S any] struct {
	// leaf reduces at most 256 elements; the first of them has the number first.
	leaf func(w *workspace, x []A, first int) S
	// run, if not nil, is what leaf and join make of any number of elements; first is a multiple of 256.
	run func(w *workspace, x []A, first int) S
	// longRows, if not nil, is run for rows of count elements, more than 256, that are stride bytes apart, to an element of dst each.
	longRows func(w *workspace, dst []S, x unsafe.Pointer, stride, count int)
	join     func(a, b S) S
	// leaves, if not nil, is leaf for as many whole leaves, one after the other, as dst has elements, at most 16.
	leaves func(w *workspace, dst []S, x []A)
	// columns, if not nil, is leaf for neighbouring outputs, one for each element of dst: count rows, stride bytes apart.
	columns func(w *workspace, dst []S, x unsafe.Pointer, stride, count, first int)
	// shortRows, if not nil, returns leaf for the outputs of rows of count elements, stride bytes apart; nil where there is none.
	shortRows func() shortRows[S]
	// joinAll, if not nil, is join of all pairs of elements, in place of a; both have room for a whole multiple of fewest.
	joinAll func(a, b []S)
	// passes is how often columns goes over its rows, which makes them shorter; 0 is once.
	passes int
	// unordered says that the order of elements does not matter, so that leaves may be shorter.
	unordered bool
	// unloaded, if not nil, reduces count elements that lie one after the other before they are loaded as As.
	unloaded func(x unsafe.Pointer, count int) S
	// final says that results are the partial results as they are, if there are elements.
	final bool
}

// shortRows reduces rows of count neighbouring elements, at most 256, that are stride bytes apart, to an element of dst each.
type shortRows[S any] func(w *workspace, dst []S, x unsafe.Pointer, stride, count int)

// reducer is a fold of an array.
type reducer[A, S any] struct {
	fold[A, S]
	// load converts the elements at src to As; nil if they are As already.
	load  loader[A]
	store results[S]
}

// results write the totals that count elements each were reduced to. If count is zero, totals are zero Ss.
type results[S any] struct {
	one func(dst unsafe.Pointer, total S, count int)
	all func(dst unsafe.Pointer, stride int, totals []S, count int) // stride bytes apart
}

// kernel reduces the last Integers[0] axes of Inputs[0] into Outputs[0].
func (r reducer[A, S]) kernel(t *parallel.Thread, a *device.Arguments) error {
	if int(a.Integers[0]) == len(a.Inputs[0].Shape) {
		if count, line := rowMajorCount(a.Inputs[0]); line && count > 0 {
			r.line(t, a, count)
			return nil
		}
		if count, stride, line := stridedCount(a.Inputs[0]); line && count > 0 && count <= rowSegment(1, count) {
			r.strided(a, count, stride)
			return nil
		}
	}
	if r.littleColumns(a) {
		return nil
	}
	v := newReduction(a.Outputs[0], a.Inputs[0], int(a.Integers[0]))
	outputs, count := v.kept.count, v.reduced.count
	if outputs == 0 {
		return nil
	}
	length := v.segment()
	segments := max(1, (count+length-1)/length)
	var partial []S
	if segments > 1 {
		partial = temporary[S](a, outputs*segments)
	}
	done := func(total S, output, part int, dst unsafe.Pointer) {
		if segments > 1 {
			partial[output*segments+part] = total
		} else {
			r.store.one(dst, total, count)
		}
	}
	switch {
	case count == 0:
		r.storeZeros(v)
	case v.byColumns():
		r.byColumns(t, v, segments, done)
	case r.canTurn(v):
		r.byTurnedRows(t, v)
	default:
		r.byRows(t, v, segments, done)
	}
	if segments > 1 {
		r.joinSegments(t, v, partial, segments)
	}
	return nil
}

// storeZeros writes the results of no elements.
func (r reducer[A, S]) storeZeros(v *reduction) {
	var zero S
	var c cursor
	c.seek(v.kept, 0)
	for range v.kept.count {
		r.store.one(c.pointer(0), zero, 0)
		c.advance(1)
	}
}

// joinSegments writes the results of what the segments of each output were reduced to.
func (r reducer[A, S]) joinSegments(t *parallel.Thread, v *reduction, partial []S, segments int) {
	t.ForCost(v.kept.count, light*float64(4*segments+8), func(_ *parallel.Thread, lo, hi int) {
		var c cursor
		c.seek(v.kept, lo)
		for i := lo; i < hi; i++ {
			r.store.one(c.pointer(0), r.total(partial[i*segments:(i+1)*segments]), v.reduced.count)
			c.advance(1)
		}
	})
}

// line reduces all elements of an array, which lie one after the other.
func (r reducer[A, S]) line(t *parallel.Thread, a *device.Arguments, count int) {
	length := rowSegment(1, count)
	segments := (count + length - 1) / length
	dst, from, size := a.Outputs[0].Pointer.Host, a.Inputs[0].Pointer.Host, a.Inputs[0].DType.Size()
	if segments == 1 {
		w := workspaces.Get().(*workspace)
		r.store.one(dst, r.piece(w, from, size, 0, count), count)
		workspaces.Put(w)
		return
	}
	partial := temporary[S](a, segments)
	t.ForCost(segments, light/2*float64(length), func(_ *parallel.Thread, lo, hi int) {
		w := workspaces.Get().(*workspace)
		defer workspaces.Put(w)
		for i := lo; i < hi; i++ {
			partial[i] = r.piece(w, from, size, i*length, min((i+1)*length, count))
		}
	})
	r.store.one(dst, r.total(partial), count)
}

// ReductionNanoseconds returns roughly how long one thread takes to reduce the given number of adjacent bytes that are in its
// caches.
func ReductionNanoseconds(bytes int) float64 {
	perNanosecond := 64.0
	if features.Best == features.Portable {
		perNanosecond = 4
	}
	return float64(bytes) / perNanosecond
}

// loaded is the most elements that are loaded at a time: a complete subtree.
const loaded = lanes * leaf

// loadedBytes is how many bytes of loaded elements stay in the first cache, beside what they are made of.
const loadedBytes = 16 << 10

// mostLoaded is how many As are loaded at a time: a complete subtree.
func mostLoaded[A any]() int {
	var element A
	return min(loaded, loadedBytes/int(unsafe.Sizeof(element)))
}

// piece reduces the elements [begin, end), at least one, of those of size bytes that lie one after the other.
func (r reducer[A, S]) piece(w *workspace, first unsafe.Pointer, size, begin, end int) S {
	switch {
	case r.unloaded != nil:
		return r.unloaded(unsafe.Add(first, begin*size), end-begin)
	case r.load == nil:
		return r.stretch(w, slice[A](unsafe.Add(first, begin*size), end-begin), begin)
	}
	most := mostLoaded[A]()
	total := r.together(w, unsafe.Add(first, begin*size), min(most, end-begin), begin)
	if end-begin <= most {
		return total
	}
	var s stack[S]
	s.push(total, r.join)
	for at := begin + most; at < end; at += most {
		s.push(r.together(w, unsafe.Add(first, at*size), min(most, end-at), at), r.join)
	}
	return s.total(r.join)
}

// together reduces count elements, at most mostLoaded, that lie one after the other; the first of them has the number first.
func (r reducer[A, S]) together(w *workspace, from unsafe.Pointer, count, first int) S {
	switch {
	case r.unloaded != nil:
		return r.unloaded(from, count)
	case r.load == nil:
		return r.stretch(w, slice[A](from, count), first)
	}
	x := slice[A](unsafe.Pointer(&w.loaded), count)
	r.load.line(x, from)
	return r.stretch(w, x, first)
}

// strided reduces all elements of an array, at most a segment, which lie stride bytes apart: a diagonal, or a column.
func (r reducer[A, S]) strided(a *device.Arguments, count, stride int) {
	first, size := a.Inputs[0].Pointer.Host, a.Inputs[0].DType.Size()
	w := workspaces.Get().(*workspace)
	var s stack[S]
	for at := 0; at < count; at += leaf {
		part, from := min(leaf, count-at), unsafe.Add(first, at*stride)
		if stride != size {
			from = unsafe.Pointer(&w.gathered)
			move(from, size, unsafe.Add(first, at*stride), stride, part, size)
		}
		s.push(r.leaf(w, r.loaded(w, from, part), at), r.join)
	}
	r.store.one(a.Outputs[0].Pointer.Host, s.total(r.join), count)
	workspaces.Put(w)
}

// stretch reduces elements that lie one after the other.
func (f fold[A, S]) stretch(w *workspace, x []A, first int) S {
	switch {
	case len(x) <= leaf:
		return f.leaf(w, x, first)
	case f.run != nil:
		return f.run(w, x, first)
	}
	var s stack[S]
	for at := 0; at < len(x); at += leaf {
		s.push(f.leaf(w, x[at:min(at+leaf, len(x))], first+at), f.join)
	}
	return s.total(f.join)
}

// done takes the partial result of a segment, the part with that number, of an output at dst.
type done[S any] func(total S, output, part int, dst unsafe.Pointer)

// total joins the partial results of the segments of one output.
func (f fold[A, S]) total(partial []S) S {
	var s stack[S]
	for _, part := range partial {
		s.push(part, f.join)
	}
	return s.total(f.join)
}

// byRows reduces output by output.
func (r reducer[A, S]) byRows(t *parallel.Thread, v *reduction, segments int, done done[S]) {
	length := v.segment()
	cost := light/2*float64(min(v.reduced.count, length)) + 20
	t.ForCost(v.kept.count*segments, cost, func(_ *parallel.Thread, lo, hi int) {
		w := workspaces.Get().(*workspace)
		defer workspaces.Put(w)
		var c cursor
		c.seek(v.kept, lo/segments)
		if together := r.rowsTogether(v); together > 1 && segments == 1 {
			r.rowsAtOnce(w, v, &c, hi-lo, together)
			return
		}
		for i := lo; i < hi; i++ {
			begin := i % segments * length
			total := r.elements(w, v.reduced, c.pointer(1), begin, min(begin+length, v.reduced.count))
			done(total, i/segments, i%segments, c.pointer(0))
			if i%segments == segments-1 {
				c.advance(1)
			}
		}
	})
}

// rowsTogether returns how many outputs, each of them a row, are reduced together; less than two if there is no way to do that.
func (r reducer[A, S]) rowsTogether(v *reduction) int {
	var element A
	switch {
	case r.longRows == nil || r.unloaded != nil || !v.reduced.operands[0].whole || v.reduced.count <= leaf:
		return 1
	case r.load == nil:
		return manyOutputs
	}
	return loadedBytes / (v.reduced.count * int(unsafe.Sizeof(element)))
}

// rowsAtOnce reduces the next outputs from where c is on, together at a time.
func (r reducer[A, S]) rowsAtOnce(w *workspace, v *reduction, c *cursor, outputs, together int) {
	for outputs > 0 {
		totals, x, stride := slice[S](unsafe.Pointer(&w.totals), min(outputs, c.rest, together)), c.pointer(1), v.kept.stride(1)
		if r.load != nil {
			x, stride = r.loadRows(w, x, stride, len(totals), v.reduced.count, v.reduced.operands[0].size)
		}
		r.longRows(w, totals, x, stride, v.reduced.count)
		r.storeAll(c, totals, v.reduced.count)
		outputs -= len(totals)
	}
}

// elements reduces the elements [begin, end), at least one, of the output whose first element is at the address.
func (r reducer[A, S]) elements(w *workspace, reduced *nest, first unsafe.Pointer, begin, end int) S {
	input := &reduced.operands[0]
	if input.whole {
		return r.piece(w, first, input.size, begin, end)
	}
	if end-begin <= leaf {
		return r.leaf(w, r.gather(w, reduced, first, begin, end-begin), begin)
	}
	var s stack[S]
	from, most := unsafe.Pointer(&w.transposed), mostLoaded[A]()
	for at := begin; at < end; at += most {
		count := min(most, end-at)
		reduced.gatherFrom(from, first, 0, at, count)
		s.push(r.together(w, from, count, at), r.join)
	}
	return s.total(r.join)
}

// gather returns count elements, at most 256, that stay valid until the next call and are not to be changed.
func (r reducer[A, S]) gather(w *workspace, reduced *nest, first unsafe.Pointer, at, count int) []A {
	input := &reduced.operands[0]
	from := unsafe.Pointer(&w.gathered)
	if inner := reduced.inner(); reduced.stride(0) == input.size && at%inner+count <= inner {
		var c cursor
		c.seek(reduced, at)
		from = unsafe.Add(first, c.offsets[0])
	} else {
		reduced.gatherFrom(from, first, 0, at, count)
	}
	return r.loaded(w, from, count)
}

// loaded returns count elements at the address as As.
func (r reducer[A, S]) loaded(w *workspace, from unsafe.Pointer, count int) []A {
	if r.load == nil {
		return slice[A](from, count)
	}
	x := slice[A](unsafe.Pointer(&w.loaded), count)
	r.load.line(x, from)
	return x
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

// segment returns the elements of a segment.
func (v *reduction) segment() int {
	if v.byColumns() {
		return columnSegment(v.kept.count, v.reduced.count)
	}
	return rowSegment(v.kept.count, v.reduced.count)
}

func rowSegment(outputs, count int) int {
	if outputs >= manyOutputs {
		return max(count, 1)
	}
	length := segment / 8
	for length < segment && length*64 < count {
		length *= 2
	}
	return length
}

// ReductionScratch returns how many bytes of temporary memory the kernel of a reduction takes at most, which reduces count
// elements to each output and has partial results of size bytes.
func ReductionScratch(outputs, count, size int) int {
	segments := 1
	for _, length := range []int{rowSegment(outputs, count), columnSegment(outputs, count)} {
		segments = max(segments, (count+length-1)/length)
	}
	if segments == 1 {
		return 0
	}
	return demand(outputs * segments * size)
}

func same[S any](total S, _ int) S { return total }

// storing is the store of results that finish makes.
func storing[S, D any](finish func(total S, count int) D) results[S] {
	return results[S]{func(dst unsafe.Pointer, total S, count int) {
		*(*D)(dst) = finish(total, count)
	}, func(dst unsafe.Pointer, stride int, totals []S, count int) {
		for i, total := range totals {
			*(*D)(unsafe.Add(dst, i*stride)) = finish(total, count)
		}
	}}
}

// storingRows is storing with rows, which writes results that lie one after the other and may change the totals.
func storingRows[S, D any](finish func(total S, count int) D, rows func(dst []D, totals []S, count int)) results[S] {
	r := storing(finish)
	each := r.all
	r.all = func(dst unsafe.Pointer, stride int, totals []S, count int) {
		var result D
		if stride == int(unsafe.Sizeof(result)) {
			rows(slice[D](dst, len(totals)), totals, count)
			return
		}
		each(dst, stride, totals, count)
	}
	return r
}

// halfResults are results of type d, 16-bit floats: those of finish, or what prepare makes of all totals at once, rounded once.
func halfResults[D dtype.F16 | dtype.BF16](d dtype.DType, finish func(total float32, count int) D, prepare func(totals []float32, count int)) results[float32] {
	narrow := loading[D](dtype.Float32, d)
	return storingRows(finish, func(dst []D, totals []float32, count int) {
		if prepare != nil {
			prepare(totals, count)
		}
		narrow.line(dst, unsafe.Pointer(unsafe.SliceData(totals)))
	})
}

// loader converts rows of width elements, stride bytes apart at src, to As that follow one another in dst.
type loader[A any] func(dst []A, width int, src unsafe.Pointer, stride int)

// line makes As of elements that lie one after the other.
func (l loader[A]) line(dst []A, src unsafe.Pointer) { l(dst, len(dst), src, 0) }

// byRows makes a loader of what loads a row.
func byRows[A any](line func(dst []A, src unsafe.Pointer)) loader[A] {
	return func(dst []A, width int, src unsafe.Pointer, stride int) {
		for ; len(dst) > width; dst, src = dst[width:], unsafe.Add(src, stride) {
			line(dst[:width], src)
		}
		line(dst, src)
	}
}

// loading is the load of elements of one type as those of another, by the loop that casts them.
func loading[A any](from, to dtype.DType) loader[A] {
	find := loopNamed(castName(from, to))
	return func(dst []A, width int, src unsafe.Pointer, stride int) {
		p, r := pointers{unsafe.Pointer(unsafe.SliceData(dst)), src}, find().runner()
		if len(dst) <= width {
			r.run(len(dst), p, 0)
			return
		}
		r.runRows(len(dst)/width, width, p, [maxOperands]int{width * int(unsafe.Sizeof(dst[0])), stride}, 0)
	}
}

// loadWider is the load of elements T, which are copied where they are As, or integers of the same size.
func loadWider[A, T dtype.Real]() loader[A] {
	from, to := dtype.Of[T](), dtype.Of[A]()
	if from == to || from.IsInteger() && to.IsInteger() && from.Size() == to.Size() {
		return byRows(func(dst []A, src unsafe.Pointer) { copy(dst, slice[A](src, len(dst))) })
	}
	return loading[A](from, to)
}

var (
	loadF16, loadBF16           = loading[float32](dtype.Float16, dtype.Float32), loading[float32](dtype.BFloat16, dtype.Float32)
	loadF16Wider, loadBF16Wider = loading[float64](dtype.Float16, dtype.Float64), loading[float64](dtype.BFloat16, dtype.Float64)
)
