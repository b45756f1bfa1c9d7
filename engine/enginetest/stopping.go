package enginetest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
)

var stoppings = []property{
	{"StopAndStartReturn", stopAndStart},
	{"StopLetsNothingStartButDeletions", stopHolds},
	{"StopWaitsForWhatRuns", stopWaits},
	{"CloseEndsAStop", closeStopped},
	{"StoppingWhileOthersPushLosesNothing", stopWhilePushing},
}

func (s *subject) stop() { require.NoError(s.t, s.Stop(context.Background())) }

func stopAndStart(t *testing.T, new factory) {
	s := start(t, new)
	s.Start()
	for range 100 {
		s.stop()
		s.stop()
		s.Start()
	}
	ran := false
	s.Push(leaf("leaf", func() { ran = true }))
	s.requireDone()
	require.True(t, ran)
}

func stopHolds(t *testing.T, new factory) {
	s := start(t, new)
	v, result, b := s.NewVar(), s.NewVar(), NewBuffer(t, s, device.Sim(0))
	var ran atomic.Int32
	count := func() { ran.Add(1) }
	s.stop()
	for round := range 10 {
		ended := async("async", func(complete func(error)) { count(); complete(nil) })
		for _, op := range []*engine.Operation{
			leaf("leaf", count), hosted("host", count), ended, leaf("write", count, update(v)), hosted("write", count, update(v)),
			onStream("fill", b.Device, func(s device.Stream) error { count(); return s.Fill(b.Pointer, BufferSize) }, write(b.Var)),
		} {
			s.Push(op)
		}
		s.delete(s.NewVar())
		require.Equal(t, uint64(2*round+2), v.Sequence())
	}
	s.Push(leaf("last", func() {
		if v.Version() != 20 {
			t.Errorf("the order is lost: version %d", v.Version())
		}
	}, read(v), write(result)))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, w := range []*engine.Var{v, result, b.Var} {
		require.ErrorIs(t, s.Wait(ctx, w), context.Canceled)
	}
	s.stop()
	require.Zero(t, ran.Load())
	s.Start()
	require.NoError(t, s.wait(result))
	s.requireDone()
	require.Equal(t, int32(60), ran.Load())
}

// stopWaits stops the engine while a function runs, which lets others become ready.
func stopWaits(t *testing.T, new factory) {
	s := start(t, new)
	v, w := s.NewVar(), s.NewVar()
	running := make(chan struct{})
	gate, release := s.gate()
	var ended atomic.Bool
	var ran atomic.Int32
	s.Push(hosted("gate", func() { close(running); <-gate; ended.Store(true) }, write(v)))
	s.Push(leaf("behind", func() { ran.Add(1) }, read(v)))
	s.Push(hosted("behind", func() { ran.Add(1) }, read(v), write(w)))
	<-running
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(enough)
	require.ErrorIs(t, s.Stop(ctx), enough)
	stopped := make(chan error)
	go func() { stopped <- s.Stop(context.Background()) }()
	release()
	require.NoError(t, <-stopped)
	require.True(t, ended.Load())
	require.NoError(t, s.wait(v), "what runs ends")
	require.Zero(t, ran.Load())
	s.Start()
	require.NoError(t, s.wait(w))
	s.requireDone()
	require.Equal(t, int32(2), ran.Load())
}

func closeStopped(t *testing.T, new factory) {
	s := start(t, new)
	v, ran := s.NewVar(), 0
	s.stop()
	for i := range 100 {
		op := leaf("count", func() { ran++ }, update(v))
		op.Host = i%10 == 0
		s.Push(op)
	}
	require.NoError(t, s.Close(context.Background()))
	require.Equal(t, 100, ran)
}

func stopWhilePushing(t *testing.T, new factory) {
	const each = 1000
	s := start(t, new, engine.WithLimit(64))
	shared, total := s.NewVar(), 0
	var all sync.WaitGroup
	for range pushers {
		all.Go(func() {
			v, last := s.NewVar(), -1
			for i := range each {
				op := leaf("step", func() {
					if last != i-1 {
						t.Errorf("%d follows %d", i, last)
					}
					last = i
				}, update(v))
				op.Host = i%100 == 99
				s.Push(op)
				s.Push(leaf("total", func() { total++ }, update(shared)))
			}
		})
	}
	pushed := make(chan struct{})
	go func() { all.Wait(); close(pushed) }()
	for stopping := true; stopping; {
		s.stop()
		select {
		case <-pushed:
			stopping = false
		default:
		}
		s.Start()
	}
	s.requireDone()
	require.Equal(t, pushers*each, total)
}
