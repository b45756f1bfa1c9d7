package storage

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// onLimit runs test while cpu(0) has a manager with a limit of so many bytes.
func onLimit(t *testing.T, limit int64, test func(t *testing.T, l *ledger)) {
	restore, l := limited(t, limit)
	defer restore()
	synctest.Test(t, func(t *testing.T) {
		l.collecting = idle(t)
		test(t, l)
	})
}

// limited gives cpu(0) a manager with a limit of so many bytes, until restore is called.
func limited(t testing.TB, limit int64) (restore func(), l *ledger) {
	before, err := ManagerOf(device.CPU(0))
	require.NoError(t, err)
	m, err := NewPooled(device.CPU(0))
	require.NoError(t, err)
	m.SetLimit(limit)
	SetManager(device.CPU(0), m)
	l, err = ledgerOf(device.CPU(0))
	require.NoError(t, err)
	return func() { SetManager(device.CPU(0), before) }, l
}

func promised(bytes ...int) *Promise {
	p := new(Promise)
	for _, n := range bytes {
		p.Add(device.CPU(0), n)
	}
	return p
}

func due(t *testing.T, p *Promise) bool {
	err := p.Due()
	if err != nil {
		require.ErrorIs(t, err, fault.ErrOutOfMemory)
	}
	return err == nil
}

func requireNoPromises(t *testing.T, l *ledger) {
	require.Empty(t, l.promises.list)
	require.Zero(t, l.promises.count)
	require.Zero(t, l.promises.bytes)
	for _, sum := range l.promises.waitable {
		require.Zero(t, sum)
	}
}

func TestWhoOvertakesLeavesWhatEarlierOnesWerePromised(t *testing.T) {
	const unit = 1 << 20
	onLimit(t, 4*unit, func(t *testing.T, l *ledger) {
		first, second, third, fourth := promised(unit, unit), promised(unit), promised(2*unit), promised(unit)
		require.True(t, due(t, first))
		require.True(t, due(t, second), "there is room for both")
		require.False(t, due(t, third))
		require.False(t, due(t, fourth), "not even if it were without the third")
		held, err := NewBlock(device.CPU(0), 2*unit)
		require.NoError(t, err)
		first.Keep()
		require.True(t, due(t, second))
		require.False(t, due(t, third))
		second.Keep() // it was skipped
		require.True(t, due(t, third))
		require.False(t, due(t, fourth))
		held.Release()
		require.True(t, due(t, fourth))
		third.Keep()
		third.Keep()
		fourth.Keep()
		requireNoPromises(t, l)
	})
}

func TestPromisesAreKeptInAnyOrder(t *testing.T) {
	onLimit(t, 1<<20, func(t *testing.T, l *ledger) {
		for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			all := []*Promise{promised(1 << 19), promised(1 << 18), promised(1 << 20)}
			for _, i := range order {
				all[i].Keep()
			}
			requireNoPromises(t, l)
		}
	})
}

func TestNothingIsPromisedWithoutALimitOrOfTheHeap(t *testing.T) {
	onLimit(t, 0, func(t *testing.T, l *ledger) {
		first, second := promised(1<<40), promised(1<<40)
		require.True(t, due(t, second))
		first.Keep()
		second.Keep()
		small := promised(16, 0)
		require.Equal(t, Promise{}, *small)
		require.True(t, due(t, small))
		small.Keep()
	})
}

func TestWhoWaitsForWhatNeverComesGoesAhead(t *testing.T) {
	const unit = 1 << 20
	onLimit(t, unit, func(t *testing.T, l *ledger) {
		first, second := promised(unit), promised(unit)
		start := time.Now()
		err := second.Due()
		require.Error(t, err)
		l.mu.Lock()
		progress := l.promises.progress
		l.mu.Unlock()
		<-progress
		require.Equal(t, patience, time.Since(start))
		require.True(t, due(t, second))
		second.Keep()
		require.True(t, due(t, first))
		third := promised(unit)
		require.True(t, due(t, third), "nobody waits for the first a second time")
		fourth := promised(unit)
		require.False(t, due(t, fourth), "but for the third")
		third.Keep()
		require.True(t, due(t, fourth))
		first.Keep()
		fourth.Keep()
	})
}

