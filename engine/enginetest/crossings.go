package enginetest

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var crossings = []property{
	{"CrossedWritesDoNotDeadlock", func(t *testing.T, new factory) { pairwise(t, new, true) }},
	{"EquallyOrderedWritesDoNotDeadlock", func(t *testing.T, new factory) { pairwise(t, new, false) }},
	{"CrossedReadsAndWritesDoNotDeadlock", crossedReads},
}

// roundsFor is how long properties that look for rare interleavings go on.
func roundsFor() time.Duration {
	if testing.Short() {
		return time.Second / 2
	}
	return 3 * time.Second / 2
}

const crossers = 16

func pairwise(t *testing.T, new factory, crossed bool) { pairwiseFor(t, new, crossed, roundsFor()/2) }

// pairwiseFor has every goroutine write the same two variables; every other one names them the other way round if crossed.
func pairwiseFor(t *testing.T, new factory, crossed bool, duration time.Duration) {
	s := start(t, new)
	vars := s.variables(2)
	var counts [2]int
	pushed := 0
	for began := time.Now(); time.Since(began) < duration; {
		var all sync.WaitGroup
		for pusher := range crossers {
			all.Go(func() {
				first, second := vars[0], vars[1]
				if crossed && pusher%2 == 1 {
					first, second = second, first
				}
				for range 10 {
					s.Push(leaf("both", func() { counts[0]++; counts[1]++ }, update(first), update(second)))
				}
			})
		}
		all.Wait()
		pushed += 10 * crossers
		s.requireDone()
		require.Equal(t, [2]int{pushed, pushed}, counts)
	}
}

// crossedReads pushes b = f(a) and a = g(b) at the same time.
func crossedReads(t *testing.T, new factory) {
	s := start(t, new)
	vars := s.variables(2)
	var values [2]int
	pushed := 0
	for began := time.Now(); time.Since(began) < roundsFor()/2; {
		var all sync.WaitGroup
		for pusher := range crossers {
			all.Go(func() {
				from, to := pusher%2, 1-pusher%2
				for range 10 {
					s.Push(leaf("step", func() { values[to] += 1 + values[from] - values[from] }, read(vars[from]), update(vars[to])))
				}
			})
		}
		all.Wait()
		pushed += 10 * crossers / 2
		s.requireDone()
		require.Equal(t, [2]int{pushed, pushed}, values)
	}
}
