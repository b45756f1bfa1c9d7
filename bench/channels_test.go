package bench

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// channelTasks measures tasks that goroutines, one for each processor, take from one buffered channel.
func channelTasks(b *testing.B) {
	tasks := make(chan func(*cell), 1024)
	counts := make([]cell, runtime.GOMAXPROCS(0)) // nothing orders tasks, so each worker counts by itself
	task := func(c *cell) { c.writes++ }
	var workers sync.WaitGroup
	b.ReportAllocs()
	for i := range counts {
		workers.Go(func() {
			for perform := range tasks {
				perform(&counts[i])
			}
		})
	}
	b.ResetTimer()
	for range b.N {
		tasks <- task
	}
	close(tasks)
	workers.Wait()
	b.StopTimer()
	ran := 0
	for i := range counts {
		ran += counts[i].writes
	}
	require.Equal(b, b.N, ran, "tasks that ran")
}

// goroutineTasks measures tasks that are a goroutine each.
func goroutineTasks(b *testing.B) {
	var all sync.WaitGroup
	task := func() { all.Done() }
	b.ReportAllocs()
	for range b.N {
		all.Add(1)
		go task()
	}
	all.Wait()
}

// channelHot measures round trips to a goroutine and back, one after another.
func channelHot(b *testing.B) {
	trip := channelTrip(b)
	b.ReportAllocs()
	for range b.N {
		trip()
	}
}

// channelIdle measures single round trips, each after a millisecond without work.
func channelIdle(b *testing.B) {
	trip := channelTrip(b)
	afterIdle(b, func(int) func() { return trip })
}

// channelTrip starts a goroutine that answers, and returns a function that asks it.
func channelTrip(b *testing.B) (trip func()) {
	ask, answer := make(chan struct{}), make(chan struct{})
	go func() {
		for range ask {
			answer <- struct{}{}
		}
	}()
	b.Cleanup(func() { close(ask) })
	return func() {
		ask <- struct{}{}
		<-answer
	}
}
