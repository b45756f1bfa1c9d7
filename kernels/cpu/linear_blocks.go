package cpu

import (
	"cmp"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// The gradient of linear for many rows is computed by the blocks that package gemm cuts its sums into: a thread takes a block of rows
// of x and of the upstream gradient to its second cache, once for all results. It pays where a block stays there, beside the weight and
// its gradient. The gradients of the weight by block, of so many blocks at a time, are added in the order of the blocks.
const (
	blockOperandBytes = 4 << 20 // of a block of rows of both
	blockWeightBytes  = 1 << 20
	blockSumsBytes    = 8 << 20
	blockSumsAtOnce   = 16 << 10 // elements that are added at a time
)

// linearBlocks is such a gradient.
type linearBlocks[T gemm.Float] struct {
	rows, inputs, outputs       int
	x, weight, result, upstream device.View
	activation                  int64

	blocks, wave int // how many blocks, and how many of them at a time

	// The results, or memory in place of those whose elements have gaps between them.
	gradient, data device.View
	addend         device.View

	slopes  device.View // the upstream gradient before the activation, of the blocks of a wave
	partial device.View // the gradients of weight by the blocks of a wave
	sums    device.View // the gradients of the addend by block
	after   []transfer
}

// takesBlocks reports whether the gradient is computed by blocks, which depends on shapes alone: so do the bits. Those of a single element
// would be others: package gemm computes dot products in another order.
func takesBlocks(operands []device.View) bool {
	rows, size := operands[0].Shape[0], operands[1].DType.Size()
	inputs, outputs := operands[1].Shape[0], operands[1].Shape[1]
	return !usesGonum && gemm.Blocks(rows) > 1 && inputs*outputs > 1 && inputs*outputs*size <= blockWeightBytes &&
		gemm.BlockEnd(rows, 0)*(inputs+outputs)*size <= blockOperandBytes
}

func newLinearBlocks[T gemm.Float](s *scratch, outputs, inputs []device.View, activation int64) *linearBlocks[T] {
	b := &linearBlocks[T]{
		x: inputs[0], weight: inputs[1], result: inputs[2], upstream: inputs[3], activation: activation,
		rows: inputs[0].Shape[0], inputs: inputs[1].Shape[0], outputs: inputs[1].Shape[1], addend: outputs[1],
	}
	b.blocks = gemm.Blocks(b.rows)
	b.wave = min(b.blocks, blockSumsBytes/blockWeightBytes)
	b.gradient = b.place(s, outputs[0])
	if len(outputs) > 2 {
		b.data = b.place(s, outputs[2])
	}
	if activation == LinearRelu {
		b.slopes = b.matrix(s, b.wave*((b.rows+b.blocks-1)/b.blocks), b.outputs)
	}
	b.partial = b.matrix(s, b.wave*b.inputs, b.outputs)
	b.sums = b.matrix(s, b.blocks, b.outputs)
	return b
}

func (b *linearBlocks[T]) matrix(s *scratch, rows, columns int) device.View {
	return newWhole(s, device.View{DType: dtype.Of[T](), Shape: []int{rows, columns}})
}

// place returns output, or what is to be copied there at the end.
func (b *linearBlocks[T]) place(s *scratch, output device.View) device.View {
	if _, whole := rowMajorCount(output); whole {
		return output
	}
	place := newWhole(s, output)
	b.after = append(b.after, transfer{output, place})
	return place
}

// run computes the blocks, wave by wave.
func (b *linearBlocks[T]) run(t *parallel.Thread) error {
	errors := make([]error, b.blocks)
	for first := 0; first < b.blocks; first += b.wave {
		last := min(first+b.wave, b.blocks)
		b.shareBlocks(t, first, last, errors)
		if err := cmp.Or(errors[first:last]...); err != nil {
			return err
		}
		b.join(t, first, last)
	}
	if err := b.Apply("sum", t, b.addend, swapped(b.sums)); err != nil {
		return err
	}
	for _, c := range b.after {
		copyView(t, c.to, c.from)
	}
	return nil
}

// shareBlocks computes blocks side by side. Where there are fewer than threads, several threads share one.
func (b *linearBlocks[T]) shareBlocks(t *parallel.Thread, first, last int, errors []error) {
	threads := max(1, t.NumThreads()/(last-first))
	work := multiplicationTime * 2 * float64(b.rows/b.blocks) * float64(b.inputs) * float64(b.outputs)
	t.ForCost(last-first, work, func(t *parallel.Thread, lo, hi int) {
		_ = t.SetNumThreads(threads)
		for number := first + lo; number < first+hi; number++ {
			errors[number] = b.block(t, number, number+1 < first+hi)
		}
	})
}

// block computes what a block gives. The thread goes on with the next block or not.
func (b *linearBlocks[T]) block(t *parallel.Thread, number int, goesOn bool) error {
	x, result, upstream := b.operands(number)
	if b.activation == LinearRelu {
		room, slot := b.slopes.Shape[0]/b.wave, number%b.wave
		slopes := rowsOf(b.slopes, slot*room, slot*room+upstream.Shape[0])
		if err := b.Apply("relu_gradient", t, slopes, result, upstream); err != nil {
			return err
		}
		upstream = slopes
	}
	if b.data.DType != dtype.Invalid {
		lo, hi := gemm.BlockEnd(b.rows, number-1), gemm.BlockEnd(b.rows, number)
		b.multiply(t, newProduct[T](rowsOf(b.data, lo, hi), upstream, swapped(b.weight)), x)
	}
	sums := rowsOf(b.sums, number, number+1)
	sums.Shape, sums.Strides = sums.Shape[1:], sums.Strides[1:]
	if err := b.Apply("sum", t, sums, swapped(upstream)); err != nil {
		return err
	}
	gradient := b.gradient
	if number > 0 {
		slot := number % b.wave
		gradient = rowsOf(b.partial, slot*b.inputs, (slot+1)*b.inputs)
	}
	var ahead []device.View
	if goesOn {
		_, result, upstream := b.operands(number + 1)
		if ahead = append(ahead, upstream); b.activation == LinearRelu {
			ahead = append(ahead, result)
		}
	}
	b.multiply(t, newProduct[T](gradient, swapped(x), upstream), ahead...)
	return nil
}

// operands returns the rows of a block of x, the result, and the upstream gradient.
func (b *linearBlocks[T]) operands(number int) (x, result, upstream device.View) {
	lo, hi := gemm.BlockEnd(b.rows, number-1), gemm.BlockEnd(b.rows, number)
	return rowsOf(b.x, lo, hi), rowsOf(b.result, lo, hi), rowsOf(b.upstream, lo, hi)
}

// multiply computes a product. Where it is one thread's alone, that fetches meanwhile what is ahead.
func (b *linearBlocks[T]) multiply(t *parallel.Thread, p gemm.Product[T], ahead ...device.View) {
	if t.NumThreads() == 1 {
		p.Ahead = &gemm.Ahead{}
		for _, view := range ahead {
			if count, whole := rowMajorCount(view); whole {
				p.Ahead.Add(view.Pointer.Host, count*view.DType.Size())
			}
		}
	}
	p.Run(t, nil)
}

// Apply calls the kernel of another operator. A reduction is one of the last axis.
func (b *linearBlocks[T]) Apply(operator string, t *parallel.Thread, output device.View, inputs ...device.View) error {
	return kernels[device.KernelName(operator, output.DType)](t, &device.Arguments{
		Outputs: []device.View{output}, Inputs: inputs, Integers: []int64{1},
	})
}

// join adds the gradients of the weight by blocks to the first, in their order.
func (b *linearBlocks[T]) join(t *parallel.Thread, first, last int) {
	count := b.inputs * b.outputs
	t.ForCost((count+blockSumsAtOnce-1)/blockSumsAtOnce, light*blockSumsAtOnce*float64(last-first), func(t *parallel.Thread, lo, hi int) {
		_ = t.SetNumThreads(1)
		for lo, end := lo*blockSumsAtOnce, min(hi*blockSumsAtOnce, count); lo < end; lo += blockSumsAtOnce {
			hi := min(lo+blockSumsAtOnce, end)
			sum := stretch(b.gradient, lo, hi)
			for number := max(1, first); number < last; number++ {
				from := number % b.wave * count
				_ = b.Apply("add", t, sum, sum, stretch(b.partial, from+lo, from+hi))
			}
		}
	})
}

// rowsOf returns the rows from lo to before hi of a matrix.
func rowsOf(view device.View, lo, hi int) device.View {
	view.Pointer = view.Pointer.Add(lo * view.Strides[0] * view.DType.Size())
	view.Shape = []int{hi - lo, view.Shape[1]}
	return view
}

// stretch returns the elements from lo to before hi of a matrix without gaps.
func stretch(view device.View, lo, hi int) device.View {
	view.Pointer = view.Pointer.Add(lo * view.DType.Size())
	view.Shape, view.Strides = []int{hi - lo}, []int{1}
	return view
}
