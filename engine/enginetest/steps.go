package enginetest

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
)

var steps = []property{
	{"AtomicallyPushesWithoutOthersInBetween", togetherness},
	{"AtomicallyStartsNothingBeforeItReturns", startsLate},
	{"AtomicallySurvivesAPanic", panicInside},
}

func togetherness(t *testing.T, new factory) {
	const rounds, size = 100, 3
	s := start(t, new)
	v, w := s.NewVar(), s.NewVar()
	var order []int
	var all sync.WaitGroup
	for pusher := range crossers {
		all.Go(func() {
			for round := range rounds {
				var first, last *engine.Operation
				s.Atomically(func(p engine.Pusher) {
					for i := range size {
						op := leaf("append", func() { order = append(order, pusher) }, update(v))
						op.Host = (round+i)%10 == 0
						p.Push(op)
						if i == 0 {
							first = op
						}
						last = op
					}
				})
				if last.Accesses[0].Sequence != first.Accesses[0].Sequence+size-1 {
					t.Error("another operation came in between")
				}
				s.Push(leaf("other", nothing, read(v), update(w)))
			}
		})
	}
	all.Wait()
	s.requireDone()
	require.Len(t, order, crossers*rounds*size)
	for i := 0; i < len(order); i += size {
		for j := range size {
			require.Equal(t, order[i], order[i+j])
		}
	}
}

func startsLate(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	ran := 0
	s.Atomically(func(engine.Pusher) {})
	s.Atomically(func(p engine.Pusher) {
		for i := range 10 {
			op := leaf("count", func() { ran++ }, update(v))
			op.Host = i%2 == 0
			p.Push(op)
			if ran != 0 {
				t.Error("an operation started during registration")
			}
		}
	})
	s.requireDone()
	require.Equal(t, 10, ran)
}

func panicInside(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	ran := 0
	require.PanicsWithValue(t, "oh", func() {
		s.Atomically(func(p engine.Pusher) {
			p.Push(leaf("count", func() { ran++ }, update(v)))
			p.Push(leaf("count", func() { ran++ }, update(v)))
			panic("oh")
		})
	})
	s.requireDone()
	require.Equal(t, 2, ran)
	s.Atomically(func(p engine.Pusher) { p.Push(leaf("count", func() { ran++ }, update(v))) })
	s.requireDone()
	require.Equal(t, 3, ran)
}
