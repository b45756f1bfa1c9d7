package enginetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

var parkings = []property{
	{"AStarvedOperationRunsWhenMemoryIsFreed", starvedRuns},
	{"AParkedOperationTakesNoWorker", parkedTakesNoWorker},
	{"MemoryIsAdmittedInTheOrderOfPushes", admissionInOrder},
	{"WhatIsInAQueueStandsBehindTheParkedToo", queuedBehind},
	{"AnOperationStarvesOnlyWhenNothingCanFree", starvesForGood},
	{"ThoseWhoStarveForGoodFailInTheOrderOfPushes", starveInOrder},
	{"ReliefIsAwaited", reliefAwaited},
	{"ReliefsThatAreClosedAlreadyEnd", reliefsWithoutEnd},
	{"EveryReliefThatComesWhileAFunctionReturnsCounts", reliefsAtOnce},
	{"MemoryFreedFromAnywhereIsHeardOf", freedAnywhere},
	{"MemoryFreedBeforeAnOperationIsParkedIsNotMissed", freedBefore},
	{"AParkedOperationOfACancelledScopeEnds", parkedCancelled},
	{"StopHoldsParkedOperations", parkedStopped},
	{"CloseWaitsForParkedOperations", parkedClosed},
	{"HostFunctionsAreParkedToo", parkedHosts},
	{"AHostFunctionMayWaitForAParkedOperation", hostWaitsForParked},
	{"AHostFunctionThatTriesAgainMayWaitForThoseBehindIt", hostWaitsBehindItself},
	{"DeletionsAndAsynchronousOperationsDoNotStarve", notParked},
	{"OperationsOnStreamsAreParked", parkedOnStream},
	{"AParkedOperationWhoseInputFailsIsSkipped", parkedInputFails},
	{"ParkedBytesCountForTheLimit", parkedBytes},
	{"ParkedOperationsAreInSnapshots", parkedInspected},
	{"NothingIsParkedByAnEngineThatRunsInPlace", starvesInPlace},
	{"AMemberOfABulkThatStarvesIsResumed", bulkResumed},
	{"AMemberOfABulkThatStarvesForGoodFailsAlone", bulkMemberFails},
	{"WhatABulkDissolvesIntoIsNotRecycled", bulkNotRecycled},
	{"ABulkThatIsParkedKeepsNothingThatItIsDoneWith", bulkLetsGo},
	{"ObserversSeeWhatHasEndedOnce", parkedObserved},
	{"RandomProgramsThatFitNeverStarve", frugalPrograms},
	{"StarvingProgramsEnd", starvingStorms},
}

func starvedRuns(t *testing.T, new factory) {
	s := start(t, new)
	parks(t, s)
	b := newBudget(0)
	end := s.holding(b, 10)
	v, w := s.NewVar(), s.NewVar()
	finished := 0
	op := b.taking("hungry", 5, write(v))
	op.Function = &ordered{op.Function, func() { finished++ }}
	behind := false
	s.Push(op)
	s.Push(leaf("behind", func() { behind = true }, read(v), write(w)))
	s.parked(1, b, "hungry", 2)
	require.Zero(t, v.Version())
	require.NoError(t, v.Err())
	require.Zero(t, finished)
	require.Equal(t, engine.Stats{Pushed: 3, Parked: 1, Parkings: 1}, s.Stats())
	end()
	require.NoError(t, s.wait(w))
	require.True(t, behind)
	require.Equal(t, uint64(1), v.Version())
	require.Equal(t, 1, finished)
	require.Equal(t, 3, b.triesOf("hungry"), "once, once more when it was parked, and once when the holder had ended")
	s.requireDone()
	require.Equal(t, engine.Stats{Pushed: 3, Done: 3, Parkings: 1}, s.Stats())
}

func parkedTakesNoWorker(t *testing.T, new factory) {
	pool := parallel.New(1)
	t.Cleanup(pool.Close)
	s := start(t, new, engine.WithPool(pool))
	parks(t, s)
	b := newBudget(0)
	end := s.holding(b, 10)
	for i := range 10 {
		s.Push(b.taking(fmt.Sprint(i), 1, write(s.NewVar())))
	}
	s.parked(10, b, "0", 2)
	v, ran := s.NewVar(), 0
	for range 100 {
		s.Push(leaf("leaf", func() { ran++ }, update(v)))
	}
	require.NoError(t, s.wait(v))
	require.Equal(t, 100, ran)
	require.Equal(t, 10, s.Stats().Parked)
	for i := 1; i < 10; i++ {
		require.Zero(t, b.triesOf(fmt.Sprint(i)), "only the first tries")
	}
	require.LessOrEqual(t, b.triesOf("0"), 102, "each end is a reason to try")
	end()
	s.requireDone()
}

