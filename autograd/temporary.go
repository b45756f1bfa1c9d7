package autograd

import (
	"slices"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/storage"
)

// temporaries is the emitter of one backward pass. It keeps track of the memory that rules make and nobody else sees, and gives
// it back after its last use, before the collector would find it: that is half of what a training step makes.
type temporaries struct {
	ops.Eager
	site *fault.Site             // the user's line
	made []*storage.Synced       // since the last sweep
	uses map[*storage.Synced]int // by gradients on their way, of memory that was made here
	held []*storage.Synced       // that functions of the user's have seen, or returned, and may hold
}

// Emit implements ops.Emitter.
func (t *temporaries) Emit(op *ops.Operator, params any, inputs ...ops.Value) []ops.Value {
	outputs := t.Eager.Emit(op, params, inputs...)
	for _, out := range outputs {
		memory := memoryOf(out)
		isView := slices.ContainsFunc(inputs, func(in ops.Value) bool { return memoryOf(in) == memory })
		if !isView && !memory.IsSmall() {
			t.made, t.uses[memory] = append(t.made, memory), 0
		}
	}
	return outputs
}

func memoryOf(v ops.Value) *storage.Synced { return v.(*ops.Tensor).View().Synced }

// use counts a gradient that is on its way.
func (t *temporaries) use(gradient ops.Value) {
	memory := memoryOf(gradient)
	if _, ours := t.uses[memory]; ours {
		t.uses[memory]++
	}
}

// unuse counts one less.
func (t *temporaries) unuse(gradient ops.Value) {
	memory := memoryOf(gradient)
	if _, ours := t.uses[memory]; ours {
		t.uses[memory]--
		t.discardUnused(memory)
	}
}

// sweep discards what a rule has made on its way.
func (t *temporaries) sweep() {
	for _, memory := range t.made {
		t.discardUnused(memory)
	}
	t.made = t.made[:0]
}

func (t *temporaries) discardUnused(memory *storage.Synced) {
	if uses, ours := t.uses[memory]; ours && uses == 0 {
		delete(t.uses, memory)
		memory.Discard(t.site)
	}
}

// hold notes that a function of the user's may hold arrays.
func (t *temporaries) hold(arrays ...*nd.Array) {
	for _, a := range arrays {
		if a != nil {
			t.held = append(t.held, memoryOf((*ops.Tensor)(a)))
		}
	}
}

// show leaves the memory of gradients to the collector: a function of the user's sees them.
func (t *temporaries) show(gradients []ops.Value) {
	for _, gradient := range gradients {
		if gradient != nil {
			delete(t.uses, memoryOf(gradient))
		}
	}
}
