package enginetest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

var selfWaits = []property{
	{"WaitingForOneselfIsAnError", waitsForItself},
	{"WaitingForOthersIsNoError", waitsForOthers},
	{"AnAsynchronousFunctionThatWaitsForItselfGetsAnError", asyncWaitsForItself},
	{"TheContextOfAFunctionThatHasEndedWaits", contextOutlives},
	{"WaitAllTellsErrorsInTheOrderOfTheirOperations", orderedErrors},
}

// inside runs f in a host function with the accesses and returns what f returns.
func (s *subject) inside(f func(ctx context.Context) error, accesses ...engine.Access) error {
	answer := make(chan error, 1)
	op := hosted("waiting", nil, accesses...)
	op.Function = engine.FunctionOf(func(rc *engine.RunContext) error {
		answer <- f(rc.Context)
		return nil
	})
	s.Push(op)
	s.requireDone()
	return <-answer
}

func waitsForItself(t *testing.T, new factory) {
	for name, wait := range map[string]func(s *subject, ctx context.Context, in, out *engine.Var) error{
		"its output": func(s *subject, ctx context.Context, _, out *engine.Var) error { return s.Wait(ctx, out) },
		"everything": func(s *subject, ctx context.Context, _, _ *engine.Var) error { return s.WaitAll(ctx) },
		"a context derived": func(s *subject, ctx context.Context, _, out *engine.Var) error {
			return s.Wait(context.WithoutCancel(ctx), out)
		},
		"a write of its input": func(s *subject, ctx context.Context, in, _ *engine.Var) error {
			s.Push(leaf("next", nothing, write(in)))
			return s.Wait(ctx, in)
		},
		"what is made of its output": func(s *subject, ctx context.Context, _, out *engine.Var) error {
			for range 10 {
				next := s.NewVar()
				op := leaf("next", nothing, read(out), write(next))
				op.Host = true
				s.Push(op)
				out = next
			}
			return s.Wait(ctx, out)
		},
		"what is gathered in bulk": func(s *subject, ctx context.Context, _, out *engine.Var) error {
			next := s.NewVar()
			s.NewBulk(10).Push(leaf("next", nothing, read(out), write(next)))
			return s.Wait(ctx, next)
		},
		"a part of what it writes": func(s *subject, ctx context.Context, _, out *engine.Var) error {
			s.Push(leaf("next", nothing, part(update(out), 3, 5)))
			return s.Wait(ctx, out)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, new)
			in, out := s.NewVar(), s.NewVar()
			err := s.inside(func(ctx context.Context) error { return wait(s, ctx, in, out) }, read(in), update(out))
			require.ErrorIs(t, err, fault.ErrDeadlock)
			e := errorOf(t, err)
			require.Contains(t, []string{"engine.Wait", "engine.WaitAll"}, e.Operator)
			require.Contains(t, e.Error(), "waiting")
			require.NotNil(t, e.Site)
		})
	}
}

func waitsForOthers(t *testing.T, new factory) {
	s, elsewhere := start(t, new), start(t, new)
	in, out, result := s.NewVar(), s.NewVar(), s.NewVar()
	foreign := elsewhere.NewVar()
	var ran atomic.Int32
	s.Push(leaf("before", func() { ran.Add(1) }, write(in), write(out)))
	require.NoError(t, s.inside(func(ctx context.Context) error {
		s.Push(leaf("beside", func() { ran.Add(1) }, read(in), write(result)))
		elsewhere.Push(leaf("elsewhere", func() { ran.Add(1) }, write(foreign)))
		for _, wait := range []func() error{
			func() error { return s.Wait(ctx, in) },
			func() error { return s.Wait(ctx, result) },
			func() error { return elsewhere.Wait(ctx, foreign) },
			func() error { return elsewhere.WaitAll(ctx) },
		} {
			if err := wait(); err != nil {
				return err
			}
		}
		return nil
	}, read(in), update(out)))
	require.Equal(t, int32(3), ran.Load())
}

func asyncWaitsForItself(t *testing.T, new factory) {
	for _, host := range kinds {
		s := start(t, new)
		v := s.NewVar()
		answer := make(chan error, 2)
		op := &engine.Operation{Name: "async", Accesses: []engine.Access{write(v)}, Host: host}
		op.Async = func(rc *engine.RunContext, complete func(error)) {
			ctx := rc.Context
			go func() {
				answer <- s.Wait(ctx, v)
				answer <- s.WaitAll(ctx)
				complete(nil)
			}()
		}
		s.Push(op)
		require.NoError(t, s.wait(v))
		for range 2 {
			require.ErrorIs(t, <-answer, fault.ErrDeadlock)
		}
	}
}

func contextOutlives(t *testing.T, new factory) {
	s := start(t, new)
	v, w := s.NewVar(), s.NewVar()
	var kept context.Context
	require.NoError(t, s.inside(func(ctx context.Context) error { kept = ctx; return nil }, write(v)))
	for range 100 { // Tasks are used again.
		s.Push(hosted("other", nothing, update(v), write(w)))
		require.NoError(t, s.Wait(kept, v))
		require.NoError(t, s.WaitAll(kept))
	}
}

// orderedErrors lets operations fail in the opposite order of their pushes.
func orderedErrors(t *testing.T, new factory) {
	const count = 10
	s := start(t, new)
	vars := s.variables(count)
	var releases []func()
	for i, v := range vars {
		gate, release := s.gate()
		releases = append(releases, release)
		op := hosted(fmt.Sprint("culprit", i), nil, write(v))
		op.Function = function(func() error { <-gate; return fmt.Errorf("%w: number %d", errBroken, i) })
		s.Push(op)
		s.Push(leaf("behind", nothing, read(v), write(s.NewVar())))
	}
	for i := count - 1; i >= 0; i-- {
		releases[i]()
		require.ErrorIs(t, s.wait(vars[i]), errBroken)
	}
	for range 2 {
		joined := s.waitAll().(interface{ Unwrap() []error }).Unwrap()
		require.Len(t, joined, count)
		for i, err := range joined {
			require.Equal(t, fmt.Sprint("culprit", i), errorOf(t, err).Operator)
		}
	}
}
