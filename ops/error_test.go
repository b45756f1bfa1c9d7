package ops

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/sim"
)

// everywhere runs body on cpu(0) and sim(0) of both engines.
func everywhere(t *testing.T, body func(t *testing.T, env *Env)) {
	for _, kind := range []string{"perdevice", "naive"} {
		for _, on := range []device.Device{device.CPU(0), device.Sim(0)} {
			t.Run(fmt.Sprint(kind, " ", on), func(t *testing.T) { body(t, newEnv(t, kind).WithDevice(on)) })
		}
	}
}

// failure waits for x twice and returns the error that sticks to it.
func failure(t *testing.T, x *Tensor) *fault.Error {
	t.Helper()
	first, second := x.Wait(context.Background()), x.Wait(context.Background())
	require.Error(t, first)
	require.Equal(t, first, second, "asking twice answers twice")
	var e *fault.Error
	require.ErrorAs(t, first, &e)
	return e
}

func TestIndicesOutOfRangeAreErrorsOfTheResult(t *testing.T) {
	everywhere(t, func(t *testing.T, env *Env) {
		indices := func(v ...float64) *Tensor { return array{dtype.Int64, []int{len(v)}, v, nil}.tensor(env) }
		matrix := newArray(dtype.Float32, []int{3, 2}).tensor(env)
		_, _, line, _ := runtime.Caller(0)
		for name, c := range map[string]struct {
			got  *Tensor
			line int
			text string
		}{
			"take":                  {Invoke(Take, TakeParams{0, "raise"}, matrix, indices(0, 3))[0], line + 6, "index 3 is out of range for axis 0 with 3 elements [float32 (3,2), int64 (2,)]"},
			"scatter_add":           {Invoke(ScatterAdd, ScatterParams{[]int{2, 2}, 0, "raise"}, matrix, indices(0, 1, -3))[0], line + 7, "index -3 is out of range for axis 0 with 2 elements [float32 (3,2), int64 (3,)]"},
			"one_hot":               {Invoke(OneHot, OneHotParams{2, dtype.Float32}, indices(2))[0], line + 8, "index 2 is out of range for depth 2 [int64 (1,)]"},
			"softmax_cross_entropy": {Invoke(SoftmaxCrossEntropy, nil, matrix, indices(0, 1, 2))[0], line + 9, "label 2 is out of range for 2 classes [float32 (3,2), int64 (3,)]"},
		} {
			e := failure(t, c.got)
			require.ErrorIs(t, e, fault.ErrIndex)
			require.Contains(t, e.Error(), c.text)
			require.Contains(t, e.Error(), name)
			require.Regexp(t, fmt.Sprintf(`on %v.* at error_test\.go:%d$`, escaped(env.Device()), c.line), e.Error())
		}
		for _, mode := range []string{"wrap", "clip"} {
			nothing := newArray(dtype.Float32, []int{0, 2}).tensor(env)
			require.ErrorIs(t, failure(t, Invoke(Take, TakeParams{0, mode}, nothing, indices(1))[0]), fault.ErrIndex)
		}
		require.Equal(t, []float64{0, 0, 0, 0, 0, 0}, valuesOf(t, matrix), "the operand is intact")
	})
}

func escaped(d device.Device) string { return fmt.Sprintf(`%v\(%d\)`, d.Kind, d.Index) }

func TestChainsNameTheRootTheLastLinkAndTheirLength(t *testing.T) {
	everywhere(t, func(t *testing.T, env *Env) {
		_, _, line, _ := runtime.Caller(0)
		y := Invoke(Take, TakeParams{0, "raise"}, vector(env, 1, 2), array{dtype.Int64, []int{1}, []float64{9}, nil}.tensor(env))[0]
		one := Invoke(Neg, nil, y)[0]
		e := failure(t, one)
		require.Equal(t, 1, e.Links)
		require.Regexp(t, fmt.Sprintf(`^weft: neg was not run at error_test\.go:%d: its input failed: take: index 9 is out of range for axis 0 with 2 elements `+
			`\[float64 \(2,\), int64 \(1,\)\] on %v at error_test\.go:%d$`, line+2, escaped(env.Device()), line+1), e.Error())
		last := one
		for range 50 {
			last = Invoke(Exp, nil, last)[0]
		}
		e = failure(t, Invoke(Add, nil, last, vector(env, 1))[0])
		require.Equal(t, 52, e.Links)
		require.Equal(t, "exp", e.Via)
		require.ErrorIs(t, e, fault.ErrIndex)
		require.Contains(t, e.Error(), "add was not run")
		require.Contains(t, e.Error(), "52 operators before (last: exp): take: index 9")
		require.Equal(t, []float64{1}, valuesOf(t, vector(env, 1)))
	})
}

