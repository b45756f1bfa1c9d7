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

// attentionRows is how many rows of a matrix of scores are computed at a time: they stay in the cache, and most of what a mask
// hides is never computed.
const attentionRows = 32

// attention is the geometry of self_attention. In the operand each time has the queries, the keys and the values of all heads one
// behind the other, in the result one vector of each head.
type attention struct {
	samples, times, heads int
	size                  int // of a query
	causal                bool
}

// attentionOf reads the geometry from the first input and Integers: the number of heads, and 1 if it is causal.
func attentionOf(a *device.Arguments) attention {
	shape, heads := a.Inputs[0].Shape, int(a.Integers[0])
	return attention{shape[0], shape[1], heads, shape[2] / (3 * heads), a.Integers[1] != 0}
}

func (g *attention) features() int { return g.heads * g.size }

// seen returns how many times those up to the given one look at.
func (g *attention) seen(time int) int {
	if g.causal {
		return time + 1
	}
	return g.times
}

// share computes all heads of all samples, each with so many products of matrices.
func (g *attention) share(t *parallel.Thread, products int, body func(lo, hi int)) {
	each := float64(g.times) * float64(g.seen(g.times/2)) * (0.01*float64(products*g.size) + exponentialRow)
	t.ForCost(g.samples*g.heads, each, func(_ *parallel.Thread, lo, hi int) { body(lo, hi) })
}

