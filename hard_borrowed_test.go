package weft_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/random"
	"github.com/weft-nd/weft/storage"
)

// TestProductsStayInTheMemoryThatTheyBorrow computes products, layers and convolutions of the sizes about which matrix products are planned
// differently, in memory behind whose end nobody may write: an operator that does ends in an error.
func TestProductsStayInTheMemoryThatTheyBorrow(t *testing.T) {
	guarded, err := storage.NewGuarded(device.CPU(0))
	if err != nil {
		t.Skip(err)
	}
	before, err := storage.ManagerOf(device.CPU(0))
	require.NoError(t, err)
	storage.SetManager(device.CPU(0), guarded)
	defer storage.SetManager(device.CPU(0), before)

	r, env := rand.New(rand.NewPCG(61, 62)), nd.DefaultEnv().WithSeed(63)
	one := func(choices ...int) int { return choices[r.IntN(len(choices))] }
	normal := func(d dtype.DType, shape ...int) *nd.Array {
		return random.Normal(env, dtype.Float32, 0, 1, shape...).Cast(d)
	}
	matrix := func(d dtype.DType, rows, columns int) *nd.Array {
		if r.IntN(2) == 0 {
			return normal(d, columns, rows).T()
		}
		return normal(d, rows, columns)
	}
	rounds := 400
	if testing.Short() {
		rounds = 60
	}
	for round := range rounds {
		d := []dtype.DType{dtype.Float32, dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16, dtype.Complex64, dtype.Int8}[r.IntN(7)]
		m, n, k := one(1, 2, 8, 12, 14, 16, 17, 32, 48, 64, 96, 128, 130), one(3, 100, 128, 300, 1000, 1024), one(5, 64, 255, 256, 512, 600, 1024, 1500)
		var name string
		var result *nd.Array
		switch kind := r.IntN(3); {
		case kind == 0:
			name, result = fmt.Sprintf("product of %v %dx%dx%d", d, m, k, n), matrix(d, m, k).MatMul(matrix(d, k, n))
		case kind == 1 && d.IsFloat():
			p := ops.LinearParams{Activation: "none", Alpha: []float64{1, 0.5}[r.IntN(2)]}
			name = fmt.Sprintf("linear of %v %dx%dx%d by %v", d, m, k, n, p.Alpha)
			result = (*nd.Array)(ops.Invoke(ops.Linear, p, (*ops.Tensor)(normal(d, m, k)), (*ops.Tensor)(matrix(d, k, n)), (*ops.Tensor)(normal(d, n)))[0])
		default:
			batch, channels, filters, side, kernel := one(1, 2, 3), one(1, 3, 16, 64, 256), one(1, 5, 16, 32, 64), one(5, 8, 14, 16), one(1, 1, 2, 3, 5)
			if round%20 == 0 {
				batch, channels, filters, side, kernel = 2, 4200, 32, 16, 1 // gradients with parts of more than half a megabyte
			}
			name = fmt.Sprintf("convolution of (%d,%d,%d,%d) by %d filters of %d", batch, channels, side, side, filters, kernel)
			tape := autograd.NewTape()
			x, w := tape.Watch(normal(dtype.Float32, batch, channels, side, side)), tape.Watch(normal(dtype.Float32, filters, channels, kernel, kernel))
			g := tape.Gradient(x.Conv(w, nil, nd.ConvParams{Stride: []int{one(1, 1, 2)}, Padding: []int{one(0, 1)}}).Sum(), x, w)
			result = g[0].Sum().Add(g[1].Sum())
		}
		require.NoError(t, result.Wait(context.Background()), name)
	}
}
