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
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/parallel"
)

// famine is a storm of operations of every kind that share too little memory, which all kinds of goroutines give back. Nothing may
// hang; every operation ends once; and no memory is lost.
type famine struct {
	*subject
	budget   *budget
	shared   []*engine.Var
	contexts []context.Context
	ran      atomic.Uint64 // to the end, deletions and waits excepted
	finished atomic.Uint64
	expected atomic.Uint64 // to finish
}

const famineBudget = 20

// starving counts how often it has finished.
type starving struct {
	engine.Function
	famine *famine
}

func (f *starving) Finished() { f.famine.finished.Add(1) }

func starvingStorms(t *testing.T, new factory) {
	seeds := uint64(10)
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		starvingStorm(t, new, seed)
	}
}

func longFamines(t *testing.T, new factory) {
	seed := uint64(0)
	for began := time.Now(); time.Since(began) < 10*time.Second; seed++ {
		starvingStorm(t, new, seed)
		frugalProgram(t, new, seed)
	}
	t.Log(seed, "of each")
}

func starvingStorm(t *testing.T, new factory, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 21))
	pool := parallel.New(1 + random.IntN(3))
	t.Cleanup(pool.Close)
	limit := []int{1, 8, engine.DefaultLimit}[random.IntN(3)]
	s := start(t, new, engine.WithPool(pool), engine.WithLimit(limit), engine.WithByteLimit(1+random.IntN(200)))
	f := &famine{subject: s, budget: newBudget(famineBudget), shared: s.variables(6)}
	var cancels []context.CancelFunc
	for range 3 {
		ctx, cancel := context.WithCancel(context.Background())
		f.contexts, cancels = append(f.contexts, ctx), append(cancels, cancel)
	}
	var all sync.WaitGroup
	for range 1 + random.IntN(3) {
		own := rand.New(rand.NewPCG(random.Uint64(), seed))
		all.Go(func() {
			for range 40 {
				f.call(own)
			}
		})
	}
	all.Go(func() {
		for _, cancel := range cancels {
			for range 200 {
				runtime.Gosched()
			}
			cancel()
		}
	})
	if random.IntN(4) == 0 {
		require.NoError(t, s.Close(context.Background()))
	}
	all.Wait()
	require.NoError(t, s.Close(context.Background()))
	stats := s.Stats()
	require.Equal(t, stats.Pushed, stats.Done, "seed %d", seed)
	require.Equal(t, stats.Done-stats.Skipped-stats.Failed, f.ran.Load(), "seed %d", seed)
	require.Equal(t, f.expected.Load(), f.finished.Load(), "seed %d", seed)
	require.Zero(t, stats.Parked, "seed %d", seed)
	for f.budget.unclaimed() != famineBudget { // A goroutine may be about to give some back.
		runtime.Gosched()
	}
}

func (f *famine) call(random *rand.Rand) {
	push := func(p engine.Pusher) {
		for range 1 + random.IntN(12) {
			p.Push(f.operation(random))
		}
	}
	switch kind := random.IntN(100); {
	case kind < 50:
		push(f)
	case kind < 60:
		f.Atomically(push)
	case kind < 75:
		f.Bulk(1+random.IntN(20), push)
	case kind < 80:
		b := f.NewBulk(1 + random.IntN(20))
		push(b)
		if random.IntN(2) == 0 {
			b.Flush()
		}
	case kind < 88:
		f.wait(f.shared[random.IntN(len(f.shared))])
	case kind < 91:
		f.waitAll()
	case kind < 94:
		f.stop()
		f.Start()
	case kind < 97:
		f.Snapshot()
	default:
		engine.MemoryFreed()
	}
}

// operation draws one. It gives back what it has taken itself, or something else does.
func (f *famine) operation(random *rand.Rand) *engine.Operation {
	n := random.IntN(famineBudget / 2)
	if random.IntN(50) == 0 {
		n += famineBudget
	}
	b, end, after := f.budget, random.IntN(4), f.shared[random.IntN(len(f.shared))]
	waits := random.IntN(3) == 0
	op := leaf("", nil, []func(v *engine.Var) engine.Access{read, write, update}[random.IntN(3)](f.shared[random.IntN(len(f.shared))]), write(f.shared[random.IntN(len(f.shared))]))
	op.Function = &starving{function(func() error {
		if err := b.claim("", n); err != nil {
			return err
		}
		f.ran.Add(1)
		switch end {
		case 0:
			b.give(n)
		case 1:
			b.drop(n)
		case 2:
			go func() {
				b.give(n)
				engine.MemoryFreed()
			}()
		default:
			defer func() {
				b.give(n)
				engine.MemoryFreed()
			}()
			if op.Host && waits {
				f.Wait(f.contexts[2], after)
			}
		}
		return nil
	}), f}
	switch kind := random.IntN(100); {
	case kind < 15:
		op.Host = true
	case kind < 25:
		op.Device = device.CPU(1)
	case kind < 35:
		op.Device = device.Sim(0)
	case kind < 40:
		op.Priority = random.IntN(3) - 1
	case kind < 44:
		op.Property = engine.CopyToDevice
	case kind < 48:
		op = async("", func(complete func(error)) {
			f.ran.Add(1)
			go complete(nil)
		}, op.Accesses...)
	}
	if op.Function != nil {
		f.expected.Add(1)
	}
	if random.IntN(3) > 0 {
		op.Bytes = int64(n)
	}
	if random.IntN(10) == 0 {
		op.Context = f.contexts[random.IntN(len(f.contexts))]
	}
	return op
}
