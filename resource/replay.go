package resource

import "sync"

// Repeatable returns a function that makes generators for work that is done several times. Each of them gives the tickets and
// children that the first one took from g, in the same order, and takes further ones from g where these end. So work that is
// repeated draws what it drew the first time, provided that its calls come in the same order, which excludes calls from several
// goroutines.
func (g *Generator) Repeatable() func() *Generator { return (&history{of: g}).generator }

// history is what was taken from a generator.
type history struct {
	of *Generator

	mu       sync.Mutex
	tickets  []Ticket
	children []uint64 // their keys
}

// replay is how far one generator has come in a history.
type replay struct {
	*history
	tickets, children int
}

func (h *history) generator() *Generator {
	g := newGenerator(0)
	g.stream.Load().replay = &replay{history: h}
	return g
}

// next returns the next ticket.
func (r *replay) next() Ticket {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tickets == len(r.history.tickets) {
		r.history.tickets = append(r.history.tickets, r.of.Next())
	}
	r.tickets++
	return r.history.tickets[r.tickets-1]
}

// split returns the keys of the next n children.
func (r *replay) split(n int) []uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.history.children) < r.children+n {
		r.history.children = append(r.history.children, r.of.Split().stream.Load().key)
	}
	r.children += n
	return r.history.children[r.children-n : r.children]
}
