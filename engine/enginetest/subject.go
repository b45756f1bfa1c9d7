package enginetest

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// subject is an engine under test, closed when its test ends.
type subject struct {
	engine.Engine
	t *testing.T
}

func start(t *testing.T, new factory, opts ...engine.Option) *subject {
	s := &subject{new(opts...), t}
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}

func read(v *engine.Var) engine.Access   { return engine.Access{Var: v, Mode: engine.Read} }
func write(v *engine.Var) engine.Access  { return engine.Access{Var: v, Mode: engine.Write} }
func update(v *engine.Var) engine.Access { return engine.Access{Var: v, Mode: engine.Update} }

// part restricts a to the bytes [lo, hi).
func part(a engine.Access, lo, hi int) engine.Access {
	a.Lo, a.Hi = int64(lo), int64(hi)
	return a
}

// function makes an operation's function of f.
func function(f func() error) engine.Function {
	return engine.FunctionOf(func(*engine.RunContext) error { return f() })
}

// leaf returns an operation of a function that cannot fail.
func leaf(name string, f func(), accesses ...engine.Access) *engine.Operation {
	run := function(func() error { f(); return nil })
	return &engine.Operation{Name: name, Function: run, Accesses: accesses, Site: fault.Here(1)}
}

// hosted returns a host function that cannot fail.
func hosted(name string, f func(), accesses ...engine.Access) *engine.Operation {
	op := leaf(name, f, accesses...)
	op.Host = true
	return op
}

// failing returns an operation that ends with err.
func failing(name string, err error, accesses ...engine.Access) *engine.Operation {
	op := leaf(name, nil, accesses...)
	op.Function = function(func() error { return err })
	return op
}

func (s *subject) variables(n int) []*engine.Var {
	vars := make([]*engine.Var, n)
	for i := range vars {
		vars[i] = s.NewVar()
	}
	return vars
}

// wait returns the error that sticks to v when its writes are done.
func (s *subject) wait(v *engine.Var) error { return s.Wait(context.Background(), v) }

func (s *subject) waitAll() error { return s.WaitAll(context.Background()) }

// requireDone waits for everything and fails the test if a variable is in error.
func (s *subject) requireDone() {
	s.t.Helper()
	require.NoError(s.t, s.waitAll())
}

// blocked pushes a host function with the accesses that runs until release is called, at the latest when the test ends.
func (s *subject) blocked(accesses ...engine.Access) (release func()) {
	gate, release := s.gate()
	s.Push(hosted("gate", func() { <-gate }, accesses...))
	return release
}

// delete deletes v, which nothing uses, and returns when it is freed: by this goroutine, or by one that was in the engine before.
func (s *subject) delete(v *engine.Var) {
	freed := make(chan struct{})
	s.DeleteVar(v, func() { close(freed) })
	<-freed
}

// gate returns a channel that release closes, at the latest when the test ends.
func (s *subject) gate() (gate chan struct{}, release func()) {
	gate = make(chan struct{})
	release = sync.OnceFunc(func() { close(gate) })
	s.t.Cleanup(release)
	return gate, release
}

// errorOf returns err as the error of an operation.
func errorOf(t *testing.T, err error) *engine.Error {
	t.Helper()
	var e *engine.Error
	require.ErrorAs(t, err, &e)
	return e
}
