package enginetest

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/profile"
)

var alones = []property{
	{"WorkDoneAloneKeepsItsPlace", aloneOrder},
	{"WorkDoneAtRestKeepsItsPlace", restOrder},
	{"WhatIsPushedWhileWorkAtRestFailsInheritsItsError", restFailure},
	{"NobodyIsAloneInAStoppedObservedOrClosedEngine", aloneRefused},
	{"WhatIsPendingOrInErrorIsNotSettled", aloneUnsettled},
	{"WhatIsDeletedAloneIsAMistakeToUse", aloneDeleted},
}

// alone does what would be an operation that reads or writes v, as one where it has to be.
func (s *subject) alone(v *engine.Var, writes bool, work func()) {
	if s.TryAlone(writes) {
		done := writes && v.IsFree() || !writes && v.IsSettled()
		if done {
			work()
			if writes {
				v.CountWrite()
			}
		}
		s.EndAlone(writes, done)
		if done {
			return
		}
	}
	a := read(v)
	if writes {
		a = update(v)
	}
	s.Push(leaf("pushed", work, a))
}

// atRest does what would be an operation that writes v, as one where it has to be.
func (s *subject) atRest(v *engine.Var, work func()) {
	if !s.TryAtRest() {
		s.Push(leaf("pushed", work, update(v)))
		return
	}
	if !v.IsFree() {
		s.EndAlone(true, false)
		s.Push(leaf("pushed", work, update(v)))
		return
	}
	v.BeginWrite()
	s.BeginAtRest().For(2, func(_ *parallel.Thread, lo, hi int) {
		if lo == 0 {
			work()
		}
	})
	v.EndWrite()
	s.EndAtRest()
}

// restOrder lets goroutines count together, at rest, alone and by operations, which some push while others work.
func restOrder(t *testing.T, new factory) {
	const goroutines, each = 4, 300
	s := startWith(t, new, 2)
	common, total := s.NewVar(), 0
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for i := range each {
				switch {
				case i%7 == g:
					s.Push(leaf("total", func() { total++ }, update(common)))
				case i%2 == 0:
					s.alone(common, true, func() { total++ })
				default:
					s.atRest(common, func() { total++ })
				}
				if i%50 == g {
					if err := s.wait(common); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	s.requireDone()
	require.Equal(t, goroutines*each, total)
	require.Equal(t, []uint64{goroutines * each, goroutines * each}, []uint64{common.Version(), common.Sequence()})
	stats := s.Stats()
	require.Equal(t, []uint64{goroutines * each, goroutines * each}, []uint64{stats.Pushed, stats.Done})
}

// aloneOrder lets goroutines count, each on a variable of its own and all on a common one, by operations and without.
func aloneOrder(t *testing.T, new factory) {
	const goroutines, each = 4, 300
	s := startWith(t, new, 2)
	common, total := s.NewVar(), 0
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			own, count := s.NewVar(), 0
			for i := range each {
				want := i
				s.alone(own, false, func() {
					if count != want {
						t.Errorf("%d writes are seen, not %d", count, want)
					}
				})
				s.alone(own, true, func() { count++ })
				if i%5 == g {
					s.Push(leaf("total", func() { total++ }, update(common)))
				} else {
					s.alone(common, true, func() { total++ })
				}
			}
			if err := s.wait(own); err != nil || count != each || own.Version() != each {
				t.Errorf("%d writes, version %d, %v", count, own.Version(), err)
			}
		})
	}
	all.Wait()
	s.requireDone()
	require.Equal(t, goroutines*each, total)
	require.Equal(t, []uint64{goroutines * each, goroutines * each}, []uint64{common.Version(), common.Sequence()})
	stats := s.Stats()
	require.Equal(t, []uint64{3 * goroutines * each, 3 * goroutines * each}, []uint64{stats.Pushed, stats.Done})
}