func admissionInOrder(t *testing.T, new factory) {
	s := start(t, new)
	parks(t, s)
	b := newBudget(0)
	end := s.holding(b, 10)
	s.Push(b.taking("big", 10, write(s.NewVar())))
	s.parked(1, b, "big", 2)
	b.give(9)
	want := []string{"other device", "no bytes", "big"}
	for i := range 20 {
		name := fmt.Sprint(i)
		op := b.taking(name, 1, write(s.NewVar()))
		op.Host = i%5 == 4
		op.Priority = i % 3
		s.Push(op)
		want = append(want, name)
	}
	other, free := s.NewVar(), s.NewVar()
	op := b.taking("other device", 1, write(other))
	op.Device = device.CPU(1)
	s.Push(op)
	require.NoError(t, s.wait(other))
	op = b.taking("no bytes", 1, write(free))
	op.Bytes = 0
	s.Push(op)
	require.NoError(t, s.wait(free))
	for s.Stats().Parked != 21 {
		runtime.Gosched()
	}
	b.give(2) // The two have taken as much.
	for left := 20; left >= 0; left-- {
		b.give(1)
		engine.MemoryFreed()
		for s.Stats().Parked != left {
			runtime.Gosched()
		}
		require.Equal(t, want[:len(want)-left], b.granted())
	}
	end()
	s.requireDone()
}

// queuedBehind makes operations ready before the first of them is parked.
func queuedBehind(t *testing.T, new factory) {
	pool := parallel.New(1)
	t.Cleanup(pool.Close)
	s := start(t, new, engine.WithPool(pool))
	parks(t, s)
	b := newBudget(0)
	end := s.holding(b, 13)
	v, ran := s.NewVar(), 0
	release := s.blocked(write(v))
	big, copied, small := b.taking("big", 10, read(v)), b.taking("copied", 2, read(v)), b.taking("small", 1, read(v))
	big.Property, copied.Property = engine.CopyToDevice, engine.CopyToDevice
	started := async("started", func(complete func(error)) { ran++; complete(nil) }, read(v))
	started.Bytes = 1
	for _, op := range []*engine.Operation{big, copied, small, started} {
		s.Push(op)
	}
	release()
	for s.Stats().Parked < 3 {
		runtime.Gosched()
	}
	end()
	s.requireDone()
	require.ElementsMatch(t, []string{"big", "copied", "small"}, b.granted())
	require.Equal(t, 1, ran)
}

func starvesForGood(t *testing.T, new factory) {
	for kind, host := range kinds {
		t.Run(kind, func(t *testing.T) {
			s := start(t, new)
			b := newBudget(5)
			v, kept, w := s.NewVar(), s.NewVar(), s.NewVar()
			op := b.taking("hungry", 6, write(v), update(kept))
			op.KeepOnSkip, op.Host = true, host
			s.Push(op)
			s.Push(leaf("behind", func() { t.Error("it ran") }, read(v), write(w)))
			for range 2 {
				err := s.wait(w)
				require.ErrorIs(t, err, errNoMemory)
				require.Equal(t, "hungry", errorOf(t, err).Root.Operator)
				require.Same(t, op.Site, errorOf(t, err).Root.Site)
			}
			require.Equal(t, errNoMemory, errors.Unwrap(errorOf(t, s.wait(v)).Cause), "marked once, as untouched")
			require.NoError(t, s.wait(kept), "it was not touched")
			require.Zero(t, v.Version())
			require.Equal(t, uint64(1), s.Stats().Failed)
			s.Push(b.taking("modest", 5, write(v)))
			require.NoError(t, s.wait(v))
			require.NoError(t, s.wait(kept))
			require.Zero(t, s.Stats().Parked)
		})
	}
}

