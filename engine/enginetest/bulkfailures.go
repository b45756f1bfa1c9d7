package enginetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/sim"
)

var bulkFailures = []property{
	{"AFailureInABulkReachesWhatDependsOnIt", failureInBulk},
	{"ABulkBehindAFailureRunsWhatDoesNotDependOnIt", bulkBehindFailure},
	{"AFunctionOfABulkThatExitsItsGoroutineFails", exitInBulk},
	{"TheScopeOfAnOperationInABulkIsItsOwn", cancelledInBulk},
	{"KeepOnSkipInABulkKeeps", keptInBulk},
	{"WhatABulkBorrowsIsReturnedOnce", finishedInBulk},
	{"AnOpenBulkIsRunByClose", closeRunsBulk},
	{"ABulkIsRefusedAfterClose", closedRefusesBulk},
	{"ADeviceFaultSticksToAllOfABulk", deviceFaultInBulk},
	{"KeepOnSkipInABulkWaitsForItsInputs", keptBehindDeviceFault},
	{"ABulkOnAMissingDeviceFails", missingDeviceOfBulk},
	{"ABulkOnAStreamInheritsWhatItWasLaunchedBehind", bulkBehindDeviceFault},
}

// failureInBulk fails in three ways in the middle of a bulk.
func failureInBulk(t *testing.T, new factory) {
	custom := &customError{7}
	for name, run := range map[string]func() error{
		"returned":        func() error { return custom },
		"panicked":        func() error { panic(custom) },
		"panicked inside": func() error { explode(custom); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, new)
			before, bad, behind, apart, cured, late := s.NewVar(), s.NewVar(), s.NewVar(), s.NewVar(), s.NewVar(), s.NewVar()
			ran := ""
			note := func(name string) func() { return func() { ran += name + " " } }
			culprit := leaf("culprit", nil, read(before), write(bad), update(cured))
			culprit.Function = function(run)
			s.gathered(
				leaf("before", note("before"), write(before)),
				culprit,
				leaf("behind", note("behind"), read(bad), write(behind)),
				leaf("apart", note("apart"), read(before), write(apart)),
				leaf("further", note("further"), read(behind), update(behind)),
				leaf("cure", note("cure"), write(cured)),
				leaf("late", note("late"), read(cured), write(late)),
			)
			require.NoError(t, s.wait(late))
			require.Equal(t, "before apart cure late ", ran)
			for _, v := range []*engine.Var{before, apart, cured, late} {
				require.NoError(t, s.wait(v))
				require.Equal(t, uint64(1), v.Version())
			}
			for links, v := range []*engine.Var{bad, behind} {
				err := s.wait(v)
				require.ErrorIs(t, err, custom)
				require.Zero(t, v.Version())
				if links > 0 {
					require.Equal(t, "culprit", errorOf(t, err).Root.Operator)
				}
			}
			require.Equal(t, "culprit", errorOf(t, s.wait(bad)).Operator)
			require.Same(t, culprit.Site, errorOf(t, s.wait(bad)).Site)
			require.Equal(t, "further", errorOf(t, s.wait(behind)).Operator)
			require.Equal(t, engine.Stats{Pushed: 7, Done: 7, Failed: 1, Skipped: 2}, s.Stats())
			require.ErrorIs(t, s.waitAll(), custom)
		})
	}
}

func bulkBehindFailure(t *testing.T, new factory) {
	s := start(t, new)
	bad, whole, parted, fine := s.NewVar(), s.NewVar(), s.NewVar(), s.NewVar()
	s.Push(failing("root", errBroken, write(bad)))
	s.Push(failing("root of parts", errBroken, part(write(parted), 0, 10)))
	ran := 0
	count := func() { ran++ }
	s.gathered(
		leaf("skipped", func() { t.Error("it ran") }, read(bad), write(whole)),
		leaf("fine", count, write(fine)),
		leaf("beside", count, part(read(parted), 10, 20), update(fine)),
		leaf("cure", count, part(write(parted), 0, 10)),
		leaf("cured", count, part(read(parted), 5, 15), update(fine)),
		leaf("overwritten", count, write(whole)),
		leaf("still skipped", func() { t.Error("it ran") }, read(whole), update(bad)),
	)
	require.NoError(t, s.wait(fine))
	require.NoError(t, s.wait(parted))
	require.NoError(t, s.wait(whole))
	require.ErrorIs(t, s.wait(bad), errBroken)
	require.Equal(t, 5, ran)
	require.Equal(t, engine.Stats{Pushed: 9, Done: 9, Failed: 2, Skipped: 2}, s.Stats())
}

// exitInBulk pushes and waits in goroutines that may end with the function, where an engine runs it in place.
func exitInBulk(t *testing.T, new factory) {
	for _, at := range [][]int{{0}, {3}, {9}, {0, 3, 4}} {
		t.Run(fmt.Sprint(at), func(t *testing.T) { exitsInBulk(t, start(t, new), at) })
	}
}

