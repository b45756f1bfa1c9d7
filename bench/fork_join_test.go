package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
)

// The work of a region: steps of a chain of dependent multiplications and additions, some 1.5 nanoseconds each. The peers
// have the same.
var (
	forkJoinSteps = []int{2_000, 10_000, 60_000}
	axpyCounts    = []int{1024, 2048, 4096, 8192, 65536, 1 << 20}
)

// BenchmarkForkJoin measures regions of two slots, one after another, so that the helper is awake. The metric "over-ns" is the
// time of a region above half of what its work takes serially, measured in turns with it.
//
//	empty/<layer>                 no work
//	steps/<count>/<layer>         so many steps of work
//	busy/<layer>                  100 microseconds of serial work and a region of 40, beside a goroutine that never rests
//	callers/<layer>               regions of 40 microseconds from two goroutines at once
//	axpy/<count>/serial|parallel  y += a*x of float32 numbers, by a loop in Go
//	axpy/<count>/costed           the same, where the pool knows what an item costs, as operators tell it
//
// What the layer serial takes for busy and callers is what the others are compared with.
func BenchmarkForkJoin(b *testing.B) {
	for _, layer := range []parallel.Layer{parallel.LayerWorkqueue, parallel.LayerGoroutine, parallel.LayerSerial} {
		pool := parallel.New(2, parallel.WithLayer(layer))
		defer pool.Close()
		b.Run("empty/"+string(layer), func(b *testing.B) { forkJoinEmpty(b, pool) })
		for _, steps := range forkJoinSteps {
			b.Run(fmt.Sprintf("steps/%d/%s", steps, layer), func(b *testing.B) { forkJoinOverIdeal(b, pool, steps) })
		}
		forkJoinShared(b, string(layer), pool.Thread)
	}
	pool := parallel.New(2)
	defer pool.Close()
	for _, count := range axpyCounts {
		b.Run(fmt.Sprintf("axpy/%d/serial", count), func(b *testing.B) { forkJoinAxpy(b, count, parallel.Serial().For) })
		b.Run(fmt.Sprintf("axpy/%d/parallel", count), func(b *testing.B) { forkJoinAxpy(b, count, pool.Thread().For) })
		thread := pool.Thread()
		b.Run(fmt.Sprintf("axpy/%d/costed", count), func(b *testing.B) {
			forkJoinAxpy(b, count, func(n int, body func(*parallel.Thread, int, int)) { thread.ForCost(n, axpyCost, body) })
		})
	}
}

func forkJoinEmpty(b *testing.B, pool *parallel.Pool) {
	thread, body := pool.Thread(), func(*parallel.Thread, int, int) {}
	b.ReportAllocs()
	for b.Loop() {
		thread.For(2, body)
	}
}

// forkJoinOverIdeal measures stretches of regions and of the same work in one goroutine in turns, for what else runs on the
// machine concerns both.
func forkJoinOverIdeal(b *testing.B, pool *parallel.Pool, steps int) {
	const stretch = 50
	thread, alone := pool.Thread(), parallel.Serial()
	body := chainBody(b, steps/64)
	var shared, serial time.Duration
	for done := 0; done < b.N; done += stretch {
		count := min(stretch, b.N-done)
		serial += forkJoinTime(alone, count, body)
		forkJoinTime(thread, 10, body) // The helper is awake again.
		shared += forkJoinTime(thread, count, body)
	}
	// The timer of b stops the world when it starts, and with it the helpers.
	b.ReportMetric(float64(shared.Nanoseconds())/float64(b.N), "ns/op")
	b.ReportMetric(float64((shared-serial/2).Nanoseconds())/float64(b.N), "over-ns")
	b.ReportMetric(float64(serial.Nanoseconds())/float64(b.N), "serial-ns")
}

func forkJoinTime(thread *parallel.Thread, count int, body func(*parallel.Thread, int, int)) time.Duration {
	from := time.Now()
	for range count {
		thread.For(64, body)
	}
	return time.Since(from)
}

