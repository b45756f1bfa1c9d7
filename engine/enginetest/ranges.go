package enginetest

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
)

var ranges = []property{
	{"DisjointRangesRunTogether", disjointMeet},
	{"OverlappingRangesAreOrdered", overlapping},
	{"ARangeDoesNotOvertakeTheWhole", rangeBehindWhole},
	{"APartialWriteOrdersAllThatItOverlaps", spanning},
	{"AnErrorDoesNotReachOperationsPushedBefore", errorBehind},
	{"AFailureOfAPartIsNotSeenByOthers", partFails},
	{"FailuresOfManyPartsAreNotLost", manyPartsFail},
}

func disjointMeet(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	meet := rendezvous(4)
	s.Push(hosted("low", meet, part(write(v), 0, 10)))
	s.Push(hosted("middle", meet, part(update(v), 10, 20)))
	s.Push(hosted("high", meet, part(read(v), 20, 30)))
	s.Push(hosted("high too", meet, part(read(v), 25, 26)))
	s.requireDone()
	require.Equal(t, uint64(2), v.Version())
}

// overlapping holds one access open and pushes another.
func overlapping(t *testing.T, new factory) {
	for _, c := range []struct {
		name          string
		first, second func(v *engine.Var) engine.Access
		ordered       bool
	}{
		{"last byte", partOf(engine.Write, 0, 10), partOf(engine.Write, 9, 12), true},
		{"neighbours", partOf(engine.Write, 0, 10), partOf(engine.Write, 10, 12), false},
		{"inside", partOf(engine.Update, 0, 10), partOf(engine.Read, 3, 4), true},
		{"around", partOf(engine.Read, 3, 4), partOf(engine.Write, 0, 10), true},
		{"readers", partOf(engine.Read, 0, 10), partOf(engine.Read, 0, 10), false},
		{"whole second", partOf(engine.Read, 3, 4), partOf(engine.Update, 0, 0), true},
		{"whole first", partOf(engine.Write, 0, 0), partOf(engine.Read, 3, 4), true},
		{"whole readers", partOf(engine.Read, 0, 0), partOf(engine.Read, 3, 4), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, new)
			v := s.NewVar()
			var mu sync.Mutex
			ran := false
			release := s.blocked(c.first(v))
			other := s.NewVar()
			s.Push(leaf("second", func() { mu.Lock(); ran = true; mu.Unlock() }, c.second(v), write(other)))
			if c.ordered {
				// What is pushed later and is free runs; the second one has had its chance.
				free := s.NewVar()
				s.Push(leaf("free", func() {}, write(free)))
				require.NoError(t, s.wait(free))
				mu.Lock()
				require.False(t, ran)
				mu.Unlock()
			} else {
				require.NoError(t, s.wait(other))
			}
			release()
			s.requireDone()
			require.True(t, ran)
		})
	}
}

func partOf(mode engine.Mode, lo, hi int) func(v *engine.Var) engine.Access {
	return func(v *engine.Var) engine.Access { return part(engine.Access{Var: v, Mode: mode}, lo, hi) }
}

func rangeBehindWhole(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	var order []string
	note := func(name string) func() { return func() { order = append(order, name) } }
	release := s.blocked(part(read(v), 0, 1))
	s.Push(leaf("whole", note("whole"), update(v)))
	s.Push(leaf("part", note("part"), part(update(v), 50, 60)))
	s.Push(leaf("whole", note("whole"), update(v)))
	release()
	s.requireDone()
	require.Equal(t, []string{"whole", "part", "whole"}, order)
}

func spanning(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	done := make([]bool, 8)
	gates := make([]func(), 8)
	for i := range gates {
		gate := make(chan struct{})
		gates[i] = func() { close(gate) }
		s.Push(hosted("part", func() { <-gate; done[i] = true }, part(write(v), 10*i, 10*i+10)))
	}
	var seen []bool
	s.Push(leaf("span", func() { seen = append(seen, done[2:6]...) }, part(read(v), 25, 55)))
	proof := s.NewVar()
	s.Push(leaf("proof", func() {}, part(read(v), 25, 55), write(proof)))
	for i := 5; i >= 2; i-- {
		gates[i]()
	}
	require.NoError(t, s.wait(proof))
	for _, i := range []int{0, 1, 6, 7} {
		gates[i]()
	}
	s.requireDone()
	require.Equal(t, []bool{true, true, true, true}, seen)
}

// errorBehind lets a write of one part fail before a reader of another part runs that was pushed earlier.
func errorBehind(t *testing.T, new factory) {
	s := start(t, new)
	v, gate, before, failed := s.NewVar(), s.NewVar(), s.NewVar(), s.NewVar()
	release := s.blocked(update(gate))
	s.Push(leaf("before", func() {}, part(read(v), 0, 10), read(gate), write(before)))
	s.Push(&engine.Operation{
		Name: "fails", Accesses: []engine.Access{part(update(v), 10, 20), write(failed)},
		Function: engine.FunctionOf(func(*engine.RunContext) error { return errBroken }),
	})
	require.ErrorIs(t, s.wait(failed), errBroken)
	release()
	require.NoError(t, s.wait(before))
	require.ErrorIs(t, s.wait(v), errBroken)
}

// partFails lets a write of one part fail and looks at others, pushed later.
func partFails(t *testing.T, new factory) {
	s := start(t, new)
	v, beside, across := s.NewVar(), s.NewVar(), s.NewVar()
	s.Push(failing("fails", errBroken, part(update(v), 10, 20)))
	s.Push(leaf("beside", func() {}, part(read(v), 20, 30), write(beside)))
	s.Push(leaf("across", func() { t.Error("it ran") }, part(read(v), 15, 25), write(across)))
	require.NoError(t, s.wait(beside))
	require.ErrorIs(t, s.wait(across), errBroken)
	require.ErrorIs(t, s.wait(v), errBroken)
	s.Push(leaf("half a cure", func() {}, part(write(v), 10, 15)))
	require.ErrorIs(t, s.wait(v), errBroken)
	s.Push(leaf("cured half", func() {}, part(read(v), 0, 15), write(beside)))
	require.NoError(t, s.wait(beside))
	s.Push(leaf("the other half", func() {}, part(write(v), 12, 40)))
	require.NoError(t, s.wait(v))
}

// manyPartsFail lets more parts fail than an engine needs to tell apart.
func manyPartsFail(t *testing.T, new factory) {
	s := start(t, new)
	v, w := s.NewVar(), s.NewVar()
	const parts = 1000
	for i := range parts {
		s.Push(failing("fails", errBroken, part(update(v), 10*i, 10*i+5)))
	}
	for i := range parts {
		s.Push(leaf("across", func() { t.Error("it ran") }, part(read(v), 10*i, 10*i+5), write(w)))
		require.ErrorIs(t, s.wait(w), errBroken)
	}
	s.Push(leaf("cure", func() {}, write(v)))
	require.NoError(t, s.wait(v))
	s.Push(leaf("cure", func() {}, write(w)))
	require.NoError(t, s.waitAll())
}
