package enginetest

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

var briefs = []property{
	{"BriefOperationsKeepTheirPlaces", briefOrder},
	{"BriefOperationsOfManyGoroutinesKeepTheirPlaces", briefCrowd},
	{"BriefOperationsThatFailDoSoAsOthers", briefFailures},
	{"BriefOperationsThatExitLetOthersGoOn", briefExit},
	{"BriefOperationsWaitForStart", briefStopped},
	{"BriefOperationsOfAnEndedScopeAreSkipped", briefScopes},
	{"OperationsAreRecycledAfterTheyHaveSucceeded", recycling},
}

// brief returns op, which is brief.
func brief(op *engine.Operation) *engine.Operation {
	op.Brief = true
	return op
}

// atomically pushes operations in one step.
func (s *subject) atomically(ops ...*engine.Operation) {
	s.Atomically(func(p engine.Pusher) {
		for _, op := range ops {
			p.Push(op)
		}
	})
}

// briefOrder mixes operations that are brief, pushed by themselves and with others, with some that are not, all in order.
func briefOrder(t *testing.T, new factory) {
	s := startWith(t, new, 2)
	v, w, sum, pushed := s.NewVar(), s.NewVar(), 0, 0
	next := func(accesses ...engine.Access) *engine.Operation {
		want := pushed
		pushed++
		return leaf("next", func() {
			if sum != want {
				t.Errorf("operation %d runs as number %d", want, sum)
			}
			sum++
		}, accesses...)
	}
	for i := range 2000 {
		s.atomically(brief(next(update(v), read(w), update(v))))
		switch i % 7 {
		case 1:
			s.atomically(brief(next(update(v))), brief(next(update(v), update(w))))
		case 2:
			s.Push(next(update(v)))
		case 3:
			s.atomically(next(update(v)), brief(next(update(v))))
		case 4:
			s.Bulk(3, func(p engine.Pusher) { p.Push(brief(next(update(v)))) })
		case 5:
			require.NoError(t, s.wait(v))
		}
	}
	s.requireDone()
	require.Equal(t, pushed, sum)
	require.Equal(t, []uint64{uint64(pushed), uint64(pushed)}, []uint64{v.Version(), v.Sequence()})
	stats := s.Stats()
	require.Equal(t, []uint64{stats.Pushed, 0, 0}, []uint64{stats.Done, stats.Failed, stats.Skipped})
}

// briefCrowd lets goroutines push brief operations on a variable of their own and on a common one, and others meanwhile.
func briefCrowd(t *testing.T, new factory) {
	const goroutines, each = 4, 300
	s := startWith(t, new, 2)
	common, total := s.NewVar(), 0
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			own, count := s.NewVar(), 0
			for i := range each {
				want := 2 * i
				s.atomically(brief(leaf("own", func() {
					if count != want {
						t.Errorf("operation %d runs as number %d", want, count)
					}
					count++
				}, update(own))))
				s.atomically(brief(leaf("common", func() { total++; count++ }, update(common), update(own))))
			}
			if err := s.wait(own); err != nil || count != 2*each {
				t.Errorf("%d operations, %v", count, err)
			}
		})
	}
	all.Wait()
	s.requireDone()
	require.Equal(t, goroutines*each, total)
	require.Equal(t, uint64(total), common.Version())
}

func briefFailures(t *testing.T, new factory) {
	s := startWith(t, new, 2)
	errFull := errors.New("full")
	for name, run := range map[string]func() error{
		"error": func() error { return errFull },
		"panic": func() error { panic(errFull) },
	} {
		v, w := s.NewVar(), s.NewVar()
		op := brief(failing(name, nil, update(v)))
		op.Function = function(run)
		s.atomically(op)
		ran := false
		s.atomically(brief(leaf("skipped", func() { ran = true }, read(v), update(w))))
		s.atomically(brief(leaf("free", func() {}, update(s.NewVar()))))
		require.ErrorIs(t, s.wait(w), errFull)
		require.False(t, ran)
		failure := errorOf(t, s.wait(v))
		require.Equal(t, name, failure.Operator)
		require.Equal(t, name == "panic", errors.Is(failure, fault.ErrPanic))
		require.Equal(t, []uint64{0, 1}, []uint64{v.Version(), v.Sequence()})
		s.atomically(brief(leaf("cure", func() {}, write(v))))
		require.NoError(t, s.wait(v))
		require.Equal(t, uint64(1), v.Version())
	}
	stats := s.Stats()
	require.Equal(t, []uint64{2, 2}, []uint64{stats.Failed, stats.Skipped})
}