// forkJoinShared measures what competes for the processors.
func forkJoinShared(b *testing.B, name string, handle func() *parallel.Thread) {
	const region = 25_000
	b.Run("busy/"+name, func(b *testing.B) {
		ctx, stop := context.WithCancel(context.Background())
		var busy sync.WaitGroup
		busy.Go(func() {
			for ctx.Err() == nil {
				if chainOf(10_000) <= 0 {
					b.Error("the chain is not positive")
				}
			}
		})
		thread, body := handle(), chainBody(b, region/64)
		for b.Loop() {
			require.Positive(b, chainOf(5*region/2))
			thread.For(64, body)
		}
		stop()
		busy.Wait()
	})
	b.Run("callers/"+name, func(b *testing.B) {
		body := chainBody(b, region/64)
		var callers sync.WaitGroup
		for range 2 {
			callers.Go(func() {
				thread := handle()
				for range b.N {
					thread.For(64, body)
				}
			})
		}
		callers.Wait()
	})
}

// axpyCost is the nanoseconds of an item of axpy, where its operands are in the cache.
const axpyCost = 0.38

func forkJoinAxpy(b *testing.B, count int, loop func(n int, body func(*parallel.Thread, int, int))) {
	x, y := make([]float32, count), make([]float32, count)
	body := func(_ *parallel.Thread, lo, hi int) { axpy(1e-9, x[lo:hi], y[lo:hi]) }
	b.ReportAllocs()
	for b.Loop() {
		loop(count, body)
	}
	b.ReportMetric(float64(count)*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
}

// axpy is unrolled, as C++ compilers do.
func axpy(a float32, x, y []float32) {
	for len(x) >= 4 && len(y) >= 4 {
		y[0] += a * x[0]
		y[1] += a * x[1]
		y[2] += a * x[2]
		y[3] += a * x[3]
		x, y = x[4:], y[4:]
	}
	for i, v := range x[:len(y)] {
		y[i] += a * v
	}
}

// chainBody is the body of a region of 64 items of so many steps.
func chainBody(b *testing.B, steps int) func(*parallel.Thread, int, int) {
	return func(_ *parallel.Thread, lo, hi int) {
		if chainOf((hi-lo)*steps) < 0 {
			b.Error("the chain is negative")
		}
	}
}

func chainOf(steps int) float32 {
	x := float32(1)
	for range steps {
		x = x*1.0000001 + 1e-9
	}
	return x
}

// BenchmarkForkJoinPeers measures what else there is on the cases of BenchmarkForkJoin, as BenchmarkForkJoinPeers/<case>/<peer>: the
// C++ programs of the folder peers, and the threading layers of Numba.
func BenchmarkForkJoinPeers(b *testing.B) {
	cases := []string{"empty"}
	for _, steps := range forkJoinSteps {
		cases = append(cases, fmt.Sprintf("steps/%d", steps))
	}
	for _, count := range axpyCounts {
		cases = append(cases, fmt.Sprintf("axpy/%d", count))
	}
	folder := b.TempDir()
	for _, p := range []program{
		{name: "libgomp", source: "forkjoin_libgomp.cpp", flags: []string{"-fopenmp"}},
		{name: "tbb", source: "forkjoin_tbb.cpp", library: "tbb"},
	} {
		build := sync.OnceValues(func() (string, error) { return p.build(folder) })
		for _, c := range cases {
			b.Run(c+"/"+p.name, func(b *testing.B) {
				binary, err := build()
				if errors.As(err, new(missing)) {
					b.Skip(err)
				}
				require.NoError(b, err)
				b.ResetTimer() // The compiler's time is none of the peer's.
				p.run(b, binary, c)
			})
		}
	}
	for _, layer := range []string{"workqueue", "omp", "tbb"} {
		for _, c := range cases {
			b.Run(c+"/numba-"+layer, func(b *testing.B) {
				const regions = 100 // that the call makes
				nanoseconds := pythonLibrary{name: "numba-" + layer}.measure(b, "forkjoin", c)
				b.ReportMetric(nanoseconds/regions, "ns/op")
			})
		}
	}
}
