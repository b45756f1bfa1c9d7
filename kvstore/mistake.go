package kvstore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// mistake panics with the error of a mistaken call, in the user's line.
func mistake(operator string, reason error, detail string, operands ...*nd.Array) {
	e := &nd.Error{Operator: "kvstore." + operator, Detail: detail, Cause: reason, Site: fault.Here(1)}
	for _, a := range operands {
		e.Shapes, e.DTypes = append(e.Shapes, a.Shape()), append(e.DTypes, a.DType())
		e.Device = a.Device().String()
	}
	panic(e)
}

// checkArray fails if the value of key is nil.
func checkArray(operator, key string, a *nd.Array) {
	if a == nil {
		mistake(operator, fault.ErrMisuse, fmt.Sprintf("the value of key %q is nil", key))
	}
}

// checkOpen fails if s is closed. The caller has locked s.
func (s *Store) checkOpen(operator string) {
	if s.closed {
		mistake(operator, fault.ErrClosed, "the store is closed")
	}
}

// checkFits fails unless a, which errors call by the given name, has the shape and dtype of e, and belongs to its engine.
func (e *entry) checkFits(operator, name string, a *nd.Array) {
	switch of := fmt.Sprintf(" of key %q ", e.key); {
	case a == nil:
		mistake(operator, fault.ErrMisuse, name+of+"is nil")
	case !slices.Equal(a.Shape(), e.stored.Shape()):
		mistake(operator, fault.ErrShape, fmt.Sprintf("%s%shas shape %s, want %s", name, of, fault.FormatShape(a.Shape()), fault.FormatShape(e.stored.Shape())), a)
	case a.DType() != e.stored.DType():
		mistake(operator, fault.ErrDType, fmt.Sprintf("%s%sholds %v, want %v", name, of, a.DType(), e.stored.DType()), a)
	case a.Env().Engine() != e.home.Engine():
		mistake(operator, fault.ErrDevice, name+of+"belongs to another engine than the store", a)
	}
}

// checkEach fails unless there is one array for each device, on that device, which fits e.
func (s *Store) checkEach(operator string, e *entry, arrays []*nd.Array) {
	if len(arrays) != len(s.places) {
		mistake(operator, fault.ErrDevice, fmt.Sprintf("%d arrays of key %q given for %d devices", len(arrays), e.key, len(s.places)))
	}
	for i, a := range arrays {
		e.checkFits(operator, fmt.Sprintf("array %d", i), a)
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