// attentionWork is what computes one head after the other: one goroutine's own.
type attentionWork[T gemm.Float] struct {
	attention
	rowWork[T]
	thread         *parallel.Thread
	memory         []T
	keys, values   []T // by columns: size rows of times
	scores, slopes []T // attentionRows rows of times, the second those of the gradient
	shifts         []T // attentionRows
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

func newAttentionWork[T gemm.Float](g attention) *attentionWork[T] {
	w, ok := attentions[T]().Get().(*attentionWork[T])
	if !ok {
		w = &attentionWork[T]{thread: parallel.Serial()}
	}
	w.attention, w.rowWork.rowLoops = g, rowLoopsOf[T]()
	column, rows := g.size*g.times, attentionRows*g.times
	if count := 2*column + 2*rows + attentionRows; cap(w.memory) < count {
		w.memory = make([]T, count)
	}
	rest := w.memory[:cap(w.memory)]
	take := func(count int) (part []T) {
		part, rest = rest[:count], rest[count:]
		return part
	}
	w.keys, w.values, w.scores, w.slopes, w.shifts = take(column), take(column), take(rows), take(rows), take(attentionRows)
	return w
}

func (w *attentionWork[T]) release() { attentions[T]().Put(w) }

// head is where a head of a sample lies: in the operand, where the three matrices have rows that are step elements apart, in the
// result, and in the logarithms.
type head struct{ query, key, value, step, result, logs int }

func (g *attention) head(number int) head {
	sample, h := number/g.heads, number%g.heads
	f := g.features()
	start := sample*g.times*3*f + h*g.size
	return head{start, start + f, start + 2*f, 3 * f, sample*g.times*f + h*g.size, number * g.times}
}

// by returns the matrix at an element of all, with rows so many elements apart.
func by[T gemm.Float](all []T, start, step int) gemm.Matrix {
	return gemm.Matrix{Start: unsafe.Pointer(&all[start]), RowStride: step, ColumnStride: 1}
}

func turned(m gemm.Matrix) gemm.Matrix {
	return gemm.Matrix{Start: m.Start, RowStride: m.ColumnStride, ColumnStride: m.RowStride}
}

// product computes c = alpha·a·b + beta·c, of so many rows, columns and terms.
func (w *attentionWork[T]) product(rows, columns, terms int, alpha T, a, b gemm.Matrix, beta T, c gemm.Matrix) {
	gemm.Product[T]{M: rows, N: columns, K: terms, Alpha: alpha, A: a, B: b, Beta: beta, C: c, Ahead: &w.ahead}.Run(w.thread, nil)
}

// turn writes the vectors of all times at start of x, which are step elements apart, to the columns of dst.
func (w *attentionWork[T]) turn(dst, x []T, start, step int) {
	size := int(unsafe.Sizeof(x[0]))
	p := plane{size: size, rows: w.times, columns: w.size, dstRow: size, srcRow: step * size, dstColumn: w.times * size, srcColumn: size}
	p.copy(unsafe.Pointer(&dst[0]), unsafe.Pointer(&x[start]))
}

// fetchedSample is the bytes, at most, of a sample that is fetched as a whole, as it has to stay in the second cache.
const fetchedSample = 1 << 20

// fetch is called before the head of a number is computed, and others up to last. It reads the sample of the first of them in the order of
// memory, and lets products fetch the sample behind that of a head, if so many heads follow that they need most of it. Each head has a short
// part of every row: for these the processor would wait one by one.
func (w *attentionWork[T]) fetch(number, first, last int, all ...[]T) {
	own := number % w.heads
	if number != first && own != 0 {
		return
	}
	sample, rest := number/w.heads, w.heads-own
	w.ahead = gemm.Ahead{}
	for _, x := range all {
		count := len(x) / w.samples
		bytes := count * int(unsafe.Sizeof(x[0]))
		if bytes == 0 || bytes > fetchedSample {
			continue
		}
		if number == first && 2*min(last-number, rest) >= w.heads {
			w.largest(&x[sample*count], count)
		}
		if 2*(last-number-rest) >= w.heads {
			w.ahead.Add(unsafe.Pointer(&x[(sample+1)*count]), bytes)
		}
	}
}

// scale is the factor of products of queries and keys.
func (w *attentionWork[T]) scale() T { return T(1 / math.Sqrt(float64(w.size))) }

// blocks calls body for blocks of rows, the last one first, with the number of times that the last row of each looks at.
func (w *attentionWork[T]) blocks(body func(first, rows, seen int)) {
	for first := (w.times - 1) / attentionRows * attentionRows; first >= 0; first -= attentionRows {
		rows := min(attentionRows, w.times-first)
		body(first, rows, w.seen(first+rows-1))
	}
}

// scoreBlock computes the scores of a block of rows.
func (w *attentionWork[T]) scoreBlock(x []T, h head, first, rows, seen int) {
	w.product(rows, seen, w.size, w.scale(), by(x, h.query+first*h.step, h.step), by(w.keys, 0, w.times), 0, by(w.scores, 0, w.times))
}

// forward computes y, and the logarithms of the sums of the exponentials of the scores.
func (w *attentionWork[T]) forward(y, logs, x []T, h head) {
	if w.size == 0 { // All scores are zero.
		for time := range w.times {
			logs[h.logs+time] = T(logFloat64(float64(w.seen(time))))
		}
		return
	}
	w.turn(w.keys, x, h.key, h.step)
	w.blocks(func(first, rows, seen int) {
		w.scoreBlock(x, h, first, rows, seen)
		for i := range rows {
			row, own := w.scores[i*w.times:][:seen], w.seen(first+i)
			shift := w.largest(&row[0], own)
			w.exponentials(&row[0], &row[0], own, shift)
			w.shifts[i], w.totals[i] = shift, w.sum(&row[0], own)
			clear(row[own:])
		}
		logarithms(w.spread[:rows], w.totals[:rows])
		start, step := h.result+first*w.features(), w.features()
		w.product(rows, w.size, seen, 1, by(w.scores, 0, w.times), by(x, h.value, h.step), 0, by(y, start, step))
		for i := range rows {
			logs[h.logs+first+i] = w.shifts[i] + T(w.spread[i])
			row := &y[start+i*step]
			w.rowLoops.multiply(row, row, w.size, T(1/w.totals[i]))
		}
	})
}

// backward computes dx from the results of forward, and the gradient u of y.
func (w *attentionWork[T]) backward(dx, x, y, logs, u []T, h head) {
	w.turn(w.keys, x, h.key, h.step)
	w.turn(w.values, x, h.value, h.step)
	scores, slopes, step := by(w.scores, 0, w.times), by(w.slopes, 0, w.times), w.features()
	beta := T(0) // of the first block, which sees all times
	w.blocks(func(first, rows, seen int) {
		w.scoreBlock(x, h, first, rows, seen)
		start := h.result + first*step
		w.product(rows, seen, w.size, 1, by(u, start, step), by(w.values, 0, w.times), 0, slopes)
		for i := range rows {
			row, slope, own := w.scores[i*w.times:][:seen], w.slopes[i*w.times:][:seen], w.seen(first+i)
			w.exponentials(&row[0], &row[0], own, logs[h.logs+first+i])
			w.softmaxSlope(&slope[0], &row[0], &slope[0], own, T(w.dot(&y[start+i*step], &u[start+i*step], w.size)))
			clear(row[own:])
			clear(slope[own:])
		}
		w.product(rows, w.size, seen, w.scale(), slopes, by(x, h.key, h.step), 0, by(dx, h.query+first*h.step, h.step))
		w.product(seen, w.size, rows, w.scale(), turned(slopes), by(x, h.query+first*h.step, h.step), beta, by(dx, h.key, h.step))
		w.product(seen, w.size, rows, 1, turned(scores), by(u, start, step), beta, by(dx, h.value, h.step))
		beta = 1
	})
}

// selfAttention computes Outputs[0] of shape (samples, times, features), and Outputs[1] of shape (samples, heads, times), the
// logarithms of the sums of the exponentials of the scores, from Inputs[0] of shape (samples, times, 3·features).
func selfAttention[T gemm.Float]() entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		if a.Outputs[1].Count() == 0 {
			return nil
		}
		g, s := attentionOf(a), scratch{memory: a.Scratch}
		x := readLines[T](t, &s, a.Inputs[0])
		y, finish := writeLines[T](t, &s, a.Outputs[0])
		logs, finishLogs := writeLines[T](t, &s, a.Outputs[1])
		g.share(t, 2, func(lo, hi int) {
			w := newAttentionWork[T](g)
			for number := lo; number < hi; number++ {
				w.fetch(number, lo, hi, x)
				w.forward(y, logs, x, g.head(number))
			}
			w.release()
		})
		finish()
		finishLogs()
		return nil
	}}
}

