package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// calmSource is a source that wakes no worker while one looks by itself.
type calmSource struct {
	countedSource
	looks atomic.Int64
}

func (s *calmSource) IsCalm() bool { return true }

func (s *calmSource) HasWork() bool {
	s.looks.Add(1)
	return s.countedSource.HasWork()
}

func (s *calmSource) publish() {
	s.waiting.Add(1)
	if !s.pool.Dozes() {
		s.pool.Notify()
	}
}

// Blocked receivers, as a lost publication leaves nothing running, and workers that doze for one look alone, so that most publications
// are about when one falls asleep.
func TestNoPublicationIsLostToAWorkerThatFallsAsleep(t *testing.T) {
	const publishers, each = 3, 1000
	for _, looks := range []int{0, 1, 2} {
		pool := impatient(newPool(t, 2))
		pool.looks = looks
		done := make(chan struct{})
		source := &calmSource{countedSource: countedSource{pool: pool, work: func(*Thread) { done <- struct{}{} }}}
		pool.AddSource(source)
		var all sync.WaitGroup
		for p := range publishers {
			all.Go(func() {
				for i := range each {
					if i%3 == p {
						for pool.Dozes() {
							runtime.Gosched()
						}
					}
					for range (i * 37) % 101 {
						runtime.Gosched()
					}
					source.publish()
					<-done
				}
			})
		}
		all.Wait()
		await(func() bool { return source.done.Load() == publishers*each })
	}
}

// lateSource publishes work right after a worker that dozes has looked and found none.
type lateSource struct {
	calmSource
	armed atomic.Bool
}

func (s *lateSource) HasWork() bool {
	has := s.calmSource.HasWork()
	if s.pool.Dozes() && s.armed.CompareAndSwap(true, false) {
		s.waiting.Add(1)
	}
	return has
}

func TestWhatIsPublishedRightAfterTheLastLookIsFound(t *testing.T) {
	for looks := 1; looks <= 3; looks++ {
		pool := impatient(newPool(t, 1))
		pool.looks = looks
		done := make(chan struct{})
		source := &lateSource{}
		source.pool, source.work = pool, func(*Thread) { done <- struct{}{} }
		pool.AddSource(source)
		for range 100 {
			await(func() bool { return allParked(pool) && !pool.Dozes() })
			source.armed.Store(true)
			source.countedSource.publish(1) // Wakes the worker, which dozes then.
			<-done
			<-done
		}
	}
}

func TestAWorkerThatDozesIsWokenAsAnyOther(t *testing.T) {
	pool := impatient(newPool(t, 2))
	source := &calmSource{countedSource: countedSource{pool: pool}}
	pool.AddSource(source)
	for i := range int64(1000) {
		await(func() bool { return pool.Dozes() && allParked(pool) })
		source.countedSource.publish(1)
		await(func() bool { return source.done.Load() == i+1 })
	}
}

func TestWorkersOfAnIdlePoolLookForWorkForAWhileAndThenNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := New(2)
		defer pool.Close()
		source := &calmSource{countedSource: countedSource{pool: pool}}
		pool.AddSource(source)
		for i := range int64(20) {
			time.Sleep(time.Millisecond)
			source.waiting.Add(1) // Nobody is told.
			time.Sleep(2 * longestDoze)
			require.Equal(t, i+1, source.done.Load())
		}
		time.Sleep(2 * dozeLooks * longestDoze)
		require.False(t, pool.Dozes())
		looks := source.looks.Load()
		time.Sleep(time.Hour)
		require.Equal(t, looks, source.looks.Load())
		source.publish()
		synctest.Wait()
		require.EqualValues(t, 21, source.done.Load())
	})
}
