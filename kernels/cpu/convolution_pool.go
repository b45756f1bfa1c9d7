package cpu

import (
	"slices"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu/convolution"
	"github.com/weft-nd/weft/parallel"
)

// ConvolutionPoolIntegers returns the integers of the kernels of convolutions of images whose result is not there: those of
// ConvolutionIntegers, the rows and columns of the result, and those of the window whose maximum is taken, if it is, with whether it
// is rectified.
func ConvolutionPoolIntegers(integers []int64, result, window []int, rectified bool) []int64 {
	all := slices.Clone(integers)
	for _, n := range slices.Concat(result, window) {
		all = append(all, int64(n))
	}
	if rectified {
		all = append(all, 1)
	}
	return all
}

// poolIntegers is where the integers after those of a convolution with two axes are.
const poolIntegers = convolutionAxes + 2*convolutionAxis

// absent is the view of a result that is not there.
func absent(data, weights device.View, integers []int64) device.View {
	of := integers[poolIntegers:]
	return device.View{DType: data.DType, Shape: []int{data.Shape[0], weights.Shape[0], int(of[0]), int(of[1])}, Strides: make([]int, 4)}
}

var (
	poolingConvolver = &convolver{
		func(_, inputs []device.View, integers []int64) (data, result, weights device.View) {
			return inputs[0], absent(inputs[0], inputs[1], integers), inputs[1]
		},
		poolingScratch[float32], poolingScratch[float64], convolveAndPool[float32], convolveAndPool[float64],
		func(c *convolving, outputs, _ []device.View, integers []int64) {
			of := integers[poolIntegers+2:]
			c.window = [2]int{int(of[0]), int(of[1])}
			c.rectified = len(of) > 2
			c.inBands = c.TakesBands()
			for _, v := range outputs {
				c.inBands = c.inBands && v.Strides[3] == 1 && v.Strides[2] == v.Shape[3]
			}
		},
	}
	sparseDataConvolver = &convolver{
		func(outputs, inputs []device.View, integers []int64) (data, result, weights device.View) {
			return outputs[0], absent(outputs[0], inputs[2], integers), inputs[2]
		},
		sparseScratch(convolution.SparseDataScratch[float32]), sparseScratch(convolution.SparseDataScratch[float64]),
		sparseGradient(0, 1, convolution.SparseData[float32]), sparseGradient(0, 1, convolution.SparseData[float64]),
		func(c *convolving, _, inputs []device.View, _ []int64) { c.count = product(inputs[0].Shape[2:]) },
	}
	sparseWeightsConvolver = &convolver{
		func(outputs, inputs []device.View, integers []int64) (data, result, weights device.View) {
			return inputs[0], absent(inputs[0], outputs[0], integers), outputs[0]
		},
		sparseScratch(convolution.SparseWeightsScratch[float32]), sparseScratch(convolution.SparseWeightsScratch[float64]),
		sparseGradient(1, 2, convolution.SparseWeights[float32]), sparseGradient(1, 2, convolution.SparseWeights[float64]),
		func(c *convolving, outputs, inputs []device.View, _ []int64) {
			c.count = product(inputs[1].Shape[2:])
			c.Bias.Start, c.Bias.Strides[0] = outputs[1].Pointer.Host, outputs[1].Strides[0]
		},
	}
)

var (
	_ = registerConvolver("conv_max_pool", poolingConvolver)
	_ = registerConvolver("conv_max_pool_gradient_data", sparseDataConvolver)
	_ = registerConvolver("conv_max_pool_gradient_weights", sparseWeightsConvolver)
)

// pooling is how maxima are taken.
type pooling struct {
	window    [2]int // of rows and columns of the result
	rectified bool
	inBands   bool // while the result is computed, which is nowhere then
}

func poolingScratch[T convolution.Float](c *convolving) int {
	if c.inBands {
		return convolution.BandsScratch[T](&c.Shape, c.window[0], c.workers)
	}
	return convolution.DenseBytes[T](&c.Shape) + convolution.ForwardScratch[T](&c.Shape, convolution.WithDense[T](&c.Shape, &c.Operands, nil), c.workers)
}

