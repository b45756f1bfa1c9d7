package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/resource"
)

// temporaryBytes is what each operation of BenchmarkTemporary borrows, temporaryOperations how many there are at a time.
const (
	temporaryBytes      = 256 << 10
	temporaryOperations = 64
)

// temporary is an operation on an array of its own that works in temporary memory: that of ring, or borrowed.
type temporary struct {
	scratch resource.Scratch
	ring    []float32
	last    float32
}

func (o *temporary) Run(*engine.RunContext) error {
	x := o.ring
	if x == nil {
		if err := o.scratch.Borrow(device.CPU(0), temporaryBytes); err != nil {
			return err
		}
		x = unsafe.Slice((*float32)(o.scratch.Pointer().Host), temporaryBytes/4)
	}
	o.last = useTemporary(x)
	return nil
}

// useTemporary works in x for some 40 µs.
func useTemporary(x []float32) float32 {
	clear(x)
	const step = 8
	for i := step; i < len(x); i += step {
		x[i] = x[i-step]*0.5 + 1
	}
	return x[len(x)-step]
}

func (o *temporary) Finished() { o.scratch.Return() }

// temporaries are the operations of one engine.
type temporaries struct {
	engine.Engine
	operators []*engine.Operation
}

// newTemporaries returns operations that borrow, or, with copies, take turns in a ring of so many buffers: each buffer has a
// variable that they write, as kTempSpace of MXNet's resource manager has.
func newTemporaries(b *testing.B, workers, copies int) *temporaries {
	pool := parallel.New(workers)
	e := engine.NewPerDevice(engine.WithPool(pool))
	b.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			b.Error(err)
		}
		pool.Close()
	})
	buffers, guards := make([][]float32, copies), make([]*engine.Var, copies)
	for i := range copies {
		buffers[i], guards[i] = make([]float32, temporaryBytes/4), e.NewVar()
	}
	all := &temporaries{Engine: e}
	for i := range temporaryOperations {
		output, o := e.NewVar(), &temporary{}
		accesses := []engine.Access{{Var: output, Mode: engine.Write}}
		if copies > 0 {
			o.ring = buffers[i%copies]
			accesses = append(accesses, engine.Access{Var: guards[i%copies], Mode: engine.Write})
		}
		all.operators = append(all.operators, e.NewOperator(engine.Operation{Name: "temporary", Function: o, Accesses: accesses}))
	}
	return all
}

// run returns how long all operations take.
func (a *temporaries) run(b *testing.B) time.Duration {
	begun := time.Now()
	for _, op := range a.operators {
		a.Push(op)
	}
	if err := a.WaitAll(context.Background()); err != nil {
		b.Fatal(err)
	}
	return time.Since(begun)
}

// runGoroutines returns how long as many operations take goroutines that have memory of their own.
func runGoroutines(goroutines int) time.Duration {
	begun := time.Now()
	var done atomic.Int64
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			x, last := make([]float32, temporaryBytes/4), float32(0)
			for done.Add(1) <= temporaryOperations {
				last += useTemporary(x)
			}
			runtime.KeepAlive(last)
		})
	}
	all.Wait()
	return time.Since(begun)
}

// BenchmarkTemporary measures operations that have nothing in common but that all need temporary memory, with one worker
// and with two. "x-of-one-worker" is the ratio of the medians of runs that take turns, "x-at-best" that of the fastest: what
// there is when nothing else wants the processors. "x-of-goroutines" compares with as many goroutines as workers.
func BenchmarkTemporary(b *testing.B) {
	for _, c := range []struct {
		name            string
		workers, copies int
	}{{"workers=1", 1, 0}, {"workers=2", 2, 0}, {"workers=2/ring-of-4", 2, 4}, {"workers=2/ring-of-1", 2, 1}} {
		b.Run(c.name, func(b *testing.B) {
			one, measured := newTemporaries(b, 1, c.copies), newTemporaries(b, c.workers, c.copies)
			one.run(b)
			measured.run(b)
			var alone, together, plain []time.Duration
			b.ReportAllocs()
			for b.Loop() {
				alone = append(alone, one.run(b))
				together = append(together, measured.run(b))
				plain = append(plain, runGoroutines(c.workers))
			}
			slices.Sort(alone)
			slices.Sort(together)
			slices.Sort(plain)
			middle := len(alone) / 2
			b.ReportMetric(temporaryOperations/together[middle].Seconds(), "ops/s")
			b.ReportMetric(alone[middle].Seconds()/together[middle].Seconds(), "x-of-one-worker")
			b.ReportMetric(alone[0].Seconds()/together[0].Seconds(), "x-at-best")
			b.ReportMetric(plain[middle].Seconds()/together[middle].Seconds(), "x-of-goroutines")
		})
	}
}

// BenchmarkBorrow measures a borrow and return of warm memory, by one goroutine and by one on each processor.
func BenchmarkBorrow(b *testing.B) {
	for _, bytes := range []int{4 << 10, 256 << 10, 16 << 20} {
		b.Run(fmt.Sprint(bytes), func(b *testing.B) {
			var s resource.Scratch
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Borrow(device.CPU(0), bytes); err != nil {
					b.Fatal(err)
				}
				s.Return()
			}
		})
		b.Run(fmt.Sprintf("%d/at-once", bytes), func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(p *testing.PB) {
				var s resource.Scratch
				for p.Next() {
					if err := s.Borrow(device.CPU(0), bytes); err != nil {
						b.Error(err)
						return
					}
					s.Return()
				}
			})
		})
	}
}
