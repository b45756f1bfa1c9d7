package cpu

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

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

// headOf returns the head of a number, without gradients.
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

// headMatrix returns the matrix that the last two axes of a view are for the head of a number; one without elements has
// rows at one address.
func headMatrix(v device.View, number int) gemm.Matrix {
	if v.Count() == 0 {
		return gemm.Matrix{Start: v.Pointer.Host, ColumnStride: 1}
	}
	rows, at := len(v.Shape)-2, 0
	for axis := rows - 1; axis >= 0; axis-- {
		at += number % v.Shape[axis] * v.Strides[axis]
		number /= v.Shape[axis]
	}
	m := matrixAt(v)
	m.Start = unsafe.Add(m.Start, at*v.DType.Size())
	return m
}

// attend computes Outputs[0] of shape (...,times,width), and Outputs[1] of shape (...,times), the logarithms of the
// sums of the exponentials of the scores, from queries (...,times,size), keys (...,others,size), values
// (...,others,width) and, if it is there, a mask (...,times,others), Inputs.
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

// attendGradient computes Outputs, the gradients of queries, keys and values, each for the heads of all, from Inputs:
// these three, the two results of attend, the gradient of the first, and a mask, if it is there.
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

// AttentionScratch returns the bytes of temporary memory that attention and its gradient take for operands, but for the mask, and results.
func AttentionScratch(views ...device.View) int {
	bytes := 0
	for _, v := range views {
		bytes += linesDemand(v.Count(), v.DType.Size(), isDense(v))
	}
	return demand(bytes)
}
