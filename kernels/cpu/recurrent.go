package cpu

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// recurrentRows is how many sequences go through their times together: what a time needs of them stays in the nearest cache, the weight is
// read from the second, and threads have blocks of their own, so that no time waits for another thread. Twice as many do where the weight is
// not in the second cache.
const recurrentRows = 8

// secondCache is the bytes of a weight that stays in the second cache of a processor, about.
const secondCache = 2 << 20

// Nanoseconds for an element of the state of one time, beside the product: forward, and backward.
const (
	recurrentStepCost  = 3
	recurrentSlopeCost = 4
)

// recurrent is the geometry of operators that go through sequences time by time. The sums of a time are a row for each sequence, with a
// part of hidden elements for each gate.
type recurrent struct {
	sequences, times, hidden int
	columns                  int // of the weight, turned: gates times hidden
	rows                     int // sequences of a block, at most
	reverse                  bool
	lengths                  []int // of the sequences
}

// newRecurrent reads the geometry, for so many threads, from y, of shape (sequences, times, hidden), the weight, of shape (columns, hidden),
// the lengths, and Integers[0], which is 1 if times are taken from the last one on.
func newRecurrent(threads int, a *device.Arguments, y, weight, lengths device.View) (*recurrent, error) {
	g := &recurrent{
		sequences: y.Shape[0], times: y.Shape[1], hidden: y.Shape[2], columns: weight.Shape[0], reverse: a.Integers[0] != 0, lengths: make([]int, y.Shape[0]),
	}
	g.rows = g.rowsOf(threads, weight.Count()*weight.DType.Size())
	for i := range g.lengths {
		n := *(*int64)(unsafe.Add(lengths.Pointer.Host, i*lengths.Strides[0]*lengths.DType.Size()))
		if n < 0 || n > int64(g.times) {
			return nil, dataErrorf(fault.ErrIndex, "the length of sequence %d is %d (legal: from 0 to %d)", i, n, g.times)
		}
		g.lengths[i] = int(n)
	}
	return g, nil
}

// rowsOf returns how many sequences a block has, for so many threads and bytes of the weight. No thread goes without a block that would have
// one otherwise, and bits stay the same: only a single row has other bits than one among others.
func (g *recurrent) rowsOf(threads, weight int) int {
	if weight > secondCache && g.sequences >= 2*recurrentRows*threads && g.sequences%recurrentRows != 1 {
		return 2 * recurrentRows
	}
	return recurrentRows
}

// time returns which time a step is at.
func (g *recurrent) time(step int) int {
	if g.reverse {
		return g.times - 1 - step
	}
	return step
}

// timeBefore returns the time before the given one of a sequence; ok is false at its first.
func (g *recurrent) timeBefore(sequence, time int) (before int, ok bool) {
	if g.reverse {
		return time + 1, time+1 < g.lengths[sequence]
	}
	return time - 1, time > 0
}

// blocks calls body for blocks of sequences, with the thread for its products.
func (g *recurrent) blocks(t *parallel.Thread, perElement float64, body func(t *parallel.Thread, first, count int)) {
	blocks := (g.sequences + g.rows - 1) / g.rows
	if blocks == 1 {
		body(t, 0, g.sequences)
		return
	}
	each := float64(g.rows*g.times) * (float64(float64(g.hidden)*perElement) + float64(0.01*float64(2*g.hidden*g.columns)))
	t.ForCost(blocks, each, func(_ *parallel.Thread, lo, hi int) {
		serial := parallel.Serial()
		for block := lo; block < hi; block++ {
			first := block * g.rows
			body(serial, first, min(g.rows, g.sequences-first))
		}
	})
}

// recurrentWork is the memory of a block: one goroutine's own.
type recurrentWork[T gemm.Float] struct {
	memory           []T
	sums             []T // (sequences, columns)
	h, c, part, more []T // (sequences, hidden)
	gates            []T // of one sequence: four parts
}

var recurrentWorks32, recurrentWorks64 sync.Pool

func recurrentWorks[T gemm.Float]() *sync.Pool {
	if dtype.Of[T]() == dtype.Float32 {
		return &recurrentWorks32
	}
	return &recurrentWorks64
}

func newRecurrentWork[T gemm.Float](g *recurrent) *recurrentWork[T] {
	w, ok := recurrentWorks[T]().Get().(*recurrentWork[T])
	if !ok {
		w = &recurrentWork[T]{}
	}
	states := g.rows * g.hidden
	if count := g.rows*g.columns + 4*states + 4*g.hidden; cap(w.memory) < count {
		w.memory = make([]T, count)
	}
	rest := w.memory[:cap(w.memory)]
	take := func(count int) (part []T) {
		part, rest = rest[:count], rest[count:]
		return part
	}
	w.sums, w.gates = take(g.rows*g.columns), take(4*g.hidden)
	w.h, w.c, w.part, w.more = take(states), take(states), take(states), take(states)
	return w
}

func (w *recurrentWork[T]) release() { recurrentWorks[T]().Put(w) }

// recurrentWeight is the second operand of the products of all times. Unless one time or one sequence is all, its
// columns lie in panels, each of them whole, as a product has them together: otherwise each would fetch them from the
// second cache, or from behind it, a line here and there.
type recurrentWeight[T gemm.Float] struct {
	start                 gemm.Matrix
	terms, columns, width int
}

