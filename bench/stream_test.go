package bench

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
)

// Blocks of operations are pushed while their variables are busy: small ones where the pushes are measured, as they would
// be in flight, large ones where what follows is, so that the beginning and the end do not count.
const (
	pushBlock  = 2 * engine.DefaultLimit
	drainBlock = 4 * engine.DefaultLimit
)

// cell is what stands behind a variable. As a Function it is the smallest one that betrays a lost operation.
type cell struct {
	writes int
	_      [56]byte // a cache line of its own
}

// Run implements engine.Function.
func (c *cell) Run(*engine.RunContext) error {
	c.writes++
	return nil
}

// pattern says which variables the i-th operation of a benchmark touches; each writes one.
type pattern struct {
	variables int
	operators int // that are made, and pushed in turn
	accesses  func(vars []*engine.Var, i int) (list []engine.Access, written int)
}

var (
	chain       = pattern{1, 1, func(vars []*engine.Var, _ int) ([]engine.Access, int) { return update(vars, 0) }}
	independent = pattern{8192, 8192, func(vars []*engine.Var, i int) ([]engine.Access, int) { return update(vars, i%8192) }}
	add64       = pattern{64, 512, func(vars []*engine.Var, i int) ([]engine.Access, int) {
		a, b, c := add64At(i)
		return []engine.Access{{Var: vars[a], Mode: engine.Read}, {Var: vars[b], Mode: engine.Read}, {Var: vars[c], Mode: engine.Write}}, c
	}}
)

func update(vars []*engine.Var, i int) ([]engine.Access, int) {
	return []engine.Access{{Var: vars[i], Mode: engine.Update}}, i
}

// add64At returns three different numbers below 64, pseudo-random (the finalizer of SplitMix64; Steele, Lea and Flood,
// 2014). peers/peer.hpp has the same.
func add64At(i int) (a, b, c int) {
	x := uint64(i) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	a = int(x % 64)
	return a, (a + 1 + int(x>>8%31)) % 64, (a + 32 + int(x>>16%32)) % 64
}

// stream is an engine, and the operations that one benchmark pushes to it.
type stream struct {
	engine.Engine
	pattern
	vars      []*engine.Var
	cells     []cell
	operators []*engine.Operation
}

func newStream(b *testing.B, name string, p pattern, opts ...engine.Option) *stream {
	e, err := engine.New(name, opts...)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, e.Close(context.Background())) })
	s := &stream{Engine: e, pattern: p, vars: make([]*engine.Var, p.variables), cells: make([]cell, p.variables)}
	for i := range s.vars {
		s.vars[i] = e.NewVar()
	}
	for i := range p.operators {
		s.operators = append(s.operators, e.NewOperator(*s.operation(i)))
	}
	return s
}

// operation makes the i-th operation as a caller would write it: two allocations.
func (s *stream) operation(i int) *engine.Operation {
	accesses, written := s.accesses(s.vars, i)
	return &engine.Operation{Name: "operation", Function: &s.cells[written], Accesses: accesses, Inline: true}
}

// push pushes operations from first on: those made before, or new ones.
func (s *stream) push(first, count int, allocating bool) {
	if allocating {
		for i := range count {
			s.Push(s.operation(first + i))
		}
		return
	}
	next := first % len(s.operators)
	for range count {
		s.Push(s.operators[next])
		if next++; next == len(s.operators) {
			next = 0
		}
	}
}

// hold keeps every variable busy until release is called. It returns when a function that waits for that runs.
func (s *stream) hold() (release func()) {
	started, gate := make(chan struct{}), make(chan struct{})
	op := &engine.Operation{Name: "gate", Host: true, Function: engine.FunctionOf(func(*engine.RunContext) error {
		close(started)
		<-gate
		return nil
	})}
	for _, v := range s.vars {
		op.Accesses = append(op.Accesses, engine.Access{Var: v, Mode: engine.Update})
	}
	s.Push(op)
	<-started
	return func() { close(gate) }
}

func (s *stream) drain(b *testing.B) { require.NoError(b, s.WaitAll(context.Background())) }

// measure runs b.N operations at once.
func (s *stream) measure(b *testing.B, run func(first, count int)) {
	b.ReportAllocs()
	b.ResetTimer()
	run(0, b.N)
	b.StopTimer()
	s.check(b)
}

// held runs b.N operations in blocks that are pushed while their variables are busy. It measures the pushes, or what
// follows when the variables are free. The benchmark's own timer would stop all goroutines whenever it starts and stops, and the threads of
// the workers with them.
func (s *stream) held(b *testing.B, block int, allocating, pushes bool) {
	b.ReportAllocs()
	b.ResetTimer()
	measured := time.Duration(0)
	for first := 0; first < b.N; first += block {
		release := s.hold()
		start := time.Now()
		s.push(first, min(block, b.N-first), allocating)
		pushed := time.Now()
		release()
		s.drain(b)
		if pushes {
			measured += pushed.Sub(start)
		} else {
			measured += time.Since(pushed)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(measured.Nanoseconds())/float64(b.N), "ns/op")
	s.check(b)
}

// check fails if an operation was lost.
func (s *stream) check(b *testing.B) {
	ran := 0
	for i := range s.cells {
		ran += s.cells[i].writes
	}
	require.Equal(b, b.N, ran, "operations that ran")
}
