package enginetest

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
)

var orderings = []property{
	{"ReadersRunTogether", readersMeet},
	{"WritersExcludeEverybody", writersExclude},
	{"WritesRunInTheOrderOfTheirPushes", writesInOrder},
	{"AReaderSeesTheWriteBeforeIt", readersSeeWrites},
	{"AVariableNamedTwiceIsMerged", namedTwice},
	{"AnOperationWithoutVariablesRuns", noVariables},
	{"UnrelatedOperationsDoNotWait", unrelated},
}

// rendezvous returns a function that returns when n goroutines are in it.
func rendezvous(n int) (meet func()) {
	var all sync.WaitGroup
	all.Add(n)
	return func() {
		all.Done()
		all.Wait()
	}
}

func readersMeet(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	s.Push(leaf("write", func() {}, write(v)))
	meet := rendezvous(5)
	for range 5 {
		s.Push(hosted("reader", meet, read(v)))
	}
	s.requireDone()
}

func writersExclude(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	writers, readers := 0, 0
	var mu sync.Mutex
	occupy := func(mine *int, conflict func() bool) func() {
		return func() {
			mu.Lock()
			*mine++
			if conflict() {
				t.Error("a writer is not alone")
			}
			mu.Unlock()
			for range 100 {
				runtime.Gosched() // gives others the chance to be where they must not
			}
			mu.Lock()
			*mine--
			mu.Unlock()
		}
	}
	for i := range 400 {
		if i%3 == 0 {
			s.Push(hosted("writer", occupy(&writers, func() bool { return writers != 1 || readers != 0 }), update(v)))
		} else {
			s.Push(hosted("reader", occupy(&readers, func() bool { return writers != 0 }), read(v)))
		}
	}
	s.requireDone()
}

func writesInOrder(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	var order, want []int
	release := s.blocked(read(v))
	for i := range 1000 {
		want = append(want, i)
		op := leaf("append", func() { order = append(order, i) }, update(v))
		op.Host = i%7 == 0
		op.Priority = i % 5
		s.Push(op)
	}
	release()
	s.requireDone()
	require.Equal(t, want, order)
}

func readersSeeWrites(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	value := -1
	var seen [300]int
	for i := range seen {
		if i%3 == 0 {
			s.Push(leaf("write", func() { value = i }, write(v)))
		}
		s.Push(leaf("read", func() { seen[i] = value }, read(v)))
	}
	s.requireDone()
	for i := range seen {
		require.Equal(t, i-i%3, seen[i])
	}
}

func namedTwice(t *testing.T, new factory) {
	for _, c := range []struct {
		name           string
		accesses       func(v *engine.Var) []engine.Access
		writes, inputs bool
		cures          bool
	}{
		{"read, read", func(v *engine.Var) []engine.Access { return []engine.Access{read(v), read(v)} }, false, true, false},
		{"read, write", func(v *engine.Var) []engine.Access { return []engine.Access{read(v), write(v)} }, true, true, false},
		{"write, read", func(v *engine.Var) []engine.Access { return []engine.Access{write(v), read(v)} }, true, true, false},
		{"write, write", func(v *engine.Var) []engine.Access { return []engine.Access{write(v), write(v)} }, true, false, true},
		{"update, write, read", func(v *engine.Var) []engine.Access { return []engine.Access{update(v), write(v), read(v)} }, true, true, false},
		{"parts that are written", func(v *engine.Var) []engine.Access {
			return []engine.Access{part(write(v), 0, 4), part(write(v), 8, 12)}
		}, true, false, false},
		{"part and whole", func(v *engine.Var) []engine.Access { return []engine.Access{part(write(v), 0, 4), write(v)} }, true, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, new)
			v, ran := s.NewVar(), 0
			op := leaf("twice", func() { ran++ }, c.accesses(v)...)
			s.Push(op)
			s.requireDone()
			require.Equal(t, 1, ran)
			require.Equal(t, c.writes, v.Version() == 1)
			if c.writes {
				for _, a := range op.Accesses {
					require.Equal(t, uint64(1), a.Sequence, "one operation is one write")
				}
			}

			s.Push(failing("bad", errBroken, write(v)))
			require.ErrorIs(t, s.wait(v), errBroken)
			s.Push(leaf("twice", func() { ran++ }, c.accesses(v)...))
			require.Equal(t, c.cures, s.waitAll() == nil)
			require.Equal(t, c.inputs, ran == 1, "what is read too is an input")
		})
	}
}

func noVariables(t *testing.T, new factory) {
	s := start(t, new)
	meet := rendezvous(2)
	s.Push(hosted("alone", meet))
	s.Push(hosted("alone", meet))
	ran := false
	s.Push(leaf("alone", func() { ran = true }))
	s.requireDone()
	require.True(t, ran)
}

func unrelated(t *testing.T, new factory) {
	s := start(t, new)
	vars := s.variables(3)
	release := s.blocked(write(vars[0]))
	ran := 0
	s.Push(leaf("behind", func() { ran++ }, read(vars[0]), update(vars[1])))
	s.Push(leaf("free", func() { ran++ }, update(vars[2])))
	require.NoError(t, s.wait(vars[2]))
	require.Equal(t, 1, ran)
	release()
	s.requireDone()
	require.Equal(t, 2, ran)
}
