package parallel

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// newPool returns a pool that is closed at the end of the test.
func newPool(t testing.TB, workers int) *Pool {
	pool := New(workers)
	t.Cleanup(pool.Close)
	return pool
}

// impatient makes the workers of a pool that was not launched yet park at once, so that every wait goes through parking.
func impatient(pool *Pool) *Pool {
	pool.rounds, pool.keen = 1, 0
	return pool
}

// severalProcessors lets a test rely on helpers, which a region wakes only where there are processors for them.
func severalProcessors(t testing.TB) {
	if before := runtime.GOMAXPROCS(0); before == 1 {
		runtime.GOMAXPROCS(2)
		t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	}
}

// withoutProcessors lets goroutines find their slots by their places, as where the processor is not known. It is called before a pool is made.
func withoutProcessors(t testing.TB) {
	before := knowsProcessor
	knowsProcessor = false
	t.Cleanup(func() { knowsProcessor = before })
}

// await returns when condition holds; a condition that never holds ends in the time limit of the test.
func await(condition func() bool) {
	for !condition() {
		runtime.Gosched()
	}
}

func allParked(pool *Pool) bool { return parked(pool.idle.Load()) == pool.workers }

// countedSource is a queue of indistinguishable pieces of work.
type countedSource struct {
	pool    *Pool
	waiting atomic.Int64
	done    atomic.Int64
	work    func(t *Thread)
}

func (s *countedSource) HasWork() bool { return s.waiting.Load() > 0 }

func (s *countedSource) RunOne(t *Thread) bool {
	for {
		waiting := s.waiting.Load()
		if waiting == 0 {
			return false
		}
		if s.waiting.CompareAndSwap(waiting, waiting-1) {
			if waiting > 1 {
				s.pool.Notify()
			}
			if s.work != nil {
				s.work(t)
			}
			s.done.Add(1)
			return true
		}
	}
}

func (s *countedSource) publish(pieces int) {
	s.waiting.Add(int64(pieces))
	s.pool.Notify()
}
