package enginetest

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

var workers = []property{
	{"WaitAllReturnsHoweverManyWerePushed", waitAllAfterBatches},
	{"ALeafBehindABatchDoesNotWaitForALongOne", leafBehindBatch},
	{"WhatEndsItsGoroutineLeavesTheEngineUsable", exitsLeaveUsable},
	{"ADeletionThatEndsItsGoroutineLosesNoLeaf", deletionExits},
	{"ALongDeletionLeavesLeavesToOthers", longDeletion},
	{"NothingStartsOnceStopHasReturned", stopIsFinal},
	{"AStopComesBetweenTheLaunchesOfAStream", stopBetweenLaunches},
	{"APusherOverTheLimitGoesOnWhenOthersThanLeavesEnd", throttledAreWoken},
	{"APusherOverTheLimitDoesNotWaitForWhatItGathers", gathererGoesOn},
}

// startWith starts an engine on a pool of its own.
func startWith(t *testing.T, new factory, workers int, opts ...engine.Option) *subject {
	pool := parallel.New(workers)
	t.Cleanup(pool.Close)
	return start(t, new, append(opts, engine.WithPool(pool))...)
}

// occupied pushes a leaf with the accesses that runs until release is called, at the latest when the test ends, and returns
// when it runs. An engine may run it where it is pushed, hence in a goroutine of its own; worker reports whether a worker runs
// it, so that others run other leaves meanwhile. Leaves must not wait: it stands for one that computes for long.
func (s *subject) occupied(accesses ...engine.Access) (release func(), worker bool) {
	gate, release := s.gate()
	running := make(chan struct{})
	go s.Push(leaf("long", func() { close(running); <-gate }, accesses...))
	<-running
	for _, p := range s.Snapshot().Pending {
		worker = worker || p.Name == "long" && strings.HasPrefix(p.Place, "worker")
	}
	return release, worker
}

// waitAllAfterBatches parks a goroutine in WaitAll, and pushes then as much as an engine may hand over at once.
func waitAllAfterBatches(t *testing.T, new factory) {
	for _, count := range []int{1, 16, 32, 64, 128} {
		s := startWith(t, new, 1)
		v, ran := s.NewVar(), 0
		release, _ := s.occupied(update(v))
		answer := make(chan error, 1)
		go func() { answer <- s.waitAll() }()
		for s.Snapshot().Blocked == 0 {
			runtime.Gosched()
		}
		for range count {
			s.Push(leaf("brief", func() { ran++ }, update(v)))
		}
		release()
		require.NoError(t, <-answer)
		require.Equal(t, count, ran)
	}
}

// leafBehindBatch has a long leaf wait for another one, which needs two workers, if there are any. What an engine may hand
// over at once ends just before the other one.
func leafBehindBatch(t *testing.T, new factory) {
	for _, batch := range []int{16, 32, 64} {
		for name, push := range map[string]func(s *subject, operations []*engine.Operation){
			"at once": func(s *subject, operations []*engine.Operation) {
				s.Atomically(func(p engine.Pusher) {
					for _, op := range operations {
						p.Push(op)
					}
				})
			},
			"one by one": func(s *subject, operations []*engine.Operation) {
				for _, op := range operations {
					s.Push(op)
				}
			},
		} {
			t.Run(fmt.Sprint(batch, " ", name), func(t *testing.T) {
				s := startWith(t, new, 2)
				v, w, ran := s.NewVar(), s.NewVar(), 0
				release, worker := s.occupied()
				release()
				s.requireDone()
				for range 20 {
					met := make(chan struct{})
					long := leaf("long", func() {
						if worker {
							<-met
						}
					}, update(v))
					operations := []*engine.Operation{long}
					for len(operations) < batch {
						operations = append(operations, leaf("behind", func() { ran++ }, update(v)))
					}
					push(s, append(operations, leaf("other", func() { close(met) }, update(w))))
					if worker {
						<-met // To wait for all would hand over the rest.
					}
					s.requireDone()
				}
				require.Equal(t, 20*(batch-1), ran)
			})
		}
	}
}

