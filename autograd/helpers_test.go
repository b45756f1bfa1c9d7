package autograd_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/storage"
)

// function is a function of one array.
type function = func(x *nd.Array) *nd.Array

// total is the function of the sum of the results of f.
func total(f function) function { return func(x *nd.Array) *nd.Array { return f(x).Sum() } }

// slope returns the gradient of the sum of f(x).
func slope(f function, x *nd.Array) *nd.Array {
	_, gradients := autograd.ValueAndGradient(func(xs ...*nd.Array) *nd.Array { return f(xs[0]).Sum() }, x)
	return gradients[0]
}

// difference returns central differences of the sum of f at x, by float64.
func difference(t *testing.T, f function, at []float64, step float64) []float64 {
	slopes := make([]float64, len(at))
	for i := range at {
		sum := func(shift float64) float64 {
			moved := append([]float64{}, at...)
			moved[i] += shift
			return values(t, f(nd.FromSlice(moved)).Sum())[0]
		}
		slopes[i] = (sum(step) - sum(-step)) / (2 * step)
	}
	return slopes
}

// requireNear fails unless the numbers agree within tolerance, relative to those larger than 1.
func requireNear(t *testing.T, want, got []float64, tolerance float64, about ...any) {
	t.Helper()
	require.Len(t, got, len(want), about...)
	for i := range want {
		require.InDelta(t, want[i], got[i], tolerance*max(1, want[i], -want[i]), about...)
	}
}

// dropout drops half of x, with numbers of the generator of its Env.
func dropout(x *nd.Array) *nd.Array {
	return (*nd.Array)(ops.Invoke(ops.Dropout, ops.DropoutParams{Probability: 0.5}, (*ops.Tensor)(x))[0])
}

// heldOn returns the bytes in use on d when the collector has done what it can, or there are at most so many.
func heldOn(d device.Device, enough int64) (bytes int64) {
	for range 200 {
		if bytes = storage.Usage()[d.String()].InUse; bytes <= enough {
			return bytes
		}
		runtime.GC()
		runtime.Gosched()
	}
	return bytes
}
