package bench

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/profile"
)

// BenchmarkEngine measures engines by themselves, in time per operation, as BenchmarkEngine/<case>/<engine>. Operations
// are made before the time begins; in those named BenchmarkEngine/<case>/<engine>/alloc each is made when it is pushed.
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
		{"bulk16", chain, bulk16, engine.DefaultLimit, false},
		{"bulk16/recorded", chain, recorded16, engine.DefaultLimit, false},
		{"profiled", chain, profiled, engine.DefaultLimit, false},
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
const heldLimit = 2 * drainBlock

// pushAndExecute measures operations from the first push to the end of the last one.
func pushAndExecute(b *testing.B, s *stream, allocating bool) {
	s.measure(b, func(first, count int) {
		s.push(first, count, allocating)
		s.drain(b)
	})
}

// multipusher measures the same, pushed by four goroutines.
func multipusher(b *testing.B, s *stream, allocating bool) {
	const pushers = 4
	s.measure(b, func(first, count int) {
		var all sync.WaitGroup
		for p := range pushers {
			from, to := first+count*p/pushers, first+count*(p+1)/pushers
			all.Go(func() { s.push(from, to-from, allocating) })
		}
		all.Wait()
		s.drain(b)
	})
}

// bulk16 measures the same where operations are pushed in bulks of 16; the time is that of one operation.
func bulk16(b *testing.B, s *stream, _ bool) {
	const size = 16
	s.measure(b, func(first, count int) {
		from := first
		push := func(p engine.Pusher) {
			for range min(size, first+count-from) {
				p.Push(s.operators[0])
				from++
			}
		}
		for from < first+count {
			s.Bulk(size, push)
		}
		s.drain(b)
	})
}

// recorded16 measures the same where the 16 operations are one operator.
func recorded16(b *testing.B, s *stream, _ bool) {
	operations := make([]engine.Operation, 16)
	for i := range operations {
		operations[i] = *s.operation(0)
	}
	operator := s.NewBulkOperator(operations...)
	s.measure(b, func(first, count int) {
		for range count / len(operations) {
			s.Push(operator)
		}
		s.push(0, count%len(operations), false)
		s.drain(b)
	})
}

// profiled measures pushAndExecute while a profile is taken.
func profiled(b *testing.B, s *stream, allocating bool) {
	defer s.Observe(profile.New(1 << 14))()
	pushAndExecute(b, s, allocating)
}

// push measures pushing alone: the variables are held by a host function that waits.
func push(b *testing.B, s *stream, allocating bool) { s.held(b, pushBlock, allocating, true) }

// drain measures how a chain that is already queued runs down.
func drain(b *testing.B, s *stream, _ bool) { s.held(b, drainBlock, false, false) }

// waitHot measures round trips: an operation is pushed and its variable waited for, one after another.
func waitHot(b *testing.B, s *stream, _ bool) {
	s.measure(b, func(_, count int) {
		for range count {
			s.roundTrip(b, s.operators[0])
		}
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
	afterIdle(b, func(int) func() {
		return func() { s.roundTrip(b, s.operators[0]) }
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