func briefExit(t *testing.T, new factory) {
	s := startWith(t, new, 2)
	v, w := s.NewVar(), s.NewVar()
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		s.atomically(brief(leaf("exit", runtime.Goexit, update(v))))
	}()
	<-exited
	require.ErrorIs(t, s.wait(v), fault.ErrPanic)
	s.atomically(brief(leaf("free", func() {}, update(w))))
	require.NoError(t, s.wait(w))
}

func briefStopped(t *testing.T, new factory) {
	s := startWith(t, new, 2)
	v, ran := s.NewVar(), false
	s.stop()
	s.atomically(brief(leaf("leaf", func() { ran = true }, update(v))))
	require.False(t, ran)
	s.Start()
	s.requireDone()
	require.True(t, ran)
}

func briefScopes(t *testing.T, new factory) {
	s := startWith(t, new, 2)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	v := s.NewVar()
	op := brief(leaf("leaf", func() { t.Error("it runs") }, update(v)))
	op.Context = ctx
	s.atomically(op)
	require.ErrorIs(t, s.wait(v), context.Canceled)
}

// reused is a Function that is used again when it is recycled.
type reused struct {
	operation engine.Operation
	idle      *sync.Pool
	busy      atomic.Bool
	counter   *int
	recycled  *atomic.Int32
	fails     error
}

func (r *reused) Run(*engine.RunContext) error {
	if !r.busy.Load() {
		panic("it runs after it was recycled")
	}
	*r.counter++
	return r.fails
}

func (r *reused) Finished() {
	if !r.busy.Load() {
		panic("it has finished after it was recycled")
	}
}

func (r *reused) Recycle() {
	if !r.busy.CompareAndSwap(true, false) {
		panic("recycled twice")
	}
	r.recycled.Add(1)
	r.operation = engine.Operation{}
	r.idle.Put(r)
}

// recycling lets goroutines push operations that go back to a pool, brief ones and others, and some that fail.
func recycling(t *testing.T, new factory) {
	const goroutines, each = 4, 400
	s := startWith(t, new, 2)
	pool := &sync.Pool{New: func() any { return &reused{} }}
	var recycled atomic.Int32
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			v, bad, count, wrong := s.NewVar(), s.NewVar(), 0, 0
			push := func(v *engine.Var, counter *int, fails error, i int) {
				r := pool.Get().(*reused)
				r.idle, r.counter, r.recycled, r.fails = pool, counter, &recycled, fails
				if r.busy.Swap(true) {
					t.Error("it is used twice")
				}
				op := &r.operation
				op.Name, op.Function, op.Accesses, op.Brief = "reused", r, []engine.Access{update(v)}, (i+g)%3 > 0
				if i%5 == 0 {
					s.Push(op)
				} else {
					s.atomically(op)
				}
			}
			for i := range each {
				push(v, &count, nil, i)
				if i%100 == 50 {
					push(bad, &wrong, errBroken, i) // the first fails, the others are skipped
				}
				if i%50 == 0 {
					if err := s.wait(v); err != nil {
						t.Error(err)
					}
				}
			}
			if err := s.wait(v); err != nil || count != each {
				t.Errorf("%d of %d operations, %v", count, each, err)
			}
			if err := s.wait(bad); !errors.Is(err, errBroken) {
				t.Errorf("it should have failed: %v", err)
			}
		})
	}
	all.Wait()
	_ = s.waitAll() // the errors are known
	require.EqualValues(t, goroutines*each, recycled.Load())
}
