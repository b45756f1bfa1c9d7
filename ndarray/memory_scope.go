package ndarray

import "github.com/weft-nd/weft/ops"

// MemoryScope gives the memory of a part of a program back at its end, without waiting for the collector. Until then it
// holds that of all arrays which were made in it and not kept, those that the program has dropped among them, and a
// record of those that were released. All methods may be called from any goroutine.
type MemoryScope struct{ scope *ops.MemoryScope }

// WithMemoryScope returns an Env whose arrays belong to a new scope, as do the results of operators with an operand in that
// Env; where the operands have two scopes, to the inner one, or to that of the first operand if neither is within the other. An
// Env that has a scope already gets an inner one.
func WithMemoryScope(env *Env) (*Env, *MemoryScope) {
	checkEnv("WithMemoryScope", env)
	derived, scope := env.WithMemoryScope()
	return derived, &MemoryScope{scope}
}

// Keep takes the memory of the arrays out of the scope: it belongs to the outer scope from now on, or to the collector. Arrays
// that are not of the scope are left as they are.
func (m *MemoryScope) Keep(arrays ...*Array) {
	for _, a := range arrays {
		checkNotNil("Keep", a)
		m.scope.Keep(a.tensor())
	}
}

// Close releases the arrays of the scope that were not kept, as Array.Release does: when the operators called so far are done.
// Using one of them later panics with fault.ErrReleased. Those that a live tape has saved are left to the collector. What
// is made later in the Env, or with arrays that were kept, belongs to the outer scope, or to the collector. Closing again does
// nothing.
func (m *MemoryScope) Close() { m.scope.Close() }
