package enginetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/profile"
)

var bulks = []property{
	{"WhatMXNetTestsOfBulks", bulkOfMXNet},
	{"ABulkKeepsTheOrderOfItsGoroutine", bulkKeepsOrder},
	{"AWaitEndsABulk", waitEndsBulk},
	{"ABulkIsOneTaskAndManyOperations", bulkIsOneTask},
	{"TemporariesFreedInABulkDoNotEndIt", temporariesInBulk},
	{"OperationsThatDoNotBulkRunInBetween", othersInBulk},
	{"ABulkOfOneIsAPush", bulkOfOne},
	{"ASizeBelowOnePanics", bulkSizes},
	{"MisuseInABulkLeavesItUsable", misuseInBulk},
	{"ABulkLargerThanTheLimitRuns", bulkOverLimit},
	{"AnOperatorCanBeInABulkManyTimes", operatorInBulk},
	{"PushersOfBulksWithSharedVariablesEqualSomeSerialRun", sharedBulks},
	{"RandSumExprInBulksEqualsSerialRun", randomSumsInBulks},
}

// gathered pushes the operations in one bulk, and lets it run.
func (s *subject) gathered(operations ...*engine.Operation) {
	b := s.NewBulk(len(operations) + 1)
	for _, op := range operations {
		b.Push(op)
	}
	b.Flush()
}

// bulkOfMXNet is test_bulk of MXNet's tests/python/unittest/test_engine.py.
func bulkOfMXNet(t *testing.T, new factory) {
	s := start(t, new)
	v, x := s.NewVar(), 0
	increment := func() *engine.Operation { return leaf("increment", func() { x++ }, update(v)) }
	b := s.NewBulk(10)
	b.Push(leaf("ones", func() { x = 1 }, write(v)))
	b.Push(leaf("double", func() { x *= 2 }, update(v)))
	b.Push(increment())
	require.NoError(t, s.wait(v))
	b.Push(increment())
	require.NoError(t, s.wait(v))
	require.Equal(t, 4, x)
	for range 100 {
		b.Push(increment())
	}
	b.Flush()
	require.NoError(t, s.wait(v))
	require.Equal(t, 104, x)
}

// bulkKeepsOrder alternates between pushes in bulks and by themselves.
func bulkKeepsOrder(t *testing.T, new factory) {
	for _, size := range []int{2, 7, 1000} {
		s := start(t, new)
		v, w := s.NewVar(), s.NewVar()
		first, second := s.NewBulk(size), s.NewBulk(size)
		var order, want, copied []int
		for i := range 500 {
			op := leaf("append", func() { order = append(order, i) }, update(v))
			want = append(want, i)
			switch random := (i * i) % 13; random {
			case 0:
				s.Push(op)
			case 1, 2:
				second.Push(op)
			case 3:
				op.Host = true
				s.Push(op)
			case 4:
				op.Priority = i % 3
				first.Push(op)
			default:
				first.Push(op)
			}
			require.Equal(t, uint64(i+1), op.Accesses[0].Sequence)
		}
		s.Push(leaf("copy", func() { copied = append(copied, order...) }, read(v), write(w)))
		require.NoError(t, s.wait(w))
		require.Equal(t, want, copied)
		require.Equal(t, uint64(500), v.Version())
	}
}

func waitEndsBulk(t *testing.T, new factory) {
	s := start(t, new)
	for name, wait := range map[string]func(v *engine.Var) error{
		"Wait":          s.wait,
		"Wait of other": func(*engine.Var) error { return s.waitAll() },
		"a host function's Wait": func(v *engine.Var) error {
			done := s.NewVar()
			op := hosted("waiter", nil, write(done))
			op.Function = engine.FunctionOf(func(rc *engine.RunContext) error { return s.Wait(rc.Context, v) })
			s.Push(op)
			return s.wait(done)
		},
		"a reader": func(v *engine.Var) error {
			w := s.NewVar()
			s.Push(leaf("reader", nothing, read(v), write(w)))
			return s.wait(w)
		},
	} {
		v, ran := s.NewVar(), 0
		b := s.NewBulk(100)
		for i := range 20 {
			b.Push(leaf("count", func() { ran++ }, update(v)))
			require.NoError(t, wait(v), name)
			require.Equal(t, i+1, ran, name)
		}
	}
	v := s.NewVar()
	b := s.NewBulk(100)
	b.Push(failing("bad", errBroken, write(v)))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Wait(ctx, v); !errors.Is(err, context.Canceled) {
		require.ErrorIs(t, err, errBroken)
	}
	require.ErrorIs(t, s.wait(v), errBroken)
	require.ErrorIs(t, s.waitAll(), errBroken)
}