// TestWhoWritesWhatASkippedOperationDidNotHasItsPromise has writers of one replica, pushed before it is known that the first is
// skipped, and after.
func TestWhoWritesWhatASkippedOperationDidNotHasItsPromise(t *testing.T) {
	const unit = 1 << 20
	e := engine.NewNaive() // outside of the bubbles, as the pool is
	onLimit(t, 2*unit, func(t *testing.T, l *ledger) {
		s := NewSynced(e, unit)
		write := func() (p *Promise, r *Replica) {
			p = new(Promise)
			r, _ = s.Acquire(nil, device.CPU(0), engine.Write, 0, unit, nil, nil)
			p.AddReplica(r)
			return p, r
		}
		first, r := write()
		second, _ := write()
		third, _ := write()
		require.EqualValues(t, unit, l.promises.bytes, "once")
		behind := promised(2 * unit)
		first.Drop()
		require.EqualValues(t, 2*unit, l.promises.bytes)
		require.True(t, due(t, second))
		require.False(t, due(t, behind))
		second.Drop()
		require.True(t, due(t, third))
		_, err := r.Claim()
		require.NoError(t, err)
		third.Keep()
		require.False(t, due(t, promised(2*unit)), "the promise behind")
		fourth, _ := write()
		require.Equal(t, Promise{}, *fourth, "there is memory")
		behind.Keep()
		s.Release(nil)
	})
	onLimit(t, 2*unit, func(t *testing.T, l *ledger) {
		s := NewSynced(e, unit)
		for range 3 {
			p := new(Promise)
			r, _ := s.Acquire(nil, device.CPU(0), engine.Write, 0, unit, nil, nil)
			p.AddReplica(r)
			require.EqualValues(t, unit, l.promises.bytes)
			p.Drop()
			requireNoPromises(t, l)
		}
		s.Release(nil)
	})
}

// TestPatienceThatEndsBesideProgressIsForgotten has the timer of one wait go off, and be late, when another wait has begun.
func TestPatienceThatEndsBesideProgressIsForgotten(t *testing.T) {
	const unit = 1 << 20
	onLimit(t, unit, func(t *testing.T, l *ledger) {
		first, second, third := promised(unit), promised(unit), promised(unit)
		require.False(t, due(t, third))
		progress := l.promises.progress
		first.Keep()
		require.False(t, due(t, third))
		l.lose(progress)
		require.False(t, due(t, third), "it waits for the second anew")
		second.Keep()
		third.Keep()
		requireNoPromises(t, l)
	})
}

// TestPatienceMayEndWhileItsPromiseIsDropped drops the promise that a wait began with when its timer goes off: some of the times before
// the function of the timer has begun.
func TestPatienceMayEndWhileItsPromiseIsDropped(t *testing.T) {
	const unit = 1 << 20
	onLimit(t, unit, func(t *testing.T, l *ledger) {
		for range 100 {
			first, second := promised(unit), promised(unit)
			require.False(t, due(t, second))
			time.Sleep(patience)
			second.Drop()
			synctest.Wait()
			require.True(t, due(t, first))
			first.Keep()
			requireNoPromises(t, l)
		}
	})
}

// TestPromisesAreDueAsASlowSumTells compares Due with a sum over all earlier promises, while promises come and go and patience ends.
func TestPromisesAreDueAsASlowSumTells(t *testing.T) {
	const limit = 1 << 20
	onLimit(t, limit, func(t *testing.T, l *ledger) {
		random := rand.New(rand.NewPCG(1, 2))
		var all []*Promise
		for range 1000 {
			switch at := random.IntN(max(1, len(all))); {
			case len(all) == 0 || random.IntN(5) < 3:
				all = append(all, promised(smallBlock+1+random.IntN(limit/10)))
			case random.IntN(20) == 0:
				l.lose(l.promises.progress)
			default:
				all[at].Keep()
				all = slices.Delete(all, at, at+1)
			}
			earlier, total := int64(0), int64(0)
			for _, p := range all {
				total += p.bytes
			}
			for _, p := range all {
				require.Equal(t, earlier == 0 || total <= limit || earlier+p.bytes <= limit, due(t, p))
				earlier += p.waitable()
			}
		}
		for _, p := range all {
			p.Keep()
		}
		requireNoPromises(t, l)
	})
}

// BenchmarkDue asks for the last of so many promises of which all fit but one: the time must not grow as their number does.
func BenchmarkDue(b *testing.B) {
	for _, pending := range []int{100, 10_000, 1_000_000} {
		b.Run(fmt.Sprint(pending), func(b *testing.B) {
			restore, l := limited(b, int64(pending)*2*smallBlock)
			defer restore()
			all := make([]Promise, pending)
			for i := range all {
				all[i].Add(device.CPU(0), 2*smallBlock)
			}
			l.promises.bytes++ // of one that is not there
			for b.Loop() {
				if err := all[pending-1].Due(); err != nil {
					b.Fatal(err)
				}
			}
			l.promises.bytes--
			for i := range all {
				all[i].Keep()
			}
		})
	}
}
