package ndarray

import (
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// temporaries are arrays that a function makes on its way to a result, and that nobody else sees. The function gives their
// memory back at its end, since the collector would find it only later. Small ones, for which that makes no difference, are
// left out.
type temporaries []*ops.Tensor

// add makes a one of them, and returns it.
func (t *temporaries) add(a *Array) *Array {
	if x := a.tensor(); !x.View().Synced.IsSmall() {
		*t = append(*t, x)
	}
	return a
}

// discard gives their memory back, but for that of the result and of what the function was given, which some may be views of.
func (t *temporaries) discard(result *Array, given ...*Array) *Array {
	if len(*t) == 0 {
		return result
	}
	site := fault.Here(2)
	for i, x := range *t {
		if !isShared(x, result.tensor(), (*t)[:i], given) {
			x.Discard(site)
		}
	}
	return result
}

// isShared reports whether x has the memory of any of the others.
func isShared(x, result *ops.Tensor, before []*ops.Tensor, given []*Array) bool {
	if x.SharesMemory(result) {
		return true
	}
	for _, other := range before {
		if x.SharesMemory(other) {
			return true
		}
	}
	for _, other := range given {
		if x.SharesMemory(other.tensor()) {
			return true
		}
	}
	return false
}
