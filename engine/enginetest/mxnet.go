package enginetest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// anchors are tests of MXNet's engine that no other list has.
var anchors = []property{
	{"FunctionsArePushedWithEveryMixOfAccesses", pushFunctions},
	{"OperatorsThatReadOneVariableRunTogether", tenReaders},
	{"OperatorsThatWriteOneVariableRunInOrder", tenWriters},
	{"WaitLastsAsLongAsACopyThatWrites", slowCopy},
	{"AVariableOutlivesItsEngine", outlives},
	{"BuffersOfGoroutinesDoNotMix", privateBuffers},
	{"ABulkComputesWhatItsOperationsDo", bulkSteps},
	{"AFailurePassesThroughAnOperationThatReadsItTwice", readTwice},
}

// pushFunctions pushes functions that read the first of five variables and write the rest.
func pushFunctions(t *testing.T, new factory) {
	s := start(t, new)
	vars := s.variables(5)
	mixed := func(reads int) (accesses []engine.Access) {
		for i, v := range vars {
			if i < reads {
				accesses = append(accesses, read(v))
			} else {
				accesses = append(accesses, write(v))
			}
		}
		return accesses
	}
	var wrote [5]uint64
	for reads := range len(vars) + 1 {
		for _, kind := range []string{"function", "borrowing function", "asynchronous function"} {
			ran, returned := 0, &atomic.Int32{}
			op := leaf(kind, func() { ran++ }, mixed(reads)...)
			switch kind {
			case "borrowing function":
				op.Function = describing{func(*engine.RunContext) error { ran++; return nil }, returned}
			case "asynchronous function":
				op.Function, op.Async = nil, func(_ *engine.RunContext, complete func(error)) { ran++; complete(nil) }
			}
			for name, access := range map[string]engine.Access{"reads": read(nil), "writes": write(nil)} {
				bad := *op
				bad.Accesses = append(mixed(reads), access)
				e := recoverError(t, func() { s.Push(&bad) })
				require.ErrorIs(t, e, fault.ErrMisuse, "it %s no variable", name)
			}
			s.Push(op)
			s.requireDone()
			require.Equal(t, 1, ran)
			require.Equal(t, kind == "borrowing function", returned.Load() == 1)
			for i, v := range vars {
				if i >= reads {
					wrote[i]++
				}
				require.Equal(t, wrote[i], v.Version())
			}
		}
	}
}

// operators makes ten of f, which is told which of them runs.
func (s *subject) operators(access engine.Access, f func(number int)) []*engine.Operation {
	all := make([]*engine.Operation, 10)
	for i := range all {
		all[i] = s.NewOperator(*hosted(fmt.Sprint("operator", i), func() { f(i) }, access))
	}
	return all
}

// deleteAll deletes what a test has made, with operations pending.
func (s *subject) deleteAll(operators []*engine.Operation, v *engine.Var) {
	for _, op := range operators {
		s.DeleteOperator(op)
	}
	freed := false
	s.DeleteVar(v, func() { freed = true })
	s.requireDone()
	require.True(s.t, freed)
}

func tenReaders(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	meet := rendezvous(10)
	operators := s.operators(read(v), func(int) { meet() })
	for _, op := range operators {
		s.Push(op)
	}
	s.requireDone()
	require.Zero(t, v.Version())
	s.deleteAll(operators, v)
}

func tenWriters(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	var order []int
	operators := s.operators(write(v), func(number int) { order = append(order, number) })
	release := s.blocked(read(v))
	for range 2 {
		for _, op := range operators {
			s.Push(op)
		}
	}
	release()
	s.deleteAll(operators, v)
	require.Len(t, order, 20)
	for i, number := range order {
		require.Equal(t, i%10, number)
	}
	require.Equal(t, uint64(20), v.Version())
}

func slowCopy(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	var ended atomic.Bool
	gate, release := s.gate()
	op := hosted("copy", func() { <-gate; ended.Store(true) }, write(v))
	op.Property = engine.CopyFromDevice
	s.Push(op)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, s.Wait(ctx, v), context.Canceled)
	answer := make(chan error, 1)
	go func() {
		err := s.wait(v)
		if !ended.Load() {
			t.Error("Wait returned before the copy had ended")
		}
		answer <- err
	}()
	release()
	require.NoError(t, <-answer)
	require.Equal(t, uint64(1), v.Version())
}

func outlives(t *testing.T, new factory) {
	s := start(t, new)
	vars := s.variables(3)
	for i, before := range []func(){
		nothing,
		func() { require.NoError(t, s.Stop(context.Background())) },
		func() { require.NoError(t, s.Close(context.Background())) },
	} {
		before()
		s.delete(vars[i])
		require.NoError(t, vars[i].Err())
	}
}

// privateBuffers has ten goroutines fill a buffer each, and look at it.
func privateBuffers(t *testing.T, new factory) {
	s := start(t, new)
	var all sync.WaitGroup
	for owner := range 10 {
		all.Go(func() {
			v, buffer := s.NewVar(), [64]int{}
			for round := range 50 {
				want := owner*1000 + round
				for i := range buffer {
					s.Push(leaf("fill", func() { buffer[i] = want }, part(update(v), i, i+1)))
				}
				if err := s.wait(v); err != nil {
					t.Error(err)
				}
				for i, got := range buffer {
					if got != want {
						t.Errorf("element %d of goroutine %d is %d, not %d", i, owner, got, want)
					}
				}
			}
		})
	}
	all.Wait()
}

// bulkSteps is MXNet's test_bulk, with operations that wait in the bulk for something older.
func bulkSteps(t *testing.T, new factory) {
	for _, gated := range []bool{false, true} {
		s := start(t, new)
		v, value := s.NewVar(), 0
		release := nothing
		if gated {
			release = s.blocked(read(v))
		}
		bulk := s.NewBulk(10)
		step := func(f func()) *engine.Operation { return leaf("step", f, update(v)) }
		increment := func() { value++ }
		bulk.Push(leaf("one", func() { value = 1 }, write(v)))
		bulk.Push(step(func() { value *= 2 }))
		bulk.Push(step(increment))
		release()
		require.NoError(t, s.wait(v))
		require.Equal(t, 3, value)
		bulk.Push(step(increment))
		require.NoError(t, s.wait(v))
		require.Equal(t, 4, value)
		for range 95 {
			bulk.Push(step(increment))
		}
		bulk.Flush()
		s.Bulk(10, func(p engine.Pusher) {
			for range 5 {
				p.Push(step(increment))
			}
		})
		s.requireDone()
		require.Equal(t, 104, value)
		require.Equal(t, uint64(104), v.Version())
	}
}

func readTwice(t *testing.T, new factory) {
	s := start(t, new)
	a, b, c := s.NewVar(), s.NewVar(), s.NewVar()
	s.Push(failing("normal", errBroken, write(a)))
	for range 2 {
		s.Push(leaf("dot", func() { t.Error("it ran") }, read(a), read(a), write(b)))
		s.Push(leaf("dot", func() { t.Error("it ran") }, read(b), read(a), write(c)))
		for _, err := range []error{s.wait(b), s.wait(c), s.waitAll()} {
			require.ErrorIs(t, err, errBroken)
		}
	}
	require.Equal(t, "normal", errorOf(t, s.wait(c)).Root.Operator)
}
