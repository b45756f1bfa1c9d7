package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
)

// launchOrder returns the order in which e launches operations on one stream that are all ready when the first has been launched.
func launchOrder(t *testing.T, e engine.Engine, operations []*engine.Operation) []int {
	var order []int
	launching, gate := make(chan struct{}), make(chan struct{})
	e.Push(&engine.Operation{Name: "gate", Device: device.Sim(0), Function: engine.FunctionOf(func(*engine.RunContext) error {
		close(launching)
		<-gate
		return nil
	})})
	<-launching
	for i, op := range operations {
		op.Name, op.Device = "launch", device.Sim(0)
		op.Function = engine.FunctionOf(func(*engine.RunContext) error { order = append(order, i); return nil })
		e.Push(op)
	}
	close(gate)
	require.NoError(t, e.WaitAll(context.Background()))
	require.NoError(t, e.Close(context.Background()))
	return order
}

func TestStreamsLaunchByPriority(t *testing.T) {
	prioritized := func(priority int) *engine.Operation { return &engine.Operation{Priority: priority} }
	for name, c := range map[string]struct {
		create     func(...engine.Option) engine.Engine
		operations []*engine.Operation
		want       []int
	}{
		"perdevice": {engine.NewPerDevice,
			[]*engine.Operation{prioritized(0), prioritized(-1), prioritized(5), prioritized(0), prioritized(1 << 40), prioritized(5)}, []int{4, 2, 5, 0, 3, 1}},
		"pooled": {engine.NewPooled,
			[]*engine.Operation{prioritized(0), prioritized(7), {Property: engine.Prioritized}, {Property: engine.NoSkip}, {Property: engine.Prioritized, Priority: 1}}, []int{4, 2, 1, 0, 3}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, launchOrder(t, c.create(), c.operations)) })
	}
}

func TestStreamsPreferTheOldestOnceInAWhile(t *testing.T) {
	operations := make([]*engine.Operation, 1000)
	for i := range operations {
		operations[i] = &engine.Operation{Priority: 1}
	}
	operations[0] = &engine.Operation{Priority: -1}
	order := launchOrder(t, engine.NewPerDevice(), operations)
	require.Len(t, order, len(operations))
	require.Contains(t, order[:100], 0)
}
