package data

import (
	"fmt"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/resource"
)

// LoaderState is where a Loader stands within an iteration; the zero LoaderState is between two. encoding/json keeps it exactly.
type LoaderState struct {
	Order resource.Ticket // of the order of the samples, if the loader shuffles
	Given int             // batches of the iteration that were given
}

// State returns where the iteration that began last stands, the batch given last included: within a loop over Batches, when the
// batch has been dealt with, it is what SetState needs to go on with the next one. An iteration that was left early keeps its
// state until another begins; after one that came to its end the state is zero. It may be called from any goroutine.
//
// The generator of Shuffle has a state of its own, on which the orders of further iterations depend.
func (l *Loader) State() LoaderState {
	l.mu.Lock()
	defer l.mu.Unlock()
	return *l.current
}

// SetState makes the next iteration go on from a state of a loader with the same options and data set: it gives the batches that
// were left, in the same order, without drawing from the generator; none if all were given. Iterations after it are whole. A number
// of batches that the loader does not have is an *nd.Error with the cause fault.ErrParameter, and changes nothing.
func (l *Loader) SetState(s LoaderState) error {
	if s.Given < 0 || s.Given > l.Len() {
		return &nd.Error{
			Operator: "data.Loader.SetState", Detail: fmt.Sprintf("%d batches given of %d", s.Given, l.Len()), Cause: fault.ErrParameter, Site: fault.Here(1),
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current, l.resumed = &s, s != LoaderState{}
	return nil
}

// begin returns where an iteration that begins now starts, where SetState tells or before the first batch of a new order, and its
// position, for move.
func (l *Loader) begin() (position *LoaderState, at LoaderState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.resumed {
		l.current = &LoaderState{}
		if l.shuffle != nil {
			l.current.Order = l.shuffle.Generator().Next()
		}
	}
	l.resumed = false
	return l.current, *l.current
}

// move changes the position of an iteration. Each has its own, so that one that began later keeps State to itself.
func (l *Loader) move(position *LoaderState, to LoaderState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*position = to
}
