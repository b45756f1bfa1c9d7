package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/ops"
)

// convolution is a 2-d convolution of square images with square filters.
type convolution struct {
	name                                                     string
	channels, size, filters, kernel, stride, padding, groups int
}

var convolutions = []convolution{
	{"lenet1", 1, 28, 6, 5, 1, 2, 1},
	{"lenet2", 6, 14, 16, 5, 1, 0, 1},
	{"mnist1", 1, 28, 20, 5, 1, 0, 1}, // the two of examples/mnist -model lenet
	{"mnist2", 20, 12, 50, 5, 1, 0, 1},
	{"3x3x64on56", 64, 56, 64, 3, 1, 1, 1},
	{"1x1x256on14", 256, 14, 256, 1, 1, 0, 1},
	{"stem7x7", 3, 224, 64, 7, 2, 3, 1},
	{"depthwise3x3on28", 128, 28, 128, 3, 1, 1, 128},
}

// result is the size of the result.
func (c convolution) result() int { return (c.size+2*c.padding-c.kernel)/c.stride + 1 }

// operations is the number of floating-point operations of a direction for so many images.
func (c convolution) operations(images int) int {
	return 2 * images * c.filters * (c.channels / c.groups) * c.kernel * c.kernel * c.result() * c.result()
}

// shapes are those of data, weights and result.
func (c convolution) shapes(images int) (data, weights, result []int) {
	return []int{images, c.channels, c.size, c.size}, []int{c.filters, c.channels / c.groups, c.kernel, c.kernel}, []int{images, c.filters, c.result(), c.result()}
}

var convDirections = []string{"forward", "data", "weights"}

// BenchmarkConv measures convolutions of float32 images and their gradients, as BenchmarkConv/<case>/<images>/<direction>: calls
// from end to end, one after another, that make a new result each and release the one before.
func BenchmarkConv(b *testing.B) {
	env := newEnv(b, "perdevice")
	b.Run("limit/float32", limitOf[float32])
	for _, c := range convolutions {
		for _, images := range []int{1, 32} {
			dataShape, weightsShape, resultShape := c.shapes(images)
			of := func(shape []int) *ops.Tensor {
				return ops.InvokeIn(env, ops.Uniform, ops.UniformParams{Shape: shape, DType: dtype.Float32, Low: -1, High: 1})[0]
			}
			stride, padding := []int{c.stride}, []int{c.padding}
			calls := map[string]func() *ops.Tensor{}
			x, w, g := of(dataShape), of(weightsShape), of(resultShape)
			calls["forward"] = func() *ops.Tensor {
				return ops.Invoke(ops.Conv, ops.ConvParams{Stride: stride, Padding: padding, Groups: c.groups}, x, w)[0]
			}
			calls["data"] = func() *ops.Tensor {
				return ops.Invoke(ops.ConvGradientData, ops.ConvGradientDataParams{Stride: stride, Padding: padding, Groups: c.groups, Shape: dataShape[2:]}, g, w)[0]
			}
			calls["weights"] = func() *ops.Tensor {
				return ops.Invoke(ops.ConvGradientWeights, ops.ConvGradientWeightsParams{Stride: stride, Padding: padding, Groups: c.groups, Kernel: weightsShape[2:]}, x, g)[0]
			}
			for _, direction := range convDirections {
				b.Run(fmt.Sprintf("%s/%d/%s", c.name, images, direction), func(b *testing.B) {
					once := func() {
						y := calls[direction]()
						if err := y.Wait(context.Background()); err != nil {
							b.Fatal(err)
						}
						y.Release()
					}
					once() // The first use of memory is none of the convolution's.
					for b.Loop() {
						once()
					}
					report(b, c.operations(images))
				})
			}
		}
	}
}

// BenchmarkConvPeers measures PyTorch, and oneDNN by itself (Debian package libdnnl-dev), on the cases of BenchmarkConv, as
// BenchmarkConvPeers/<case>/<images>/<direction>/<library>.
func BenchmarkConvPeers(b *testing.B) {
	onednn := program{name: "onednn", source: "onednn.cpp", header: "dnnl.hpp", flags: []string{"-ldnnl"}}.measurer(b)
	for _, c := range convolutions {
		for _, images := range []int{1, 32} {
			for _, direction := range convDirections {
				numbers := []any{direction, images, c.channels, c.size, c.filters, c.kernel, c.stride, c.padding, c.groups}
				name := fmt.Sprintf("%s/%d/%s/", c.name, images, direction)
				b.Run(name+"torch", func(b *testing.B) {
					b.ReportMetric(float64(c.operations(images))/torch.measure(b, "conv", numbers...), "GFLOPS")
				})
				b.Run(name+"onednn", func(b *testing.B) {
					b.ReportMetric(float64(c.operations(images))/onednn(b, numbers...), "GFLOPS")
				})
			}
		}
	}
}