func starveInOrder(t *testing.T, new factory) {
	s := start(t, new)
	parks(t, s)
	b := newBudget(0)
	end := s.holding(b, 5)
	var vars []*engine.Var
	var order []int
	for i, n := range []int{6, 4, 2, 7, 1, 1} {
		vars = append(vars, s.NewVar())
		op := b.taking(fmt.Sprint(i), n, write(vars[i]))
		op.Function = &ordered{op.Function, func() { order = append(order, i) }}
		s.Push(op)
		s.parked(i+1, b, "0", 2)
	}
	end()
	require.ErrorIs(t, s.waitAll(), errNoMemory)
	for i, v := range vars {
		require.Equal(t, i == 1 || i == 4, v.Err() == nil, i)
	}
	require.Equal(t, []int{0, 1, 2, 3, 4, 5}, order)
	require.Equal(t, []string{"1", "4"}, b.granted())
}

// ordered calls note when its operation has finished.
type ordered struct {
	engine.Function
	note func()
}

func (f *ordered) Finished() { f.note() }

func reliefAwaited(t *testing.T, new factory) {
	for kind, host := range kinds {
		for _, freed := range []int{5, 1} {
			t.Run(fmt.Sprint(kind, freed), func(t *testing.T) {
				s := start(t, new)
				v, relief, asked := s.NewVar(), make(chan struct{}), make(chan struct{}, 10)
				var left atomic.Int64
				op := leaf("hungry", nil, write(v))
				op.Host, op.Bytes = host, 5
				op.Function = function(func() error {
					if left.Load() >= 5 {
						return nil
					}
					asked <- struct{}{}
					return engine.Starved(errNoMemory, relief)
				})
				pushed := make(chan struct{})
				go func() {
					defer close(pushed)
					s.Push(op)
				}()
				<-asked
				if s.Name() != "naive" {
					<-asked
					for range 3 {
						other := s.NewVar()
						s.Push(leaf("other", func() {}, write(other)))
						require.NoError(t, s.wait(other))
						<-asked
					}
				}
				ctx, cancel := context.WithCancel(context.Background())
				cancel()
				require.ErrorIs(t, s.Wait(ctx, v), context.Canceled)
				left.Store(int64(freed))
				close(relief)
				if <-pushed; freed == 5 {
					require.NoError(t, s.wait(v))
				} else {
					require.ErrorIs(t, s.wait(v), errNoMemory)
				}
			})
		}
	}
}

// reliefsWithoutEnd returns a relief each time that is closed.
func reliefsWithoutEnd(t *testing.T, new factory) {
	s := start(t, new)
	v, tries := s.NewVar(), 0
	op := leaf("hungry", nil, write(v))
	op.Function = function(func() error {
		tries++
		relief := make(chan struct{})
		close(relief)
		return engine.Starved(errNoMemory, relief)
	})
	s.Push(op)
	require.ErrorIs(t, s.wait(v), errNoMemory)
	require.LessOrEqual(t, tries, 4)
}

// reliefsAtOnce returns a relief each time that is closed before the engine can wait for it, as another engine may do.
func reliefsAtOnce(t *testing.T, new factory) {
	const needed = 10
	s := start(t, new)
	v, tries := s.NewVar(), 0
	op := leaf("hungry", nil, write(v))
	op.Function = function(func() error {
		if tries++; tries == needed {
			return nil
		}
		relief := make(chan struct{})
		defer close(relief)
		return engine.Starved(errNoMemory, relief)
	})
	s.Push(op)
	require.NoError(t, s.wait(v))
	require.Equal(t, needed, tries)
}

func freedAnywhere(t *testing.T, new factory) {
	engine.MemoryFreed()
	s := start(t, new)
	parks(t, s)
	b := newBudget(0)
	end := s.holding(b, 100)
	free := func() {
		b.give(1)
		engine.MemoryFreed()
	}
	other := start(t, new)
	for name, from := range map[string]func(){
		"a goroutine":           func() { go free() },
		"a function":            func() { s.Push(leaf("freeing", free)) },
		"a host function":       func() { s.Push(hosted("freeing", free)) },
		"a deletion":            func() { s.DeleteVar(s.NewVar(), free) },
		"a Finisher":            func() { s.Push(finisher(free, s.NewVar())) },
		"another engine":        func() { other.Push(leaf("freeing", free, write(other.NewVar()))); other.requireDone() },
		"a Finisher of another": func() { other.Push(finisher(free, other.NewVar())); other.requireDone() },
		"the end alone":         func() { s.Push(leaf("freeing", func() { b.give(1) })) },
	} {
		t.Run(name, func(t *testing.T) {
			v := s.NewVar()
			tries := b.triesOf("hungry")
			s.Push(b.taking("hungry", 1, write(v)))
			s.parked(1, b, "hungry", tries+2)
			from()
			require.NoError(t, s.wait(v))
		})
	}
	end()
}

