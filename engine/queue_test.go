package engine

import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQueueIsFirstInFirstOut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var q queue
	var want []*Operation
	for range 10_000 {
		switch random.IntN(4) {
		case 0, 1:
			op := &Operation{}
			q.add(op)
			want = append(want, op)
		case 2:
			var more queue
			for range random.IntN(4) {
				op := &Operation{}
				more.add(op)
				want = append(want, op)
			}
			q.append(more)
		case 3:
			for range random.IntN(5) {
				op := q.take()
				if len(want) == 0 {
					require.Nil(t, op)
					continue
				}
				require.Same(t, want[0], op)
				require.Nil(t, op.next)
				want = want[1:]
			}
		}
	}
	for _, op := range want {
		require.Same(t, op, q.take())
	}
	require.Equal(t, queue{}, q)
}

func TestPriorityQueueOrdersByUrgencyPriorityAndAge(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var q priorityQueue
	var all []*Operation
	for i := range uint64(1000) {
		op := &Operation{Priority: random.IntN(7) - 3, Property: []Property{Normal, Prioritized, CopyToDevice}[random.IntN(3)], number: i}
		all = append(all, op)
		heap.Push(&q, op)
	}
	urgency := func(op *Operation) int {
		if op.Property == Prioritized {
			return 100
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b *Operation) int { return urgency(b) + b.Priority - urgency(a) - a.Priority })
	for _, op := range all {
		require.Same(t, op, heap.Pop(&q))
	}
	require.Zero(t, q.Len())
}