// records counts what an observer is told, which is one record for each task.
type records struct {
	mu    sync.Mutex
	tasks int
}

// Observe implements profile.Observer.
func (r *records) Observe(record *profile.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if record.Name != "wait" {
		r.tasks++
	}
}

func bulkIsOneTask(t *testing.T, new factory) {
	for _, c := range []struct{ size, operations, tasks int }{{10, 10, 1}, {10, 11, 2}, {4, 40, 10}, {1, 5, 5}, {100, 99, 1}} {
		s := start(t, new)
		var told records
		stop := s.Observe(&told)
		v, ran := s.NewVar(), 0
		s.Bulk(c.size, func(p engine.Pusher) {
			for range c.operations {
				p.Push(leaf("count", func() { ran++ }, update(v)))
			}
			if ran > 0 {
				t.Error("an operation started during registration")
			}
		})
		s.requireDone()
		stop()
		require.Equal(t, c.tasks, told.tasks)
		require.Equal(t, c.operations, ran)
		require.Equal(t, engine.Stats{Pushed: uint64(ran), Done: uint64(ran)}, s.Stats())
		require.Equal(t, uint64(ran), v.Version())
	}
}

// temporariesInBulk frees what the bulk has made, both by an operation and by DeleteVar.
func temporariesInBulk(t *testing.T, new factory) {
	s := start(t, new)
	var told records
	stop := s.Observe(&told)
	result := s.NewVar()
	total, alive, freed := 0, map[int]int{}, 0
	b := s.NewBulk(1000)
	for i := range 50 {
		temporary := s.NewVar()
		b.Push(leaf("make", func() { alive[i] = i }, write(temporary)))
		b.Push(leaf("use", func() { total += alive[i] }, read(temporary), update(result)))
		free := func() { delete(alive, i); freed++ }
		operator := s.NewOperator(*leaf("late", func() { t.Error("it ran") }, read(temporary)))
		if i%2 == 0 {
			s.DeleteVar(temporary, free)
			for _, late := range []*engine.Operation{leaf("late", nothing, read(temporary)), operator} {
				e := recoverError(t, func() { b.Push(late) })
				require.ErrorIs(t, e, fault.ErrMisuse)
			}
		} else {
			op := leaf("free", free, write(temporary))
			op.Property = engine.DeleteVar
			s.Push(op)
		}
	}
	require.Zero(t, freed)
	b.Flush()
	s.requireDone()
	stop()
	require.Equal(t, 1, told.tasks)
	require.Equal(t, 49*50/2, total)
	require.Equal(t, 50, freed)
	require.Empty(t, alive)
	require.Equal(t, engine.Stats{Pushed: 150, Done: 150}, s.Stats())

	// What is in use elsewhere too is freed when both have ended.
	v := s.NewVar()
	release := s.blocked(read(v))
	used, gone := s.NewVar(), false
	b.Push(leaf("use", func() {
		if gone {
			t.Error("it was freed before")
		}
	}, read(v), write(used)))
	s.DeleteVar(v, func() { gone = true })
	release()
	require.NoError(t, s.wait(used))
	s.requireDone()
	require.True(t, gone)
}

