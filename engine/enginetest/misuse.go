package enginetest

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

var misuses = []property{
	{"MisusePanicsAndLeavesTheEngineUsable", misused},
	{"AnOperationCanBePushedAgain", pushedAgain},
	{"WaitingForAForeignVariablePanics", foreignWait},
}

func nothing() {}

func misused(t *testing.T, new factory) {
	s, other := start(t, new), start(t, new)
	v, foreign := s.NewVar(), other.NewVar()
	for _, c := range []struct {
		name, text string
		op         *engine.Operation
	}{
		{"nil", "nil", nil},
		{"no function", "function", &engine.Operation{Name: "bad", Accesses: []engine.Access{write(v)}}},
		{"foreign variable", "access 1", leaf("bad", nothing, write(v), read(foreign))},
		{"nil variable", "access 2", leaf("bad", nothing, write(v), read(v), read(nil))},
		{"variable of no engine", "access 0", leaf("bad", nothing, read(&engine.Var{}))},
		{"range backwards", "[5,4)", leaf("bad", nothing, part(update(v), 5, 4))},
		{"range without end", "[5,0)", leaf("bad", nothing, part(update(v), 5, 0))},
		{"negative range", "[-1,4)", leaf("bad", nothing, part(update(v), -1, 4))},
		{"unknown device", "device", &engine.Operation{Name: "bad", Function: function(func() error { return nil }), Device: device.Device{Kind: 200}}},
		{"unknown mode", "mode", leaf("bad", nothing, engine.Access{Var: v, Mode: 3})},
	} {
		for way, push := range map[string]func(op *engine.Operation){
			"Push":       s.Push,
			"Atomically": func(op *engine.Operation) { s.Atomically(func(p engine.Pusher) { p.Push(op) }) },
		} {
			t.Run(c.name+" by "+way, func(t *testing.T) {
				e := recoverError(t, func() { push(c.op) })
				require.ErrorIs(t, e, fault.ErrMisuse)
				require.Contains(t, e.Operator, "engine.Push")
				require.Contains(t, e.Error(), c.text)
				require.NotNil(t, e.Site)
				if c.op != nil && c.op.Name != "" {
					require.Contains(t, e.Operator, c.op.Name)
				}

				before, ran := v.Version(), false
				s.Push(leaf("fine", func() { ran = true }, update(v)))
				require.NoError(t, s.wait(v))
				require.True(t, ran)
				require.Equal(t, before+1, v.Version())
			})
		}
	}
	s.requireDone()
	require.Equal(t, s.Stats().Pushed, s.Stats().Done)
}

// recoverError calls f and returns the error that it panics with.
func recoverError(t *testing.T, f func()) (e *engine.Error) {
	t.Helper()
	defer func() {
		t.Helper()
		value := recover()
		require.IsType(t, e, value)
		e = value.(*engine.Error)
	}()
	f()
	return nil
}

func pushedAgain(t *testing.T, new factory) {
	s := start(t, new)
	v, ran := s.NewVar(), 0
	again := leaf("again", func() { ran++ }, update(v))
	operator := s.NewOperator(*again)
	const pushers, times = 4, 200
	var all sync.WaitGroup
	for range pushers {
		all.Go(func() {
			for range times {
				s.Push(operator)
			}
		})
	}
	for i := range times {
		s.Push(again)
		require.GreaterOrEqual(t, again.Accesses[0].Sequence, uint64(i+1))
	}
	all.Wait()
	require.NoError(t, s.wait(v))
	require.Equal(t, (pushers+1)*times, ran)
	require.Equal(t, uint64(ran), v.Version())
}

func foreignWait(t *testing.T, new factory) {
	s, other := start(t, new), start(t, new)
	for _, v := range []*engine.Var{nil, other.NewVar(), {}} {
		e := recoverError(t, func() { _ = s.Wait(context.Background(), v) })
		require.ErrorIs(t, e, fault.ErrMisuse)
		require.Equal(t, "engine.Wait", e.Operator)
	}
	require.NoError(t, s.wait(s.NewVar()))
}