func exitsInBulk(t *testing.T, s *subject, at []int) {
	vars := s.variables(10)
	ran := make([]bool, len(vars))
	var operations []*engine.Operation
	for i, v := range vars {
		op := leaf("fine", func() { ran[i] = true }, write(v))
		if slices.Contains(at, i) {
			op = leaf("exiting", runtime.Goexit, write(v))
		}
		operations = append(operations, op)
	}
	survives(func() { s.gathered(operations...) })
	var err error
	for !survives(func() { err = s.waitAll() }) {
	}
	require.ErrorIs(t, err, fault.ErrPanic)
	for i, v := range vars {
		err := s.wait(v)
		exits := slices.Contains(at, i)
		require.Equal(t, exits, err != nil, "operation %d", i)
		require.Equal(t, !exits, ran[i], "operation %d", i)
		if exits {
			require.ErrorIs(t, err, fault.ErrPanic)
			require.Equal(t, "exiting", errorOf(t, err).Operator)
		}
	}
	require.Equal(t, engine.Stats{Pushed: 10, Done: 10, Failed: uint64(len(at))}, s.Stats())
}

// survives calls f in a goroutine of its own and reports whether that returned.
func survives(f func()) bool {
	ended, returned := make(chan struct{}), false
	go func() {
		defer close(ended)
		f()
		returned = true
	}()
	<-ended
	return returned
}

func cancelledInBulk(t *testing.T, new factory) {
	s := start(t, new)
	before, cancelled, behind, apart := s.NewVar(), s.NewVar(), s.NewVar(), s.NewVar()
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	type key struct{}
	valued := context.WithValue(context.Background(), key{}, 5)
	see := leaf("see", nil, read(before), write(apart))
	see.Function = engine.FunctionOf(func(rc *engine.RunContext) error {
		if rc.Context.Value(key{}) != 5 || rc.Context.Err() != nil {
			t.Error("the context is another's")
		}
		return nil
	})
	see.Context = valued
	blank := leaf("blank", nil, read(before))
	blank.Function = engine.FunctionOf(func(rc *engine.RunContext) error {
		if rc.Context.Value(key{}) != nil || rc.Context.Err() != nil {
			t.Error("the context is that of the operation before")
		}
		return nil
	})
	s.gathered(see, blank)
	require.NoError(t, s.wait(apart))
	s.gathered(
		within(ctx, leaf("cancel", func() { cancel(enough) }, write(before))),
		within(ctx, leaf("cancelled", func() { t.Error("it ran") }, write(cancelled))),
		leaf("behind", func() { t.Error("it ran") }, read(cancelled), write(behind)),
		see, blank,
	)
	require.NoError(t, s.wait(before), "it had begun")
	require.NoError(t, s.wait(apart))
	require.ErrorIs(t, s.wait(cancelled), enough)
	require.ErrorIs(t, s.wait(behind), enough)
	require.Equal(t, "cancelled", errorOf(t, s.wait(behind)).Root.Operator)
	require.ErrorIs(t, s.waitAll(), enough)
	require.Equal(t, engine.Stats{Pushed: 7, Done: 7, Skipped: 2}, s.Stats())
}

// keptInBulk has an optimiser step behind a failure, on the host and on a device.
func keptInBulk(t *testing.T, new factory) {
	for _, d := range []device.Device{device.CPU(0), simulated(0)} {
		t.Run(d.String(), func(t *testing.T) {
			s := start(t, new)
			gradient, weight, other := s.NewVar(), s.NewVar(), s.NewVar()
			root := failing("root", errBroken, write(gradient))
			step := leaf("step", func() { t.Error("it ran") }, read(gradient), update(weight))
			step.KeepOnSkip = true
			unlucky := failing("unlucky", engine.Untouched(errBroken), update(weight), write(other))
			unlucky.KeepOnSkip = true
			root.Device, step.Device, unlucky.Device = d, d, d
			s.gathered(root, step, unlucky)
			require.NoError(t, s.wait(weight))
			require.Zero(t, weight.Version())
			require.ErrorIs(t, s.wait(gradient), errBroken)
			require.ErrorIs(t, s.wait(other), errBroken)
			require.Equal(t, engine.Stats{Pushed: 3, Done: 3, Failed: 2, Skipped: 1}, s.Stats())
		})
	}
}

func finishedInBulk(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	borrowers := make([]describing, 6)
	var operations []*engine.Operation
	for i := range borrowers {
		borrowers[i] = describing{func(*engine.RunContext) error {
			if i == 2 {
				return errBroken
			}
			return nil
		}, &atomic.Int32{}}
		operations = append(operations, &engine.Operation{Name: "borrower", Function: borrowers[i], Accesses: []engine.Access{update(v)}})
	}
	s.gathered(operations...)
	require.ErrorIs(t, s.waitAll(), errBroken)
	for i, b := range borrowers {
		require.Equal(t, int32(1), b.finished.Load(), "borrower %d", i)
	}
}

func closeRunsBulk(t *testing.T, new factory) {
	s := start(t, new)
	v, temporary := s.NewVar(), s.NewVar()
	ran, freed := 0, 0
	b := s.NewBulk(100)
	for range 10 {
		b.Push(leaf("count", func() { ran++ }, update(v), update(temporary)))
	}
	s.DeleteVar(temporary, func() { freed++ })
	require.NoError(t, s.Close(context.Background()))
	require.Equal(t, []int{10, 1}, []int{ran, freed}, "what was pushed before Close runs")
	require.NoError(t, s.wait(v))
	require.Equal(t, uint64(10), v.Version())
}

