package parallel

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParkedWorkersWakeForWork(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			pool := impatient(newPool(t, workers))
			source := &countedSource{pool: pool}
			pool.AddSource(source)
			total := int64(0)
			for i := range 3000 {
				if i%2 == 0 {
					await(func() bool { return allParked(pool) })
				}
				pieces := 1 + i%3
				source.publish(pieces)
				total += int64(pieces)
				await(func() bool { return source.done.Load() == total })
			}
		})
	}
}

// A blocked receiver instead of a polling one: a lost wake-up leaves nothing running.
func TestNoWakeUpIsLostAgainstParking(t *testing.T) {
	pool := impatient(newPool(t, 2))
	done := make(chan struct{})
	source := &countedSource{pool: pool, work: func(*Thread) { done <- struct{}{} }}
	pool.AddSource(source)
	for i := range 5000 {
		for range i % 7 {
			runtime.Gosched()
		}
		source.publish(1)
		<-done
	}
}

func TestOneWakeUpReachesAllWorkers(t *testing.T) {
	const workers = 4
	pool := impatient(newPool(t, workers))
	var arrived atomic.Int64
	source := &countedSource{pool: pool}
	round := int64(0)
	source.work = func(*Thread) {
		target := workers * ((arrived.Add(1)-1)/workers + 1)
		await(func() bool { return arrived.Load() >= target })
	}
	pool.AddSource(source)
	for range 300 {
		await(func() bool { return allParked(pool) })
		source.publish(workers)
		round++
		await(func() bool { return source.done.Load() == round*workers })
	}
}

// The work of a second source and of a region must reach a parked worker although a searching one was there when it was
// published, and then got busy for long with something else.
func TestBusyWorkerPassesOnWhatReliedOnIt(t *testing.T) {
	pool := impatient(newPool(t, 2))
	first := &countedSource{pool: pool}
	second := &countedSource{pool: pool}
	first.work = func(*Thread) {
		target := first.done.Load() + 1
		await(func() bool { return second.done.Load() >= target })
	}
	pool.AddSource(first)
	pool.AddSource(second)
	for i := range int64(500) {
		await(func() bool { return allParked(pool) })
		first.publish(1)
		second.publish(1)
		await(func() bool { return first.done.Load() == i+1 })
	}
}

func TestWorkMayOpenRegions(t *testing.T) {
	pool := newPool(t, 3)
	var items atomic.Int64
	source := &countedSource{pool: pool, work: func(thread *Thread) {
		require.Equal(t, []int{0, 0, 3}, []int{thread.ID(), thread.Level(), thread.NumThreads()})
		checkRegion(t, thread, 100)
		thread.For(100, func(_ *Thread, lo, hi int) { items.Add(int64(hi - lo)) })
	}}
	pool.AddSource(source)
	source.publish(300)
	for range 100 {
		checkRegion(t, pool.Thread(), 100)
	}
	await(func() bool { return source.done.Load() == 300 })
	require.EqualValues(t, 300*100, items.Load())
}

// Between removal and publication every worker serves another source: none is left that saw work before the removal.
func TestRemovedSourceIsNotServed(t *testing.T) {
	const workers = 2
	pool := newPool(t, workers)
	kept, removed := &countedSource{pool: pool}, &countedSource{pool: pool}
	var arrived atomic.Int64
	kept.work = func(*Thread) {
		target := workers * ((arrived.Add(1)-1)/workers + 1)
		await(func() bool { return arrived.Load() >= target })
	}
	pool.AddSource(kept)
	meetings := int64(0)
	everyWorkerServesKept := func() {
		kept.publish(workers)
		meetings++
		await(func() bool { return kept.done.Load() == meetings*workers })
	}
	for i := range int64(300) {
		pool.AddSource(removed)
		removed.publish(2)
		await(func() bool { return removed.done.Load() == 2*(i+1) })
		pool.RemoveSource(removed)
		pool.RemoveSource(removed)
		everyWorkerServesKept()
		removed.publish(1)
		everyWorkerServesKept()
		require.EqualValues(t, 2*(i+1), removed.done.Load())
		require.EqualValues(t, 1, removed.waiting.Swap(0))
	}
}

func TestCloseLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range 200 {
		pool := New(1 + i%4)
		if i%2 == 0 {
			impatient(pool)
		}
		source := &countedSource{pool: pool}
		var group sync.WaitGroup
		if i%3 > 0 {
			pool.AddSource(source)
			source.publish(5)
		}
		group.Go(func() { checkRegion(t, pool.Thread(), 50) })
		if i%5 == 0 {
			await(func() bool { return source.waiting.Load() == 0 })
		}
		group.Go(pool.Close)
		pool.Close()
		group.Wait()
		done := source.done.Load()
		checkRegion(t, pool.Thread(), 50)
		pool.AddSource(source)
		source.publish(1)
		require.Equal(t, done, source.done.Load())
	}
	await(func() bool { return runtime.NumGoroutine() <= before })
}

func TestWorkersAreLaunchedOnce(t *testing.T) {
	before := runtime.NumGoroutine()
	pool := New(3)
	pool.Thread().For(1, func(*Thread, int, int) {})
	require.LessOrEqual(t, runtime.NumGoroutine(), before, "nothing runs before the first use")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { checkRegion(t, pool.Thread(), 20) })
	}
	group.Wait()
	await(func() bool { return runtime.NumGoroutine() <= before+3 })
	pool.Close()
	await(func() bool { return runtime.NumGoroutine() <= before })
}

func TestOneProcessorIsEnough(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	pool := newPool(t, 3)
	source := &countedSource{pool: pool}
	pool.AddSource(source)
	for i := range int64(300) {
		source.publish(2)
		checkRegion(t, pool.Thread(), 30)
		await(func() bool { return source.done.Load() == 2*(i+1) })
	}
}
