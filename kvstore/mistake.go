package kvstore

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// mistake panics with the error of a mistaken call, in the user's line.
func mistake(operator string, reason error, detail string, operands ...*nd.Array) {
	e := fault.Mistake(fault.Here(1), "kvstore."+operator, reason, detail, operands...)
	for _, a := range operands {
		e.Device = a.Device().String()
	}
	panic(e)
}

// checkArray fails if the value of key is nil or was released.
func checkArray(operator, key string, a *nd.Array) {
	name := fmt.Sprintf("the value of key %q ", key)
	if a == nil {
		mistake(operator, fault.ErrMisuse, name+"is nil")
	}
	checkAccess(operator, name, a, engine.Read)
}

// checkMade fails unless s was made by NewLocal or NewDevice.
func (s *Store) checkMade(operator string) {
	if s == nil || s.entries == nil {
		mistake(operator, fault.ErrMisuse, "the store is nil, or not made by NewLocal or NewDevice")
	}
}

// checkOpen fails if s is closed. The caller has locked s.
func (s *Store) checkOpen(operator string) {
	if s.closed {
		mistake(operator, fault.ErrClosed, "the store is closed")
	}
}

// check fails unless a, which errors call by the given name, has the shape and dtype of e, belongs to its engine, and can be read or,
// unless mode is engine.Read, written.
func (e *entry) check(operator, name string, a *nd.Array, mode engine.Mode) {
	name += fmt.Sprintf(" of key %q ", e.key)
	switch {
	case a == nil:
		mistake(operator, fault.ErrMisuse, name+"is nil")
	case !slices.Equal(a.Shape(), e.stored.Shape()):
		mistake(operator, fault.ErrShape, fmt.Sprintf("%shas shape %s, want %s", name, fault.FormatShape(a.Shape()), fault.FormatShape(e.stored.Shape())), a)
	case a.DType() != e.stored.DType():
		mistake(operator, fault.ErrDType, fmt.Sprintf("%sholds %v, want %v", name, a.DType(), e.stored.DType()), a)
	case a.Env().Engine() != e.home.Engine():
		mistake(operator, fault.ErrDevice, name+"belongs to another engine than the store", a)
	}
	checkAccess(operator, name, a, mode)
}

// checkAccess fails if a, which errors call by the given name, cannot be read or, unless mode is engine.Read, written.
func checkAccess(operator, name string, a *nd.Array, mode engine.Mode) {
	err := nd.Try(func() { (*ops.Tensor)(a).CheckAccess(operator, mode, fault.Here(1)) })
	var problem *nd.Error
	if errors.As(err, &problem) {
		mistake(operator, problem.Cause, name+"cannot be used: "+problem.Detail, a)
	}
}

// checkEach fails unless there is one array for each device, on that device, which e.check finds good.
func (s *Store) checkEach(operator string, e *entry, arrays []*nd.Array, mode engine.Mode) {
	if len(arrays) != len(s.places) {
		mistake(operator, fault.ErrDevice, fmt.Sprintf("%d arrays of key %q given for %d devices", len(arrays), e.key, len(s.places)))
	}
	for i, a := range arrays {
		e.check(operator, fmt.Sprintf("array %d", i), a, mode)
		if want := s.places[i].Device(); a.Device() != want {
			mistake(operator, fault.ErrDevice, fmt.Sprintf("array %d of key %q is on %v, want %v", i, e.key, a.Device(), want), a)
		}
	}
}

// sorted returns the entries by their keys.
func (s *Store) sorted() []*entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.SortedFunc(maps.Values(s.entries), func(a, b *entry) int { return cmp.Compare(a.key, b.key) })
}
