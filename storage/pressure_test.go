package storage

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// idle collects nothing. It belongs to the bubble of t, as the process's own does not, which may be running for others, and has ended with that.
func idle(t *testing.T) *collections {
	t.Cleanup(func() { time.Sleep(2 * repeatPause) })
	return &collections{work: func() {}}
}

// Who finds no memory asks for the collector again whenever an operation has ended, which must not make it run all the time.
func TestTheCollectorRunsNowAndThenForWhoAsksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := idle(t)
		took := func(again bool, runs int) time.Duration {
			start := time.Now()
			for range runs {
				<-c.requestOf(again)
			}
			return time.Since(start)
		}
		require.Zero(t, took(false, 2*promptRepeats))
		require.Zero(t, took(true, promptRepeats))
		require.GreaterOrEqual(t, took(true, 10), 9*repeatPause)
		require.LessOrEqual(t, took(false, 2*promptRepeats), repeatPause, "others do not wait for long")
		require.Zero(t, took(true, promptRepeats), "and change what is there to find")
	})
}

func TestTheCollectorIsNotCalledForAGrowthWithinTheSlack(t *testing.T) {
	for _, slack := range []int64{0, 1 << 30} {
		l := &ledger{slack: slack}
		const piece = 1 << 20
		for l.relief == nil {
			l.pressure(piece)
			l.leased += piece
		}
		<-l.relief
		require.InDelta(t, float64(max(slack, callAfter)), float64(l.leased), 2*piece)
	}
}

// A step of a training leases much, and gives it back: the collector has nothing to find there.
func TestTheCollectorIsNotCalledForWhatIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const piece, pieces = 10 << 20, 12
		l := &ledger{collecting: idle(t)}
		calls := func(kept int64) (count int) {
			for range 10 {
				for range pieces {
					if l.pressure(piece); l.relief != nil {
						<-l.relief
						l.relief = nil
						l.collectorLeft(l.leased, 0)
						count++
					}
					l.leased += piece
				}
				l.leased -= pieces*piece - kept
				l.least = min(l.least, l.leased)
			}
			return count
		}
		require.LessOrEqual(t, calls(0), pieces/2, "until it has seen how much there is")
		require.Zero(t, calls(0))
		time.Sleep(callPause)
		require.Equal(t, 1, calls(0), "now and then it looks")
		require.NotZero(t, calls(piece), "what stays is more with every step")
		l.collectorLeft(l.leased/4, l.leased-l.leased/4)
		l.leased /= 4
		require.NotZero(t, calls(0), "much was found, and so may be again")
	})
}