// convolveAndPool computes the maxima Outputs[0] of windows beside one another over the convolution of Inputs[0] by Inputs[1], with
// Inputs[2] added, and their positions in its planes, Outputs[1]; rectified ones that are not above zero are zero, at −1.
func convolveAndPool[T convolution.Float](t *parallel.Thread, c *convolving, a *device.Arguments) error {
	rows, columns := c.Axes[1].Result, c.Axes[2].Result
	if c.inBands {
		y, index := &a.Outputs[0], &a.Outputs[1]
		convolution.ForwardBands(t, &c.Shape, &c.Operands, c.window[0], c.workers, c.temporary, func(band convolution.Band[T]) {
			w := newWindowsBeside(len(band.Elements)/columns, columns, c.window)
			image, filter := band.Plane/y.Shape[1], band.Plane%y.Shape[1]
			from := band.Row / c.window[0] * w.out[2]
			best := slice[T](unsafe.Add(y.Pointer.Host, (image*y.Strides[0]+filter*y.Strides[1]+from)*int(unsafe.Sizeof(*new(T)))), w.outElement)
			maxBeside(&w, best, slice[int32](unsafe.Add(index.Pointer.Host, (image*index.Strides[0]+filter*index.Strides[1]+from)*4), w.outElement), band.Elements, band.Row*columns, c.rectified)
		})
		return nil
	}
	result := convolution.WithDense[T](&c.Shape, &c.Operands, c.temporary)
	behind := convolution.ForwardScratch[T](&c.Shape, result, c.workers)
	convolution.Forward[T](t, &c.Shape, result, c.workers, convolution.BehindDense[T](&c.Shape, c.temporary, behind))
	maxima, positions := newPlanes[T](a.Outputs[0]), newPlanes[int32](a.Outputs[1])
	w := newWindowsBeside(rows, columns, c.window)
	elements := slice[T](c.temporary, c.Batch*c.Groups*c.Filters*rows*columns)
	t.ForCost(c.Batch*c.Groups*c.Filters, w.cost(light), func(_ *parallel.Thread, lo, hi int) {
		y, index := maxima, positions
		for plane := lo; plane < hi; plane++ {
			maxBeside(&w, y.write(plane), index.write(plane), elements[plane*rows*columns:][:rows*columns], 0, c.rectified)
			y.done()
			index.done()
		}
	})
	return nil
}

// newWindowsBeside returns windows of that many rows and columns beside one another, over a plane.
func newWindowsBeside(rows, columns int, size [2]int) window {
	step := [3]int{1, size[0], size[1]}
	w := window{in: [3]int{1, rows, columns}, out: [3]int{1, rows / size[0], columns / size[1]}, kernel: step, stride: step, dilation: [3]int{1, 1, 1}}
	w.planes, w.inElements, w.outElement = 1, rows*columns, w.out[1]*w.out[2]
	return w
}

// maxBeside computes the maxima of windows beside one another over a band that so many elements of its plane are before.
func maxBeside[T convolution.Float](w *window, best []T, positions []int32, x []T, before int, rectified bool) {
	if maxPairs(w, best, positions, x, before, rectified) {
		return
	}
	w.rows(func(row, depth, height int) {
		at, end := row*w.out[2], (row+1)*w.out[2]
		maxRow(w, best[at:end], positions[at:end], x, depth, height)
	})
	for i := range positions {
		positions[i] += int32(before)
	}
	if rectified {
		rectifyMaxima(best, positions)
	}
}

func sparseScratch(bytes func(s *convolution.Shape, o *convolution.Operands, count, workers int) int) func(c *convolving) int {
	return func(c *convolving) int { return bytes(&c.Shape, &c.Operands, c.count, c.workers) }
}

// sparseGradient returns the kernel of a gradient from the elements and positions that are Inputs of these numbers.
func sparseGradient[T convolution.Float](elements, positions int,
	run func(t *parallel.Thread, s *convolution.Shape, o *convolution.Operands, sparse *convolution.Sparse[T], workers int, temporary unsafe.Pointer) error,
) func(t *parallel.Thread, c *convolving, a *device.Arguments) error {
	return func(t *parallel.Thread, c *convolving, a *device.Arguments) error {
		of, at := newPlanes[T](a.Inputs[elements]), newPlanes[int32](a.Inputs[positions])
		sparse := &convolution.Sparse[T]{Count: c.count, Reader: func() func(plane int) ([]T, []int32) {
			u, index := of, at
			return func(plane int) ([]T, []int32) { return u.read(plane), index.read(plane) }
		}}
		if err := run(t, &c.Shape, &c.Operands, sparse, c.workers, c.temporary); err != nil {
			return dataErrorf(fault.ErrIndex, "a position is out of range for a plane of %d elements", c.Axes[1].Result*c.Axes[2].Result)
		}
		return nil
	}
}
