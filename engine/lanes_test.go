package engine

import (
	"container/heap"
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// preferred is the definition of the order of ready tasks: negative if a comes before b.
func preferred(a, b *task) int {
	urgency := func(t *task) int {
		if t.operation.Property == Prioritized {
			return 100
		}
		return 0
	}
	return urgency(b) + b.operation.Priority - urgency(a) - a.operation.Priority
}

// randomTask returns a task of any priority and property but those of copies.
func randomTask(random *rand.Rand, number uint64) *task {
	property := []Property{Normal, Normal, Prioritized, NoSkip}[random.IntN(4)]
	return &task{operation: &Operation{Priority: random.IntN(7) - 3, Property: property}, number: number}
}

func TestPriorityQueueOrdersByUrgencyPriorityAndAge(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var q priorityQueue
	var all []*task
	for i := range uint64(1000) {
		all = append(all, randomTask(random, i))
		heap.Push(&q, all[i])
	}
	slices.SortStableFunc(all, preferred)
	for _, next := range all {
		require.Same(t, next, heap.Pop(&q))
	}
	require.Zero(t, q.Len())
}

// TestALaneOrdersAsASortDoesButForTheOldest compares each task taken with a list that is searched.
func TestALaneOrdersAsASortDoesButForTheOldest(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 3))
		var l lane
		var waiting []*task // oldest first
		number, preferences := uint64(0), 0
		for step := range 2000 {
			growth := 3
			if step > 1000 {
				growth = 1
			}
			switch {
			case random.IntN(5) < growth:
				number++
				next := randomTask(random, number)
				waiting = append(waiting, next)
				l.add(next)
			case len(waiting) == 0:
				require.Nil(t, l.take())
			default:
				want := slices.MinFunc(waiting, preferred) // the first of equals
				if slices.ContainsFunc(waiting, isSorted) {
					if preferences++; preferences > ageing {
						want, preferences = waiting[0], 0
					}
				}
				require.Same(t, want, l.take(), "seed %d, step %d", seed, step)
				waiting = slices.DeleteFunc(waiting, func(other *task) bool { return other == want })
			}
			require.Equal(t, len(waiting), l.length())
			require.Equal(t, slices.ContainsFunc(waiting, func(next *task) bool { return preferred(next, &task{operation: &Operation{}}) < 0 }), l.urgent())
		}
	}
}

// isSorted reports whether the order of t in a lane is not only that in which it became ready.
func isSorted(t *task) bool { return preferred(t, &task{operation: &Operation{}}) != 0 }

// TestTheOldestTaskOfALaneWaitsBehindABoundedNumber keeps a lane full of tasks that come before the oldest.
func TestTheOldestTaskOfALaneWaitsBehindABoundedNumber(t *testing.T) {
	ofPriority := func(priority int, property Property) *Operation {
		return &Operation{Priority: priority, Property: property}
	}
	for _, c := range []struct {
		name            string
		oldest, younger *Operation
	}{
		{"plain behind prioritized", ofPriority(0, Normal), ofPriority(0, Prioritized)},
		{"plain behind a priority", ofPriority(0, Normal), ofPriority(1, Normal)},
		{"negative behind plain", ofPriority(-1, Normal), ofPriority(0, Normal)},
		{"negative behind priorities", ofPriority(-5, Normal), ofPriority(-4, NoSkip)},
		{"priority behind prioritized", ofPriority(1<<40, Normal), ofPriority(-1<<40, Prioritized)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l lane
			number := uint64(0)
			add := func(op *Operation) {
				number++
				l.add(&task{operation: op, number: number})
			}
			for range 20 {
				add(c.oldest)
				oldest := number
				waited := 0
				for add(c.younger); ; waited++ {
					add(c.younger)
					if l.take().number == oldest {
						break
					}
				}
				require.LessOrEqual(t, waited, ageing)
				for l.length() > 0 {
					l.take()
				}
			}
		})
	}
}

