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
func (e *failingAtRest) FailAtRest(op *engine.Operation, written engine.Access, err error, panicked any) {
	if hook := e.hook; hook != nil {
		e.hook = nil
		hook()
	}
	e.Engine.FailAtRest(op, written, err, panicked)
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

// What fails in a part of an array leaves the rest, whether it is at rest or an operation.
func TestACallThatFailsInAPartLeavesTheRest(t *testing.T) {
	plain := newEnv(t, "perdevice")
	e := &failingAtRest{Engine: plain.engine}
	env, failed := NewEnv(e), false
	far := newArray(dtype.Int64, []int{2})
	for i := range far.values {
		far.values[i] = 50
	}
	inputs := []*Tensor{far.tensor(env), far.tensor(env.WithScope(t.Context()))}
	for try := 0; try < 2 || !failed; try++ {
		whole := newArray(dtype.Int64, []int{12}).tensor(env)
		part := func(offset int) *Tensor {
			view := whole.view
			view.Offset, view.Shape = offset, []int{6}
			return NewTensor(view, env)
		}
		_ = e.WaitAll(t.Context())
		runtime.Gosched()
		e.hook = func() { failed = true }
		input := inputs[try%2]
		InvokeInto(Bincount, BincountParams{6}, []*Tensor{part(0).In(input.env)}, input)
		require.ErrorIs(t, InvokeOne(Copy, nil, part(0)).Wait(t.Context()), fault.ErrIndex)
		require.NoError(t, InvokeOne(Copy, nil, part(6)).Wait(t.Context()))
	}
}

// A kernel that ends its goroutine leaves the engine to others.
func TestAKernelAtRestMayEndItsGoroutine(t *testing.T) {
	env := newEnv(t, "perdevice")
	for _, alone := range []bool{false, true} {
		for _, dst := range []*Tensor{nil, floats32(env, 1, 4)} {
			taken := false
			for !taken {
				_ = env.engine.WaitAll(t.Context())
				runtime.Gosched()
				if alone {
					taken = env.engine.TryAlone(dst != nil)
				} else {
					taken = env.engine.TryAtRest()
				}
			}
			r := rest{engine: env.engine, dst: dst, alone: alone}
			if !alone {
				r.begin()
			}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				defer r.guard(false)
				runtime.Goexit()
			}()
			<-ended
			require.NoError(t, InvokeOne(Neg, nil, floats32(env, 1, 4)).Wait(t.Context()))
		}
	}
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
