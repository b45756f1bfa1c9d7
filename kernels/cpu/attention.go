package cpu

import (
	"math"
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
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
	turned         [2][]T // keys and values by columns: size and width rows of others
	scores, slopes []T    // attentionRows rows of others, the second those of the gradient
	shifts         []T    // attentionRows
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
	if count := (g.size+g.width)*g.others + attentionRows*(2*g.others+1); cap(w.memory) < count {
		w.memory = make([]T, count)
	}
	rest := w.memory[:cap(w.memory)]
	take := func(count int) (part []T) {
		part, rest = rest[:count], rest[count:]
		return part
	}
	w.turned = [2][]T{take(g.size * g.others), take(g.width * g.others)}
	w.scores, w.slopes, w.shifts = take(attentionRows*g.others), take(attentionRows*g.others), take(attentionRows)
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

// matrixFrom returns the matrix at an element of all, with rows so many elements apart.
func matrixFrom[T gemm.Float](all []T, start, step int) gemm.Matrix {
	return gemm.Matrix{Start: unsafe.Pointer(unsafe.SliceData(all[start:])), RowStride: step, ColumnStride: 1}
}

// rowsFrom returns the rows of m from one on, and matrixRow the first element of a row.
func rowsFrom[T gemm.Float](m gemm.Matrix, row int) gemm.Matrix {
	m.Start = unsafe.Pointer(matrixRow[T](m, row))
	return m
}

func matrixRow[T gemm.Float](m gemm.Matrix, row int) *T {
	return (*T)(unsafe.Add(m.Start, row*m.RowStride*int(unsafe.Sizeof(*new(T)))))
}

func turned(m gemm.Matrix) gemm.Matrix {
	return gemm.Matrix{Start: m.Start, RowStride: m.ColumnStride, ColumnStride: m.RowStride}
}

// product computes c = alpha·a·b + beta·c, of so many rows, columns and terms.
func (w *attentionWork[T]) product(rows, columns, terms int, alpha T, a, b gemm.Matrix, beta T, c gemm.Matrix) {
	gemm.Product[T]{M: rows, N: columns, K: terms, Alpha: alpha, A: a, B: b, Beta: beta, C: c, Ahead: &w.ahead}.Run(w.thread, nil)
}

// turn makes keys or values, which are number 0 and 1, the columns of a matrix, and returns it.
func (w *attentionWork[T]) turn(number int, m gemm.Matrix, columns int) gemm.Matrix {
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
		logarithms(w.spread[:rows], w.totals[:rows])
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

// attentionViews are the operands and results of attention; the axes before the last two of all are those of heads.
type attentionViews struct {
	queries, keys, values, logs, y device.View
	mask                           *device.View
}

func (v *attentionViews) geometry() attention {
	last := len(v.queries.Shape) - 1
	return attention{times: v.queries.Shape[last-1], others: v.keys.Shape[last-1], size: v.keys.Shape[last], width: v.values.Shape[last]}
}

// heads returns how many heads there are.
func (v *attentionViews) heads() int { return product(v.queries.Shape[:len(v.queries.Shape)-2]) }

// head returns the head of a number, without gradients.
func headOf[T gemm.Float](v *attentionViews, number int) head[T] {
	logs := v.logs
	logs.Shape, logs.Strides = append(logs.Shape[:len(logs.Shape):len(logs.Shape)], 1), append(logs.Strides[:len(logs.Strides):len(logs.Strides)], 1)
	h := head[T]{
		queries: headMatrix(v.queries, number), keys: headMatrix(v.keys, number), values: headMatrix(v.values, number), y: headMatrix(v.y, number),
		logs: slice[T](headMatrix(logs, number).Start, v.logs.Shape[len(v.logs.Shape)-1]),
	}
	if v.mask != nil {
		h.mask = attentionMask[T]{v.mask.DType, headMatrix(*v.mask, number)}
	}
	return h
}

// headMatrix returns the matrix that the last two axes of a view are for the head of a number.
func headMatrix(v device.View, number int) gemm.Matrix {
	rows, at := len(v.Shape)-2, 0
	for axis := rows - 1; axis >= 0; axis-- {
		at += number % v.Shape[axis] * v.Strides[axis]
		number /= v.Shape[axis]
	}
	m := matrixAt(v)
	m.Start = unsafe.Add(m.Start, at*v.DType.Size())
	return m
}

// attend computes Outputs[0] of shape (...,times,width), and Outputs[1] of shape (...,times), the logarithms of the sums of the exponentials of the
// scores, from queries (...,times,size), keys (...,others,size), values (...,others,width) and, if it is there, a mask (...,times,others), Inputs.
func attend[T gemm.Float]() entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		if a.Outputs[1].Count() == 0 {
			return nil
		}
		s := scratch{memory: a.Scratch}
		y, finish := s.denseResult(t, a.Outputs[0])
		logs, finishLogs := s.denseResult(t, a.Outputs[1])
		v := attentionViewsOf(t, &s, a.Inputs[:3], a.Inputs[3:], y, logs)
		g := v.geometry()
		nanoseconds := float64(g.times*g.others) * scoreNanoseconds(g.size+g.width)
		eachHead(t, g, v.heads(), nanoseconds, func(w *attentionWork[T], number, _, _ int) {
			h := headOf[T](&v, number)
			if g.others == 0 {
				w.seeNothing(&h)
				return
			}
			w.forward(&h)
		})
		finish()
		finishLogs()
		return nil
	}}
}

