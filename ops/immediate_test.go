package ops

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/storage"
)

// resting counts what is computed while an engine is at rest.
type resting struct {
	engine.Engine
	computed int
}

// BeginAtRest implements engine.Engine.
func (e *resting) BeginAtRest() *parallel.Thread {
	e.computed++
	return e.Engine.BeginAtRest()
}

// An Env with a cancel scope computes nothing at rest: its results are those of operations.
func TestCallsAtRestGiveTheBitsOfOperations(t *testing.T) {
	plain := newEnv(t, "perdevice")
	e := &resting{Engine: plain.engine}
	env := NewEnv(e)
	scoped, taken := env.WithScope(t.Context()), map[string]int{}
	for _, op := range All() {
		if op.Draws || op.Mutates != nil {
			continue
		}
		for _, d := range dtypesOf(op) {
			for _, sample := range op.Samples {
				c := newCase(op, sample, d)
				if len(c.in) == 0 {
					continue
				}
				var inputs, others []*Tensor
				for _, a := range c.in {
					inputs, others = append(inputs, a.tensor(env)), append(others, a.tensor(scoped))
				}
				name := fmt.Sprintf("%s of %v %+v", op.Name, d, sample)
				var got []*Tensor
				before := e.computed
				for try := 0; try < 5 && e.computed == before; try++ { // A worker may look after the queues of the engine.
					require.NoError(t, e.WaitAll(t.Context()), name)
					runtime.Gosched()
					got = Invoke(op, sample.Params, inputs...)
				}
				if e.computed == before {
					continue
				}
				taken[op.Name]++
				want := Invoke(op, sample.Params, others...)
				require.Len(t, got, len(want), name)
				for i := range want {
					require.Equal(t, want[i].DType(), got[i].DType(), name)
					require.Equal(t, want[i].Shape(), got[i].Shape(), name)
					require.Equal(t, contents(t, want[i]), contents(t, got[i]), name)
				}
			}
		}
	}
	for _, name := range []string{"concat", "cumsum", "layer_norm", "matmul", "one_hot", "pad", "softmax", "sort", "take", "tril", "where"} {
		require.Positive(t, taken[name], name)
	}
	require.Greater(t, len(taken), 80)
}

// A destination is written in the order of the calls, and counts one write for each.
func TestCallsAtRestIntoADestinationCountTheirWrites(t *testing.T) {
	env := newEnv(t, "perdevice")
	x, dst := floats32(env, 1, 3, 4), floats32(env, 0, 3, 4)
	require.NoError(t, env.engine.WaitAll(t.Context()))
	for i := range 5 {
		InvokeInto(Softmax, SoftmaxParams{Axis: i%2 - 1}, []*Tensor{dst}, x)
		require.NoError(t, dst.Wait(t.Context()))
		require.EqualValues(t, i+1, dst.view.Synced.Var().Version())
		require.EqualValues(t, i+1, dst.view.Synced.Var().Sequence())
	}
	require.Equal(t, contents(t, InvokeOne(Softmax, SoftmaxParams{Axis: -1}, x)), contents(t, dst))
}

func TestWhatFailsAtRestFailsAsAnOperation(t *testing.T) {
	env := newEnv(t, "perdevice")
	e := &resting{Engine: env.engine}
	env = NewEnv(e)
	x := floats32(env, 1, 3, 4)
	far := InvokeOne(Cast, CastParams{dtype.Int64}, floats32(env, 7, 2))
	require.NoError(t, e.WaitAll(t.Context()))
	var y *Tensor
	for before := e.computed; e.computed == before; runtime.Gosched() { // until no worker looks after the queues of the engine
		y = InvokeOne(Take, TakeParams{Axis: 0, Mode: "raise"}, x, far)
	}
	require.ErrorIs(t, y.Wait(t.Context()), fault.ErrIndex)
	require.ErrorIs(t, InvokeOne(Softmax, SoftmaxParams{}, y).Wait(t.Context()), fault.ErrIndex)
	require.NoError(t, InvokeOne(Softmax, SoftmaxParams{}, x).Wait(t.Context()))
}

// Operations that are pending keep neither calls at rest from waiting for them, nor what these have made from others.
func TestCallsOfManyGoroutinesAtRestSeeWhatEachHasWritten(t *testing.T) {
	env := newEnv(t, "perdevice")
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	shared := floats32(env, 1, 4, 8)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			own := floats32(env, float32(g), 4, 8)
			for range rounds {
				sorted := InvokeOne(Sort, SortParams{Axis: 1, Descending: true}, InvokeOne(Concat, ConcatParams{Axis: 0}, own, shared))
				InvokeInto(Sort, SortParams{Axis: 1}, []*Tensor{own}, InvokeOne(Slice, SliceParams{Spans: []storage.Span{{Count: 4, Step: 1}, {Count: 8, Step: 1}}}, sorted))
				if g == 0 {
					runtime.Gosched()
				}
			}
			want := floats32(env, float32(g), 4, 8)
			if string(contents(t, want)) != string(contents(t, own)) {
				t.Error(g)
			}
		})
	}
	all.Wait()
}
