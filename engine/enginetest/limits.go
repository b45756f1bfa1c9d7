package enginetest

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/parallel"
)

var limits = []property{
	{"APusherOverTheLimitHelps", pusherHelps},
	{"PendingOperationsStayBounded", pendingBounded},
	{"PushersOverTheLimitKeepTheOrder", pushersKeepOrder},
	{"DeleteVarIsNeverHeldUp", deleteVarIsFree},
}

// Occupation is a source of work that keeps every worker of a pool busy. It is not a leaf, which must not wait, but shows
// what happens when leaves take long.
type Occupation struct {
	released chan struct{}
	once     sync.Once
	waiting  atomic.Int32 // pieces of work that no worker has taken
	started  sync.WaitGroup
	pool     *parallel.Pool
}

// Occupy keeps all workers of p busy until Release is called, at the latest when the test ends, and returns when they are.
func Occupy(t testing.TB, p *parallel.Pool) *Occupation {
	o := &Occupation{released: make(chan struct{}), pool: p}
	t.Cleanup(o.Release)
	o.started.Add(p.NumWorkers())
	o.waiting.Store(int32(p.NumWorkers()))
	p.AddSource(o)
	o.started.Wait()
	return o
}

// Release lets the workers go.
func (o *Occupation) Release() {
	o.once.Do(func() {
		o.pool.RemoveSource(o)
		close(o.released)
	})
}

// HasWork implements parallel.Source.
func (o *Occupation) HasWork() bool { return o.waiting.Load() > 0 }

// RunOne implements parallel.Source.
func (o *Occupation) RunOne(*parallel.Thread) bool {
	if o.waiting.Add(-1) < 0 {
		o.waiting.Add(1)
		return false
	}
	if o.HasWork() {
		o.pool.Notify()
	}
	o.started.Done()
	<-o.released
	return true
}

// pusherHelps leaves the pusher as the only one who can run leaves.
func pusherHelps(t *testing.T, new factory) {
	pool := parallel.New(1)
	t.Cleanup(pool.Close)
	s := start(t, new, engine.WithPool(pool), engine.WithLimit(4))
	busy := Occupy(t, pool)
	vars := s.variables(3)
	var order [3][]int
	const count = 3000
	for i := range count {
		s.Push(leaf("append", func() { order[i%3] = append(order[i%3], i) }, update(vars[i%3])))
	}
	require.LessOrEqual(t, count-int(s.Stats().Done), 4)
	busy.Release()
	s.requireDone()
	for first, list := range order {
		require.Len(t, list, count/3)
		for i, at := range list {
			require.Equal(t, first+3*i, at)
		}
	}
}

func pendingBounded(t *testing.T, new factory) {
	const limit, count = 64, 20_000
	s := start(t, new, engine.WithLimit(limit))
	vars := s.variables(3)
	var ran [3]int
	most := 0
	for i := range count {
		s.Push(leaf("count", func() { ran[i%3]++ }, update(vars[i%3]), read(vars[(i+i/7)%3])))
		most = max(most, i+1-int(s.Stats().Done))
	}
	require.LessOrEqual(t, most, limit)
	s.requireDone()
	require.Equal(t, count, ran[0]+ran[1]+ran[2])
}

func pushersKeepOrder(t *testing.T, new factory) {
	const each = 2000
	s := start(t, new, engine.WithLimit(4))
	shared := s.NewVar()
	total := 0
	var all sync.WaitGroup
	for range pushers {
		all.Go(func() {
			v := s.NewVar()
			last := -1
			for i := range each {
				op := leaf("step", func() {
					if last != i-1 {
						t.Errorf("%d follows %d", i, last)
					}
					last = i
				}, update(v))
				op.Host = i%100 == 99
				s.Push(op)
				if i%10 == 0 {
					s.Push(leaf("total", func() { total++ }, update(shared)))
				}
			}
		})
	}
	all.Wait()
	s.requireDone()
	require.Equal(t, pushers*each/10, total)
}

// deleteVarIsFree is what a cleanup of the garbage collector needs, which must not be made to compute.
func deleteVarIsFree(t *testing.T, new factory) {
	pool := parallel.New(1)
	t.Cleanup(pool.Close)
	s := start(t, new, engine.WithPool(pool), engine.WithLimit(4))
	busy := Occupy(t, pool)
	release := s.blocked()
	v := s.NewVar()
	gate := s.blocked(write(v))
	ran, freed := 0, 0
	for range 2 {
		s.Push(leaf("leaf", func() { ran++ }, update(v)))
	}
	for range 100 {
		op := leaf("free", func() { freed++ }, write(s.NewVar()))
		op.Property = engine.DeleteVar
		s.Push(op)
	}
	require.Equal(t, []int{0, 100}, []int{ran, freed})
	gate()
	release()
	busy.Release()
	s.requireDone()
	require.Equal(t, 2, ran)
}
