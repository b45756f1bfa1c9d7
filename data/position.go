package data

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/resource"
)

// LoaderState is where a Loader stands within an iteration, or, the zero LoaderState with Carried, between two. encoding/json
// keeps it exactly.
type LoaderState struct {
	Order   resource.Ticket // of the order of the samples, if the loader draws one
	Draws   resource.Ticket // of the random numbers of transforms, if there are any
	Given   int             // batches of the iteration that were given
	Carried []int           `json:",omitempty"` // samples of the iteration before that this one begins with, see RollOver
}

// begun reports whether s is within an iteration.
func (s LoaderState) begun() bool {
	return s.Given > 0 || s.Order != resource.Ticket{} || s.Draws != resource.Ticket{}
}

// State returns where the iteration that began last stands, the batch given last included: within a loop over Batches, when the
// batch has been dealt with, it is what SetState needs to go on with the next one. An iteration that was left early keeps its
// state until another begins; after one that came to its end only what RollOver carries is there. It may be called from any
// goroutine.
//
// The generators of Shuffle, Sampled and Transformed have states of their own, on which further iterations depend.
func (l *Loader) State() LoaderState {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.current.clone()
}

func (s LoaderState) clone() LoaderState {
	s.Carried = slices.Clone(s.Carried)
	return s
}

// SetState makes the next iteration go on from a state of a loader with the same options and data set: it gives the batches that
// were left, in the same order, without drawing from the generator; none if all were given. Iterations after it are whole. A number
// of batches that the loader does not have is an *nd.Error with the cause fault.ErrParameter, and changes nothing.
func (l *Loader) SetState(s LoaderState) error {
	problem := ""
	i := slices.IndexFunc(s.Carried, func(sample int) bool { return sample < 0 || sample >= l.dataset.Len() })
	switch batches := l.last.count(l.Samples()+len(s.Carried), l.batch); {
	case s.Given < 0 || s.Given > batches:
		problem = fmt.Sprintf("%d batches given of %d", s.Given, batches)
	case i >= 0:
		problem = fmt.Sprintf("sample %d is carried over, of %d", s.Carried[i], l.dataset.Len())
	case len(s.Carried) > 0 && l.last != RollOver:
		problem = fmt.Sprintf("%d samples are carried over, and the loader has no RollOver", len(s.Carried))
	}
	if problem != "" {
		return &nd.Error{Operator: "data.Loader.SetState", Detail: problem, Cause: fault.ErrParameter, Site: fault.Here(1)}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	set := s.clone()
	l.current, l.resumed = &set, s.begun()
	return nil
}

// begin returns where an iteration that begins now starts, where SetState tells or before the first batch of a new order, and its
// position, for move.
func (l *Loader) begin() (position *LoaderState, at LoaderState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.resumed {
		l.current = &LoaderState{Carried: l.current.Carried}
		if l.orders != nil {
			l.current.Order = l.ticket()
		}
		if l.draws != nil {
			l.current.Draws = l.draws.Generator().Next()
		}
	}
	l.resumed = false
	return l.current, l.current.clone()
}

// ticket returns where the numbers of a new order begin. The samplers of this package draw with one ticket; others may take more of them,
// and have a stream of their own.
func (l *Loader) ticket() resource.Ticket {
	switch l.sampler.(type) {
	case nil, Random, weighted:
		return l.orders.Generator().Next()
	}
	return l.orders.Generator().Split().Next()
}

// move changes the position of an iteration. Each has its own, so that one that began later keeps State to itself.
func (l *Loader) move(position *LoaderState, to LoaderState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*position = to
}
