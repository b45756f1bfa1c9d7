package storage

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Who finds no memory asks for the collector again whenever an operation has ended, which must not make it run all the time.
func TestTheCollectorRunsNowAndThenForWhoAsksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collections{}
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
