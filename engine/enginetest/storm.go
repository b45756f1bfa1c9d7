package enginetest

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/parallel"
)

// storm is random calls of several engines, which share few workers, from several goroutines. Nothing may hang; and nothing
// that was pushed may be lost, run twice, or run beside another write of the same variable.
func storm(t *testing.T, new factory, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 17))
	pool := parallel.New(1 + random.IntN(3))
	defer pool.Close()
	limits := []int{1, 2, 8, 64, engine.DefaultLimit}
	var winds []*wind
	var all sync.WaitGroup
	for range 1 + random.IntN(3) {
		w := &wind{Engine: new(engine.WithPool(pool), engine.WithLimit(limits[random.IntN(len(limits))]))}
		winds = append(winds, w)
		for range 6 {
			w.shared = append(w.shared, &counter{v: w.NewVar()})
		}
		for range 1 + random.IntN(3) {
			w.blow(&all, rand.New(rand.NewPCG(random.Uint64(), seed)), &counter{v: w.NewVar()}, 40)
		}
	}
	if random.IntN(4) == 0 { // What is pushed from now on is refused.
		for _, w := range winds {
			require.NoError(t, w.Close(context.Background()))
		}
	}
	all.Wait()
	for i, w := range winds {
		require.NoError(t, w.Close(context.Background()))
		stats := w.Stats()
		require.Equal(t, stats.Pushed, stats.Done, "seed %d, engine %d", seed, i)
		require.Equal(t, stats.Done-stats.Skipped, w.ran.Load(), "seed %d, engine %d", seed, i)
		require.Equal(t, stats.Failed, w.failed.Load(), "seed %d, engine %d", seed, i)
		require.Equal(t, w.written.Load(), w.count(), "seed %d, engine %d", seed, i)
	}
}

// longStorms begins storms for ten seconds.
func longStorms(t *testing.T, new factory) {
	seed := uint64(0)
	for began := time.Now(); time.Since(began) < 10*time.Second; seed++ {
		storm(t, new, seed)
	}
	t.Log(seed, "storms")
}

// counter is a variable and what it stands for: how many operations have written it.
type counter struct {
	v     *engine.Var
	count uint64
}

// wind is one engine of a storm.
type wind struct {
	engine.Engine
	shared []*counter

	mu  sync.Mutex
	own []*counter

	ran, failed, written atomic.Uint64 // operations
}

// count returns the sum of all counters. Everything is done.
func (w *wind) count() (sum uint64) {
	for _, c := range append(w.own, w.shared...) {
		sum += c.count
	}
	return sum
}

// blow makes calls in a goroutine of its own; an operation that this runs may end it, then the next one goes on.
func (w *wind) blow(all *sync.WaitGroup, random *rand.Rand, own *counter, calls int) {
	w.mu.Lock()
	w.own = append(w.own, own)
	w.mu.Unlock()
	all.Go(func() {
		done := 0
		defer func() {
			if done < calls {
				w.blow(all, random, &counter{v: w.NewVar()}, calls-done-1)
			}
		}()
		for ; done < calls; done++ {
			w.call(random, own)
		}
	})
}

// call makes one call, of a method that is drawn.
func (w *wind) call(random *rand.Rand, own *counter) {
	ctx := context.Background()
	some := 1 + random.IntN(70)
	push := func(p engine.Pusher) {
		for range some {
			p.Push(w.operation(random, own))
		}
	}
	switch kind := random.IntN(100); {
	case kind < 50:
		push(w)
	case kind < 60:
		w.Atomically(push)
	case kind < 70:
		w.Bulk(1+random.IntN(40), push)
	case kind < 78:
		b := w.NewBulk(1 + random.IntN(40))
		push(b)
		if random.IntN(2) == 0 {
			b.Flush()
		}
	case kind < 85:
		w.Wait(ctx, own.v)
	case kind < 89:
		w.Wait(ctx, w.shared[random.IntN(len(w.shared))].v)
	case kind < 92:
		w.WaitAll(ctx)
	case kind < 95:
		w.delete(random)
	case kind < 96:
		defer w.Start() // A deletion may end the goroutine here.
		w.Stop(ctx)
	case kind < 97:
		w.Snapshot()
	default:
		for range random.IntN(1000) {
			runtime.Gosched()
		}
	}
}

// delete pushes an operation on a variable and deletes it.
func (w *wind) delete(random *rand.Rand) {
	v := w.NewVar()
	w.Push(leaf("used", func() { w.ran.Add(1) }, update(v)))
	exits := random.IntN(20) == 0
	w.DeleteVar(v, func() {
		if w.ran.Add(1); exits {
			w.failed.Add(1)
			runtime.Goexit()
		}
	})
}

// operation draws one that writes a counter, and may read another.
func (w *wind) operation(random *rand.Rand, own *counter) *engine.Operation {
	written := own
	var accesses []engine.Access
	if random.IntN(3) > 0 {
		written = w.shared[random.IntN(len(w.shared))]
		if other := w.shared[random.IntN(len(w.shared))]; random.IntN(2) == 0 && other != written {
			accesses = append(accesses, read(other.v))
		}
	}
	mode := update
	if random.IntN(2) == 0 {
		mode = write // It cures what an operation that ended its goroutine has left behind.
	}
	accesses = append(accesses, mode(written.v))
	begin := func() {
		w.ran.Add(1)
		w.written.Add(1)
		written.count++
	}
	exit := func() {
		w.failed.Add(1)
		runtime.Goexit()
	}
	op := leaf("brief", begin, accesses...)
	switch kind := random.IntN(1000); {
	case kind < 10:
		op = leaf("long", func() { begin(); compute(100 * time.Microsecond) }, accesses...)
	case kind < 12:
		op = leaf("exiting", func() { begin(); exit() }, accesses...)
	case kind < 14:
		op = async("exiting", func(func(error)) { begin(); exit() }, accesses...)
	case kind < 30:
		op = async("async", func(complete func(error)) { begin(); go complete(nil) }, accesses...)
	case kind < 40:
		op.Host = true
	case kind < 45:
		op.Priority = random.IntN(3) - 1
	case kind < 48:
		op.Property = engine.CopyToDevice
	case kind < 52:
		op.Function = engine.FunctionOf(func(rc *engine.RunContext) error {
			begin()
			rc.Thread.For(100, func(*parallel.Thread, int, int) {})
			return nil
		})
	}
	op.Bytes = 10
	return op
}

// compute takes a processor for so long.
func compute(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
	}
}
