package ops

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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
	count atomic.Int64
}

func (e *resting) computed() int { return int(e.count.Load()) }

// BeginAtRest implements engine.Engine.
func (e *resting) BeginAtRest() *parallel.Thread {
	e.count.Add(1)
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
		for _, sample := range op.Samples {
			for _, d := range dtypesFor(op, sample) {
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
				before := e.computed()
				for try := 0; try < 5 && e.computed() == before; try++ { // A worker may look after the queues of the engine.
					require.NoError(t, e.WaitAll(t.Context()), name)
					runtime.Gosched()
					got = Invoke(op, sample.Params, inputs...)
				}
				if e.computed() == before {
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
	plain := newEnv(t, "perdevice")
	e := &resting{Engine: plain.engine}
	env := NewEnv(e)
	x, dst := floats32(env, 1, 3, 4), floats32(env, 0, 3, 4)
	for i := range 5 {
		version := dst.view.Synced.Var().Version()
		calls := uint64(0)
		for before := e.computed(); e.computed() == before; calls++ {
			require.NoError(t, e.WaitAll(t.Context()))
			runtime.Gosched()
			InvokeInto(Softmax, SoftmaxParams{Axis: i%2 - 1}, []*Tensor{dst}, x)
		}
		require.NoError(t, dst.Wait(t.Context()))
		require.Equal(t, version+calls, dst.view.Synced.Var().Version())
		require.Equal(t, version+calls, dst.view.Synced.Var().Sequence())
	}
	require.Equal(t, contents(t, InvokeOne(Softmax, SoftmaxParams{Axis: -1}, x)), contents(t, dst))
}

// An error tells the shapes of the operands, one of which may be what it sticks to.
func TestErrorsOfDestinationsAreForgottenWithThem(t *testing.T) {
	for _, rows := range []int{3, 30, 3000} { // in one object with their memory, apart from it, and of a manager
		env := newEnv(t, "perdevice")
		func() {
			x := floats32(env, 1, rows, 4)
			far := InvokeOne(Cast, CastParams{dtype.Int64}, floats32(env, float32(rows), 2, 1))
			InvokeInto(ScatterND, ScatterNDParams{0, ReduceNone}, []*Tensor{x}, x, far, floats32(env, 1, 2, 4))
			require.ErrorIs(t, env.engine.WaitAll(t.Context()), fault.ErrIndex)
			runtime.KeepAlive(x)
		}()
		require.Eventually(t, func() bool {
			runtime.GC()
			return env.engine.WaitAll(t.Context()) == nil
		}, time.Minute, time.Millisecond)
	}
}

// atRest returns when no worker looks after the queues of the engine of env any more.
func atRest(t *testing.T, env *Env) {
	require.NoError(t, env.engine.WaitAll(t.Context()))
	for !env.engine.TryAtRest() {
		runtime.Gosched()
	}
	env.engine.EndAlone(true, false)
}

// Operators that leave alone what they do not name are given the memory of an operand for the result.
func TestCallsAtRestInPlaceGiveTheBitsOfOperations(t *testing.T) {
	plain := newEnv(t, "perdevice")
	e := &resting{Engine: plain.engine}
	env := NewEnv(e)
	scoped := env.WithScope(t.Context())
	for _, op := range All() {
		if !op.InPlace {
			continue
		}
		before := e.computed()
		for _, sample := range op.Samples {
			c := newCase(op, sample, dtype.Float32)
			var results [2][]byte
			for i, env := range []*Env{env, scoped} {
				var inputs []*Tensor
				for _, a := range c.in {
					inputs = append(inputs, a.tensor(env))
				}
				atRest(t, env)
				InvokeInto(op, sample.Params, inputs[:1], inputs...)
				results[i] = contents(t, inputs[0])
			}
			require.Equal(t, results[1], results[0], "%s %+v", op.Name, sample)
		}
		require.Greater(t, e.computed(), before, op.Name)
	}
}

func TestCallsAtRestDrawWhatOperationsDraw(t *testing.T) {
	plain := newEnv(t, "perdevice")
	e := &resting{Engine: plain.engine}
	var drawn [2][]byte
	for i, scoped := range []bool{false, true} {
		env := NewEnv(e).WithSeed(7)
		if scoped {
			env = env.WithScope(t.Context())
		}
		for range 20 {
			require.NoError(t, e.WaitAll(t.Context()))
			x := InvokeIn(env, Normal, NormalParams{Shape: []int{5}, DType: dtype.Float32, Deviation: 1})[0]
			drawn[i] = append(drawn[i], contents(t, x)...)
		}
	}
	require.Equal(t, drawn[1], drawn[0])
	require.Positive(t, e.computed())
}

// A scope that ends beside a call releases its result, or not yet.
func TestAMemoryScopeMayEndBesideCallsAtRest(t *testing.T) {
	env := newEnv(t, "perdevice")
	x := floats32(env, 1, 8, 8)
	want := contents(t, InvokeOne(Softmax, SoftmaxParams{}, x))
	for range 200 {
		inner, scope := env.WithMemoryScope()
		var y *Tensor
		var all sync.WaitGroup
		all.Go(func() { y = InvokeOne(Softmax, SoftmaxParams{}, x.In(inner)) })
		all.Go(scope.Close)
		all.Wait()
		func() {
			defer func() {
				if released := recover(); released != nil {
					require.ErrorIs(t, released.(error), fault.ErrReleased)
				}
			}()
			require.Equal(t, want, contents(t, y))
		}()
	}
}

func TestWhatFailsAtRestFailsAsAnOperation(t *testing.T) {
	env := newEnv(t, "perdevice")
	e := &resting{Engine: env.engine}
	env = NewEnv(e)
	x := floats32(env, 1, 3, 4)
	far := InvokeOne(Cast, CastParams{dtype.Int64}, floats32(env, 7, 2))
	require.NoError(t, e.WaitAll(t.Context()))
	var y *Tensor
	for before := e.computed(); e.computed() == before; runtime.Gosched() { // until no worker looks after the queues of the engine
		y = InvokeOne(Take, TakeParams{Axis: 0, Mode: "raise"}, x, far)
	}
	require.ErrorIs(t, y.Wait(t.Context()), fault.ErrIndex)
	require.ErrorIs(t, InvokeOne(Softmax, SoftmaxParams{}, y).Wait(t.Context()), fault.ErrIndex)
	require.NoError(t, InvokeOne(Softmax, SoftmaxParams{}, x).Wait(t.Context()))
	require.ErrorIs(t, e.WaitAll(t.Context()), fault.ErrIndex)
	runtime.KeepAlive(y)
	y = nil
	require.Eventually(t, func() bool { // nothing keeps what has failed
		runtime.GC()
		return e.WaitAll(t.Context()) == nil
	}, time.Minute, time.Millisecond)
}

// mixed is what a goroutine does with an array of its own and one that all read.
func mixed(own, shared *Tensor, rounds int) {
	for range rounds {
		both := InvokeOne(Concat, ConcatParams{Axis: 0}, own, shared)
		sums := InvokeOne(CumSum, ScanParams{Axis: 1}, both)
		part := InvokeOne(Slice, SliceParams{Spans: []storage.Span{{Start: 1, Count: 4, Step: 1}, {Count: 8, Step: 1}}}, sums)
		InvokeInto(Remainder, nil, []*Tensor{own}, part, Scalar(own.env, 97, dtype.Float32))
		InvokeInto(Sort, SortParams{Axis: 0}, []*Tensor{own}, own)
	}
}

func TestCallsOfManyGoroutinesAtRestSeeWhatEachHasWritten(t *testing.T) {
	plain := newEnv(t, "perdevice")
	e := &resting{Engine: plain.engine}
	env := NewEnv(e)
	scoped, rounds := env.WithScope(t.Context()), 300
	if testing.Short() {
		rounds = 60
	}
	shared := floats32(env, 1, 4, 8)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			own, want := floats32(env, float32(g), 4, 8), floats32(scoped, float32(g), 4, 8)
			mixed(own, shared, rounds)
			mixed(want, shared.In(scoped), rounds)
			if string(contents(t, want)) != string(contents(t, own)) {
				t.Error(g)
			}
		})
	}
	all.Wait()
	require.Positive(t, e.computed())
}