// comesToRest is TryAtRest, again and again while workers may look after the engine.
func (s *subject) comesToRest() bool {
	for range 10_000 {
		if s.TryAtRest() {
			return true
		}
		runtime.Gosched()
	}
	return false
}

func restFailure(t *testing.T, new factory) {
	s := startWith(t, new, 2)
	errFull := errors.New("full")
	for _, panicked := range []any{nil, errFull} {
		v, copied := s.NewVar(), s.NewVar()
		if !s.comesToRest() {
			t.Skip("the engine does all work by operations")
		}
		v.BeginWrite()
		s.BeginAtRest()
		pushed := make(chan struct{})
		go func() {
			defer close(pushed)
			s.Push(leaf("copies", func() { t.Error("what reads a failure has run") }, read(v), update(copied)))
		}()
		<-pushed
		err := errFull
		if panicked != nil {
			err = nil
		}
		s.FailAtRest(&engine.Operation{Name: "fails", Site: fault.Here(0)}, update(v), err, panicked)
		for _, each := range []*engine.Var{v, copied} {
			require.ErrorIs(t, s.wait(each), errFull)
			require.ErrorContains(t, each.Err(), "fails")
		}
		require.Equal(t, []uint64{0, 1}, []uint64{v.Version(), v.Sequence()})
		require.ErrorIs(t, s.WaitAll(context.Background()), errFull)
		s.Push(leaf("cures", func() {}, write(v)))
		require.NoError(t, s.wait(v))
	}
}

func aloneRefused(t *testing.T, new factory) {
	s := startWith(t, new, 2)
	refused := func(where string) {
		for _, writes := range []bool{false, true} {
			if s.TryAlone(writes) {
				s.EndAlone(writes, false)
				t.Errorf("alone in an engine that is %s, writes: %v", where, writes)
			}
		}
		if s.TryAtRest() {
			s.EndAlone(true, false)
			t.Errorf("at rest in an engine that is %s", where)
		}
	}
	s.stop()
	refused("stopped")
	s.Start()
	stop := s.Observe(ignorant{})
	refused("observed")
	stop()
	require.NoError(t, s.Close(context.Background()))
	refused("closed")
}

// ignorant is an observer that looks at nothing.
type ignorant struct{}

func (ignorant) Observe(*profile.Record) {}

func aloneUnsettled(t *testing.T, new factory) {
	s := startWith(t, new, 2)
	errFull := errors.New("full")
	bad, busy, seen := s.NewVar(), s.NewVar(), s.NewVar()
	s.Push(failing("fails", errFull, update(bad)))
	require.ErrorIs(t, s.wait(bad), errFull)
	release, worker := s.occupied(update(busy), read(seen))
	if worker && s.TryAlone(false) {
		states := []bool{bad.IsSettled(), busy.IsSettled(), seen.IsSettled()}
		s.EndAlone(false, false)
		require.Equal(t, []bool{false, false, true}, states)
	}
	if worker && s.TryAlone(true) {
		free := []bool{busy.IsFree(), seen.IsFree()}
		s.EndAlone(true, false)
		require.Equal(t, []bool{false, false}, free)
	}
	if worker && s.TryAtRest() {
		s.EndAlone(true, false)
		t.Error("at rest while an operation runs")
	}
	release()
	require.NoError(t, s.wait(busy))
}

func aloneDeleted(t *testing.T, new factory) {
	s := startWith(t, new, 2)
	v := s.NewVar()
	s.Push(leaf("writes", func() {}, update(v)))
	require.NoError(t, s.wait(v))
	if !s.TryAlone(true) {
		t.Skip("the engine does all work by operations")
	}
	free := v.IsFree()
	if free {
		v.CountWrite()
		v.Delete(fault.Here(0))
	}
	settled := v.IsSettled()
	s.EndAlone(true, free)
	require.True(t, free)
	require.False(t, settled)
	require.Panics(t, func() { s.Push(leaf("late", func() {}, update(v))) })
	s.requireDone()
}
