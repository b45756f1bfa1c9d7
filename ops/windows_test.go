package ops

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/storage"
)

// overlapping returns elements of a line, all axes of which have steps of one or two, and which have the shape of a: its neighbours share memory.
func overlapping(a array, env *Env, imaginary []float64) *Tensor {
	strides, length := make([]int, len(a.shape)), 1
	for axis, n := range a.shape {
		strides[axis] = 1 + axis%2
		length += max(0, n-1) * strides[axis]
	}
	fitting := func(values []float64) []float64 {
		if len(values) == 0 {
			return slices.Repeat([]float64{1}, length)
		}
		return slices.Repeat(values, length/len(values)+1)[:length]
	}
	var parts []float64
	if imaginary != nil {
		parts = fitting(imaginary)
	}
	base := array{a.dtype, []int{length}, fitting(a.values), nil}.tensor(env, parts...)
	return NewTensor(storage.View{Synced: base.view.Synced, DType: a.dtype, Shape: a.shape, Strides: strides}, env)
}

// requireSameOfCopies has a call with operands whose elements share memory with one another, and one with copies of them.
func requireSameOfCopies(t *testing.T, c testCase, envs ...*Env) {
	if c.row.prepare != nil || c.op.Mutates != nil || len(c.in) == 0 {
		return // operands are legal only as they are, or written to
	}
	for _, e := range envs {
		var views, copies []*Tensor
		for i, a := range c.in {
			x := a.tensor(e, c.imag[i]...)
			if _, fixed := c.row.fixed[i]; !fixed {
				x = overlapping(a, e, c.imag[i])
			}
			views, copies = append(views, x), append(copies, Invoke(Copy, nil, x)[0])
		}
		want, got := c.call(e, copies), c.call(e, views)
		for i := range want {
			require.Equal(t, mustBytes(t, want[i]), mustBytes(t, got[i]), "result %d on %v", i, e.device)
		}
	}
}

func TestOperandsThatOverlapGiveWhatCopiesOfThemGive(t *testing.T) {
	env := newEnv(t, "perdevice")
	eachCase(t, func(t *testing.T, c testCase) { requireSameOfCopies(t, c, env, simOf(env)) })
}
