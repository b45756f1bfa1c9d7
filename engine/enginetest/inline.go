package enginetest

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

var inlines = []property{
	{"WaitingForInlineOperationsKeepsTheirOrder", inlineOrder},
	{"InlineOperationsThatFailDoSoAsOthers", inlineFailures},
	{"InlineOperationsWaitForStart", inlineStopped},
	{"WhatIsPushedBetweenWaitsRunsThoughNobodyWaitsForIt", inlineUnawaited},
}

// inline returns op, which who waits may run.
func inline(op *engine.Operation) *engine.Operation {
	op.Inline = true
	return op
}

// inlineOrder has goroutines push chains of operations, of which some are not inline, and wait for them, with some that nobody waits
// for among them.
func inlineOrder(t *testing.T, new factory) {
	s := startWith(t, new, 2)
	const waits = 300
	total, common := 0, s.NewVar()
	add := leaf("add", func() { total++ }, update(common))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			v, w, pushed, sum := s.NewVar(), s.NewVar(), 0, 0
			next := func() *engine.Operation {
				want := pushed
				pushed++
				return leaf("next", func() {
					if sum != want {
						t.Errorf("operation %d runs as number %d", want, sum)
					}
					sum++
				}, update(v))
			}
			for i := range waits {
				s.Push(inline(next()))
				switch i % 5 {
				case 1:
					s.Push(next())
				case 2:
					s.Push(inline(next()))
					s.Push(inline(leaf("beside", func() {}, read(v), write(w))))
				case 3:
					s.Push(&engine.Operation{Name: add.Name, Function: add.Function, Accesses: []engine.Access{update(common)}, Inline: i%2 == 0})
				case 4:
					s.Push(hosted("host", func() {}, update(v), update(w)))
				}
				if err := s.wait(v); err != nil || sum != pushed {
					t.Errorf("after a wait %d of %d operations are done: %v", sum, pushed, err)
				}
			}
		})
	}
	all.Wait()
	s.requireDone()
	require.Equal(t, 4*waits/5, total)
}

func inlineFailures(t *testing.T, new factory) {
	s := startWith(t, new, 2)
	v, w := s.NewVar(), s.NewVar()
	broken := errors.New("broken")
	for range 100 {
		s.Push(inline(failing("fails", broken, write(v))))
		s.Push(inline(leaf("follows", func() { t.Error("it runs") }, read(v), write(w))))
		require.ErrorIs(t, s.wait(w), broken)
		s.Push(inline(leaf("panics", func() { panic("broken") }, write(v))))
		require.ErrorIs(t, s.wait(v), fault.ErrPanic)
		s.Push(inline(leaf("cures", func() {}, write(v))))
		s.Push(inline(leaf("cures", func() {}, write(w))))
		require.NoError(t, s.wait(v))
		require.NoError(t, s.wait(w))
	}
}

func inlineStopped(t *testing.T, new factory) {
	s := startWith(t, new, 2)
	v, started, ran := s.NewVar(), false, false
	s.stop()
	s.Push(inline(leaf("leaf", func() { ran = started }, update(v))))
	started = true
	s.Start()
	require.NoError(t, s.wait(v))
	require.True(t, ran)
}

// inlineUnawaited has goroutines run what they push themselves, by waiting for it, and then push what only a worker can run: one operation,
// or several.
func inlineUnawaited(t *testing.T, new factory) {
	const goroutines, rounds = 3, 40
	s := startWith(t, new, 2)
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			v := s.NewVar()
			for i := range rounds {
				for range i % 5 {
					s.Push(inline(leaf("awaited", func() {}, update(v))))
					if err := s.wait(v); err != nil {
						t.Error(err)
					}
				}
				ran := make(chan struct{}, 2)
				for range 1 + (i+g)%2 {
					s.Push(inline(leaf("unawaited", func() { ran <- struct{}{} }, update(v))))
				}
				for range 1 + (i+g)%2 {
					<-ran
				}
			}
		})
	}
	all.Wait()
	s.requireDone()
}
