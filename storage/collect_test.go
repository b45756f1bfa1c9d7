package storage

import (
	"runtime"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"
)

// A cycle that had begun before does not count, however many others call the collector.
func TestCollectFindsAllThatWasDroppedBefore(t *testing.T) {
	var done atomic.Bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for !done.Load() {
			runtime.GC()
		}
	}()
	for range 20 {
		dropped := weak.Make(new(sentinel))
		collect()
		require.Nil(t, dropped.Value())
	}
	done.Store(true)
	<-ended
}

// An operation that waits for the collector to catch up is tried when others end, too: it goes on waiting, but only once.
func TestCatchingUpIsWaitedForOnceAndToTheEnd(t *testing.T) {
	var h Hunger
	first, second := make(chan struct{}), make(chan struct{})
	for _, relief := range []<-chan struct{}{first, first, second} {
		require.Equal(t, (<-chan struct{})(first), h.catchUp(relief))
	}
	close(first)
	require.Nil(t, h.catchUp(second))
}
