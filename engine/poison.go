package engine

import (
	"errors"
	"runtime"
)

// poison is the error that sticks to one variable.
type poison struct {
	err     *Error
	root    *Error
	since   uint64          // number of the first operation that failed
	cleanup runtime.Cleanup // forgets the variable when it is collected in error
}

// ledger counts, for each root error, the variables in use that carry it, so that WaitAll tells what is wrong and stays
// silent about what nobody can see any more. Guarded by core.mu.
type ledger map[*Error]int

func (l ledger) forget(root *Error) {
	if l[root]--; l[root] == 0 {
		delete(l, root)
	}
}

func (l ledger) join() error {
	all := make([]error, 0, len(l))
	for root := range l {
		all = append(all, root)
	}
	return errors.Join(all...)
}

// setError makes err, of the operation with the given number, stick to v; nil cures v. The caller holds core.mu.
func (c *core) setError(v *Var, err *Error, number uint64) {
	if old := v.poison.Load(); old != nil {
		number = min(number, old.since)
		old.cleanup.Stop()
		c.errors.forget(old.root)
		v.poison.Store(nil)
	}
	if err == nil {
		return
	}
	root := err
	if err.Root != nil {
		root = err.Root
	}
	c.errors[root]++
	p := &poison{err: err, root: root, since: number}
	p.cleanup = runtime.AddCleanup(v, func(root *Error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.errors.forget(root)
	}, root)
	v.poison.Store(p)
}

// inputError returns the error that op inherits from a variable whose contents it reads, or nil. An operation pushed later
// that writes another part of the variable may have failed already: that error is not inherited. The caller holds core.mu if
// op was launched behind others.
func (op *Operation) inputError() *Error {
	for i := range op.Accesses {
		a := &op.Accesses[i]
		if a.merged || a.Mode == Write {
			continue
		}
		if p := a.Var.poison.Load(); p != nil && p.since < op.number && !op.awaitsCure(a.Var) {
			return p.err.Follow(op.describe())
		}
	}
	return nil
}

// awaitsCure reports whether op was launched behind a write of v that is not done: then the error of v is an old one, and
// whether op inherits one is known when op ends.
func (op *Operation) awaitsCure(v *Var) bool {
	for _, earlier := range op.after {
		if earlier.done {
			continue
		}
		for i := range earlier.Accesses {
			if a := &earlier.Accesses[i]; a.Var == v && a.Mode == Write && a.whole() && !a.merged {
				return true
			}
		}
	}
	return false
}