// seeNothing is forward of a head without keys.
func (w *attentionWork[T]) seeNothing(h *head[T]) {
	for time := range w.times {
		h.logs[time] = T(math.Inf(-1))
		if w.width > 0 {
			clear(slice[T](unsafe.Pointer(matrixRow[T](h.y, time)), w.width))
		}
	}
}

func attentionViewsOf(t *parallel.Thread, s *scratch, operands, masks []device.View, y, logs device.View) attentionViews {
	v := attentionViews{y: y, logs: logs}
	for i, view := range []*device.View{&v.queries, &v.keys, &v.values} {
		*view = s.dense(t, operands[i])
	}
	if len(masks) > 0 {
		v.mask = &masks[0]
	}
	return v
}

// attendGradient computes Outputs, the gradients of queries, keys and values, each for the heads of all, from Inputs: these three, the two results
// of attend, the gradient of the first, and a mask, if it is there.
func attendGradient[T gemm.Float]() entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		s := scratch{memory: a.Scratch}
		v := attentionViewsOf(t, &s, a.Inputs[:3], a.Inputs[6:], s.dense(t, a.Inputs[3]), s.dense(t, a.Inputs[4]))
		g, u := v.geometry(), s.dense(t, a.Inputs[5])
		if g.times == 0 || g.others == 0 {
			for _, output := range a.Outputs {
				clearView(t, output)
			}
			return nil
		}
		var results [3]device.View
		var finish [3]func()
		for i := range results {
			results[i], finish[i] = s.denseResult(t, a.Outputs[i])
		}
		nanoseconds := float64(g.times*g.others) * scoreNanoseconds(3*g.size+2*g.width)
		eachHead(t, g, v.heads(), nanoseconds, func(w *attentionWork[T], number, _, _ int) {
			h := headOf[T](&v, number)
			h.u, h.ofQueries, h.ofKeys, h.ofValues = headMatrix(u, number), headMatrix(results[0], number), headMatrix(results[1], number), headMatrix(results[2], number)
			w.backward(&h)
		})
		for _, each := range finish {
			each()
		}
		return nil
	}}
}

var (
	_ = registerFloats("attention", attend[float32](), attend[float64]())
	_ = registerFloats("attention_gradient", attendGradient[float32](), attendGradient[float64]())
)

// isDense reports whether the elements of each row of view follow one another, and the rows each other.
func isDense(view device.View) bool {
	last := len(view.Shape) - 1
	if last < 0 {
		return true
	}
	return (view.Strides[last] == 1 || view.Shape[last] == 1) && (last == 0 || view.Shape[last-1] == 1 || view.Strides[last-1] >= view.Shape[last])
}

// dense returns view, or a copy of it of which isDense holds.
func (s *scratch) dense(t *parallel.Thread, view device.View) device.View {
	if isDense(view) || view.Count() == 0 {
		return view
	}
	copied := linesAt(s.take(view.Count()*view.DType.Size()), view)
	copyView(t, copied, view)
	return copied
}

// denseResult is dense for a result, which finish copies to view.
func (s *scratch) denseResult(t *parallel.Thread, view device.View) (result device.View, finish func()) {
	if isDense(view) || view.Count() == 0 {
		return view, func() {}
	}
	result = linesAt(s.take(view.Count()*view.DType.Size()), view)
	return result, func() { copyView(t, view, result) }
}

// AttentionScratch returns the bytes of temporary memory that attention and its gradient take for operands, but for the mask, and results.
func AttentionScratch(views ...device.View) int {
	bytes := 0
	for _, v := range views {
		bytes += linesDemand(v.Count(), v.DType.Size(), isDense(v))
	}
	return demand(bytes)
}
