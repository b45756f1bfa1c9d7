package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/parallel"
)

const (
	// rowBytes is how much of a row is reduced at a time.
	rowBytes = 4096
	// fewestColumns is the number of neighbouring outputs from which on they are reduced together.
	fewestColumns = 8
	// columnUnits is about how many parts the work is cut into.
	columnUnits = 64
	// sharedColumns is the nanoseconds of work from which on every thread has a part.
	sharedColumns = 10_000
)

// byColumns reports whether neighbouring outputs have neighbouring inputs while the reduced elements lie further apart, as
// in the sum over the first axis of a row-major array. Then whole rows are joined into each other.
func (v *reduction) byColumns() bool {
	if v.reduced.count == 0 {
		return false
	}
	size := v.kept.operands[1].size
	return v.kept.inner() >= fewestColumns && v.kept.stride(1) == size && magnitude(v.reduced.stride(0)) > size
}

// littleColumns reduces the columns of a matrix of at most a leaf of rows, and so few that no thread need help, without a nest. It reports
// false, and does nothing, where the arguments are others.
func (r reducer[A, S]) littleColumns(a *device.Arguments) bool {
	output, input := &a.Outputs[0], &a.Inputs[0]
	if len(input.Shape) != 2 || a.Integers[0] != 1 || r.columns == nil || r.load != nil || !r.final {
		return false
	}
	width, count, size := input.Shape[0], input.Shape[1], input.DType.Size()
	if width < fewestColumns || width*size*max(r.passes, 1) > rowBytes || count < 1 || count > leaf || light/2*float64(width*count) > unshared ||
		input.Strides[0] != 1 || input.Strides[1] <= 1 || output.Strides[len(output.Shape)-1] != 1 {
		return false
	}
	w := workspaces.Get().(*workspace)
	r.columns(w, slice[S](output.Pointer.Host, width), input.Pointer.Host, input.Strides[1]*size, count, 0)
	workspaces.Put(w)
	return true
}

// columnSegment returns the elements of a segment: a power of two of leaves.
func columnSegment(outputs, count int) int {
	if outputs >= columnUnits*rowBytes {
		return max(count, 1)
	}
	length := 4 * leaf
	for length*columnUnits < count {
		length *= 2
	}
	return length
}

// byColumns reduces many neighbouring outputs at a time.
func (r reducer[A, S]) byColumns(t *parallel.Thread, v *reduction, segments int, done done[S]) {
	wide := r.columns != nil && len(v.reduced.shape) == 1
	most, groups := r.columnGroups(t, v, segments, wide)
	inner, length := v.kept.inner(), v.segment()
	cost := light / 2 * float64(min(v.reduced.count, length)*min(inner, most))
	t.ForCost(v.kept.count/inner*groups*segments, cost, func(_ *parallel.Thread, lo, hi int) {
		w := workspaces.Get().(*workspace)
		defer workspaces.Put(w)
		var c cursor
		s := columnStack[S]{joinAll: r.joinAll, most: most}
		if s.joinAll == nil {
			s.joinAll = r.joinEach
		}
		for unit := lo; unit < hi; unit++ {
			part := unit / groups % segments
			column := unit % groups * most
			first := unit/groups/segments*inner + column
			s.width = min(most, inner-column)
			c.seek(v.kept, first)
			r.joinRows(w, &s, v, c.pointer(1), part*length, min((part+1)*length, v.reduced.count), wide)
			totals := s.total()
			if segments == 1 {
				r.storeAll(&c, totals, v.reduced.count)
				continue
			}
			for i, total := range totals {
				done(total, first+i, part, nil)
			}
		}
	})
}

// columnGroups returns how many neighbouring outputs are reduced together at most, and how many such groups there are beside one another.
func (r reducer[A, S]) columnGroups(t *parallel.Thread, v *reduction, segments int, wide bool) (most, groups int) {
	most = lanes
	switch {
	case wide && r.load != nil && !r.unordered:
		most = r.loadedTogether() / leaf
	case wide:
		most = rowBytes / v.kept.operands[1].size / max(r.passes, 1)
	}
	inner := v.kept.inner()
	groups = (inner + most - 1) / most
	if units := v.kept.count / inner * groups * segments; light/2*float64(v.kept.count*v.reduced.count) >= sharedColumns {
		groups *= (t.NumThreads() + units - 1) / units // one for each thread at least
	}
	most = ((inner+groups-1)/groups + lanes - 1) / lanes * lanes // about the same for all
	return most, (inner + most - 1) / most
}

