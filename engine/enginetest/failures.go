package enginetest

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

var failures = []property{
	{"AnErrorSticksToAllOutputs", errorSticks},
	{"APanicSticksToAllOutputs", panicSticks},
	{"AHostFunctionThatExitsItsGoroutineFails", exitSticks},
	{"FailuresDoNotStopTheWorkers", workersSurvive},
	{"UnrelatedOperationsGoOn", unrelatedGoOn},
	{"FunctionsDescribeTheirErrors", described},
	{"WhatIsBorrowedIsReturnedOnce", finishedOnce},
}

var errBroken = errors.New("broken")

// kinds of function, for properties that hold for both.
var kinds = map[string]bool{"leaf": false, "host": true}

func errorSticks(t *testing.T, new factory) {
	for kind, host := range kinds {
		t.Run(kind, func(t *testing.T) {
			s := start(t, new)
			written, updated, input := s.NewVar(), s.NewVar(), s.NewVar()
			op := failing("culprit", fmt.Errorf("while testing: %w", errBroken), write(written), read(input), update(updated))
			op.Host = host
			s.Push(op)
			for range 3 {
				for _, ask := range []func() error{
					func() error { return s.wait(written) }, func() error { return s.wait(updated) }, s.waitAll, written.Err,
				} {
					err := ask()
					require.ErrorIs(t, err, errBroken)
					e := errorOf(t, err)
					require.Equal(t, "culprit", e.Operator)
					require.Equal(t, "cpu(0)", e.Device)
					require.Same(t, op.Site, e.Site)
					require.Nil(t, e.Root)
					require.Nil(t, e.Stack)
					require.Contains(t, err.Error(), "culprit: while testing: broken")
				}
				require.NoError(t, s.wait(input))
			}
			require.Equal(t, engine.Stats{Pushed: 1, Done: 1, Failed: 1}, s.Stats())
		})
	}
}

type customError struct{ code int }

func (e *customError) Error() string { return fmt.Sprint("code ", e.code) }

func explode(value any) { panic(value) }

func panicSticks(t *testing.T, new factory) {
	var nothing *sum
	for _, c := range []struct {
		name string
		run  func()
		text string
		is   error
	}{
		{"text", func() { explode("out of luck") }, "out of luck", fault.ErrPanic},
		{"error", func() { explode(&customError{7}) }, "code 7", fault.ErrPanic},
		{"wrapped error", func() { explode(fmt.Errorf("in test: %w", io.ErrUnexpectedEOF)) }, "in test", io.ErrUnexpectedEOF},
		{"nil pointer", func() { explode(nothing.reads) }, "nil pointer", fault.ErrPanic},
		{"nil", func() { explode(nil) }, "nil", fault.ErrPanic},
	} {
		for kind, host := range kinds {
			t.Run(c.name+" in a "+kind, func(t *testing.T) {
				s := start(t, new)
				a, b := s.NewVar(), s.NewVar()
				op := leaf("exploding", c.run, write(a), update(b))
				op.Host = host
				s.Push(op)
				for _, v := range []*engine.Var{a, b, a} {
					err := s.wait(v)
					require.ErrorIs(t, err, fault.ErrPanic)
					require.ErrorIs(t, err, c.is)
					require.ErrorContains(t, err, c.text)
					e := errorOf(t, err)
					require.Equal(t, "exploding", e.Operator)
					require.Same(t, op.Site, e.Site)
					require.Contains(t, string(e.Stack), "panicSticks")
				}
			})
		}
	}
	t.Run("typed values are found", func(t *testing.T) {
		s := start(t, new)
		v := s.NewVar()
		s.Push(leaf("exploding", func() { explode(&customError{7}) }, write(v)))
		var custom *customError
		require.ErrorAs(t, s.wait(v), &custom)
		require.Equal(t, 7, custom.code)
	})
	t.Run("nil errors with a type", func(t *testing.T) {
		s := start(t, new)
		v := s.NewVar()
		op := leaf("typed nil", nil, write(v))
		op.Function = function(func() error { return (*customError)(nil) })
		s.Push(op)
		require.ErrorIs(t, s.wait(v), fault.ErrPanic, "its text panics")
	})
	t.Run("nil functions with a type", func(t *testing.T) {
		s := start(t, new)
		v := s.NewVar()
		s.Push(&engine.Operation{Name: "typed nil", Function: engine.FunctionOf(nil), Accesses: []engine.Access{write(v)}})
		require.ErrorIs(t, s.wait(v), fault.ErrPanic)
	})
}

