package cpu

import (
	"math"
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/calculus"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// attentionRows is how many rows of a matrix of scores are computed at a time: they stay in the cache, and most of what a causal
// attention hides is never computed.
const attentionRows = 32

// attention is the geometry of a head: queries of so many times look at keys of others, or, if it is causal, at those up to their own.
type attention struct {
	times, others int
	size, width   int // of a query or a key, and of a value
	causal        bool
}

// seen returns how many others those up to the given time look at.
func (g *attention) seen(time int) int {
	if g.causal {
		return time + 1
	}
	return g.others
}

// scoreNanoseconds is how long a score takes in products of rows of so many elements in all, and to become a weight.
func scoreNanoseconds(elements int) float64 { return 0.01*float64(elements) + exponentialRow }

// head is where one head lies. The rows of its matrices are vectors.
type head[T gemm.Float] struct {
	queries, keys, values, y gemm.Matrix
	logs                     []T // of the sums of the exponentials of the scores; −Inf of a time that sees nothing
	mask                     attentionMask[T]

	u, ofQueries, ofKeys, ofValues gemm.Matrix // gradients, that of y first
}

// attentionWork is what computes one head after the other: one goroutine's own.
type attentionWork[T gemm.Float] struct {
	attention
	rowWork[T]
	thread         *parallel.Thread // shares the work of a head; Serial where heads are shared
	memory         []T
	turned         [2][]T // keys and values by columns: size and width rows of others, none for fewTimes
	scores, slopes []T    // attentionRows rows of others, or as many as there are times, the second those of the gradient
	shifts         []T    // of these rows
	totals, spread [attentionRows]float64
	ahead          gemm.Ahead
}

var attentions32, attentions64 sync.Pool

func attentions[T gemm.Float]() *sync.Pool {
	var zero T
	if _, single := any(zero).(float32); single {
		return &attentions32
	}
	return &attentions64
}

func newAttentionWork[T gemm.Float](g attention, t *parallel.Thread) *attentionWork[T] {
	w, ok := attentions[T]().Get().(*attentionWork[T])
	if !ok {
		w = new(attentionWork[T])
	}
	w.attention, w.thread, w.rowWork.rowLoops, w.ahead = g, t, rowLoopsOf[T](), gemm.Ahead{}
	rows, columns := min(attentionRows, g.times), g.size+g.width
	if g.times <= fewTimes {
		columns = 0
	}
	if count := columns*g.others + rows*(2*g.others+1); cap(w.memory) < count {
		w.memory = make([]T, count)
	}
	rest := w.memory[:cap(w.memory)]
	take := func(count int) (part []T) {
		part, rest = rest[:count], rest[count:]
		return part
	}
	if w.turned = [2][]T{}; columns > 0 {
		w.turned = [2][]T{take(g.size * g.others), take(g.width * g.others)}
	}
	w.scores, w.slopes, w.shifts = take(rows*g.others), take(rows*g.others), take(rows)
	return w
}

func (w *attentionWork[T]) release() {
	w.thread = nil
	attentions[T]().Put(w)
}

// eachHead calls body for so many heads, each of which takes so many nanoseconds. Threads share them, or, if they are few, each of them.
func eachHead[T gemm.Float](t *parallel.Thread, g attention, heads int, nanoseconds float64, body func(w *attentionWork[T], number, first, last int)) {
	run := func(t *parallel.Thread, lo, hi int) {
		w := newAttentionWork[T](g, t)
		for number := lo; number < hi; number++ {
			body(w, number, lo, hi)
		}
		w.release()
	}
	if heads < t.NumThreads() {
		run(t, 0, heads)
		return
	}
	t.ForCost(heads, nanoseconds, func(_ *parallel.Thread, lo, hi int) { run(parallel.Serial(), lo, hi) })
}

// rowsFrom returns the rows of m from one on, and matrixRow the first element of a row.
func rowsFrom[T gemm.Float](m gemm.Matrix, row int) gemm.Matrix {
	m.Start = unsafe.Pointer(matrixRow[T](m, row))
	return m
}

func matrixRow[T gemm.Float](m gemm.Matrix, row int) *T {
	return (*T)(unsafe.Add(m.Start, row*m.RowStride*int(unsafe.Sizeof(*new(T)))))
}

// product computes c = alpha·a·b + beta·c, of so many rows, columns and terms.
func (w *attentionWork[T]) product(rows, columns, terms int, alpha T, a, b gemm.Matrix, beta T, c gemm.Matrix) {
	gemm.Product[T]{M: rows, N: columns, K: terms, Alpha: alpha, A: a, B: b, Beta: beta, C: c, Ahead: &w.ahead}.Run(w.thread, nil)
}

// fewTimes is how many times look at keys as they lie: to turn them would take longer than it saves.
const fewTimes = 8

// turn makes keys or values, which are number 0 and 1, the columns of a matrix, and returns it.
func (w *attentionWork[T]) turn(number int, m gemm.Matrix, columns int) gemm.Matrix {
	if w.times <= fewTimes {
		return turned(m)
	}
	dst, size := w.turned[number], int(unsafe.Sizeof(*new(T)))
	if len(dst) > 0 {
		p := plane{size: size, rows: w.others, columns: columns, dstRow: size, srcRow: m.RowStride * size, dstColumn: w.others * size, srcColumn: size}
		p.copy(unsafe.Pointer(&dst[0]), m.Start)
	}
	return matrixFrom(dst, 0, w.others)
}

// scale is the factor of products of queries and keys.
func (w *attentionWork[T]) scale() T { return T(1 / math.Sqrt(float64(max(1, w.size)))) }

// blocks calls body for blocks of rows, the last one first, with the number of others that the last row of each looks at.
func (w *attentionWork[T]) blocks(body func(first, rows, seen int)) {
	for first := (w.times - 1) / attentionRows * attentionRows; first >= 0; first -= attentionRows {
		rows := min(attentionRows, w.times-first)
		body(first, rows, w.seen(first+rows-1))
	}
}

// scoreBlock computes the scores of a block of rows from keys by columns.
func (w *attentionWork[T]) scoreBlock(h *head[T], keys gemm.Matrix, first, rows, seen int) {
	beta := T(0)
	if h.mask.isAdded() {
		for i := range rows {
			h.mask.read(w.scores[i*w.others:][:seen], first+i)
		}
		beta = 1
	}
	w.product(rows, seen, w.size, w.scale(), rowsFrom[T](h.queries, first), keys, beta, matrixFrom(w.scores, 0, w.others))
}

// eachRow calls body for the rows of a block, which threads share.
func (w *attentionWork[T]) eachRow(rows, seen int, body func(i int)) {
	w.thread.ForCost(rows, exponentialRow*float64(seen), func(_ *parallel.Thread, lo, hi int) {
		for i := lo; i < hi; i++ {
			body(i)
		}
	})
}

// forward computes y, and the logarithms of the sums of the exponentials of the scores.
func (w *attentionWork[T]) forward(h *head[T]) {
	keys := w.turn(0, h.keys, w.size)
	w.blocks(func(first, rows, seen int) {
		w.scoreBlock(h, keys, first, rows, seen)
		w.eachRow(rows, seen, func(i int) {
			row, own := w.scores[i*w.others:][:seen], w.seen(first+i)
			h.mask.hide(row[:own], first+i)
			shift, total := w.largest(&row[0], own), 1.0
			if math.IsInf(float64(shift), -1) {
				clear(row)
			} else {
				w.exponentials(&row[0], &row[0], own, shift)
				total = w.sum(&row[0], own)
				clear(row[own:])
			}
			w.shifts[i], w.totals[i] = shift, total
		})
		calculus.Log.Float64(w.spread[:rows], w.totals[:rows])
		y := rowsFrom[T](h.y, first)
		w.product(rows, w.width, seen, 1, matrixFrom(w.scores, 0, w.others), h.values, 0, y)
		for i := range rows {
			h.logs[first+i] = w.shifts[i] + T(w.spread[i])
			if w.width > 0 {
				row := matrixRow[T](y, i)
				w.rowLoops.multiply(row, row, w.width, T(1/w.totals[i]))
			}
		}
	})
}

// backward computes the gradients of queries, keys and values from y and the logarithms, the results of forward, and u.
func (w *attentionWork[T]) backward(h *head[T]) {
	keys, values := w.turn(0, h.keys, w.size), w.turn(1, h.values, w.width)
	scores, slopes := matrixFrom(w.scores, 0, w.others), matrixFrom(w.slopes, 0, w.others)
	beta := T(0) // of the first block, which sees all others
	w.blocks(func(first, rows, seen int) {
		w.scoreBlock(h, keys, first, rows, seen)
		y, u := rowsFrom[T](h.y, first), rowsFrom[T](h.u, first)
		w.product(rows, seen, w.width, 1, u, values, 0, slopes)
		w.eachRow(rows, seen, func(i int) {
			row, slope, own := w.scores[i*w.others:][:seen], w.slopes[i*w.others:][:seen], w.seen(first+i)
			h.mask.hide(row[:own], first+i)
			if logs := h.logs[first+i]; math.IsInf(float64(logs), -1) {
				own = 0
			} else {
				w.exponentials(&row[0], &row[0], own, logs)
				w.softmaxSlope(&slope[0], &row[0], &slope[0], own, w.alongRow(matrixRow[T](y, i), matrixRow[T](u, i)))
			}
			clear(row[own:])
			clear(slope[own:])
		})
		w.product(rows, w.size, seen, w.scale(), slopes, h.keys, 0, rowsFrom[T](h.ofQueries, first))
		w.product(seen, w.size, rows, w.scale(), turned(slopes), rowsFrom[T](h.queries, first), beta, h.ofKeys)
		w.product(seen, w.width, rows, 1, turned(scores), u, beta, h.ofValues)
		beta = 1
	})
}

// alongRow returns Σ y·u of a row of the result.
func (w *attentionWork[T]) alongRow(y, u *T) T {
	if w.width == 0 {
		return 0
	}
	return T(w.dot(y, u, w.width))
}
