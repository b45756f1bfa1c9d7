package engine

import (
	"cmp"
	"errors"
	"runtime"
	"slices"

	"github.com/weft-nd/weft/fault"
)

// poison is the errors of one variable: a list of failures, each of a part, in the order in which their operations were pushed,
// so that it does not depend on which of two ended first. It is immutable.
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
func (f failure) without(a access) (left []failure) {
	switch {
	case a.whole():
		return nil
	case f.whole() || !f.meets(a):
		return []failure{f}
	}
	if f.lo < a.lo {
		before := f
		before.hi = a.lo
		left = append(left, before)
	}
	if a.hi < f.hi {
		behind := f
		behind.lo = a.hi
		left = append(left, behind)
	}
	return left
}

// meets reports whether a byte of f belongs to a.
func (f *failure) meets(a access) bool {
	return a.whole() || f.whole() || f.lo < a.hi && a.lo < f.hi
}

// ledger counts, for each root error, the failures of variables in use that it caused, so that WaitAll tells what is wrong
// and stays silent about what nobody can see any more. Guarded by core.mu.
type ledger map[*Error]*cause

// cause is how often a root error sticks, and the number of the first operation that it stuck to.
type cause struct {
	failures int
	first    uint64
}

func (l ledger) remember(failures []failure) {
	for _, f := range failures {
		if l[f.root] == nil {
			l[f.root] = &cause{first: f.number}
		}
		l[f.root].failures++
	}
}

func (l ledger) forget(failures []failure) {
	for _, f := range failures {
		if l[f.root].failures--; l[f.root].failures == 0 {
			delete(l, f.root)
		}
	}
}

// join returns all root errors, in the order of their operations.
func (l ledger) join() error {
	all := make([]error, 0, len(l))
	for root := range l {
		all = append(all, root)
	}
	slices.SortFunc(all, func(a, b error) int { return cmp.Compare(l[a.(*Error)].first, l[b.(*Error)].first) })
	return errors.Join(all...)
}

// setError makes err, of the operation with the given number, stick to what a has written, in place of what stuck there; nil
// cures it. The caller holds core.mu.
func (c *core) setError(a *Access, err *Error, number uint64) {
	v := a.Var
	var failures []failure
	if old := v.poison.Load(); old != nil {
		failures = without(old.failures, a.access())
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
	c.errors.remember(failures)
	p := &poison{failures: failures}
	p.cleanup = runtime.AddCleanup(v, func(lost []failure) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.errors.forget(lost)
	}, failures)
	v.poison.Store(p)
}

// inError reports whether an error sticks to v, or to a part of it.
func (v *Var) inError() bool { return v.poison.Load() != nil }

// touchesErrors reports whether a variable of op, which has no task, is in error.
func (op *Operation) touchesErrors() bool {
	for i := range op.Accesses {
		if op.Accesses[i].Var.inError() {
			return true
		}
	}
	return false
}

// touchesErrors reports whether a variable of t is in error.
func (t *task) touchesErrors() bool {
	nodes := t.nodes()
	for i := range nodes {
		if nodes[i].variable.inError() {
			return true
		}
	}
	return false
}

// inputsInError reports whether t reads a variable in error: whether one of its operations might inherit that.
func (t *task) inputsInError() bool {
	nodes := t.nodes()
	for i := range nodes {
		if n := &nodes[i]; n.mode != Write && n.variable.inError() {
			return true
		}
	}
	return false
}

// inputError returns the error that op, of the task t, inherits from the first variable in error whose contents it reads, or
// nil. If several errors stick to what it reads there, it is the latest. An operation pushed after op may have failed already,
// where the variable has too many failures to tell its parts apart: that error is not inherited. The caller holds core.mu if t
// was launched behind others.
func (t *task) inputError(op *Operation, number uint64, site *fault.Site) *Error {
	for i := range op.Accesses {
		a := &op.Accesses[i]
		if a.Mode == Write {
			continue
		}
		p := a.Var.poison.Load()
		if p == nil {
			continue
		}
		for j := len(p.failures) - 1; j >= 0; j-- {
			if f := &p.failures[j]; f.meets(a.access()) && (f.whole() || !a.replacesPart()) && f.since < number && !t.awaitsCure(a, f) {
				return f.err.Follow(op.describe(site))
			}
		}
	}
	return nil
}

// awaitsCure reports whether t was launched behind writes, directly or through others, that are not done and will cure what a
// reads of f: then it is known only when t ends whether it inherits the error.
func (t *task) awaitsCure(a *Access, f *failure) bool {
	if !t.follows() {
		return false
	}
	left := []failure{*f}
	seen := map[*staging]bool{}
	var visit func(s *staging)
	visit = func(s *staging) {
		for _, earlier := range s.after {
			if earlier.done || seen[earlier] { // What a task that is done followed is done.
				continue
			}
			seen[earlier] = true
			op := earlier.task.operation
			for i := range op.Accesses {
				if b := &op.Accesses[i]; b.Var == a.Var && b.cures() {
					left = without(left, b.access())
				}
			}
			visit(earlier)
		}
	}
	visit(t.staging())
	return !slices.ContainsFunc(left, func(f failure) bool { return f.meets(a.access()) })
}

// without returns what is left of failures where a has written something else.
func without(failures []failure, a access) (left []failure) {
	for _, f := range failures {
		left = append(left, f.without(a)...)
	}
	return left
}
