package enginetest

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// longPatience is patience for a property of the long form.
const longPatience = 10 * time.Minute

// RunLong runs the long form of the suite as subtests of t: what takes minutes, since it looks for what happens once in
// millions of operations. The names of those that are worth the race detector begin with "Random" or "Crossed".
func RunLong(t *testing.T, new func(opts ...engine.Option) engine.Engine) {
	for _, p := range []property{
		{"RandomSums", longSums},
		{"RandomSumsOfPushers", longPushers},
		{"RandomRanges", longRanges},
		{"RandomCallsOfEnginesThatShareWorkers", longStorms},
		{"RandomProgramsWithTooLittleMemory", longFamines},
		{"CrossedWrites", func(t *testing.T, new factory) { pairwiseFor(t, new, true, 10*time.Second) }},
		{"CrossedWritesInEqualOrder", func(t *testing.T, new factory) { pairwiseFor(t, new, false, 10*time.Second) }},
		{"FlatMemory", func(t *testing.T, new factory) { flatMemory(t, new, false) }},
		{"FlatMemoryInError", func(t *testing.T, new factory) { flatMemory(t, new, true) }},
		{"ClosingWhilePushing", func(t *testing.T, new factory) { closeWhilePushingTimes(t, new, 10_000) }},
	} {
		p.run(t, new, longPatience)
	}
}

const longRepeats = 5

// longSums is RandSumExpr as MXNet runs it, in three forms: leaves, some host functions, and in bulk.
func longSums(t *testing.T, new factory) {
	for repeat := range uint64(longRepeats) {
		sums := randomWorkload(rand.New(rand.NewPCG(repeat, 11)), workloadLength, workloadVariables)
		want := ones(workloadVariables)
		for _, sum := range sums {
			sum.evaluate(want)
		}
		for form := range 3 {
			s := start(t, new)
			bulk := s.NewBulk(10)
			vars, got := s.variables(workloadVariables), ones(workloadVariables)
			for i, sum := range sums {
				op := leaf("sum", func() { sum.evaluate(got) }, sum.accesses(vars)...)
				op.Host = form == 1 && i%10 == 0
				if form == 2 {
					bulk.Push(op)
				} else {
					s.Push(op)
				}
			}
			s.requireDone()
			require.Equal(t, want, got, "repeat %d, form %d", repeat, form)
			require.NoError(t, s.Close(context.Background()))
		}
	}
}

// longPushers takes the serial run from the order in which the engine took the pushes, which each notes as it pushes: the
// pushers share all variables.
func longPushers(t *testing.T, new factory) {
	for repeat := range uint64(longRepeats) {
		s := start(t, new)
		vars, got := s.variables(workloadVariables), ones(workloadVariables)
		var all sync.WaitGroup
		var pushed []sum
		for pusher := range uint64(pushers) {
			sums := randomWorkload(rand.New(rand.NewPCG(100*repeat+pusher, 12)), workloadLength/pushers, workloadVariables)
			all.Go(func() {
				for _, sum := range sums {
					op := leaf("sum", func() { sum.evaluate(got) }, sum.accesses(vars)...)
					s.Atomically(func(p engine.Pusher) {
						p.Push(op)
						pushed = append(pushed, sum)
					})
				}
			})
		}
		all.Wait()
		s.requireDone()
		want := ones(workloadVariables)
		for _, sum := range pushed {
			sum.evaluate(want)
		}
		require.Len(t, pushed, workloadLength)
		require.Equal(t, want, got, "repeat %d", repeat)
	}
}

// longRanges is RandSumExpr on parts of arrays: 100 elements of four of them.
func longRanges(t *testing.T, new factory) {
	const arrays = 4
	for repeat := range uint64(longRepeats) {
		s := start(t, new)
		vars := s.variables(arrays)
		want, got := ones(workloadVariables), ones(workloadVariables)
		place := func(element int) (v *engine.Var, lo, hi int) {
			return vars[element%arrays], element / arrays * 8, element/arrays*8 + 8
		}
		for _, sum := range randomWorkload(rand.New(rand.NewPCG(repeat, 13)), workloadLength, workloadVariables) {
			// All accesses of one variable make one interval, so few reads leave more to run in parallel.
			sum.reads = sum.reads[:2]
			sum.evaluate(want)
			op := leaf("sum", func() { sum.evaluate(got) })
			for _, element := range sum.reads {
				v, lo, hi := place(element)
				op.Accesses = append(op.Accesses, part(read(v), lo, hi))
			}
			v, lo, hi := place(sum.write)
			op.Accesses = append(op.Accesses, part(write(v), lo, hi))
			s.Push(op)
		}
		s.requireDone()
		require.Equal(t, want, got, "repeat %d", repeat)
	}
}

// flatMemory pushes ten million operations on three arrays. What the engine keeps must not depend on how many there were.
func flatMemory(t *testing.T, new factory, inError bool) {
	const count, growth = 10_000_000, 64 << 20
	s := start(t, new)
	vars := s.variables(3)
	if inError {
		for _, v := range vars {
			s.Push(failing("root", errBroken, write(v)))
		}
	}
	var operators [9]*engine.Operation
	var ran [3]int
	for i := range operators {
		from, to := i/3, i%3
		operators[i] = s.NewOperator(*leaf("count", func() { ran[to]++ }, read(vars[from]), update(vars[to])))
	}
	random := rand.New(rand.NewPCG(14, 15))
	started := heap()
	for i := range count {
		if operator := operators[random.IntN(len(operators))]; i%100 > 0 {
			s.Push(operator)
		} else {
			fresh := *leaf("count", func() { ran[0]++ }, read(vars[1]), update(vars[0]))
			s.Push(&fresh)
		}
		if i%(count/10) == count/20 {
			require.Less(t, heap(), started+growth, "after %d operations", i)
		}
	}
	err := s.waitAll()
	require.Equal(t, inError, errors.Is(err, errBroken))
	require.Less(t, heap(), started+growth)
	total := ran[0] + ran[1] + ran[2]
	if inError {
		require.Zero(t, total)
		require.NotErrorIs(t, err, fault.ErrPanic)
		return
	}
	require.NoError(t, err)
	require.Equal(t, count, total)
}

// heap returns how many bytes of the heap are in use.
func heap() uint64 {
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return memory.HeapAlloc
}