func othersInBulk(t *testing.T, new factory) {
	s := start(t, new)
	b := s.NewBulk(1000)
	shared := s.NewVar()
	var order, want []int
	for i := range 300 {
		f := func() { order = append(order, i) }
		want = append(want, i)
		op := leaf("append", f, update(shared))
		switch i % 10 {
		case 3:
			op = hosted("append", f, update(shared))
		case 5:
			op = async("append", func(complete func(error)) { go func() { f(); complete(nil) }() }, update(shared))
		case 7:
			op.Property = engine.Prioritized
		case 8:
			op.Property = engine.NoSkip
		case 9:
			op.Priority = -i
		}
		b.Push(op)
	}
	b.Flush()
	s.requireDone()
	require.Equal(t, want, order)

	// Those that have nothing to do with the bulk run though it is not flushed.
	gathering := s.NewVar()
	b.Push(leaf("gathered", nothing, write(gathering)))
	for name, op := range map[string]*engine.Operation{
		"host":  hosted("host", nothing),
		"async": async("async", func(complete func(error)) { complete(nil) }),
	} {
		v := s.NewVar()
		op.Accesses = []engine.Access{write(v)}
		b.Push(op)
		require.NoError(t, s.wait(v), name)
	}
	require.Zero(t, gathering.Version(), "nothing asked for it")
	b.Flush()
	require.NoError(t, s.wait(gathering))
	require.Equal(t, uint64(1), gathering.Version())
}

func bulkOfOne(t *testing.T, new factory) {
	s := start(t, new)
	b := s.NewBulk(1)
	v := s.NewVar()
	ended := make(chan struct{})
	b.Push(leaf("push", func() { close(ended) }, write(v)))
	<-ended
	b.Push(failing("bad", errBroken, update(v)))
	require.ErrorIs(t, s.wait(v), errBroken)
	b.Flush()
	require.Equal(t, engine.Stats{Pushed: 2, Done: 2, Failed: 1}, s.Stats())
}

func bulkSizes(t *testing.T, new factory) {
	s := start(t, new)
	for _, size := range []int{0, -1, -1 << 60} {
		for call, f := range map[string]func(){
			"engine.NewBulk": func() { s.NewBulk(size) },
			"engine.Bulk":    func() { s.Bulk(size, func(engine.Pusher) { t.Error("it was called") }) },
		} {
			e := recoverError(t, f)
			require.ErrorIs(t, e, fault.ErrParameter)
			require.Equal(t, call, e.Operator)
			require.Contains(t, e.Error(), fmt.Sprint(size))
			require.NotNil(t, e.Site)
		}
	}
	s.NewBulk(1).Flush()
	s.Bulk(3, func(engine.Pusher) {})
	s.requireDone()
}

func misuseInBulk(t *testing.T, new factory) {
	s, other := start(t, new), start(t, new)
	v, ran := s.NewVar(), 0
	bad := map[string]*engine.Operation{
		"nil": nil, "foreign": leaf("bad", nothing, write(other.NewVar())), "no function": {Name: "bad"},
	}
	b := s.NewBulk(10)
	for name, op := range bad {
		b.Push(leaf("fine", func() { ran++ }, update(v)))
		require.ErrorIs(t, recoverError(t, func() { b.Push(op) }), fault.ErrMisuse, name)
		e := recoverError(t, func() {
			s.Bulk(10, func(p engine.Pusher) {
				p.Push(leaf("fine", func() { ran++ }, update(v)))
				p.Push(op)
			})
		})
		require.ErrorIs(t, e, fault.ErrMisuse, name)
	}
	require.PanicsWithValue(t, "oh", func() {
		s.Bulk(10, func(p engine.Pusher) {
			p.Push(leaf("fine", func() { ran++ }, update(v)))
			panic("oh")
		})
	})
	s.requireDone()
	require.Equal(t, 2*len(bad)+1, ran)
	require.Equal(t, s.Stats().Pushed, s.Stats().Done)
}

// bulkOverLimit has a pusher over the limit, while nothing of what it pushed can run before it goes on.
func bulkOverLimit(t *testing.T, new factory) {
	pool := parallel.New(1)
	t.Cleanup(pool.Close)
	s := start(t, new, engine.WithPool(pool), engine.WithLimit(4))
	vars := s.variables(3)
	var ran [3]int
	b := s.NewBulk(100)
	const count = 1000
	for i := range count {
		b.Push(leaf("count", func() { ran[i%3]++ }, update(vars[i%3])))
	}
	s.requireDone()
	require.Equal(t, count, ran[0]+ran[1]+ran[2])
}