// TestNoLeafWaitsBehindALongChain has one worker, which likes to go on with what it has just made ready.
func TestNoLeafWaitsBehindALongChain(t *testing.T) {
	for name, priority := range map[string]int{"of lower priority": -1, "of the same priority": 0} {
		t.Run(name, func(t *testing.T) {
			pool := parallel.New(1)
			defer pool.Close()
			e := NewPerDevice(WithPool(pool))
			require.NoError(t, e.Stop(context.Background()))
			const length = 3000
			v := e.NewVar()
			ran, behind := 0, 0
			link := FunctionOf(func(*RunContext) error { ran++; return nil })
			e.Push(&Operation{Name: "link", Function: link, Accesses: []Access{{Var: v, Mode: Update}}})
			e.Push(&Operation{Name: "alone", Function: FunctionOf(func(*RunContext) error { behind = ran; return nil }), Priority: priority})
			for range length {
				e.Push(&Operation{Name: "link", Function: link, Accesses: []Access{{Var: v, Mode: Update}}})
			}
			e.Start()
			require.NoError(t, e.Close(context.Background()))
			require.Equal(t, length+1, ran)
			require.LessOrEqual(t, behind, 2*max(ageing, burst))
		})
	}
}

// TestCopiesRunFirstUpToTheirQuota compares with the definition: copies come before kernels but for urgent ones, as long as
// fewer than the quota run or there is no kernel.
func TestCopiesRunFirstUpToTheirQuota(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 4))
		quota := 1 + random.IntN(3)
		h := hostLanes{device: device.CPU(0)}
		var copies, kernels, running []*task
		for number := range uint64(2000) {
			switch random.IntN(5) {
			case 0:
				next := &task{operation: &Operation{Property: []Property{CopyFromDevice, CopyToDevice}[random.IntN(2)]}, number: number}
				copies = append(copies, next)
				h.add(next)
			case 1:
				next := &task{operation: &Operation{Property: []Property{Normal, Normal, NoSkip, Prioritized}[random.IntN(4)]}, number: number}
				kernels = append(kernels, next)
				h.add(next)
			case 2, 3:
				urgent := slices.ContainsFunc(kernels, isSorted)
				from := &kernels
				if len(copies) > 0 && !urgent && (len(running) < quota || len(kernels) == 0) {
					from = &copies
				}
				got := h.take(quota)
				if len(*from) == 0 {
					require.Nil(t, got)
					break
				}
				at := slices.Index(*from, got)
				require.GreaterOrEqual(t, at, 0, "seed %d, step %d", seed, number)
				*from = slices.Delete(*from, at, at+1)
				if from == &copies {
					require.Zero(t, at, "copies are first in, first out")
					running = append(running, got)
				}
			case 4:
				if len(running) > 0 { // As the engine does when a copy has ended.
					running = running[1:]
					h.copying--
				}
			}
			require.Equal(t, len(running), h.copying)
			require.Equal(t, []int{len(copies), len(kernels)}, []int{h.copies.length(), h.compute.length()})
		}
	}
}

// TestLeavesThatExitTheirGoroutineAreCountedOnce ends several functions of one task, and one of a copy, without a return.
func TestLeavesThatExitTheirGoroutineAreCountedOnce(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	e := NewPerDevice(WithPool(pool)).(*threaded)
	v := e.NewVar()
	e.Bulk(10, func(p Pusher) {
		for i := range 10 {
			p.Push(&Operation{Name: "leaf", Accesses: []Access{{Var: v, Mode: Write}}, Function: FunctionOf(func(*RunContext) error {
				if i%3 == 0 {
					runtime.Goexit()
				}
				return nil
			})})
		}
	})
	e.Push(&Operation{Name: "copy", Property: CopyToDevice, Function: FunctionOf(func(*RunContext) error { runtime.Goexit(); return nil })})
	require.ErrorIs(t, e.WaitAll(context.Background()), fault.ErrPanic, "the last of the bulk has failed")
	require.NoError(t, e.Close(context.Background()))
	require.Zero(t, e.busy)
	require.Zero(t, e.running)
	for _, lanes := range e.hosts {
		require.Zero(t, lanes.copying)
	}
	require.Equal(t, Stats{Pushed: 11, Done: 11, Failed: 5}, e.Stats())
}
