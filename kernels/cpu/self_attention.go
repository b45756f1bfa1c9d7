package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// packedAttention is the geometry of self_attention. In the operand each time has the queries, the keys and the values of all heads one
// behind the other, in the result one vector of each head.
type packedAttention struct {
	attention
	samples, heads int
}

// packedAttentionOf reads the geometry from the first input and Integers: the number of heads, and 1 if it is causal.
func packedAttentionOf(a *device.Arguments) packedAttention {
	shape, heads := a.Inputs[0].Shape, int(a.Integers[0])
	size := shape[2] / (3 * heads)
	return packedAttention{attention{shape[1], shape[1], size, size, a.Integers[1] != 0}, shape[0], heads}
}

// each returns how many heads all samples have, and how long each takes, of so many products of matrices.
func (p *packedAttention) each(products int) (heads int, nanoseconds float64) {
	return p.samples * p.heads, float64(p.times*p.seen(p.times/2)) * scoreNanoseconds(products*p.size)
}

// packedParts returns the queries, keys and values, or their gradients, of the head of a number.
func packedParts[T gemm.Float](p *packedAttention, x []T, number int) (queries, keys, values gemm.Matrix) {
	f := p.heads * p.size
	start := number/p.heads*p.times*3*f + number%p.heads*p.size
	return matrixFrom(x, start, 3*f), matrixFrom(x, start+f, 3*f), matrixFrom(x, start+2*f, 3*f)
}

// joinedHeads returns the result, or its gradient, of the head of a number.
func joinedHeads[T gemm.Float](p *packedAttention, y []T, number int) gemm.Matrix {
	f := p.heads * p.size
	return matrixFrom(y, number/p.heads*p.times*f+number%p.heads*p.size, f)
}

// fetchedSample is the bytes, at most, of a sample that is fetched as a whole, as it has to stay in the second cache.
const fetchedSample = 1 << 20

// fetch is called before the head of a number is computed, and others up to last. It reads the sample of the first of
// them in the order of memory, and lets products fetch the sample behind that of a head, if so many heads follow that
// they need most of it. Each head has a short part of every row: for these the processor would wait one by one.
func fetch[T gemm.Float](p *packedAttention, w *attentionWork[T], number, first, last int, all ...[]T) {
	own := number % p.heads
	if number != first && own != 0 {
		return
	}
	sample, rest := number/p.heads, p.heads-own
	w.ahead = gemm.Ahead{}
	for _, x := range all {
		count := len(x) / p.samples
		bytes := count * int(unsafe.Sizeof(x[0]))
		if bytes == 0 || bytes > fetchedSample {
			continue
		}
		if number == first && 2*min(last-number, rest) >= p.heads {
			w.largest(&x[sample*count], count)
		}
		if 2*(last-number-rest) >= p.heads {
			w.ahead.Add(unsafe.Pointer(&x[(sample+1)*count]), bytes)
		}
	}
}

// selfAttention computes Outputs[0] of shape (samples, times, features), and Outputs[1] of shape (samples, heads, times), the
// logarithms of the sums of the exponentials of the scores, from Inputs[0] of shape (samples, times, 3·features).
func selfAttention[T gemm.Float]() entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		if a.Outputs[1].Count() == 0 {
			return nil
		}
		p, s := packedAttentionOf(a), scratch{memory: a.Scratch}
		x := readLines[T](t, &s, a.Inputs[0])
		y, finish := writeLines[T](t, &s, a.Outputs[0])
		logs, finishLogs := writeLines[T](t, &s, a.Outputs[1])
		heads, nanoseconds := p.each(2)
		eachHead(t, p.attention, heads, nanoseconds, func(w *attentionWork[T], number, first, last int) {
			fetch(&p, w, number, first, last, x)
			h := head[T]{y: joinedHeads(&p, y, number), logs: logs[number*p.times:][:p.times]}
			h.queries, h.keys, h.values = packedParts(&p, x, number)
			w.forward(&h)
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
		p, s := packedAttentionOf(a), scratch{memory: a.Scratch}
		x, y, logs, u := readLines[T](t, &s, a.Inputs[0]), readLines[T](t, &s, a.Inputs[1]), readLines[T](t, &s, a.Inputs[2]), readLines[T](t, &s, a.Inputs[3])
		dx, finish := writeLines[T](t, &s, a.Outputs[0])
		heads, nanoseconds := p.each(5)
		eachHead(t, p.attention, heads, nanoseconds, func(w *attentionWork[T], number, first, last int) {
			fetch(&p, w, number, first, last, x, y, u)
			h := head[T]{y: joinedHeads(&p, y, number), logs: logs[number*p.times:][:p.times], u: joinedHeads(&p, u, number)}
			h.queries, h.keys, h.values = packedParts(&p, x, number)
			h.ofQueries, h.ofKeys, h.ofValues = packedParts(&p, dx, number)
			w.backward(&h)
		})
		finish()
		return nil
	}}
}

var (
	_ = registerFloats("self_attention", selfAttention[float32](), selfAttention[float64]())
	_ = registerFloats("self_attention_gradient", selfAttentionGradient[float32](), selfAttentionGradient[float64]())
)
