package ndarray_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

func TestMistakesPanicAtOnceWithOperatorShapesAndLine(t *testing.T) {
	x, y := floats(3, 2), floats(4, 2)
	integers := nd.FromSlice([]int64{1, 2, 3})
	var none *nd.Array
	var noScope context.Context
	released := floats(2)
	released.Release()
	for _, test := range []struct {
		name   string
		reason error
		texts  []string
		call   func()
	}{
		{"count", fault.ErrShape, []string{"FromSlice", "3 elements", "(2,2)", "4"}, func() { nd.FromSlice([]float32{1, 2, 3}, 2, 2) }},
		{"negative size", fault.ErrShape, []string{"FromSlice", "(-1,)"}, func() { nd.FromSlice([]float32{1}, -1) }},
		{"sizes that wrap round", fault.ErrShape, []string{"FromSlice"}, func() { nd.FromSlice([]float32{}, 1<<32, 1<<32) }},
		{"too large", fault.ErrShape, []string{"Zeros"}, func() { nd.Zeros[float64](math.MaxInt / 2) }},
		{"adopted count", fault.ErrShape, []string{"Adopt", "(3,)"}, func() { nd.Adopt([]float32{1, 2}, 3) }},
		{"broadcast", fault.ErrShape, []string{"add", "(3,2)", "(4,2)", "axis 0", "float32"}, func() { x.Add(y) }},
		{"broadcast to", fault.ErrShape, []string{"broadcast_to", "(3,2)", "(3,3)"}, func() { x.BroadcastTo(3, 3) }},
		{"matmul", fault.ErrShape, []string{"matmul", "(3,2)", "(4,2)"}, func() { x.MatMul(y) }},
		{"reshape", fault.ErrShape, []string{"reshape", "6 elements", "(4,)"}, func() { x.Reshape(4) }},
		{"reshape with two unknowns", fault.ErrShape, []string{"reshape"}, func() { x.Reshape(-1, -1) }},
		{"axis", fault.ErrAxis, []string{"sum", "axis 2", "(3,2)"}, func() { x.Sum(2) }},
		{"axis twice", fault.ErrAxis, []string{"sum", "twice"}, func() { x.Sum(0, -2) }},
		{"transpose", fault.ErrAxis, []string{"transpose", "(3,2)"}, func() { x.Transpose(0) }},
		{"squeeze", fault.ErrShape, []string{"Squeeze", "3 elements"}, func() { x.Squeeze(0) }},
		{"squeezed twice", fault.ErrAxis, []string{"Squeeze", "twice"}, func() { floats(1, 1).Squeeze(0, -2) }},
		{"flipped twice", fault.ErrAxis, []string{"Flip", "twice"}, func() { x.Flip(1, -1) }},
		{"parts beyond memory", fault.ErrOutOfMemory, []string{"Split", "memory"}, func() { floats(0).Split(1<<40, 0) }},
		{"arrays beyond memory", fault.ErrOutOfMemory, []string{"Unstack", "memory"}, func() { floats(1).BroadcastTo(1 << 40).Unstack(0) }},
		{"expand", fault.ErrAxis, []string{"ExpandDims", "axis 4"}, func() { x.ExpandDims(4) }},
		{"concat", fault.ErrShape, []string{"concat", "(3,2)", "(2,)"}, func() { nd.Concat(0, x, floats(2)) }},
		{"concat of nothing", fault.ErrMisuse, []string{"concat"}, func() { nd.Concat(0) }},
		{"element", fault.ErrIndex, []string{"At", "index 2", "axis 1"}, func() { _, _ = nd.At[float32](x, 0, 2) }},
		{"number of indices", fault.ErrIndex, []string{"At", "1 indices"}, func() { _, _ = nd.At[float32](x, 0) }},
		{"set", fault.ErrIndex, []string{"Set", "index 9"}, func() { nd.Set[float32](x, 1, 9, 0) }},
		{"item", fault.ErrShape, []string{"Item", "6 elements"}, func() { _, _ = nd.Item[float32](x) }},
		{"dtype of values", fault.ErrDType, []string{"Values", "float32", "float64"}, func() { _, _ = nd.Values[float64](x) }},
		{"dtype of read", fault.ErrDType, []string{"Read"}, func() { _ = nd.Read(context.Background(), x, func([]int32) error { return nil }) }},
		{"strided read", fault.ErrMisuse, []string{"Read", "contiguous"}, func() { _ = nd.Read(context.Background(), x.T(), func([]float32) error { return nil }) }},
		{"dtype of a part", fault.ErrDType, []string{"SetSlice", "int64", "float32"}, func() { x.SetSlice(integers, 0) }},
		{"shape of a part", fault.ErrShape, []string{"SetSlice", "(4,2)", "(3,2)"}, func() { x.SetSlice(y) }},
		{"destination shape", fault.ErrShape, []string{"exp", "(4,2)"}, func() { nd.ExpInto(y, x) }},
		{"destination dtype", fault.ErrDType, []string{"exp", "int64"}, func() { nd.ExpInto(integers, floats(3)) }},
		{"destination that repeats", fault.ErrMisuse, []string{"exp", "broadcast"}, func() { nd.ExpInto(floats(1).BroadcastTo(3), floats(3)) }},
		{"no destination", fault.ErrMisuse, []string{"exp", "nil"}, func() { nd.ExpInto(nil, x) }},
		{"nil operand", fault.ErrMisuse, []string{"add", "nil"}, func() { x.Add(none) }},
		{"nil receiver", fault.ErrMisuse, []string{"exp", "nil"}, func() { none.Exp() }},
		{"nil to read", fault.ErrMisuse, []string{"Values", "nil"}, func() { _, _ = nd.Values[float32](none) }},
		{"scalar that is no integer", fault.ErrParameter, []string{"add", "0.5", "int64"}, func() { integers.AddScalar(0.5) }},
		{"scalar out of range", fault.ErrParameter, []string{"FullIn", "256"}, func() { nd.FullIn(nd.DefaultEnv(), dtype.Uint8, 256, 2) }},
		{"no dtype", fault.ErrDType, []string{"ZerosIn"}, func() { nd.ZerosIn(nd.DefaultEnv(), dtype.Invalid, 2) }},
		{"arithmetic", fault.ErrDType, []string{"sub", "bool"}, func() { nd.Zeros[bool](2).Sub(nd.Zeros[bool](2)) }},
		{"float indices", fault.ErrDType, []string{"take", "float32"}, func() { x.Take(floats(1), 0) }},
		{"step of nothing", fault.ErrParameter, []string{"Arange", "step"}, func() { nd.Arange[int64](0, 3, 0) }},
		{"endless step", fault.ErrParameter, []string{"Arange", "NaN"}, func() { nd.Arange(0, math.NaN(), 1) }},
		{"matrix", fault.ErrShape, []string{"AsMatrix", "1 axes"}, func() { _, _ = nd.AsMatrix(floats(2)) }},
		{"device", fault.ErrDevice, []string{"gpu(99)"}, func() { x.To(device.GPU(99)) }},
		{"another engine", fault.ErrMisuse, []string{"In", "engine"}, func() { x.In(ops.NewEnv(engine.NewNaive())) }},
		{"no scope", fault.ErrMisuse, []string{"WithScope", "nil"}, func() { nd.DefaultEnv().WithScope(noScope) }},
		{"no environment", fault.ErrMisuse, []string{"ZerosIn", "nil"}, func() { nd.ZerosIn(nil, dtype.Float32, 2) }},
		{"no environment for a constant", fault.ErrMisuse, []string{"FullIn", "nil"}, func() { nd.FullIn(nil, dtype.Float32, 1, 2) }},
		{"no environment for ones", fault.ErrMisuse, []string{"OnesIn", "nil"}, func() { nd.OnesIn(nil, dtype.Float32, 2) }},
		{"no environment for a copy", fault.ErrMisuse, []string{"FromSliceIn", "nil"}, func() { nd.FromSliceIn(nil, []float32{1}) }},
		{"no environment for a slice", fault.ErrMisuse, []string{"AdoptIn", "nil"}, func() { nd.AdoptIn(nil, []float32{1}) }},
		{"no matrix", fault.ErrMisuse, []string{"FromMatrix", "nil"}, func() { nd.FromMatrix(nil) }},
		{"array that was not made", fault.ErrMisuse, []string{"add", "nil"}, func() { x.Add(new(nd.Array)) }},
		{"destination that was not made", fault.ErrMisuse, []string{"add", "nil"}, func() { nd.AddInto(new(nd.Array), x, x) }},
		{"nil to wait for", fault.ErrMisuse, []string{"Wait", "nil"}, func() { _ = none.Wait(context.Background()) }},
		{"nil to move", fault.ErrMisuse, []string{"To", "nil"}, func() { none.To(device.CPU(0)) }},
		{"nil to release", fault.ErrMisuse, []string{"Release", "nil"}, func() { none.Release() }},
		{"numbers beyond memory", fault.ErrOutOfMemory, []string{"Arange", "memory"}, func() { nd.Arange(0.0, 1e18, 1) }},
		{"distances beyond memory", fault.ErrOutOfMemory, []string{"Linspace", "memory"}, func() { nd.Linspace(0.0, 1, 1<<50) }},
		{"identity beyond memory", fault.ErrOutOfMemory, []string{"Eye", "memory"}, func() { nd.Eye[float64](1 << 25) }},
		{"released", fault.ErrReleased, []string{"exp: use after release: the array was released at", "mistakes_test.go"}, func() { released.Exp() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := mistake(t, test.call)
			require.ErrorIs(t, err, test.reason)
			for _, text := range append(test.texts, " at "+lineOf(test.call)) {
				require.Contains(t, err.Error(), text)
			}
		})
	}
}

func TestTryLetsOtherPanicsPass(t *testing.T) {
	cause := errors.New("another panic")
	require.PanicsWithError(t, cause.Error(), func() { _ = nd.Try(func() { panic(cause) }) })
	require.NoError(t, nd.Try(func() { floats(2).Exp() }))
	require.ErrorContains(t, nd.Try(func() { _ = nd.Try(nil) }), "Try: the function is nil at mistakes_test.go")
}

func TestMistakesLeaveArraysAsTheyWere(t *testing.T) {
	x := floats(2, 2)
	require.Error(t, nd.Try(func() { nd.AddInto(x, x, floats(3)) }))
	require.Equal(t, []float32{0, 1, 2, 3}, values[float32](t, x))
}
