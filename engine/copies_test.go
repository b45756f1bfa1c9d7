package engine_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/engine/enginetest"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// TestCopiesLeaveWorkersToOthers has copies on the host wait, which leaves must not, for a leaf that comes behind them: it runs
// only if the copies do not take all the workers.
func TestCopiesLeaveWorkersToOthers(t *testing.T) {
	for name, c := range map[string]struct {
		create  func(...engine.Option) engine.Engine
		workers int
		options []engine.Option
		quota   int
	}{
		"perdevice":                {engine.NewPerDevice, 4, nil, 2},
		"perdevice, two workers":   {engine.NewPerDevice, 2, nil, 1},
		"pooled":                   {engine.NewPooled, 4, nil, 1},
		"perdevice, one by option": {engine.NewPerDevice, 4, []engine.Option{engine.WithCopyThreads(1)}, 1},
		"pooled, three by option":  {engine.NewPooled, 4, []engine.Option{engine.WithCopyThreads(3)}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			pool := parallel.New(c.workers)
			t.Cleanup(pool.Close)
			e := c.create(append(c.options, engine.WithPool(pool))...)
			busy := enginetest.Occupy(t, pool)
			opened, started := make(chan struct{}), make(chan struct{}, 100)
			property := []engine.Property{engine.CopyFromDevice, engine.CopyToDevice}
			for i := range 20 {
				e.Push(&engine.Operation{Name: "copy", Property: property[i%2], Function: engine.FunctionOf(func(*engine.RunContext) error {
					started <- struct{}{}
					<-opened
					return nil
				})})
			}
			copies := 0
			e.Push(&engine.Operation{Name: "compute", Function: engine.FunctionOf(func(*engine.RunContext) error {
				for range c.quota { // As many run together; they come first.
					<-started
					copies++
				}
				copies += len(started)
				close(opened)
				return nil
			})})
			busy.Release()
			require.NoError(t, e.WaitAll(context.Background()))
			require.GreaterOrEqual(t, copies, c.quota)
			require.Less(t, copies, c.workers, "more than the quota only when there was nothing else to do: when the leaf ran")
			require.NoError(t, e.Close(context.Background()))
		})
	}
}

// TestAnUrgentLeafComesBeforeCopies has one worker, which takes copies first otherwise.
func TestAnUrgentLeafComesBeforeCopies(t *testing.T) {
	pool := parallel.New(1)
	t.Cleanup(pool.Close)
	e := perDevice(t, engine.WithPool(pool))
	busy := enginetest.Occupy(t, pool)
	var order []string
	push := func(name string, property engine.Property, priority int) {
		e.Push(&engine.Operation{Name: name, Property: property, Priority: priority,
			Function: engine.FunctionOf(func(*engine.RunContext) error { order = append(order, name); return nil })})
	}
	push("leaf", engine.Normal, 0)
	push("copy", engine.CopyFromDevice, 0)
	push("first copy", engine.CopyToDevice, 3)
	push("urgent", engine.Normal, 1)
	busy.Release()
	require.NoError(t, e.WaitAll(context.Background()))
	require.Equal(t, []string{"urgent", "first copy", "copy", "leaf"}, order)
}

// TestTheOldestLeafIsPreferredOnceInAWhile queues what comes last of all before thousands that come first.
func TestTheOldestLeafIsPreferredOnceInAWhile(t *testing.T) {
	for name, prefer := range map[string]func(op *engine.Operation){
		"by priority": func(op *engine.Operation) { op.Priority = 1 },
		"by property": func(op *engine.Operation) { op.Property = engine.Prioritized },
	} {
		t.Run(name, func(t *testing.T) {
			pool := parallel.New(1)
			t.Cleanup(pool.Close)
			e := perDevice(t, engine.WithPool(pool))
			busy := enginetest.Occupy(t, pool)
			var order []int
			for i := range 3000 {
				op := &engine.Operation{Name: "leaf", Function: engine.FunctionOf(func(*engine.RunContext) error { order = append(order, i); return nil })}
				if i >= 3 {
					prefer(op)
				} else {
					op.Priority = -i
				}
				e.Push(op)
			}
			busy.Release()
			require.NoError(t, e.WaitAll(context.Background()))
			for old := range 3 {
				require.Less(t, slices.Index(order, old), 300, "leaf %d", old)
			}
		})
	}
}

func TestNumbersBelowOnePanic(t *testing.T) {
	for name, option := range map[string]func(int) engine.Option{
		"engine.WithLimit": engine.WithLimit, "engine.WithByteLimit": engine.WithByteLimit, "engine.WithCopyThreads": engine.WithCopyThreads,
	} {
		for _, number := range []int{0, -1} {
			e := panicOf(t, func() { option(number) })
			require.Equal(t, name, e.Operator)
		}
	}
	for _, name := range []string{"WEFT_ENGINE_LIMIT", "WEFT_ENGINE_BYTE_LIMIT", "WEFT_COPY_THREADS"} {
		for _, value := range []string{"0", "-1", "many", "1.5", "99999999999999999999"} {
			t.Run(name+"="+value, func(t *testing.T) {
				t.Setenv(name, value)
				e := panicOf(t, func() { engine.NewPerDevice() })
				require.Equal(t, name, e.Operator)
			})
		}
	}
}

// panicOf returns the error about a parameter that f panics with.
func panicOf(t *testing.T, f func()) (e *engine.Error) {
	t.Helper()
	defer func() {
		t.Helper()
		e, _ = recover().(*engine.Error)
		require.ErrorIs(t, e, fault.ErrParameter)
	}()
	f()
	return nil
}

// TestNumbersComeFromTheEnvironment occupies the workers, so that the pusher helps when it is over the limit.
func TestNumbersComeFromTheEnvironment(t *testing.T) {
	for name, value := range map[string]string{"WEFT_ENGINE_LIMIT": "5", "WEFT_ENGINE_BYTE_LIMIT": "500"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			pool := parallel.New(1)
			t.Cleanup(pool.Close)
			e := perDevice(t, engine.WithPool(pool))
			busy := enginetest.Occupy(t, pool)
			most := 0
			for i := range 100 {
				e.Push(&engine.Operation{Name: "leaf", Bytes: 100, Function: engine.FunctionOf(func(*engine.RunContext) error { return nil })})
				most = max(most, i+1-int(e.Stats().Done))
			}
			require.Equal(t, 5, most)
			busy.Release()
		})
	}
}