func operatorInBulk(t *testing.T, new factory) {
	s := start(t, new)
	v, ran := s.NewVar(), 0
	op := s.NewOperator(*leaf("again", func() { ran++ }, update(v)))
	s.Bulk(7, func(p engine.Pusher) {
		for range 100 {
			p.Push(op)
		}
	})
	s.requireDone()
	require.Equal(t, 100, ran)
	require.Equal(t, uint64(100), v.Version())
	s.DeleteOperator(op)
	e := recoverError(t, func() { s.NewBulk(2).Push(op) })
	require.ErrorIs(t, e, fault.ErrMisuse)
}

// sharedBulks adds integers, as sharedWorkloads does, in bulks of which some belong to two goroutines.
func sharedBulks(t *testing.T, new factory) {
	const variables = 10
	s := start(t, new)
	vars := s.variables(variables)
	var data, count, wantData, wantCount [variables]int
	common := s.NewBulk(9)
	var all sync.WaitGroup
	freed := make([]atomic.Int64, pushers) // Deletions of one pusher are not ordered.
	for pusher := range pushers {
		random := rand.New(rand.NewPCG(uint64(pusher), 5))
		sums := randomWorkload(random, workloadLength/pushers, variables)
		for i, sum := range sums {
			wantData[sum.write] += i
			wantCount[sum.write]++
		}
		all.Go(func() {
			own := s.NewBulk(1 + 5*pusher)
			progress, last := s.NewVar(), -1
			for i, sum := range sums {
				accesses := sum.accesses(vars)
				accesses[len(accesses)-1].Mode = engine.Update
				op := leaf("add", func() {
					for _, r := range sum.reads {
						_ = data[r] // a race, were anybody writing it
					}
					data[sum.write] += i
					count[sum.write]++
					if last != i-1 {
						t.Errorf("pusher %d: %d follows %d", pusher, i, last)
					}
					last = i
				}, append(accesses, update(progress))...)
				op.Host = i%100 == 0
				switch {
				case i%50 == 7:
					s.Push(op)
				case i%11 == 0:
					common.Push(op)
				default:
					own.Push(op)
				}
				if i%20 == 0 {
					temporary := s.NewVar()
					own.Push(leaf("temporary", nothing, write(temporary), update(progress)))
					s.DeleteVar(temporary, func() { freed[pusher].Add(1) })
				}
				if i%200 == 0 {
					if err := s.wait(progress); err != nil {
						t.Error(err)
					}
				}
			}
			own.Flush()
		})
	}
	all.Wait()
	common.Flush()
	s.requireDone()
	require.Equal(t, wantData, data)
	require.Equal(t, wantCount, count)
	for i, v := range vars {
		require.Equal(t, uint64(count[i]), v.Version())
		require.Equal(t, v.Sequence(), v.Version())
	}
	for pusher := range freed {
		require.Equal(t, int64((workloadLength/pushers+19)/20), freed[pusher].Load())
	}
	require.Equal(t, s.Stats().Pushed, s.Stats().Done)
}

func randomSumsInBulks(t *testing.T, new factory) {
	s := start(t, new)
	for seed := range workloadSeeds() {
		random := rand.New(rand.NewPCG(seed, 6))
		sums := randomWorkload(random, workloadLength, workloadVariables)
		want, got := ones(workloadVariables), ones(workloadVariables)
		for _, sum := range sums {
			sum.evaluate(want)
		}
		vars := s.variables(workloadVariables)
		several := []*engine.Bulk{s.NewBulk(2), s.NewBulk(15), s.NewBulk(100)}
		for i, sum := range sums {
			op := leaf("sum", func() { sum.evaluate(got) }, sum.accesses(vars)...)
			op.Host = i%100 == 0
			several[i/20%len(several)].Push(op)
		}
		s.requireDone()
		require.Equal(t, want, got, "seed %d", seed)
	}
	require.Equal(t, workloadSeeds()*workloadLength, s.Stats().Done)
}