// exitSticks does what a failed assertion inside a function does.
func exitSticks(t *testing.T, new factory) {
	s := start(t, new)
	v, w := s.NewVar(), s.NewVar()
	s.Push(hosted("exiting", runtime.Goexit, write(v)))
	s.Push(leaf("behind", func() {}, read(v), write(w)))
	require.ErrorContains(t, s.wait(v), "exiting")
	require.ErrorContains(t, s.wait(w), "behind")
	s.Push(leaf("cure", func() {}, write(v), write(w)))
	s.requireDone()
}

func workersSurvive(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	for i := range 200 {
		op := failing("bad", errBroken, write(v))
		if i%2 == 0 {
			op = leaf("panic", func() { explode(i) }, write(v))
		}
		s.Push(op)
	}
	require.Error(t, s.waitAll())
	var sums [50]int
	for i := range sums {
		s.Push(leaf("fine", func() { sums[i] = i }, write(v)))
	}
	s.requireDone()
	require.Equal(t, 49, slices.Max(sums[:]))
	require.Equal(t, engine.Stats{Pushed: 250, Done: 250, Failed: 200}, s.Stats())
}

func unrelatedGoOn(t *testing.T, new factory) {
	s := start(t, new)
	bad, good := s.NewVar(), s.NewVar()
	ran := 0
	for range 100 {
		s.Push(failing("bad", errBroken, update(bad)))
		s.Push(leaf("good", func() { ran++ }, update(good)))
	}
	require.NoError(t, s.wait(good))
	require.Equal(t, 100, ran)
	require.ErrorIs(t, s.wait(bad), errBroken)
	require.Equal(t, uint64(100), good.Version())
	require.Equal(t, engine.Stats{Pushed: 200, Done: 200, Failed: 1, Skipped: 99}, s.Stats())
}

type describing struct {
	engine.FunctionOf
	finished *atomic.Int32
}

func (describing) Describe(e *engine.Error) { e.Shapes = [][]int{{3, 2}} }

func (d describing) Finished() { d.finished.Add(1) }

func described(t *testing.T, new factory) {
	s := start(t, new)
	v, w := s.NewVar(), s.NewVar()
	for _, run := range []func(*engine.RunContext) error{
		func(*engine.RunContext) error { return errBroken },
		func(*engine.RunContext) error { panic(errBroken) },
	} {
		op := &engine.Operation{Name: "shaped", Function: describing{run, &atomic.Int32{}}, Accesses: []engine.Access{write(v)}}
		s.Push(op)
		err := s.wait(v)
		require.ErrorContains(t, err, "(3,2)")
		require.ErrorIs(t, err, errBroken)
	}
	s.Push(&engine.Operation{Name: "skipped", Function: describing{nil, &atomic.Int32{}}, Accesses: []engine.Access{read(v), write(w)}})
	require.Equal(t, [][]int{{3, 2}}, errorOf(t, s.wait(w)).Shapes)
}

func finishedOnce(t *testing.T, new factory) {
	s := start(t, new)
	v, w := s.NewVar(), s.NewVar()
	var finished [4]atomic.Int32
	for i, run := range []func(*engine.RunContext) error{
		func(*engine.RunContext) error { return nil },
		func(*engine.RunContext) error { return errBroken },
		func(*engine.RunContext) error { return nil }, // skipped
	} {
		s.Push(&engine.Operation{Name: "borrower", Function: describing{run, &finished[i]}, Accesses: []engine.Access{update(v)}})
	}
	panicking := func(*engine.RunContext) error { panic("oh") }
	s.Push(&engine.Operation{Name: "borrower", Function: describing{panicking, &finished[3]}, Accesses: []engine.Access{update(w)}, Host: true})
	require.Error(t, s.waitAll())
	for i := range finished {
		require.Equal(t, int32(1), finished[i].Load(), "borrower %d", i)
	}
}
