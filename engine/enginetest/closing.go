package enginetest

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

var closings = []property{
	{"CloseDrains", closeDrains},
	{"PushesAfterCloseAreRefused", closedRefuses},
	{"FreeingWorksAfterClose", closedFrees},
	{"ClosingTwiceIsHarmless", closedTwice},
	{"ACloseWhoseContextEndsCanBeRepeated", closeRepeated},
	{"CloseEndsThoughOthersPush", closeWhilePushing},
	{"HostFunctionsThatPushDuringCloseEnd", closeWithPushingHosts},
	{"NothingRunsAfterClose", closeLeavesNothing},
}

func closeDrains(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	ran := 0
	release := s.blocked(write(v))
	for range 500 {
		op := leaf("count", func() { ran++ }, update(v))
		op.Host = ran%9 == 0
		s.Push(op)
	}
	release()
	require.NoError(t, s.Close(context.Background()))
	require.Equal(t, 500, ran)
	require.NoError(t, s.wait(v), "what was done before stays known")
	s.requireDone()
}

func closedRefuses(t *testing.T, new factory) {
	s := start(t, new)
	v, w, input := s.NewVar(), s.NewVar(), s.NewVar()
	require.False(t, s.Closed())
	require.NoError(t, s.Close(context.Background()))
	require.True(t, s.Closed())
	for kind, host := range kinds {
		op := leaf("late "+kind, func() { t.Error("it ran") }, read(input), update(v), write(w))
		op.Host, op.Property = host, engine.NoSkip
		s.Push(op)
		for range 2 {
			require.ErrorIs(t, s.wait(v), fault.ErrClosed)
			require.ErrorIs(t, s.wait(w), fault.ErrClosed)
			require.ErrorIs(t, s.waitAll(), fault.ErrClosed)
		}
		require.Equal(t, "late "+kind, errorOf(t, s.wait(w)).Operator)
		require.Same(t, op.Site, errorOf(t, s.wait(w)).Site)
		require.NoError(t, s.wait(input))
	}
	s.Atomically(func(p engine.Pusher) { p.Push(leaf("later", func() { t.Error("it ran") }, write(input))) })
	require.ErrorIs(t, s.wait(input), fault.ErrClosed)
}

func closedFrees(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	require.NoError(t, s.Close(context.Background()))
	freed := 0
	for range 2 {
		op := leaf("free", func() { freed++ }, write(v))
		op.Property = engine.DeleteVar
		s.Push(op)
	}
	require.NoError(t, s.waitAll())
	require.Equal(t, 2, freed)
}

func closedTwice(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	s.Push(failing("root", errBroken, write(v)))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := s.Close(context.Background()); err != nil {
				t.Error(err)
			}
			if done := s.Stats().Done; done != 1 {
				t.Errorf("closed with %d operations done", done)
			}
		})
	}
	all.Wait()
	require.NoError(t, s.Close(context.Background()))
	require.ErrorIs(t, s.wait(v), errBroken)
}

func closeRepeated(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	release := s.blocked(write(v))
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(enough)
	for range 3 {
		require.ErrorIs(t, s.Close(ctx), enough)
	}
	release()
	require.NoError(t, s.Close(context.Background()))
	require.Equal(t, uint64(1), s.Stats().Done)
}

func closeWhilePushing(t *testing.T, new factory) { closeWhilePushingTimes(t, new, 5) }

// closeWhilePushingTimes pushes until it is refused: a Close that waited for a moment without work would wait for ever.
func closeWhilePushingTimes(t *testing.T, new factory, times int) {
	for range times {
		s := &subject{new(), t} // Closed below: what start returns is kept until the test ends.
		shared := s.NewVar()
		var started, all sync.WaitGroup
		var ran, pushed, freed, frees atomic.Int64
		started.Add(pushers)
		for range pushers {
			all.Go(func() {
				v := s.NewVar()
				for i := 0; ; i++ {
					op := leaf("count", func() { ran.Add(1) }, update(v))
					if i%10 == 0 {
						op.Accesses = append(op.Accesses, update(shared))
					}
					op.Host = i%50 == 0
					s.Push(op)
					pushed.Add(1)
					if i%20 == 0 {
						op := leaf("free", func() { freed.Add(1) }, write(s.NewVar()))
						op.Property = engine.DeleteVar
						s.Push(op)
						frees.Add(1)
						runtime.Gosched() // Who closes gets a processor soon, not when all time slices of those who push are over.
					}
					if i == 20 {
						started.Done()
					}
					// An operation that nothing is in the way of is refused at once.
					probe := leaf("probe", func() { ran.Add(1) }, write(s.NewVar()))
					s.Push(probe)
					pushed.Add(1)
					if errors.Is(probe.Accesses[0].Var.Err(), fault.ErrClosed) {
						return
					}
				}
			})
		}
		started.Wait()
		require.NoError(t, s.Close(context.Background()))
		all.Wait()
		require.ErrorIs(t, s.waitAll(), fault.ErrClosed)
		stats := s.Stats()
		require.Equal(t, uint64(pushed.Load()+frees.Load()), stats.Pushed)
		require.Equal(t, stats.Pushed, stats.Done)
		require.Equal(t, pushed.Load(), ran.Load()+int64(stats.Skipped), "every operation ran or was refused")
		require.Equal(t, frees.Load(), freed.Load())
		require.Zero(t, stats.Failed)
	}
}

func closeWithPushingHosts(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	inside := make(chan struct{})
	var ran atomic.Int64
	s.Push(hosted("pusher", func() {
		close(inside)
		for s.wait(v) == nil {
			s.Push(leaf("count", func() { ran.Add(1) }, update(v)))
		}
	}))
	<-inside
	require.NoError(t, s.Close(context.Background()))
	require.ErrorIs(t, s.wait(v), fault.ErrClosed)
	require.Equal(t, uint64(ran.Load()), v.Version())
}

// closeLeavesNothing looks for goroutines of the engine and of its pool.
func closeLeavesNothing(t *testing.T, new factory) {
	before := goroutines()
	for range 5 {
		pool := parallel.New(2)
		e := new(engine.WithPool(pool))
		s := &subject{e, t}
		v := s.NewVar()
		for i := range 100 {
			op := leaf("count", func() {}, update(v))
			op.Host = i%5 == 0
			s.Push(op)
		}
		s.Push(&engine.Operation{Name: "fill", Function: function(func() error { return nil }), Accesses: []engine.Access{update(v)}, Device: simulated(0)})
		s.requireDone()
		require.NoError(t, s.Close(context.Background()))
		pool.Close()
	}
	// A goroutine that has done its work may not have ended yet.
	for began := time.Now(); goroutines() > before; runtime.Gosched() {
		if time.Since(began) > patience/2 {
			t.Fatalf("%d goroutines of the engine are left, before there were %d", goroutines(), before)
		}
	}
}

// goroutines counts those that the engine or a pool has started.
func goroutines() int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	count := 0
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		_, creator, _ := strings.Cut(stack, "created by ")
		if strings.HasPrefix(creator, "github.com/weft-nd/weft/engine.") || strings.HasPrefix(creator, "github.com/weft-nd/weft/parallel.") ||
			strings.HasPrefix(creator, "sync.(*WaitGroup).Go") && strings.Contains(stack, "weft/engine.") {
			count++
		}
	}
	return count
}
