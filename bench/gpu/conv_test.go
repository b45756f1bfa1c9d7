package gpu

import (
	"testing"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// BenchmarkConv is a convolution of 64 images of 28 by 28 elements in 256 channels by 256 filters of 3 by 3, and with it the gradients of its data and weights.
func BenchmarkConv(b *testing.B) {
	for _, c := range []struct {
		name  string
		dtype dtype.DType
	}{{"float32", dtype.Float32}, {"bfloat16", dtype.BFloat16}} {
		images, channels, size := 64, 256, 28
		if testing.Short() {
			images, channels, size = 1, 2, 4
		}
		params := nd.ConvParams{Padding: []int{1}}
		operations := 2 * images * channels * channels * size * size * 9
		b.Run(c.name, func(b *testing.B) {
			x := fullOf(b, c.dtype, 0.5, 1, images*channels*size*size).Reshape(images, channels, size, size)
			w := nd.FullIn(x.Env(), c.dtype, 0.5, channels, channels, 3, 3)
			measure(b, 0, operations, func() *nd.Array { return x.Conv(w, nil, params) })
		})
		b.Run(c.name+"/gradients", func(b *testing.B) {
			x := fullOf(b, c.dtype, 0.5, 1, images*channels*size*size).Reshape(images, channels, size, size)
			w := nd.FullIn(x.Env(), c.dtype, 0.5, channels, channels, 3, 3)
			measure(b, 0, 3*operations, func() *nd.Array {
				tape := autograd.NewTape()
				xs, ws := tape.Watch(x), tape.Watch(w)
				grads := tape.Gradient(xs.Conv(ws, nil, params).Sum(), xs, ws)
				grads[0].Release()
				return grads[1]
			})
		})
	}
}
