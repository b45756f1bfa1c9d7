package resource

import (
	"fmt"
	"sync/atomic"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu/philox"
)

// Generator is a stream of tickets for random numbers. All methods may be called from any goroutine. Generators are made by
// NewGenerator; the zero Generator is for Restore and the Unmarshal methods to fill.
type Generator struct {
	stream atomic.Pointer[stream]
}

// stream is replaced as a whole by Restore, so that a ticket never mixes two.
type stream struct {
	key      uint64
	sequence atomic.Uint64 // of the next ticket
	children atomic.Uint64 // split off so far
	replay   *replay       // where tickets and children come from instead; nil of most
}

// Ticket names the random numbers of one operator: the key of Philox4x32-10 and the sequence of its counter.
type Ticket struct {
	Key, Sequence uint64
}

// Generator returns a new generator whose next ticket is t: with it, an operator that is called again draws what it drew
// with t. Its children are those of the generator that t is of.
func (t Ticket) Generator() *Generator {
	g := newGenerator(t.Key)
	g.stream.Load().sequence.Store(t.Sequence)
	return g
}

// NewGenerator returns the generator of a seed. Equal seeds give equal tickets. Different ones have keys of their own,
// unless two of 2⁶⁴ keys that are as good as random happen to be equal.
func NewGenerator(seed uint64) *Generator { return newGenerator(derive(seed, 0)) }

func newGenerator(key uint64) *Generator {
	g := &Generator{}
	g.stream.Store(&stream{key: key})
	return g
}

// derive returns the key of stream number n of the tree whose root is key: the first two words of the Philox block with
// the sequence 2⁶⁴-1, which no ticket reaches, and n in the place of the element block and the draw. The key of a seed is
// stream 0 of the seed; the n-th child of a generator, counted from 1, is stream n of its key. This is frozen.
func derive(key, n uint64) uint64 {
	const reserved = 1<<32 - 1
	words := philox.Block(key, [4]uint32{uint32(n), uint32(n >> 32), reserved, reserved})
	return uint64(words[1])<<32 | uint64(words[0])
}

// Next returns the ticket of one more operator.
func (g *Generator) Next() Ticket {
	s := g.stream.Load()
	if s.replay != nil {
		return s.replay.next()
	}
	return Ticket{Key: s.key, Sequence: s.sequence.Add(1) - 1}
}

// Split returns a generator that is independent of g and of all others split off. The n-th call on a generator of a seed
// gives the same one in every run, whatever tickets were taken.
func (g *Generator) Split() *Generator {
	return g.SplitN(1)[0]
}

// SplitN returns n generators, those that n calls of Split in a row return: one for each of n goroutines, say. Calls of
// Split from other goroutines do not come in between. It panics if n is negative.
func (g *Generator) SplitN(n int) []*Generator {
	if n < 0 {
		panic(&fault.Error{Operator: "SplitN", Detail: fmt.Sprintf("%d generators (legal: 0 and more)", n), Cause: fault.ErrParameter, Site: fault.Here(1)})
	}
	s, all := g.stream.Load(), make([]*Generator, n)
	if s.replay != nil {
		for i, key := range s.replay.split(n) {
			all[i] = newGenerator(key)
		}
		return all
	}
	last := s.children.Add(uint64(n))
	for i := range all {
		all[i] = newGenerator(derive(s.key, last-uint64(n-1-i)))
	}
	return all
}

// State returns where g stands, for Restore. Its numbers belong to the same moment only if nobody else uses g meanwhile.
func (g *Generator) State() State {
	s := g.stream.Load()
	if s.replay != nil {
		return s.replay.of.State()
	}
	return State{Key: s.key, Sequence: s.sequence.Load(), Children: s.children.Load()}
}

// Restore makes g go on from state, which may be that of another generator.
func (g *Generator) Restore(state State) {
	s := &stream{key: state.Key}
	s.sequence.Store(state.Sequence)
	s.children.Store(state.Children)
	g.stream.Store(s)
}
