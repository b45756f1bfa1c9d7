package engine

import (
	"runtime"
	"sync"
	"weak"
)

// Guard keeps memory from being touched, in an engine with WithSanitizer, except while an operation runs that declares it. Its
// methods may be called from any goroutine. It must not keep a Var alive.
type Guard interface {
	// Open lets everybody read the bytes [lo, hi) of the memory, all of it if hi is zero, and write them too if write is set,
	// until Close is called with the same arguments. Several operations may have the same bytes open.
	Open(write bool, lo, hi int64)
	// Close ends one Open.
	Close(write bool, lo, hi int64)
}

// guards are the Guards of variables. They are no fields of these, which engines without WithSanitizer would look past.
var guards sync.Map // weak.Pointer[Var] → Guard

// SetGuard makes g open what operations that are started from now on declare of v, in place of the guard before. A Guard may be
// that of several variables. Without WithSanitizer it is never called.
func (v *Var) SetGuard(g Guard) {
	key := weak.Make(v)
	if _, known := guards.Swap(key, g); !known {
		runtime.AddCleanup(v, func(key weak.Pointer[Var]) { guards.Delete(key) }, key)
	}
}

// guard returns the Guard of v, nil if there is none.
func (v *Var) guard() Guard {
	g, _ := guards.Load(weak.Make(v))
	guard, _ := g.(Guard)
	return guard
}

// opened is what was opened for an operation.
type opened []opening

type opening struct {
	guard  Guard
	write  bool
	lo, hi int64
}

// open opens what op declares.
func (op *Operation) open() (all opened) {
	for i := range op.Accesses {
		a := &op.Accesses[i]
		if g := a.Var.guard(); g != nil {
			g.Open(a.Mode != Read, a.Lo, a.Hi)
			all = append(all, opening{g, a.Mode != Read, a.Lo, a.Hi})
		}
	}
	return all
}

func (all opened) close() {
	for _, o := range all {
		o.guard.Close(o.write, o.lo, o.hi)
	}
}
