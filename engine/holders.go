package engine

import (
	"slices"
)

// maximumHolders bounds the operations that one is told to come after because of one variable.
const maximumHolders = 32

// frontier is what the next node in the queue of one variable may have to wait for directly, oldest first: each older node is
// waited for by one of these.
type frontier struct {
	reads, writes []placed
	found         []placed // memory for what holders returns
}

// placed is a node and its place in the queue. The access is a copy, so that many can be compared fast.
type placed struct {
	access
	node  *node
	place int
}

// eachHolder calls visit with every node in the queue of v that is not done and comes after others, and with those: some of
// them if more is true.
func (v *Var) eachHolder(visit func(n *node, holders []placed, more bool)) {
	var f frontier
	place := 0
	for n := v.head; n != nil; n = n.next {
		next := placed{n.access(), n, place}
		// Of a task that the device itself lets wait, granted nodes come after others too.
		if !n.granted || n.task.staging() != nil {
			if holders := f.holders(next); len(holders) > 0 {
				visit(n, holders[:min(len(holders), maximumHolders)], len(holders) > maximumHolders)
			}
		}
		f.add(next)
		place++
	}
}

// holders returns what next comes after, youngest first, one more than are told at most. It is good until the next call.
func (f *frontier) holders(next placed) []placed {
	reads, writes, found := f.reads, f.writes, f.found[:0]
	if !next.writes() {
		reads = nil
	}
	for len(reads)+len(writes) > 0 && len(found) <= maximumHolders {
		from := &writes
		if len(writes) == 0 || len(reads) > 0 && reads[len(reads)-1].place > writes[len(writes)-1].place {
			from = &reads
		}
		last := len(*from) - 1
		older := (*from)[last]
		*from = (*from)[:last]
		known := func(younger placed) bool { return older.blocks(younger.access) }
		if older.blocks(next.access) && !slices.ContainsFunc(found, known) {
			found = append(found, older)
		}
	}
	f.found = found
	return found
}

// add adds next. A write replaces older nodes that it covers and waits for: whatever would wait for those waits for next.
func (f *frontier) add(next placed) {
	if !next.writes() {
		f.reads = append(f.reads, next)
		return
	}
	covered := func(older placed) bool { return next.covers(older.access) && older.blocks(next.access) }
	f.reads = slices.DeleteFunc(f.reads, covered)
	f.writes = append(slices.DeleteFunc(f.writes, covered), next)
}

// covers reports whether all bytes of b belong to a.
func (a access) covers(b access) bool {
	return a.whole() || !b.whole() && a.lo <= b.lo && b.hi <= a.hi
}
