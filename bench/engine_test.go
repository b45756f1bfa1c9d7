package bench

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/weft-nd/weft/engine"
)

// BenchmarkEngine measures engines by themselves, in time per operation, as BenchmarkEngine/<case>/<engine>. Operations
// are allocated before the time begins; in those named BenchmarkEngine/<case>/<engine>/alloc they are allocated within.
// The targets hold for runs of a million operations on two CPUs: go test -run '^$' -bench Engine -benchtime 1000000x -cpu 2
func BenchmarkEngine(b *testing.B) {
	for _, c := range []struct {
		name    string
		pattern pattern
		measure func(b *testing.B, s *stream, allocating bool)
		limit   int
		alloc   bool // allocation is measured too
	}{
		{"chain", chain, pushAndExecute, engine.DefaultLimit, true},
		{"independent", independent, pushAndExecute, engine.DefaultLimit, true},
		{"add64", add64, pushAndExecute, engine.DefaultLimit, true},
		{"multipusher", add64, multipusher, engine.DefaultLimit, true},
		{"push", chain, push, heldLimit, true},
		{"drain", chain, drain, heldLimit, false},
		{"wait/hot", chain, waitHot, engine.DefaultLimit, false},
		{"wait/idle1ms", chain, waitIdle, engine.DefaultLimit, false},
	} {
		for _, engineName := range engines {
			run := func(name string, allocating bool) {
				b.Run(name, func(b *testing.B) {
					c.measure(b, newStream(b, engineName, c.pattern, engine.WithLimit(c.limit)), allocating)
				})
			}
			run(c.name+"/"+engineName, false)
			if c.alloc {
				run(c.name+"/"+engineName+"/alloc", true)
			}
		}
	}
}

// heldLimit lets a block that is held pend without throttling its pusher.
const heldLimit = 2 * block

// pushAndExecute measures operations from the first push to the end of the last one.
func pushAndExecute(b *testing.B, s *stream, allocating bool) {
	s.inBlocks(b, func(first, count int) (measured, finish func()) {
		push := s.pusher(first, count, allocating)
		return func() { push(); s.drain(b) }, func() {}
	})
}

// multipusher measures the same, pushed by four goroutines.
func multipusher(b *testing.B, s *stream, allocating bool) {
	const pushers = 4
	s.inBlocks(b, func(first, count int) (measured, finish func()) {
		var push [pushers]func()
		for p := range push {
			from, to := count*p/pushers, count*(p+1)/pushers
			push[p] = s.pusher(first+from, to-from, allocating)
		}
		return func() {
			var all sync.WaitGroup
			for _, part := range push {
				all.Go(part)
			}
			all.Wait()
			s.drain(b)
		}, func() {}
	})
}

// push measures pushing alone: the variable is held by a host function that waits.
func push(b *testing.B, s *stream, allocating bool) {
	s.inBlocks(b, func(first, count int) (measured, finish func()) {
		release := s.hold()
		return s.pusher(first, count, allocating), func() { release(); s.drain(b) }
	})
}

// drain measures how a chain that is already queued runs down.
func drain(b *testing.B, s *stream, _ bool) {
	s.inBlocks(b, func(first, count int) (measured, finish func()) {
		release := s.hold()
		s.pusher(first, count, false)()
		return func() { release(); s.drain(b) }, func() {}
	})
}

// waitHot measures round trips: an operation is pushed and its variable waited for, one after another.
func waitHot(b *testing.B, s *stream, _ bool) {
	s.inBlocks(b, func(first, count int) (measured, finish func()) {
		ops := s.operations(first, count)
		return func() {
			for _, op := range ops {
				s.roundTrip(b, op)
			}
		}, func() {}
	})
}

func (s *stream) roundTrip(b *testing.B, op *engine.Operation) {
	s.Push(op)
	if err := s.Wait(context.Background(), s.vars[0]); err != nil {
		b.Fatal(err)
	}
}

// waitIdle measures single round trips, each after a millisecond without work.
func waitIdle(b *testing.B, s *stream, _ bool) {
	afterIdle(b, func(i int) func() {
		op := s.operation(i)
		return func() { s.roundTrip(b, op) }
	})
}

// afterIdle measures what prepare returns, each time after a millisecond without work. It reports the median: a mean would
// be that of the few times when the machine was busy with something else. Runs beyond 2000 would only take long.
func afterIdle(b *testing.B, prepare func(i int) (measured func())) {
	times := make([]time.Duration, min(b.N, 2000))
	for i := range times {
		measured := prepare(i)
		time.Sleep(time.Millisecond)
		start := time.Now()
		measured()
		times[i] = time.Since(start)
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "ns/op")
	b.ReportMetric(float64(times[len(times)*9/10].Nanoseconds()), "p90-ns/op")
}
