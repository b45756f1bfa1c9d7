package enginetest

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/parallel"
)

var priorities = []property{
	{"PrioritiesAndPropertiesDoNotChangeResults", prioritiesKeepResults},
	{"HigherPrioritiesStarveNobody", nobodyStarves},
}

func prioritiesKeepResults(t *testing.T, new factory) {
	s := start(t, new)
	properties := []engine.Property{engine.Normal, engine.CopyFromDevice, engine.CopyToDevice, engine.Prioritized, engine.NoSkip}
	random := rand.New(rand.NewPCG(7, 8))
	sums := randomWorkload(random, workloadLength, workloadVariables)
	want, got := ones(workloadVariables), ones(workloadVariables)
	vars := s.variables(workloadVariables)
	for _, sum := range sums {
		sum.evaluate(want)
		op := leaf("sum", func() { sum.evaluate(got) }, sum.accesses(vars)...)
		op.Property, op.Priority = properties[random.IntN(len(properties))], random.IntN(7)-3
		op.Host = random.IntN(20) == 0
		s.Push(op)
	}
	s.requireDone()
	require.Equal(t, want, got)
}

// nobodyStarves keeps leaves of higher priority pending until the one that comes last of all has run.
func nobodyStarves(t *testing.T, new factory) {
	const pending = 1000
	for _, property := range []engine.Property{engine.Normal, engine.CopyToDevice} {
		pool := parallel.New(1)
		t.Cleanup(pool.Close)
		s := start(t, new, engine.WithPool(pool), engine.WithLimit(10*pending))
		busy := Occupy(t, pool)
		var ran, high atomic.Int64
		low := leaf("low", func() { ran.Add(1) })
		low.Priority, low.Property = -100, property
		s.Push(low)
		for ran.Load() == 0 {
			for range pending - (high.Load() - int64(s.Stats().Done)) {
				op := leaf("high", nothing)
				op.Priority = 1 + int(high.Add(1))%50
				if op.Property = property; property == engine.Normal && op.Priority%2 == 0 {
					op.Property = engine.Prioritized
				}
				s.Push(op)
			}
			if busy != nil {
				busy.Release()
				busy = nil
			}
			runtime.Gosched()
		}
		if busy != nil {
			busy.Release()
		}
		s.requireDone()
	}
}
