package storage

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

// onLimit runs test while cpu(0) has a manager with a limit of so many bytes.
func onLimit(t *testing.T, limit int64, test func(t *testing.T, l *ledger)) {
	before, err := ManagerOf(device.CPU(0))
	require.NoError(t, err)
	m, err := NewPooled(device.CPU(0))
	require.NoError(t, err)
	m.SetLimit(limit)
	SetManager(device.CPU(0), m)
	defer SetManager(device.CPU(0), before)
	l, err := ledgerOf(device.CPU(0))
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) { test(t, l) })
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
		require.Zero(t, l.promises.bytes)
		require.Nil(t, l.promises.first)
		require.Nil(t, l.promises.last)
	})
}

func TestPromisesAreKeptInAnyOrder(t *testing.T) {
	onLimit(t, 1<<20, func(t *testing.T, l *ledger) {
		for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			all := []*Promise{promised(1 << 19), promised(1 << 18), promised(1 << 20)}
			for _, i := range order {
				all[i].Keep()
			}
			require.Equal(t, promises{}, l.promises)
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
