package cpu

import (
	"slices"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/parallel"
)

// Scans follow an order that depends on the length of the axis alone. It is cut into blocks of 1024 elements. Within a block
// elements are joined one after the other, and to each of these the joined totals of all blocks before.
const scanBlock = 1024

// scanRows is how many blocks, of one line or of as many short ones, are scanned at a time: they do not wait for each other.
const scanRows = 4

// scanGroup is how many elements of a line are scanned at a time.
const scanGroup = scanRows * scanBlock

// scan is a cumulative operation on elements A.
type scan[A any] struct {
	// prefix replaces each element by the join of those up to it.
	prefix func(x []A)
	// group, if not nil, is prefix of each of the rows, which are equally long.
	group func(rows *[scanRows][]A)
	// step writes the joins of x and y, element by element, to dst, which may be one of them.
	step func(dst, x, y []A)
	// raise joins before with each element of x.
	raise func(x []A, before A)
}

// scanner is a scan of an array.
type scanner[A any] struct {
	scan[A]
	// load and store make As of elements of an array, and the other way round.
	load  loader[A]
	store func(dst unsafe.Pointer, x []A)
	empty A
	// plain and direct tell that elements of the array, and those of the result, are As: load or store would only copy them.
	plain, direct bool
}

// kernel scans Inputs[0] along the last axis into Outputs[0]. Outputs[1], if there is one, is filled with the result of no
// elements.
func (s scanner[A]) kernel(t *parallel.Thread, a *device.Arguments) error {
	if len(a.Outputs) > 1 {
		n := newNest(a.Outputs[1])
		var element [2]uint64
		s.store(unsafe.Pointer(&element), []A{s.empty})
		apply(t, n, 1, false, light, func(count int, p pointers) {
			move(p[0], n.operands[0].size, unsafe.Pointer(&element), 0, count, n.operands[0].size)
		})
	}
	output, input := a.Outputs[0], a.Inputs[0]
	if output.Count() == 0 {
		return nil
	}
	last := len(output.Shape) - 1
	v := &scanLines{
		nest: newNest(part(output, 0, last), part(input, 0, last)), length: output.Shape[last],
		outputStride: output.Strides[last] * output.DType.Size(), inputStride: input.Strides[last] * input.DType.Size(),
	}
	switch {
	case v.areColumns():
		s.columns(t, v)
	case v.nest.count >= 16 || v.length <= 16*scanBlock || t.NumThreads() <= 2: // longLines scans twice
		t.ForCost(v.nest.count, light*float64(v.length), func(_ *parallel.Thread, lo, hi int) {
			w := workspaces.Get().(*workspace)
			defer workspaces.Put(w)
			var c cursor
			c.seek(v.nest, lo)
			if v.length <= scanBlock && s.scan.group != nil {
				s.shortLines(w, v, &c, hi-lo)
				return
			}
			for range hi - lo {
				s.line(w, v, c.pointer(0), c.pointer(1))
				c.advance(1)
			}
		})
	default:
		s.longLines(t, v)
	}
	return nil
}

// scanLines are an output and an input, line by line.
type scanLines struct {
	nest                      *nest // of the axes that are not scanned
	length                    int
	outputStride, inputStride int // bytes
}

// group returns the addresses of a group of the line at the addresses, and its length.
func (v *scanLines) group(to, from unsafe.Pointer, number int) (unsafe.Pointer, unsafe.Pointer, int) {
	at := number * scanGroup
	return unsafe.Add(to, at*v.outputStride), unsafe.Add(from, at*v.inputStride), min(scanGroup, v.length-at)
}

func (v *scanLines) groups() int { return (v.length + scanGroup - 1) / scanGroup }

// memory returns that of so many elements that are scanned: that of the result if it can be, or else a row of the workspace.
func (s scanner[A]) memory(w *workspace, v *scanLines, to unsafe.Pointer, row, count int) []A {
	if s.isInResult(v) {
		return slice[A](to, count)
	}
	rows := slice[A](unsafe.Pointer(&w.transposed), scanGroup)
	return rows[row*scanBlock:][:count]
}

func (s scanner[A]) isInResult(v *scanLines) bool {
	return s.direct && v.outputStride == v.nest.operands[0].size
}

// fetch fills x with what is in the input.
func (s scanner[A]) fetch(w *workspace, v *scanLines, x []A, from unsafe.Pointer) {
	size := v.nest.operands[1].size
	if v.inputStride != size {
		gathered := unsafe.Pointer(&w.columns)
		move(gathered, size, from, v.inputStride, len(x), size)
		from = gathered
	}
	s.load.line(x, from)
}

// read fills x with what is in the input, joined within blocks.
func (s scanner[A]) read(w *workspace, v *scanLines, x []A, from unsafe.Pointer) {
	s.fetch(w, v, x, from)
	if len(x) == scanGroup && s.scan.group != nil {
		s.scan.group(&[scanRows][]A{x[:scanBlock], x[scanBlock:][:scanBlock], x[2*scanBlock:][:scanBlock], x[3*scanBlock:]})
		return
	}
	for block := range slices.Chunk(x, scanBlock) {
		s.prefix(block)
	}
}

// write writes what was scanned in memory to the result, if that is elsewhere.
func (s scanner[A]) write(w *workspace, v *scanLines, block []A, to unsafe.Pointer) {
	if s.isInResult(v) {
		return
	}
	size := v.nest.operands[0].size
	if v.outputStride == size {
		s.store(to, block)
		return
	}
	row := unsafe.Pointer(&w.columns)
	s.store(row, block)
	move(to, v.outputStride, row, size, len(block), size)
}

