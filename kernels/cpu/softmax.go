package cpu

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// rowwise is the kernel that applies inner to all rows along the last axis.
func rowwise[T dtype.Float](inner func(dst, x []T)) entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		output, input := a.Outputs[0], a.Inputs[0]
		if output.Count() == 0 {
			return nil
		}
		last := len(output.Shape) - 1
		length, size := output.Shape[last], output.DType.Size()
		outputStride, inputStride := output.Strides[last]*size, input.Strides[last]*size
		rows := newNest(part(output, 0, last), part(input, 0, last))
		t.ForCost(rows.count, 2*heavy*float64(length), func(_ *parallel.Thread, lo, hi int) {
			var c cursor
			c.seek(rows, lo)
			row := strided[T]{length: length}
			for range hi - lo {
				x := row.read(c.pointer(1), inputStride)
				if outputStride == size || length == 1 {
					inner(slice[T](c.pointer(0), length), x)
				} else {
					dst := row.buffer()
					inner(dst, x)
					move(c.pointer(0), outputStride, unsafe.Pointer(&dst[0]), size, length, size)
				}
				c.advance(1)
			}
		})
		return nil
	}}
}

// strided gives rows as slices.
type strided[T any] struct {
	length int
	block  []T
}

func (s *strided[T]) buffer() []T {
	if s.block == nil {
		s.block = make([]T, s.length)
	}
	return s.block
}

// read returns the row at p, or a copy that stays valid until the next one.
func (s *strided[T]) read(p unsafe.Pointer, stride int) []T {
	var element T
	size := int(unsafe.Sizeof(element))
	if stride == size || s.length == 1 {
		return slice[T](p, s.length)
	}
	block := s.buffer()
	move(unsafe.Pointer(&block[0]), size, p, stride, s.length, size)
	return block
}

// softmax is exp(x - max) / sum exp(x - max), which does not overflow.
func softmax[T dtype.Float](dst, x []T) {
	shift := float64(maxLeaf(x, 0))
	sum := 0.0
	dst = dst[:len(x)]
	for i, v := range x {
		e := math.Exp(float64(v) - shift)
		dst[i] = T(e)
		sum += e
	}
	scale := 1 / sum
	for i, v := range dst {
		dst[i] = T(float64(v) * scale)
	}
}

var _ = register("softmax", rowwise(softmax[float32]), rowwise(softmax[float64]))

// logSoftmax is x - max - log sum exp(x - max).
func logSoftmax[T dtype.Float](dst, x []T) {
	shift, spread := logSumExp(x)
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = T((float64(v) - shift) - spread)
	}
}

var _ = register("log_softmax", rowwise(logSoftmax[float32]), rowwise(logSoftmax[float64]))

// logSumExp returns the maximum of x and the logarithm of sum exp(x - max); their sum is log sum exp(x).
func logSumExp[T dtype.Float](x []T) (shift, spread float64) {
	shift = float64(maxLeaf(x, 0))
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(float64(v) - shift)
	}
	return shift, math.Log(sum)
}

// softmaxCrossEntropy computes Outputs[0], of shape (n,), from logits Inputs[0], of shape (n, classes), and labels
// Inputs[1], of shape (n,): log sum exp of the logits, less the logit of the label.
func softmaxCrossEntropy[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	loss, logits, labels := a.Outputs[0], a.Inputs[0], contiguous[int64](a.Inputs[1])
	classes, size := logits.Shape[1], logits.DType.Size()
	for _, label := range labels {
		if label < 0 || label >= int64(classes) {
			return &indexError{fmt.Sprintf("label %d is out of range for %d classes", label, classes)}
		}
	}
	t.ForCost(len(labels), heavy*float64(classes), func(_ *parallel.Thread, lo, hi int) {
		row := strided[T]{length: classes}
		for i := lo; i < hi; i++ {
			x := row.read(unsafe.Add(logits.Pointer.Host, i*logits.Strides[0]*size), logits.Strides[1]*size)
			shift, spread := logSumExp(x)
			*(*T)(unsafe.Add(loss.Pointer.Host, i*loss.Strides[0]*size)) = T(spread - (float64(x[labels[i]]) - shift))
		}
	})
	return nil
}

var _ = register("softmax_cross_entropy",
	entry{dtype.Float32.String(), softmaxCrossEntropy[float32]}, entry{dtype.Float64.String(), softmaxCrossEntropy[float64]})