// careless is an operator without its lowering, so that the kernel finds no parameters and panics.
func careless() *Operator {
	op := *Take
	op.Lower = nil
	return &op
}

func TestPanicsOfKernelsAreErrorsOfTheResult(t *testing.T) {
	for _, kind := range []string{"perdevice", "naive"} {
		env := newEnv(t, kind)
		x, indices := vector(env, 1, 2), newArray(dtype.Int64, []int{3}).tensor(env)
		_, _, line, _ := runtime.Caller(0)
		y := Invoke(careless(), TakeParams{0, "raise"}, x, indices)[0]
		e := failure(t, y)
		require.ErrorIs(t, e, fault.ErrPanic)
		require.Regexp(t, fmt.Sprintf(`^weft: take: panic: .*index out of range.* \[float64 \(2,\), int64 \(3,\)\] on cpu\(0\) at error_test\.go:%d$`, line+1), e.Error())
		require.Contains(t, string(e.Stack), "kernels/cpu")
		require.Equal(t, []float64{3}, valuesOf(t, Invoke(Sum, ReduceParams{}, x)[0]), "the engine goes on")
	}
}

func TestAWriteOfAllCuresAPoisonedArray(t *testing.T) {
	everywhere(t, func(t *testing.T, env *Env) {
		x := Invoke(careful(), TakeParams{0, "raise"}, vector(env, 1, 2), array{dtype.Int64, []int{2}, []float64{0, 7}, nil}.tensor(env))[0]
		failure(t, x)
		InvokeInto(Neg, nil, []*Tensor{Invoke(Slice, SliceParams{spans(0, 1, 1)}, x)[0]}, vector(env, 1))
		failure(t, x)
		InvokeInto(Neg, nil, []*Tensor{x}, vector(env, 1, 2))
		require.Equal(t, []float64{-1, -2}, valuesOf(t, x))
	})
}

func careful() *Operator { return Take }

// TestASkippedStepLeavesWeightsAsTheyAre gives sgd a gradient in error.
func TestASkippedStepLeavesWeightsAsTheyAre(t *testing.T) {
	everywhere(t, func(t *testing.T, env *Env) {
		weight, velocity := vector(env, 1, 2), vector(env, 0, 0)
		bad := Invoke(Take, TakeParams{0, "raise"}, vector(env, 1, 2), array{dtype.Int64, []int{2}, []float64{0, 7}, nil}.tensor(env))[0]
		status := Invoke(SGD, SGDParams{LearningRates: []float64{1}}, weight, velocity, bad)[0]
		require.ErrorIs(t, failure(t, status), fault.ErrIndex)
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		status = Invoke(SGD, SGDParams{LearningRates: []float64{1}}, weight, velocity, vector(env.WithScope(ended), 3, 4))[0]
		require.ErrorIs(t, failure(t, status), context.Canceled)
		require.Equal(t, []float64{1, 2}, valuesOf(t, weight))
		status = Invoke(SGD, SGDParams{LearningRates: []float64{1}}, weight, velocity, vector(env, 3, 4))[0]
		require.Equal(t, []float64{1}, valuesOf(t, status))
		require.Equal(t, []float64{-2, -2}, valuesOf(t, weight))
		require.Equal(t, []float64{3, 4}, valuesOf(t, velocity))
	})
}

func TestFaultsOfADeviceAreErrorsOfTheResult(t *testing.T) {
	reason := errors.New("the bus is wet")
	for _, kind := range []string{"perdevice", "naive"} {
		env := simOf(newEnv(t, kind))
		sim.Default().InjectFault("tanh/float64", reason)
		x := vector(env, 1)
		e := failure(t, Invoke(Tanh, nil, x)[0])
		require.ErrorIs(t, e, reason)
		require.Regexp(t, `^weft: tanh: .* \[float64 \(1,\)\] on sim\(0\) at error_test\.go:\d+$`, e.Error())
		require.NoError(t, Invoke(Tanh, nil, x)[0].Wait(context.Background()))
	}
}

func TestOutOfMemoryIsAnErrorOfTheResult(t *testing.T) {
	env := newEnv(t, "perdevice")
	x := InvokeIn(env, Fill, FillParams{Shape: []int{1 << 25, 1 << 25}, DType: dtype.Float32})[0]
	require.ErrorIs(t, failure(t, x), fault.ErrOutOfMemory)
	require.Contains(t, failure(t, Invoke(Neg, nil, x)[0]).Error(), "fill: ")
}

func TestOperatorsOfAClosedEngineAreErrorsOfTheResult(t *testing.T) {
	e := engine.NewPerDevice()
	env := NewEnv(e)
	x := vector(env, 1)
	require.NoError(t, e.Close(context.Background()))
	require.ErrorIs(t, failure(t, Invoke(Neg, nil, x)[0]), fault.ErrClosed)
}