// exitsLeaveUsable ends as many goroutines as there are workers, and more.
func exitsLeaveUsable(t *testing.T, new factory) {
	exit := func(*engine.RunContext, func(error)) { runtime.Goexit() }
	for name, push := range map[string]func(s *subject, v *engine.Var){
		"leaf":          func(s *subject, v *engine.Var) { s.Push(leaf("exiting", runtime.Goexit, write(v))) },
		"leaf in bulk":  func(s *subject, v *engine.Var) { s.gathered(leaf("exiting", runtime.Goexit, write(v))) },
		"host function": func(s *subject, v *engine.Var) { s.Push(hosted("exiting", runtime.Goexit, write(v))) },
		"asynchronous leaf": func(s *subject, v *engine.Var) {
			s.Push(&engine.Operation{Name: "exiting", Async: exit, Accesses: []engine.Access{write(v)}})
		},
		"asynchronous host function": func(s *subject, v *engine.Var) {
			s.Push(&engine.Operation{Name: "exiting", Async: exit, Host: true, Accesses: []engine.Access{write(v)}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := startWith(t, new, 2, engine.WithLimit(exitLimit))
			for range 3 {
				v := s.NewVar()
				ended := make(chan struct{})
				go func() { // An engine may run it here.
					defer close(ended)
					push(s, v)
				}()
				<-ended
				require.ErrorIs(t, s.wait(v), fault.ErrPanic)
			}
			s.requireNoneRuns()
		})
	}
}

// deletionExits makes a deletion and a leaf ready at the same time, so that the worker which is about to run the leaf runs
// the deletion before.
func deletionExits(t *testing.T, new factory) {
	for _, asynchronous := range []bool{false, true} {
		s := startWith(t, new, 1, engine.WithLimit(exitLimit))
		for range 3 {
			v, w, ran := s.NewVar(), s.NewVar(), false
			release, _ := s.occupied(update(v), update(w))
			s.DeleteVar(v, runtime.Goexit)
			next := leaf("next", func() { ran = true }, update(w))
			if asynchronous {
				next = async("next", func(complete func(error)) { ran = true; complete(nil) }, update(w))
			}
			s.Push(next)
			s.Snapshot() // So that both are registered.
			release()
			s.requireDone()
			require.True(t, ran)
		}
		s.requireNoneRuns()
	}
}

// longDeletion has a deletion wait for one of two leaves that become ready with it, of which the worker that runs it can have
// taken one.
func longDeletion(t *testing.T, new factory) {
	s := startWith(t, new, 2)
	for range 10 {
		v, w, ran := s.NewVar(), s.NewVar(), atomic.Int32{}
		release, worker := s.occupied(update(v), update(w))
		met, meet := s.gate()
		s.DeleteVar(v, func() {
			if worker {
				<-met
			}
		})
		for range 2 {
			s.Push(leaf("next", func() { ran.Add(1); meet() }, read(w)))
		}
		s.Snapshot()     // So that all are registered.
		for range 1000 { // An idle worker stops looking for work.
			runtime.Gosched()
		}
		release()
		<-met
		s.requireDone()
		require.Equal(t, int32(2), ran.Load())
	}
}

// exitLimit is the limit of an engine on which requireNoneRuns is called.
const exitLimit = 8

// requireNoneRuns hangs if the engine believes that a leaf runs: only then does a goroutine over the limit wait until
// host functions end.
func (s *subject) requireNoneRuns() {
	s.t.Helper()
	v, ran := s.NewVar(), 0
	var releases []func()
	for range exitLimit {
		releases = append(releases, s.blocked())
	}
	for range exitLimit {
		s.Push(leaf("leaf", func() { ran++ }, update(v)))
	}
	for _, release := range releases {
		release()
	}
	require.NoError(s.t, s.wait(v))
	require.Equal(s.t, exitLimit, ran)
}

// stopIsFinal gives what is on its way to a goroutine or a stream when Stop is called the time to start.
func stopIsFinal(t *testing.T, new factory) {
	const rounds, each = 300, 3
	for name, make := range map[string]func(f func()) *engine.Operation{
		"leaf": func(f func()) *engine.Operation { return leaf("leaf", f) },
		"host": func(f func()) *engine.Operation { return hosted("host", f) },
		"async": func(f func()) *engine.Operation {
			return async("async", func(complete func(error)) { f(); complete(nil) })
		},
		"stream": func(f func()) *engine.Operation {
			return onStream("stream", simulated(0), func(device.Stream) error { f(); return nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := startWith(t, new, 2)
			var stopped atomic.Bool
			var ran, late atomic.Int32
			for range rounds {
				for range each {
					s.Push(make(func() {
						if ran.Add(1); stopped.Load() {
							late.Add(1)
						}
					}))
				}
				s.stop()
				stopped.Store(true)
				for range each {
					runtime.Gosched()
				}
				stopped.Store(false)
				s.Start()
				s.requireDone()
			}
			require.Equal(t, []int32{rounds * each, 0}, []int32{ran.Load(), late.Load()})
		})
	}
}

// finishing is a Finisher.
type finishing struct {
	engine.Function
	finished func()
}

func (f finishing) Finished() { f.finished() }

// stopBetweenLaunches lets a host function give work to a stream whose launch its Finisher holds up until Stop is called. Of
// the launch and of Stop, either may come first then.
func stopBetweenLaunches(t *testing.T, new factory) {
	const rounds, yields = 200, 20
	s := startWith(t, new, 2)
	var stopped atomic.Bool
	var ran, late atomic.Int32
	for range rounds {
		holding := make(chan struct{})
		var released atomic.Bool
		op := hosted("pusher", func() {
			s.Push(onStream("stream", simulated(0), func(device.Stream) error {
				if ran.Add(1); stopped.Load() {
					late.Add(1)
				}
				return nil
			}))
		})
		op.Function = finishing{op.Function, func() {
			close(holding)
			for !released.Load() {
				runtime.Gosched()
			}
		}}
		go s.Push(op) // An engine may look after it before Push returns, which the Finisher holds up.
		<-holding
		for range yields {
			runtime.Gosched()
		}
		released.Store(true)
		s.stop()
		stopped.Store(true)
		for range yields {
			runtime.Gosched()
		}
		stopped.Store(false)
		s.Start()
		s.requireDone()
	}
	require.Equal(t, []int32{rounds, 0}, []int32{ran.Load(), late.Load()})
}

// throttledAreWoken has a goroutine over the limit wait while a long leaf runs, and ends everything else. An engine without
// workers may let it wait for the leaf.
func throttledAreWoken(t *testing.T, new factory) {
	const limit = 8
	for name, held := range map[string]func(gate chan struct{}) *engine.Operation{
		"host": func(gate chan struct{}) *engine.Operation { return hosted("held", func() { <-gate }) },
		"async": func(gate chan struct{}) *engine.Operation {
			return async("held", func(complete func(error)) { go func() { <-gate; complete(nil) }() })
		},
		"stream": func(gate chan struct{}) *engine.Operation {
			return onStream("held", simulated(0), func(device.Stream) error { <-gate; return nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := startWith(t, new, 2, engine.WithLimit(limit))
			v := s.NewVar()
			release, worker := s.occupied(update(v))
			gate, finish := s.gate()
			for range limit - 1 {
				go s.Push(held(gate))
			}
			for s.Stats().Pushed < limit {
				runtime.Gosched()
			}
			if !worker {
				release()
			}
			pushed := make(chan struct{})
			go func() {
				defer close(pushed)
				s.Push(leaf("one more", nothing, update(v)))
			}()
			for worker && len(s.Snapshot().Throttled) == 0 {
				runtime.Gosched()
			}
			finish()
			<-pushed
			release()
			s.requireDone()
			require.Equal(t, uint64(limit+1), s.Stats().Done)
		})
	}
}

// gathererGoesOn gathers more than the limit in one bulk while a long leaf runs. An engine without workers may let the
// goroutine wait for the leaf.
func gathererGoesOn(t *testing.T, new factory) {
	const limit, count = 8, 20
	s := startWith(t, new, 2, engine.WithLimit(limit))
	v, ran := s.NewVar(), 0
	release, worker := s.occupied()
	if !worker {
		release()
	}
	b := s.NewBulk(5 * count)
	for range count {
		b.Push(leaf("brief", func() { ran++ }, update(v)))
	}
	b.Flush()
	require.NoError(t, s.Wait(context.Background(), v))
	require.Equal(t, count, ran)
	release()
	s.requireDone()
}
