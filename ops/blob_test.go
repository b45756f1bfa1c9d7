package ops

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// inPlace is the reference of an operator that changes its first operand.
func inPlace(change func(in []array, element int, params any) float64) func([]array, any) []array {
	return func(in []array, params any) []array {
		changed := newArray(in[0].dtype, in[0].shape)
		for i := range changed.values {
			changed.values[i] = wrapped(changed.dtype, change(in, i, params))
		}
		return []array{{dtype: dtype.Bool, values: []float64{1}}, changed}
	}
}

// wrapped returns v modulo the range of integers of type d.
func wrapped(d dtype.DType, v float64) float64 {
	if !d.IsInteger() || d.Size() == 8 {
		return v
	}
	period := math.Ldexp(1, 8*d.Size())
	v = math.Mod(v, period)
	switch half := period / 2; {
	case d.Kind() == dtype.KindUnsigned && v < 0:
		return v + period
	case d.Kind() != dtype.KindUnsigned && v < -half:
		return v + period
	case d.Kind() != dtype.KindUnsigned && v >= half:
		return v - period
	}
	return v
}

func TestAnUpdateInErrorLeavesTheDataAsTheyAre(t *testing.T) {
	env := newEnv(t, "perdevice")
	for _, on := range []*Env{env, simOf(env)} {
		data := made(dtype.Float32, []int{3}, func(at []int) float64 { return float64(at[0]) }).tensor(on)
		bad := Invoke(Take, TakeParams{0, "raise"}, data, array{dtype.Int64, []int{3}, []float64{0, 1, 7}, nil}.tensor(on))[0]
		done := Invoke(Update, nil, data, bad)[0]
		require.ErrorIs(t, done.Wait(t.Context()), fault.ErrIndex)
		require.Equal(t, []float64{0, 1, 2}, valuesOf(t, data))
		require.Equal(t, []float64{1}, valuesOf(t, Invoke(Update, nil, data, data)[0]))
		require.Equal(t, []float64{0, 0, 0}, valuesOf(t, data))
	}
}

// An update by other elements of the same memory would depend on the order in which elements are computed.
func TestAnUpdateByOverlappingMemoryIsAMistake(t *testing.T) {
	env := newEnv(t, "perdevice")
	x := made(dtype.Float64, []int{6}, func(at []int) float64 { return float64(at[0]) }).tensor(env)
	part := func(start int) *Tensor {
		return Invoke(Slice, SliceParams{spans(start, 3, 1)}, x)[0]
	}
	require.ErrorIs(t, mistake(t, func() { Invoke(Update, nil, part(0), part(1)) }), fault.ErrMisuse)
	Invoke(Update, nil, part(0), part(3))
	require.Equal(t, []float64{-3, -3, -3, 3, 4, 5}, valuesOf(t, x))
}

func TestIntegersAreScaledByIntegersAlone(t *testing.T) {
	env := newEnv(t, "perdevice")
	for _, factor := range []float64{0.5, math.NaN(), math.Inf(1), 1 << 54} {
		x := array{dtype.Int64, []int{2}, []float64{1, 2}, nil}.tensor(env)
		require.ErrorIs(t, mistake(t, func() { Invoke(Rescale, RescaleParams{factor}, x) }), fault.ErrParameter)
		require.Equal(t, []float64{1, 2}, valuesOf(t, x))
	}
}

// Integers are exact beyond the precision of float64.
func TestUpdatesAndScalesOfIntegersAreExact(t *testing.T) {
	env := newEnv(t, "perdevice")
	const large = 1<<62 + 1
	x := Invoke(Copy, nil, InvokeIn(env, Fill, FillParams{Shape: []int{2}, DType: dtype.Int64, Integer: large})[0])[0]
	one := InvokeIn(env, Fill, FillParams{Shape: []int{2}, DType: dtype.Int64, Integer: 1})[0]
	want := func(v int) []byte {
		return mustBytes(t, InvokeIn(env, Fill, FillParams{Shape: []int{2}, DType: dtype.Int64, Integer: v})[0])
	}
	Invoke(Update, nil, x, one)
	require.Equal(t, want(large-1), mustBytes(t, x))
	Invoke(Update, nil, x, InvokeIn(env, Fill, FillParams{Shape: []int{2}, DType: dtype.Int64, Integer: -3})[0])
	Invoke(Rescale, RescaleParams{-1}, x)
	require.Equal(t, want(-(large + 2)), mustBytes(t, x))
	require.Equal(t, want(1<<53 + 1)[:8], mustBytes(t, Invoke(Asum, ReduceParams{}, Invoke(Slice, SliceParams{spans(0, 1, 1)},
		InvokeIn(env, Fill, FillParams{Shape: []int{1}, DType: dtype.Int64, Integer: -(1<<53 + 1)})[0])[0])[0]))
}

// A sum of magnitudes is no negative zero, and NaN if an element is.
func TestMagnitudesOfSpecialValues(t *testing.T) {
	env := newEnv(t, "perdevice")
	sum := func(op *Operator, x ...float64) float64 {
		return valuesOf(t, Invoke(op, ReduceParams{}, array{dtype.Float32, []int{len(x)}, x, nil}.tensor(env))[0])[0]
	}
	for _, op := range []*Operator{Asum, Sumsq} {
		require.False(t, math.Signbit(sum(op, math.Copysign(0, -1))), op.Name)
		require.Equal(t, 0.0, sum(op))
		require.True(t, math.IsNaN(sum(op, 1, math.NaN(), math.Inf(1))))
		require.True(t, math.IsInf(sum(op, 1, math.Inf(-1)), 1))
	}
}