// selfAttentionGradient computes Outputs[0], of the shape of x, from x, the two results of selfAttention, and the gradient of the
// first, Inputs.
func selfAttentionGradient[T gemm.Float]() entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		if a.Outputs[0].Count() == 0 {
			return nil
		}
		g, s := attentionOf(a), scratch{memory: a.Scratch}
		x, y, logs, u := readLines[T](t, &s, a.Inputs[0]), readLines[T](t, &s, a.Inputs[1]), readLines[T](t, &s, a.Inputs[2]), readLines[T](t, &s, a.Inputs[3])
		dx, finish := writeLines[T](t, &s, a.Outputs[0])
		g.share(t, 5, func(lo, hi int) {
			w := newAttentionWork[T](g)
			for number := lo; number < hi; number++ {
				w.fetch(number, lo, hi, x, y, u)
				w.backward(dx, x, y, logs, u, g.head(number))
			}
			w.release()
		})
		finish()
		return nil
	}}
}

var (
	_ = registerFloats("self_attention", selfAttention[float32](), selfAttention[float64]())
	_ = registerFloats("self_attention_gradient", selfAttentionGradient[float32](), selfAttentionGradient[float64]())
)

// LinesScratch returns the bytes of temporary memory that a kernel takes which wants the elements of views in row-major order.
func LinesScratch(views ...device.View) int {
	bytes := 0
	for _, v := range views {
		_, whole := rowMajorCount(v)
		bytes += linesDemand(v.Count(), v.DType.Size(), whole)
	}
	return demand(bytes)
}
