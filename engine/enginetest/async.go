package enginetest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

var asyncs = []property{
	{"AnAsynchronousOperationIsDoneWhenItIsCompleted", asyncOrder},
	{"CompletionMayComeFromAnyGoroutine", asyncAnywhere},
	{"TheErrorOfACompletionSticks", asyncErrors},
	{"CompletingTwicePanicsAndChangesNothing", asyncTwice},
	{"CloseWaitsForCompletion", asyncClose},
}

// async makes an operation of f.
func async(name string, f func(complete func(error)), accesses ...engine.Access) *engine.Operation {
	return &engine.Operation{Name: name, Accesses: accesses, Async: func(_ *engine.RunContext, complete func(error)) { f(complete) }}
}

func asyncOrder(t *testing.T, new factory) {
	s := start(t, new)
	v, w := s.NewVar(), s.NewVar()
	completions := make(chan func(error), 1)
	s.Push(async("async", func(complete func(error)) { completions <- complete }, write(v)))
	ran := false
	s.Push(leaf("behind", func() { ran = true }, read(v), write(w)))
	complete := <-completions
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	require.ErrorIs(t, s.Wait(ctx, w), context.DeadlineExceeded)
	require.Zero(t, v.Version())
	complete(nil)
	require.NoError(t, s.wait(w))
	require.True(t, ran)
	require.Equal(t, uint64(1), v.Version())
}

func asyncAnywhere(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	total := 0
	var completers sync.WaitGroup
	for i := range 300 {
		switch i % 3 {
		case 0:
			s.Push(async("at once", func(complete func(error)) { total++; complete(nil) }, update(v)))
		case 1:
			s.Push(async("elsewhere", func(complete func(error)) {
				completers.Go(func() { total++; complete(nil) })
			}, update(v)))
		default:
			op := async("host", func(complete func(error)) { total++; complete(nil) }, update(v))
			op.Host = true
			s.Push(op)
		}
	}
	require.NoError(t, s.wait(v))
	completers.Wait()
	require.Equal(t, 300, total)
	require.Equal(t, uint64(300), v.Version())
}

func asyncErrors(t *testing.T, new factory) {
	s := start(t, new)
	for name, f := range map[string]func(complete func(error)){
		"returned": func(complete func(error)) { complete(errBroken) },
		"later":    func(complete func(error)) { go complete(errBroken) },
		"panicked": func(func(error)) { panic(errBroken) },
	} {
		v, w := s.NewVar(), s.NewVar()
		s.Push(async(name, f, write(v)))
		s.Push(leaf("skipped", func() { t.Error("it ran") }, read(v), write(w)))
		for range 2 {
			require.ErrorIs(t, s.wait(v), errBroken, name)
			require.ErrorIs(t, s.wait(w), errBroken, name)
		}
		require.Equal(t, name, errorOf(t, s.wait(v)).Operator)
	}
}

func asyncTwice(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	completions := make(chan func(error), 1)
	s.Push(async("twice", func(complete func(error)) { completions <- complete }, write(v)))
	complete := <-completions
	complete(nil)
	func() {
		defer func() {
			e, ok := recover().(*engine.Error)
			require.True(t, ok)
			require.ErrorIs(t, e, fault.ErrMisuse)
			require.Equal(t, "twice", e.Operator)
		}()
		complete(errBroken)
	}()
	require.NoError(t, s.wait(v))
	s.requireDone()
	for problem, op := range map[string]*engine.Operation{
		"two functions": {Function: function(func() error { return nil }), Async: func(*engine.RunContext, func(error)) {}},
		"on the host":   {Async: func(*engine.RunContext, func(error)) {}, Device: device.Sim(0)},
	} {
		func() {
			defer func() {
				e, ok := recover().(*engine.Error)
				require.True(t, ok)
				require.ErrorContains(t, e, problem)
			}()
			s.Push(op)
		}()
	}
}

func asyncClose(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	completions := make(chan func(error), 1)
	s.Push(async("async", func(complete func(error)) { completions <- complete }, write(v)))
	complete := <-completions
	ctx, cancel := context.WithCancelCause(context.Background())
	impatient := errors.New("impatient")
	cancel(impatient)
	require.ErrorIs(t, s.Close(ctx), impatient)
	closed := make(chan error, 1)
	go func() { closed <- s.Close(context.Background()) }()
	select {
	case <-closed:
		t.Fatal("Close did not wait")
	default:
	}
	complete(nil)
	require.NoError(t, <-closed)
	require.NoError(t, s.wait(v))
}
