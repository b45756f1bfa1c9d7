package fault

import (
	"maps"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	climbers = 16 // goroutines
	peak     = 61 // levels, a prime, so that the steps of a climber lead to each
)

// climb goes down frames of a kilobyte to the level bottom, and calls look at each level with the number of that place: on
// the way down, and on another line on the way back.
//
//go:noinline
func climb(level, bottom int, look func(place int)) byte {
	var frame [1024]byte
	frame[level] = byte(level)
	look(2 * level)
	if level < bottom {
		frame[0] += climb(level+1, bottom, look)
	}
	look(2*level + 1)
	return frame[0] + frame[level]
}

// Goroutines whose stacks grow, and shrink while the collector runs, must read the same trail each time that they come by.
func TestTrailsSurviveMovingStacks(t *testing.T) {
	type reading struct {
		hash uint64
		line string
	}
	var readings [climbers]map[int]reading
	var workers sync.WaitGroup
	for climber := range climbers {
		seen := map[int]reading{}
		readings[climber] = seen
		workers.Go(func() {
			look := func(place int) {
				var counters [reach]uintptr
				hash, whole := follow(&counters)
				now := reading{hash, Here(1).String()}
				if !whole {
					t.Error("a frame pointer was not one")
				}
				if before, met := seen[place]; met && before != now {
					t.Errorf("place %d: %v, then %v", place, before, now)
				}
				seen[place] = now
				if place%31 == 0 {
					runtime.Gosched()
				}
			}
			for round := range peak {
				climb(0, (round*37+climber)%peak, look)
			}
		})
	}
	finished := make(chan struct{})
	go func() {
		workers.Wait()
		close(finished)
	}()
	for running := true; running; {
		select {
		case <-finished:
			running = false
		default:
			runtime.GC()
		}
	}
	for _, seen := range readings {
		require.Len(t, seen, 2*peak)
		require.True(t, maps.Equal(readings[0], seen))
	}
}