// newRecurrentWeight returns the weight with rows for columns if it is turned.
func newRecurrentWeight[T gemm.Float](t *parallel.Thread, s *scratch, g *recurrent, weight device.View, turned bool) recurrentWeight[T] {
	if turned {
		weight = swapped(weight)
	}
	w := recurrentWeight[T]{terms: weight.Shape[0], columns: weight.Shape[1]}
	if g.times == 1 {
		w.start = gemm.Matrix{Start: weight.Pointer.Host, RowStride: weight.Strides[0], ColumnStride: weight.Strides[1]}
		w.width = w.columns
		return w
	}
	w.width = w.columns
	if g.sequences > 1 {
		w.width = min(w.columns, gemm.PanelColumns[T](g.rows))
	}
	size := weight.DType.Size()
	packed := s.take(w.terms * w.columns * size)
	w.start = gemm.Matrix{Start: packed.Host, RowStride: w.width, ColumnStride: 1}
	pack := func(first, panels, width int) {
		from := weight
		from.Pointer = from.Pointer.Add(first * weight.Strides[1] * size)
		from.Shape, from.Strides = []int{panels, w.terms, width}, []int{width * weight.Strides[1], weight.Strides[0], weight.Strides[1]}
		copyView(t, linesAt(packed.Add(first*w.terms*size), from), from)
	}
	whole := w.columns / w.width
	pack(0, whole, w.width)
	if first := whole * w.width; first < w.columns {
		pack(first, 1, w.columns-first)
	}
	return w
}

// addProduct adds the product of so many rows with the weight to c.
func (w *recurrentWeight[T]) addProduct(t *parallel.Thread, rows int, x, c []T) {
	p := gemm.Product[T]{M: rows, N: w.width, K: w.terms, Alpha: 1, A: matrixFrom(x, 0, w.terms), B: w.start, Beta: 1, C: matrixFrom(c, 0, w.columns)}
	p.Count, p.Offsets = w.columns/w.width, gemm.Strided(0, w.terms*w.width, w.width)
	p.Run(t, nil)
	if first := p.Count * w.width; first < w.columns {
		p.N, p.Count, p.Offsets = w.columns-first, 1, nil
		p.B.Start, p.B.RowStride = unsafe.Add(p.B.Start, first*w.terms*int(unsafe.Sizeof(c[0]))), p.N
		p.C = matrixFrom(c, first, w.columns)
		p.Run(t, nil)
	}
}

// addSlopes adds the products of the gradients of the sums with the weight to those of the states of the sequences that have a time; zeros
// would be no zeros where the weight is not finite.
func (w *recurrentWork[T]) addSlopes(t *parallel.Thread, g *recurrent, weight *recurrentWeight[T], first, count, time int) {
	n := g.hidden
	for i := range count {
		if time >= g.lengths[first+i] {
			copy(w.part[i*n:][:n], w.h[i*n:])
		}
	}
	weight.addProduct(t, count, w.sums, w.h)
	for i := range count {
		if time >= g.lengths[first+i] {
			copy(w.h[i*n:][:n], w.part[i*n:])
		}
	}
}

// stateRows are the rows of an array along its last axis. Those of one that repeats a single element are all the same.
type stateRows[T any] struct {
	all          []T
	length, step int
}

func (r *stateRows[T]) row(i int) []T { return r.all[i*r.step:][:r.length:r.length] }

// repeated returns the rows of an array that has the first one in all places.
func (r stateRows[T]) repeated() stateRows[T] { return stateRows[T]{r.all, r.length, 0} }

// at returns the row of a time of a sequence.
func (r *stateRows[T]) at(g *recurrent, sequence, time int) []T {
	return r.row(sequence*g.times + time)
}

// repeatsOne reports whether view has a single element in memory.
func repeatsOne(view device.View) bool {
	for axis, n := range view.Shape {
		if n > 1 && view.Strides[axis] != 0 {
			return false
		}
	}
	return true
}

func readRows[T any](t *parallel.Thread, s *scratch, view device.View) stateRows[T] {
	length := view.Shape[len(view.Shape)-1]
	if view.Count() == 0 {
		return stateRows[T]{length: length, step: length}
	}
	if !repeatsOne(view) {
		return stateRows[T]{readLines[T](t, s, view), length, length}
	}
	all := make([]T, length)
	for i := range all {
		all[i] = *(*T)(view.Pointer.Host)
	}
	return stateRows[T]{all, length, 0}
}

func writeRows[T any](t *parallel.Thread, s *scratch, view device.View) (rows stateRows[T], finish func()) {
	length := view.Shape[len(view.Shape)-1]
	if view.Count() == 0 {
		return stateRows[T]{length: length, step: length}, func() {}
	}
	all, finish := writeLines[T](t, s, view)
	return stateRows[T]{all, length, length}, finish
}

// RecurrentScratch returns the bytes of temporary memory that a kernel takes which goes through sequences: for operands
// and results, and for so many further elements of their type in each part.
func RecurrentScratch(views []device.View, size int, parts ...int) int {
	bytes := 0
	for _, v := range views {
		if !repeatsOne(v) {
			_, whole := rowMajorCount(v)
			bytes += linesDemand(v.Count(), v.DType.Size(), whole)
		}
	}
	for _, count := range parts {
		bytes += linesDemand(count, size, false)
	}
	return demand(bytes)
}
