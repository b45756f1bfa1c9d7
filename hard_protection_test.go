package weft_test

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kvstore"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/optim"
)

// TestEveryWayToWriteIsRefusedWhileATapeNeedsTheArray writes to the weights of a layer after its forward pass, in every way that there
// is. The error names the line of the write and that of the tape; nothing is written; and when the tape is closed each way works.
func TestEveryWayToWriteIsRefusedWhileATapeNeedsTheArray(t *testing.T) {
	ctx, env := context.Background(), nd.DefaultEnv().WithSeed(1)
	layer := nn.NewDense(env, 3, 3)
	w, ones := nn.Params(layer)[0], nd.Ones[float32](3, 3)
	rows, columns := nd.FromSlice([]int64{2, 0, 1}), nd.FromSlice([]int64{0, 1, 2, 2, 1, 0, 0, 0, 0}, 3, 3)
	opt := optim.NewSGD(nn.Params(layer), 0.1, optim.Momentum(0.9))
	gradients := []*nd.Array{ones, nd.Ones[float32](3)}
	state := map[string]*nd.Array{"weight": ones, "bias": gradients[1]}
	store := kvstore.NewLocal(env, []device.Device{device.CPU(0)})
	store.Init("w", ones)
	other := autograd.NewTape(autograd.Persistent())
	x := nd.Ones[float32](3, 3)
	loss := other.Watch(x).Square().Sum()
	blob := func() { ops.Invoke(ops.Update, nil, (*ops.Tensor)(w), (*ops.Tensor)(ones)) }

	ways := map[string]func(){
		"element-wise":     func() { nd.AddInto(w, w, ones) },
		"copy":             func() { nd.CopyInto(w, ones) },
		"cast":             func() { nd.CastInto(w, ones.Cast(dtype.Int32)) },
		"view":             func() { nd.NegInto(w.T(), ones) },
		"product":          func() { nd.MatMulInto(w, ones, ones) },
		"linear":           func() { nd.LinearInto(w, ones, ones, nd.NoActivation, gradients[1]) },
		"softmax":          func() { nd.SoftmaxInto(w, ones, 1) },
		"log softmax":      func() { nd.LogSoftmaxInto(w, ones, 1) },
		"where":            func() { nd.WhereInto(w, ones.GreaterScalar(0), ones, ones) },
		"clip":             func() { nd.ClipInto(w, w, nd.Weak(0), nd.Weak(1)) },
		"sort":             func() { nd.SortInto(w, ones, 0) },
		"cumulative sum":   func() { nd.CumSumInto(w, ones, 0) },
		"cumulative max":   func() { nd.CumMaxInto(w, ones, 0) },
		"take":             func() { nd.TakeInto(w, ones, rows, 0) },
		"scatter":          func() { nd.ScatterInto(w, w, rows, ones, 0) },
		"scatter add":      func() { nd.ScatterAddInto(w, w, rows, ones, 0) },
		"put along axis":   func() { nd.PutAlongAxisInto(w, w, columns, ones, 1) },
		"add along axis":   func() { nd.AddAlongAxisInto(w, w, columns, ones, 1) },
		"slice":            func() { w.SetSlice(gradients[1], 1) },
		"added slice":      func() { w.AddSlice(gradients[1], nd.Whole, 2) },
		"updated slice":    func() { w.UpdateSlice((*nd.Array).Neg, nd.Span(0, 2)) },
		"indexed by array": func() { w.SetSlice(ones, rows) },
		"element":          func() { nd.Set(w, float32(3), 0, 1) },
		"callback":         func() { require.NoError(t, nd.Write(ctx, w, func([]float32) error { return nil })) },
		"waiting":          func() { require.NoError(t, w.WaitToWrite(ctx)) },
		"blob":             blob,
		"gradient":         func() { other.GradientInto([]*nd.Array{w}, loss, x) },
		"added gradient":   func() { other.GradientAddInto([]*nd.Array{w}, loss, x) },
		"clipped value":    func() { optim.ClipValue([]*nd.Array{w}, 0.5) },
		"clipped norm":     func() { optim.ClipNorm([]*nd.Array{w}, 0.5) },
		"optimiser":        func() { require.NoError(t, opt.Step(ctx, gradients)) },
		"state":            func() { require.NoError(t, nn.SetState(layer, state)) },
		"initialiser":      func() { nn.Initialise(layer, env, nn.XavierNormal) },
		"pull":             func() { store.Pull("w", []*nd.Array{w}, 0) },
		"push and pull":    func() { store.PushPull("w", []*nd.Array{ones}, []*nd.Array{w}, 0) },
	}
	before, err := nd.Values[float32](w)
	require.NoError(t, err)
	tape := autograd.NewTape()
	_, _, line, _ := runtime.Caller(0)
	result := layer.Forward(nn.Train(tape, env.Generator()), ones)
	for name, write := range ways {
		t.Run(name, func(t *testing.T) {
			err := nd.Try(write)
			require.ErrorIs(t, err, fault.ErrSaved)
			entry := reflect.ValueOf(write).Pointer()
			file, of := runtime.FuncForPC(entry).FileLine(entry)
			require.Regexp(t, fmt.Sprintf(`saved this memory at %[1]s:%[2]d\b.* at %[1]s:%[3]d\b`, filepath.Base(file), line+1, of), err.Error())
			after, err := nd.Values[float32](w)
			require.NoError(t, err)
			require.Equal(t, before, after)
		})
	}
	require.Zero(t, opt.Steps())
	require.NoError(t, tape.Gradient(result.Sum(), w)[0].Wait(ctx))
	for name, write := range ways {
		t.Run(name+", afterwards", func(t *testing.T) {
			require.NoError(t, nd.Try(write))
			require.NoError(t, w.Wait(ctx))
		})
	}
}
