package engine

import (
	"errors"
	"runtime"
	"slices"
)

// poison is what is in error in one variable: a list of failures, each of a part, in the order in which their operations were
// pushed, so that it does not depend on which of two ended first. It is immutable.
type poison struct {
	failures []failure
	cleanup  runtime.Cleanup
}

// failure is the error that sticks to the bytes [lo, hi) of a variable, to all of them if hi is zero.
type failure struct {
	err    *Error
	root   *Error
	lo, hi int64
	number uint64 // of the operation that failed
	since  uint64 // number of the first operation whose failure is merged into this one
}

// maximumFailures bounds the failures that a variable tells apart; beyond it the latest stands for all of the variable.
const maximumFailures = 64

func (f *failure) whole() bool { return f.hi == 0 }

// without returns what is left of f where a has written something else. A failure of all of a variable is cured as a whole.
func (f failure) without(a *Access) (left []failure) {
	switch {
	case a.whole():
		return nil
	case f.whole() || !f.meets(a):
		return []failure{f}
	}
	if f.lo < a.Lo {
		before := f
		before.hi = a.Lo
		left = append(left, before)
	}
	if a.Hi < f.hi {
		behind := f
		behind.lo = a.Hi
		left = append(left, behind)
	}
	return left
}

// meets reports whether a byte of f belongs to a.
func (f *failure) meets(a *Access) bool {
	return a.whole() || f.whole() || f.lo < a.Hi && a.Lo < f.hi
}

// ledger counts, for each root error, the failures of variables in use that it caused, so that WaitAll tells what is wrong
// and stays silent about what nobody can see any more. Guarded by core.mu.
type ledger map[*Error]int

func (l ledger) forget(failures []failure) {
	for _, f := range failures {
		if l[f.root]--; l[f.root] == 0 {
			delete(l, f.root)
		}
	}
}

func (l ledger) join() error {
	all := make([]error, 0, len(l))
	for root := range l {
		all = append(all, root)
	}
	return errors.Join(all...)
}

// setError makes err, of the operation with the given number, stick to what a has written, in place of what stuck there; nil
// cures it. The caller holds core.mu.
func (c *core) setError(a *Access, err *Error, number uint64) {
	v := a.Var
	var failures []failure
	if old := v.poison.Load(); old != nil {
		for _, f := range old.failures {
			failures = append(failures, f.without(a)...)
		}
		old.cleanup.Stop()
		c.errors.forget(old.failures)
	}
	if err != nil {
		f := failure{err: err, root: err, lo: a.Lo, hi: a.Hi, number: number, since: number}
		if err.Root != nil {
			f.root = err.Root
		}
		later := slices.IndexFunc(failures, func(other failure) bool { return other.number > number })
		if later < 0 {
			later = len(failures)
		}
		failures = slices.Insert(failures, later, f)
	}
	if len(failures) > maximumFailures {
		failures = []failure{merged(failures)}
	}
	c.stick(v, failures)
}

// merged returns the latest failure as one of all of the variable, that lasts since the first of them.
func merged(failures []failure) failure {
	all := failures[len(failures)-1]
	all.lo, all.hi = 0, 0
	for _, f := range failures {
		all.since = min(all.since, f.since)
	}
	return all
}

// stick replaces what is in error in v.
func (c *core) stick(v *Var, failures []failure) {
	if len(failures) == 0 {
		v.poison.Store(nil)
		return
	}
	for _, f := range failures {
		c.errors[f.root]++
	}
	p := &poison{failures: failures}
	p.cleanup = runtime.AddCleanup(v, func(lost []failure) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.errors.forget(lost)
	}, failures)
	v.poison.Store(p)
}

// inputError returns the error that op inherits from a variable whose contents it reads, or nil. Where several stick to what
// it reads, that is the latest. An operation pushed later may have failed already, if the variable has too many failures to
// tell its parts apart: that error is not inherited. The caller holds core.mu if op was launched behind others.
func (op *Operation) inputError() *Error {
	for i := range op.Accesses {
		a := &op.Accesses[i]
		if a.merged || a.Mode == Write {
			continue
		}
		p := a.Var.poison.Load()
		if p == nil {
			continue
		}
		for j := len(p.failures) - 1; j >= 0; j-- {
			if f := &p.failures[j]; f.meets(a) && f.since < op.number && !op.awaitsCure(a.Var, f) {
				return f.err.Follow(op.describe())
			}
		}
	}
	return nil
}

// awaitsCure reports whether op was launched behind a write of v that is not done and will cure f: whether op inherits an
// error is known when op ends.
func (op *Operation) awaitsCure(v *Var, f *failure) bool {
	for _, earlier := range op.after {
		if earlier.done {
			continue
		}
		for i := range earlier.Accesses {
			a := &earlier.Accesses[i]
			if a.Var == v && a.Mode == Write && !a.merged && len(f.without(a)) == 0 {
				return true
			}
		}
	}
	return false
}