// freedBefore frees memory when the function has found none, and is not parked yet.
func freedBefore(t *testing.T, new factory) {
	for kind, host := range kinds {
		t.Run(kind, func(t *testing.T) {
			s := start(t, new)
			parks(t, s)
			b, v := newBudget(0), s.NewVar()
			op := leaf("hungry", nil, write(v))
			op.Host = host
			op.Function = function(func() error {
				err := b.claim("hungry", 1)
				if err != nil {
					b.give(1)
					engine.MemoryFreed()
				}
				return err
			})
			s.Push(op)
			require.NoError(t, s.wait(v))
			require.Equal(t, 2, b.triesOf("hungry"))
		})
	}
}

// finisher returns an operation that calls f when it has finished.
func finisher(f func(), v *engine.Var) *engine.Operation {
	op := leaf("freeing", func() {}, write(v))
	op.Function = &ordered{op.Function, f}
	return op
}

func parkedCancelled(t *testing.T, new factory) {
	s := start(t, new)
	parks(t, s)
	b := newBudget(0)
	end := s.holding(b, 10)
	enough := errors.New("enough")
	var vars []*engine.Var
	var cancels []context.CancelCauseFunc
	for i := range 6 {
		ctx, cancel := context.WithCancelCause(context.Background())
		v := s.NewVar()
		op := within(ctx, b.taking(fmt.Sprint(i), 1, write(v)))
		op.Host = i%2 == 1
		s.Push(op)
		vars, cancels = append(vars, v), append(cancels, cancel)
		s.parked(i+1, b, "0", 2)
	}
	for _, i := range []int{3, 0, 4, 5} { // Not the first, the first, and the rest but two.
		cancels[i](enough)
		require.ErrorIs(t, s.wait(vars[i]), enough)
		require.Empty(t, b.granted())
	}
	end()
	s.waitAll()
	require.Equal(t, []string{"1", "2"}, b.granted())
	for _, cancel := range cancels {
		cancel(enough)
	}
}

func parkedStopped(t *testing.T, new factory) {
	s := start(t, new)
	parks(t, s)
	b := newBudget(0)
	end := s.holding(b, 1)
	v := s.NewVar()
	s.Push(b.taking("hungry", 1, write(v)))
	s.parked(1, b, "hungry", 2)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, s.Stop(ctx), context.Canceled, "the holder runs")
	stopped := make(chan error)
	go func() { stopped <- s.Stop(context.Background()) }()
	end()
	require.NoError(t, <-stopped)
	tries := b.triesOf("hungry")
	engine.MemoryFreed()
	require.ErrorIs(t, s.Wait(ctx, v), context.Canceled)
	require.Equal(t, tries, b.triesOf("hungry"))
	s.Start()
	require.NoError(t, s.wait(v))

	s.Push(b.taking("hopeless", 1, write(v)))
	s.stop()
	s.Start()
	require.ErrorIs(t, s.wait(v), errNoMemory)
}

func parkedClosed(t *testing.T, new factory) {
	s := start(t, new)
	parks(t, s)
	b := newBudget(0)
	end := s.holding(b, 1)
	v, w, refused := s.NewVar(), s.NewVar(), s.NewVar()
	s.Push(b.taking("hungry", 1, write(v)))
	s.Push(b.taking("hopeless", 1, write(w)))
	s.parked(2, b, "hungry", 2)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, s.Close(ctx), context.Canceled)
	s.Push(b.taking("refused", 1, write(refused)))
	require.ErrorIs(t, s.wait(refused), fault.ErrClosed)
	closed := make(chan error)
	go func() { closed <- s.Close(context.Background()) }()
	end()
	require.NoError(t, <-closed)
	require.NoError(t, s.wait(v))
	require.ErrorIs(t, s.wait(w), errNoMemory)
	require.Zero(t, s.Stats().Parked)
}
