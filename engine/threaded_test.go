package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/engine/enginetest"
	"github.com/weft-nd/weft/parallel"
)

// TestReadyLeavesRunByPriority queues leaves while the only worker is busy.
func TestReadyLeavesRunByPriority(t *testing.T) {
	type request struct {
		property engine.Property
		priority int
	}
	requests := []request{
		{engine.Normal, 0}, {engine.Normal, -1}, {engine.Normal, 5}, {engine.Prioritized, 0}, {engine.Normal, 0},
		{engine.Prioritized, -3}, {engine.Normal, 5}, {engine.Prioritized, 2}, {engine.NoSkip, 0}, {engine.Normal, -7},
		{engine.Normal, 1 << 40}, {engine.Prioritized, 2}, {engine.Normal, -1}, {engine.NoSkip, 1},
	}
	want := make([]int, len(requests))
	for i := range want {
		want[i] = i
	}
	slices.SortStableFunc(want, func(i, j int) int {
		a, b := requests[i], requests[j]
		if (a.property == engine.Prioritized) != (b.property == engine.Prioritized) {
			if a.property == engine.Prioritized {
				return -1
			}
			return 1
		}
		return b.priority - a.priority
	})

	pool := parallel.New(1)
	t.Cleanup(pool.Close)
	e := perDevice(t, engine.WithPool(pool))
	busy := enginetest.Occupy(t, pool)
	var order []int
	for i, r := range requests {
		e.Push(&engine.Operation{Name: fmt.Sprint("leaf", i), Property: r.property, Priority: r.priority,
			Function: engine.FunctionOf(func(*engine.RunContext) error { order = append(order, i); return nil })})
	}
	busy.Release()
	require.NoError(t, e.WaitAll(context.Background()))
	require.Equal(t, want, order)
}

// TestDevicesTakeTurns shows that a long queue of one device does not hold up another.
func TestDevicesTakeTurns(t *testing.T) {
	pool := parallel.New(1)
	t.Cleanup(pool.Close)
	e := perDevice(t, engine.WithPool(pool))
	busy := enginetest.Occupy(t, pool)
	var order []int
	for i := range 30 {
		e.Push(&engine.Operation{Name: "leaf", Device: device.CPU(i / 10),
			Function: engine.FunctionOf(func(*engine.RunContext) error { order = append(order, i/10); return nil })})
	}
	busy.Release()
	require.NoError(t, e.WaitAll(context.Background()))
	for i := 0; i < len(order); i += 3 {
		turn := slices.Clone(order[i : i+3])
		slices.Sort(turn)
		require.Equal(t, []int{0, 1, 2}, turn)
	}
}

// TestLeavesSpreadOverIdleWorkers has two leaves meet, which needs two workers. Leaves must not wait; these show that the
// second is not left behind the first, wherever the worker that registers them is when they come.
func TestLeavesSpreadOverIdleWorkers(t *testing.T) {
	pool := parallel.New(2)
	t.Cleanup(pool.Close)
	for _, c := range []struct {
		name   string
		rounds int
		push   func(e engine.Engine, send, receive, other *engine.Operation)
	}{
		{"at once", 2000, func(e engine.Engine, send, receive, _ *engine.Operation) {
			e.Atomically(func(p engine.Pusher) {
				p.Push(send)
				p.Push(receive)
			})
		}},
		{"one by one", 5000, func(e engine.Engine, send, receive, _ *engine.Operation) {
			e.Push(send)
			e.Push(receive)
		}},
		{"behind a batch", 1000, func(e engine.Engine, send, receive, other *engine.Operation) {
			for range 40 {
				e.Push(other)
			}
			e.Push(send)
			for range 40 {
				e.Push(other)
			}
			e.Push(receive)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := perDevice(t, engine.WithPool(pool))
			for range c.rounds {
				met, v := make(chan struct{}), e.NewVar()
				leaf := func(name string, side func()) *engine.Operation {
					f := engine.FunctionOf(func(*engine.RunContext) error { side(); return nil })
					return e.NewOperator(engine.Operation{Name: name, Function: f, Accesses: []engine.Access{{Var: v}}})
				}
				send := leaf("send", func() { met <- struct{}{} })
				receive := leaf("receive", func() { <-met })
				c.push(e, send, receive, leaf("other", func() {}))
				require.NoError(t, e.WaitAll(context.Background()))
			}
		})
	}
}