// line scans one line.
func (s scanner[A]) line(w *workspace, v *scanLines, to, from unsafe.Pointer) {
	var before A
	for number := range v.groups() {
		to, from, count := v.group(to, from, number)
		x := s.memory(w, v, to, 0, count)
		s.read(w, v, x, from)
		for at := 0; at < count; at += scanBlock {
			block := x[at:min(at+scanBlock, count)]
			if at > 0 || number > 0 {
				s.raise(block, before)
			}
			before = block[len(block)-1]
		}
		s.write(w, v, x, to)
	}
}

// shortLines scans so many lines of one block, from the cursor on.
func (s scanner[A]) shortLines(w *workspace, v *scanLines, c *cursor, count int) {
	var to [scanRows]unsafe.Pointer
	var rows [scanRows][]A
	for count > 0 {
		together := min(count, scanRows)
		for row := range together {
			to[row] = c.pointer(0)
			rows[row] = s.memory(w, v, to[row], row, v.length)
			s.fetch(w, v, rows[row], c.pointer(1))
			c.advance(1)
		}
		if together == scanRows {
			s.scan.group(&rows)
		} else {
			for _, x := range rows[:together] {
				s.prefix(x)
			}
		}
		for row := range together {
			s.write(w, v, rows[row], to[row])
		}
		count -= together
	}
}

// longLines scans few lines: first the totals of blocks are computed, then those of the blocks before each, then the results.
func (s scanner[A]) longLines(t *parallel.Thread, v *scanLines) {
	groups := v.groups()
	totals := make([][scanGroup / scanBlock]A, v.nest.count*groups)
	each := func(body func(w *workspace, i int, x []A, to, from unsafe.Pointer)) {
		t.ForCost(len(totals), light*scanGroup, func(_ *parallel.Thread, lo, hi int) {
			w := workspaces.Get().(*workspace)
			defer workspaces.Put(w)
			var c cursor
			for i := lo; i < hi; i++ {
				c.seek(v.nest, i/groups)
				to, from, count := v.group(c.pointer(0), c.pointer(1), i%groups)
				body(w, i, slice[A](unsafe.Pointer(&w.transposed), count), to, from)
			}
		})
	}
	each(func(w *workspace, i int, x []A, _, from unsafe.Pointer) {
		s.read(w, v, x, from)
		for block := range totals[i] {
			totals[i][block] = x[max(0, min(len(x), (block+1)*scanBlock)-1)]
		}
	})
	for i := range totals {
		for block := range totals[i] {
			switch {
			case block > 0:
				s.raise(totals[i][block:block+1], totals[i][block-1])
			case i%groups > 0:
				s.raise(totals[i][:1], totals[i-1][len(totals[i])-1])
			}
		}
	}
	each(func(w *workspace, i int, x []A, to, from unsafe.Pointer) {
		x = s.memory(w, v, to, 0, len(x))
		s.read(w, v, x, from)
		for at := 0; at < len(x); at += scanBlock {
			block := x[at:min(at+scanBlock, len(x))]
			switch {
			case at > 0:
				s.raise(block, totals[i][at/scanBlock-1])
			case i%groups > 0:
				s.raise(block, totals[i-1][scanGroup/scanBlock-1])
			}
		}
		s.write(w, v, x, to)
	})
}

// scanColumns is how many neighbouring lines are scanned together.
const scanColumns = 256

// areColumns reports whether neighbouring lines lie beside one another, element by element.
func (v *scanLines) areColumns() bool {
	n := v.nest
	return n.inner() >= 8 && n.stride(0) == n.operands[0].size && n.stride(1) == n.operands[1].size
}

// columns scans neighbouring lines together, row by row.
func (s scanner[A]) columns(t *parallel.Thread, v *scanLines) {
	inner := v.nest.inner()
	groups := (inner + scanColumns - 1) / scanColumns
	t.ForCost(v.nest.count/inner*groups, light/2*float64(v.length*min(inner, scanColumns)), func(_ *parallel.Thread, lo, hi int) {
		memory := make([]A, 4*scanColumns)
		var c cursor
		for unit := lo; unit < hi; unit++ {
			column := unit % groups * scanColumns
			width := min(scanColumns, inner-column)
			c.seek(v.nest, unit/groups*inner+column)
			s.neighbours(v, memory, width, c.pointer(0), c.pointer(1))
		}
	})
}

// neighbours scans neighbouring lines whose first elements are at the addresses. Own are the rows joined in a block,
// before those of all blocks before it.
func (s scanner[A]) neighbours(v *scanLines, memory []A, width int, to, from unsafe.Pointer) {
	row, own := memory[:width], memory[scanColumns:][:width]
	before, result := memory[2*scanColumns:][:width], memory[3*scanColumns:][:width]
	for i := range v.length {
		target := unsafe.Add(to, i*v.outputStride)
		if s.plain {
			row = slice[A](unsafe.Add(from, i*v.inputStride), width)
		} else {
			s.load.line(row, unsafe.Add(from, i*v.inputStride))
		}
		if s.direct {
			result = slice[A](target, width)
		}
		switch {
		case i == 0:
			copy(result, row)
		case i < scanBlock:
			s.step(result, own, row)
		case i == scanBlock:
			copy(before, own)
			own = memory[scanColumns:][:width]
			copy(own, row)
			s.step(result, before, own)
		case i%scanBlock == 0:
			s.step(before, before, own)
			copy(own, row)
			s.step(result, before, own)
		default:
			s.step(own, own, row)
			s.step(result, before, own)
		}
		if i < scanBlock {
			own = result
		}
		if !s.direct {
			s.store(target, result)
		}
	}
}