// joinRows puts the leaves of the reduced elements from begin up to end, of the neighbouring outputs whose inputs begin
// at first, on the stack.
func (r reducer[A, S]) joinRows(w *workspace, s *columnStack[S], v *reduction, first unsafe.Pointer, begin, end int, wide bool) {
	rows := leaf
	if wide && r.load != nil {
		rows = min(leaf, r.loadedTogether()/s.width)
	}
	for at := begin; at < end; at += rows {
		count, dst := min(rows, end-at), s.next()
		if stride := v.reduced.stride(0); wide {
			x := unsafe.Add(first, at*stride)
			if r.load != nil {
				x, stride = r.loadRows(w, x, stride, count, len(dst), v.kept.operands[1].size)
			}
			r.columns(w, dst, x, stride, count, at)
		} else {
			r.transposing(w, dst, v.reduced, first, at, count)
		}
		s.push()
	}
}

// loadedColumns is how many neighbouring outputs are reduced together where elements are loaded by leaves, if they then have 8 bytes.
const loadedColumns = 64

// loadedTogether is how many elements of neighbouring outputs are loaded at a time.
func (r reducer[A, S]) loadedTogether() int {
	var a A
	return loadedColumns * leaf * 8 / int(unsafe.Sizeof(a))
}

// loadRows loads count rows of elements of size bytes, and returns where they are, and the bytes from one to the next.
func (r reducer[A, S]) loadRows(w *workspace, x unsafe.Pointer, stride, count, width, size int) (unsafe.Pointer, int) {
	all := slice[A](unsafe.Pointer(&w.turned), count*width)
	if stride == width*size {
		r.load.line(all, x)
	} else {
		r.load(all, width, x, stride)
	}
	return unsafe.Pointer(&w.turned), width * int(unsafe.Sizeof(all[0]))
}

// storeAll writes results from where c is on, and moves c behind them.
func (r reducer[A, S]) storeAll(c *cursor, totals []S, count int) {
	stride := c.nest.stride(0)
	for len(totals) > 0 {
		part := min(c.rest, len(totals))
		if r.final && stride == c.nest.operands[0].size {
			copy(slice[S](c.pointer(0), part), totals)
		} else {
			r.store.all(c.pointer(0), stride, totals[:part], count)
		}
		totals = totals[part:]
		c.advance(part)
	}
}

func (r reducer[A, S]) joinEach(a, b []S) {
	for i := range a {
		a[i] = r.join(a[i], b[i])
	}
}

// transposing is columns for any fold and at most 16 outputs: it brings the elements of each output together.
func (r reducer[A, S]) transposing(w *workspace, dst []S, reduced *nest, first unsafe.Pointer, at, count int) {
	size := reduced.operands[0].size
	if len(reduced.shape) == 1 {
		p := plane{size: size, rows: count, columns: len(dst), dstRow: size, srcRow: reduced.stride(0), dstColumn: leaf * size, srcColumn: size, byRows: true}
		p.copy(unsafe.Pointer(&w.transposed), unsafe.Add(first, at*p.srcRow))
	} else {
		transposeAny(w, reduced, first, at, count, len(dst))
	}
	if r.leaves != nil && count == leaf {
		x := slice[A](unsafe.Pointer(&w.transposed), len(dst)*leaf)
		if r.load != nil {
			x = slice[A](unsafe.Pointer(&w.loaded), len(dst)*leaf)
			r.load.line(x, unsafe.Pointer(&w.transposed))
		}
		r.leaves(w, dst, x)
		return
	}
	for i := range dst {
		from := unsafe.Add(unsafe.Pointer(&w.transposed), i*leaf*size)
		x := slice[A](from, count)
		if r.load != nil {
			x = slice[A](unsafe.Pointer(&w.loaded), count)
			r.load.line(x, from)
		}
		dst[i] = r.leaf(w, x, at)
	}
}

// transposeAny is for rows that are not evenly far apart.
func transposeAny(w *workspace, reduced *nest, first unsafe.Pointer, at, count, width int) {
	switch reduced.operands[0].size {
	case 1:
		transposeRows[uint8](w, reduced, first, at, count, width)
	case 2:
		transposeRows[uint16](w, reduced, first, at, count, width)
	case 4:
		transposeRows[uint32](w, reduced, first, at, count, width)
	case 16:
		transposeRows[[2]uint64](w, reduced, first, at, count, width)
	default:
		transposeRows[uint64](w, reduced, first, at, count, width)
	}
}

func transposeRows[T any](w *workspace, reduced *nest, first unsafe.Pointer, at, count, width int) {
	block := slice[T](unsafe.Pointer(&w.transposed), lanes*leaf)
	var c cursor
	c.seek(reduced, at)
	for row := range count {
		to := row
		for _, v := range slice[T](unsafe.Add(first, c.offsets[0]), width) {
			block[to] = v
			to += leaf
		}
		c.advance(1)
	}
}
