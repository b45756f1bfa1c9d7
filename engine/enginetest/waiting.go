package enginetest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
)

var waitings = []property{
	{"WaitForAFreshVariableReturnsAtOnce", func(t *testing.T, new factory) {
		s := start(t, new)
		require.NoError(t, s.wait(s.NewVar()))
		require.NoError(t, s.waitAll())
	}},
	{"WaitWaitsForWrites", waitsForWrites},
	{"WaitDoesNotWaitForReads", ignoresReads},
	{"WaitAllWaitsForReads", waitAllWaitsForReads},
	{"AWaitWhoseContextEndsReturnsItsCause", contextEnds},
	{"ManyWaitersAreAllAnswered", manyWaiters},
}

func waitsForWrites(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	for range 50 {
		value := 0
		s.Push(leaf("write", func() { value = 1 }, write(v)))
		s.Push(hosted("write", func() { value++ }, update(v)))
		s.Push(leaf("part", func() { value++ }, part(update(v), 3, 9)))
		require.NoError(t, s.wait(v))
		require.Equal(t, 3, value)
	}
}

func ignoresReads(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	s.Push(leaf("write", func() {}, write(v)))
	release := s.blocked(read(v))
	require.NoError(t, s.wait(v))
	release()
}

func waitAllWaitsForReads(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	var ended atomic.Bool
	gate := make(chan struct{})
	s.Push(hosted("reader", func() { <-gate; ended.Store(true) }, read(v)))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, s.WaitAll(ctx), context.Canceled)
	close(gate)
	s.requireDone()
	require.True(t, ended.Load())
}

func contextEnds(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	enough := errors.New("enough")
	release := s.blocked(write(v))
	for range 10 {
		ctx, cancel := context.WithCancelCause(context.Background())
		answers := make(chan error)
		go func() { answers <- s.Wait(ctx, v) }()
		go func() { answers <- s.WaitAll(ctx) }()
		cancel(enough)
		require.ErrorIs(t, <-answers, enough)
		require.ErrorIs(t, <-answers, enough)
	}
	value := 0
	s.Push(leaf("behind", func() { value++ }, update(v)))
	release()
	require.NoError(t, s.wait(v))
	require.Equal(t, 1, value)
	require.Equal(t, uint64(2), v.Version(), "abandoned waits do not count as writes")
	s.requireDone()
}

func manyWaiters(t *testing.T, new factory) {
	const waiters = 200
	s := start(t, new)
	good, bad := s.NewVar(), s.NewVar()
	releases := []func(){s.blocked(write(good)), s.blocked(write(bad))}
	s.Push(failing("root", errBroken, update(bad)))
	value := 0
	s.Push(leaf("write", func() { value = 5 }, update(good)))
	var all sync.WaitGroup
	for i := range waiters {
		all.Go(func() {
			if err := s.wait(good); err != nil || value != 5 {
				t.Errorf("waiter %d: value %d, %v", i, value, err)
			}
		})
		all.Go(func() {
			if err := s.wait(bad); !errors.Is(err, errBroken) {
				t.Errorf("waiter %d: %v", i, err)
			}
		})
		all.Go(func() {
			if err := s.waitAll(); !errors.Is(err, errBroken) {
				t.Errorf("waiter %d for all: %v", i, err)
			}
		})
	}
	for _, release := range releases {
		release()
	}
	all.Wait()
	require.Equal(t, engine.Stats{Pushed: 4, Done: 4, Failed: 1}, s.Stats(), "waits do not count")
}
