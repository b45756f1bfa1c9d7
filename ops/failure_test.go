package ops

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// failingAtRest is an engine that calls hook, once, before work at rest fails.
type failingAtRest struct {
	engine.Engine
	hook func()
}

// FailAtRest implements engine.Engine.
func (e *failingAtRest) FailAtRest(op *engine.Operation, v *engine.Var, err error, panicked any) {
	if hook := e.hook; hook != nil {
		e.hook = nil
		hook()
	}
	e.Engine.FailAtRest(op, v, err, panicked)
}

// A destination that a call has half written before it failed is in error for whoever reads it, also for who has pushed that while the call ran.
func TestWhatIsPushedWhileACallFailsAtRestInheritsItsError(t *testing.T) {
	plain := newEnv(t, "perdevice")
	e := &failingAtRest{Engine: plain.engine}
	env := NewEnv(e)
	scoped := env.WithScope(t.Context()) // whose calls are operations
	indices := newArray(dtype.Int64, []int{100})
	for i := range indices.values {
		indices.values[i] = 3
	}
	indices.values[99] = 50
	far, zeros := indices.tensor(env), newArray(dtype.Int64, []int{6})
	var y *Tensor
	for y == nil { // until no worker looks after the queues of the engine
		dst := zeros.tensor(env)
		_ = e.WaitAll(t.Context())
		runtime.Gosched()
		e.hook = func() {
			pushed := make(chan struct{})
			go func() {
				defer close(pushed)
				y = InvokeOne(Copy, nil, dst.In(scoped))
			}()
			<-pushed
		}
		InvokeInto(Bincount, BincountParams{6}, []*Tensor{dst}, far)
		err := dst.Wait(t.Context())
		require.ErrorIs(t, err, fault.ErrIndex)
		require.ErrorContains(t, err, "bincount")
		require.ErrorContains(t, err, "int64 (100,)")
		require.ErrorContains(t, err, "failure_test.go")
	}
	require.ErrorIs(t, y.Wait(t.Context()), fault.ErrIndex)
}

// What a call by a shortcut has prepared is used by the operation that it becomes.
func TestCallsBesideWhatIsPendingTakeNoMemoryTwice(t *testing.T) {
	env := newEnv(t, "perdevice")
	x, busy := floats32(env, 1, 1000, 8), floats32(env, 1, 1)
	scoped := x.In(env.WithScope(t.Context()))
	release := make(chan struct{})
	env.engine.Push(&engine.Operation{Name: "holds", Accesses: []engine.Access{{Var: busy.view.Synced.Var(), Mode: engine.Update}},
		Function: engine.FunctionOf(func(*engine.RunContext) error {
			<-release
			return nil
		})})
	defer close(release)
	bytes := func(x *Tensor) (each uint64) {
		const calls = 200
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range calls {
			y := InvokeOne(Neg, nil, x)
			require.NoError(t, y.Wait(t.Context()))
			y.view.Synced.Release(nil)
		}
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) / calls
	}
	bytes(x)
	require.Less(t, bytes(x), bytes(scoped)+8<<10)
}