func closedRefusesBulk(t *testing.T, new factory) {
	s := start(t, new)
	v, temporary := s.NewVar(), s.NewVar()
	b := s.NewBulk(100)
	require.NoError(t, s.Close(context.Background()))
	freed := false
	b.Push(leaf("late", func() { t.Error("it ran") }, write(v), write(temporary)))
	s.DeleteVar(temporary, func() { freed = true })
	b.Push(leaf("later", func() { t.Error("it ran") }, write(v)))
	b.Flush()
	require.ErrorIs(t, s.wait(v), fault.ErrClosed)
	require.Equal(t, "later", errorOf(t, s.wait(v)).Operator)
	require.True(t, freed)
	require.Equal(t, engine.Stats{Pushed: 3, Done: 3, Skipped: 2}, s.Stats())
}

// deviceFaultInBulk cannot tell which of the operations was at fault.
func deviceFaultInBulk(t *testing.T, new factory) {
	s := start(t, new)
	a, b := NewBuffer(t, s, simulated(0)), NewBuffer(t, s, simulated(0))
	apart, host := NewBuffer(t, s, simulated(0)), NewBuffer(t, s, device.CPU(0))
	fail := errors.New("device fault")
	s.Push(Fill(apart))
	s.requireDone()
	sim.Default().InjectFault("fill", fail)
	s.gathered(Fill(a), Move(b, a))
	s.Push(Move(host, b))
	for _, v := range []*engine.Var{a.Var, b.Var, host.Var} {
		require.ErrorIs(t, s.wait(v), fail)
		require.Zero(t, v.Version())
	}
	require.NoError(t, s.wait(apart.Var))
	s.gathered(Fill(a), Move(b, a))
	s.Push(Move(host, b))
	s.requireDone()
	for _, v := range []*engine.Var{a.Var, b.Var, host.Var} {
		require.Equal(t, uint64(1), v.Version())
	}

	// A fault of work that replaces what was in error.
	s.Push(failing("root", errBroken, write(a.Var)))
	require.ErrorIs(t, s.wait(a.Var), errBroken)
	sim.Default().InjectFault("fill", fail)
	s.gathered(Fill(a), Move(b, a))
	require.ErrorIs(t, s.wait(a.Var), fail)
	require.ErrorIs(t, s.wait(b.Var), fail)
}

// keptBehindDeviceFault has a step that is not the first of its bulk, behind a fault outside of it and behind one inside.
func keptBehindDeviceFault(t *testing.T, new factory) {
	for name, inside := range map[string]bool{"outside": false, "inside": true} {
		t.Run(name, func(t *testing.T) {
			s := start(t, new)
			gradient, weight := NewBuffer(t, s, simulated(0)), NewBuffer(t, s, simulated(0))
			fail := errors.New("device fault")
			step := onStream("step", simulated(0), func(device.Stream) error { t.Error("it ran"); return nil }, read(gradient.Var), update(weight.Var))
			step.KeepOnSkip = true
			sim.Default().InjectFault("fill", fail)
			if inside {
				s.gathered(Fill(gradient), step)
			} else {
				s.Push(Fill(gradient))
				s.gathered(onStream("other", simulated(0), func(device.Stream) error { return nil }, write(s.NewVar())), step)
			}
			require.NoError(t, s.wait(weight.Var))
			require.Zero(t, weight.Var.Version())
			require.ErrorIs(t, s.wait(gradient.Var), fail)
		})
	}
}

func missingDeviceOfBulk(t *testing.T, new factory) {
	s := start(t, new)
	v, w := s.NewVar(), s.NewVar()
	missing := func(accesses ...engine.Access) *engine.Operation {
		op := leaf("missing", func() { t.Error("it ran") }, accesses...)
		op.Device = simulated(1000)
		return op
	}
	s.gathered(missing(write(v)), missing(write(w)))
	require.Error(t, s.wait(v))
	require.Error(t, s.wait(w))
	require.Zero(t, v.Version()+w.Version())
}

// bulkBehindDeviceFault lets a fault become known when the bulk behind it has been launched, with a failure of its own.
func bulkBehindDeviceFault(t *testing.T, new factory) {
	s := start(t, new)
	a, b, c := NewBuffer(t, s, simulated(0)), NewBuffer(t, s, simulated(0)), NewBuffer(t, s, simulated(0))
	fail := errors.New("device fault")
	bad := failing("bad", errBroken, write(s.NewVar()))
	bad.Device = simulated(0)
	sim.Default().InjectFault("fill", fail)
	s.Push(Fill(a))
	s.gathered(Move(b, a), Move(c, b), bad)
	require.ErrorIs(t, s.wait(b.Var), fail)
	require.ErrorIs(t, s.wait(c.Var), fail)
	require.ErrorIs(t, s.wait(bad.Accesses[0].Var), errBroken)
	require.Zero(t, b.Var.Version()+c.Var.Version())
}
