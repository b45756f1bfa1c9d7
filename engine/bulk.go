package engine

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/weft-nd/weft/fault"
)

// Bulk gathers operations into tasks of several, which costs less than a task for each: the functions of one task run one after
// another, as soon as everything that any of them touches is free, and what they write is ready when the last has ended. Errors
// are as if each had been pushed by itself. Operations are gathered until the task is full, an operation is for another device,
// or anyone pushes or waits for something that depends on the task; so gathering never shows, except in speed. Operations on
// streams, which queue them anyway, host functions, asynchronous operations, and those with a priority or a property are pushed
// by themselves, except DeleteVar: memory used by the task alone is freed at its end. If an operation starves (see Starved),
// the rest of its task continues as if it had been pushed without a Bulk. All methods may be called from any goroutine.
type Bulk struct {
	core *core
	size int
	bulk *bulk // that can still grow; guarded by core.intake.mu
}

// bulk is the operations of one task. If nothing is in error and nothing has to be reported about single operations, it is
// treated as a whole.
type bulk struct {
	next      *bulk // among free ones
	rare      rare  // the task's
	entries   []entry
	number    uint64      // of a NewBulkOperator: what the numbers of entries count from, otherwise 0
	site      *fault.Site // of entries that have none
	nodes     []node      // the task's
	current   int         // the entry that runs
	concluded int         // entries whose errors are known to their variables
	counted   uint64      // entries that count for the limit
	bytes     int64       // that these take
	finishes  bool        // an entry has a Finisher
	scoped    bool        // an entry has a Context
}

// entry is one operation of a bulk.
type entry struct {
	operation *Operation
	number    uint64
	site      *fault.Site
}

// entry returns the entry with the given index.
func (b *bulk) entry(index int) entry {
	e := b.entries[index]
	e.number += b.number
	if e.site == nil {
		e.site = b.site
	}
	return e
}

// all returns the entries from the given index on.
func (b *bulk) all(from int) []entry {
	entries := make([]entry, 0, len(b.entries)-from)
	for i := from; i < len(b.entries); i++ {
		entries = append(entries, b.entry(i))
	}
	return entries
}

// freeBulks are bulks to be used again. Goroutines that register give them back, and one that pushes takes all that are there.
type freeBulks struct {
	own *bulk // linked; guarded by intake.mu

	_     [64]byte
	given atomic.Pointer[bulk] // linked
	_     [64]byte
}

// take returns an empty bulk. The caller holds intake.mu.
func (f *freeBulks) take() *bulk {
	if f.own == nil {
		if f.own = f.given.Swap(nil); f.own == nil {
			b := &bulk{}
			b.rare.bulk = b
			return b
		}
	}
	b := f.own
	f.own, b.next = b.next, nil
	return b
}

// give empties b and gives it back. The caller holds core.mu.
func (f *freeBulks) give(b *bulk) {
	clear(b.entries)
	*b = bulk{entries: b.entries[:0], nodes: b.nodes[:0]}
	b.rare.bulk = b
	for {
		b.next = f.given.Load()
		if f.given.CompareAndSwap(b.next, b) {
			return
		}
	}
}

// NewBulk implements Engine.
func (c *core) NewBulk(size int) *Bulk {
	checkBulkSize("engine.NewBulk", size)
	return &Bulk{core: c, size: size}
}

// Bulk implements Engine.
func (c *core) Bulk(size int, register func(p Pusher)) {
	checkBulkSize("engine.Bulk", size)
	c.together(size, fault.Here(1), register)
}

func checkBulkSize(call string, size int) {
	if size < 1 {
		panic(&Error{Operator: call, Detail: fmt.Sprintf("a bulk of %d operations", size), Cause: fault.ErrParameter, Site: fault.Here(2)})
	}
}

// Push implements Pusher.
func (b *Bulk) Push(op *Operation) {
	site := op.siteOr(nil)
	if site == nil {
		site = fault.Here(1)
	}
	c := b.core
	if c.eager {
		c.mu.Lock()
	}
	c.intake.mu.Lock()
	problem, urgent := b.add(op, site)
	pushed := c.intake.load()
	c.intake.mu.Unlock()
	c.pushed(urgent)
	c.executor.throttle(pushed)
	if problem != nil {
		panic(problem)
	}
}

// Flush lets what was gathered run.
func (b *Bulk) Flush() {
	c := b.core
	if c.eager {
		c.mu.Lock()
	}
	c.intake.mu.Lock()
	urgent := b.close()
	c.intake.mu.Unlock()
	c.pushed(urgent)
}

// add adds op to what can still grow. The caller holds intake.mu.
func (b *Bulk) add(op *Operation, site *fault.Site) (problem *Error, urgent bool) {
	c := b.core
	if op != nil && op.owner == c && op.gathers && !op.deleted && b.owns(op) && b.bulk.entries[0].operation.Device == op.Device {
		return nil, b.include(op, site)
	}
	if op == nil || op.owner != c || op.deleted || !b.owns(op) {
		if problem = c.check(op, site); problem != nil {
			return problem, false
		}
		urgent = c.closeBulks(op, b)
	}
	if !op.bulks() {
		_, also := c.submit(op, site)
		return nil, urgent || also
	}
	if b.bulk != nil && b.bulk.entries[0].operation.Device != op.Device {
		urgent = b.close() || urgent
	}
	if b.bulk == nil {
		b.bulk = c.intake.bulks.take()
		c.intake.open = append(c.intake.open, b)
	}
	return nil, b.include(op, site) || urgent
}

// finishes reports whether op has a Finisher.
func (op *Operation) finishes() bool {
	_, finishes := op.Function.(Finisher)
	return finishes
}

// owns reports whether b has a task that can grow, and so no other bulk, touches all variables of op already.
func (b *Bulk) owns(op *Operation) bool {
	for i := range op.Accesses {
		if v := op.Accesses[i].Var; v.open != b || v.deleted != nil {
			return false
		}
	}
	return b.bulk != nil
}

// include adds op, and ends the bulk if it is full.
func (b *Bulk) include(op *Operation, site *fault.Site) (urgent bool) {
	i, k := &b.core.intake, b.bulk
	i.number++
	number := i.number
	k.entries = append(k.entries, entry{op, number, site})
	for j := range op.Accesses {
		a := &op.Accesses[j]
		v := a.Var
		if v.open != b {
			b.addNode(a)
		}
		n := &k.nodes[v.openPlace]
		if n.mode != a.Mode || n.hi != 0 || a.Hi != 0 {
			both := n.access().union(a.access())
			n.mode, n.lo, n.hi = both.mode, both.lo, both.hi
			v.ranged = v.ranged || a.Hi != 0
		}
		if a.Mode != Read && v.wrote != number {
			v.wrote = number
			v.sequence++
			n.writes++
			if op.Property == DeleteVar {
				n.lost++
			}
		}
	}
	if op.owner == nil {
		tellSequences(op, number)
	}
	b.core.countOperation(op)
	k.scoped = k.scoped || op.Context != nil
	if op.Property != DeleteVar {
		k.counted++
		k.bytes += op.Bytes
	}
	if !k.finishes && (op.owner == nil || op.finisher) {
		k.finishes = op.finishes()
	}
	return len(k.entries) >= b.size && b.close()
}

// addNode adds a node for the variable of a.
func (b *Bulk) addNode(a *Access) {
	a.Var.open, a.Var.openPlace = b, int32(len(b.bulk.nodes))
	b.bulk.nodes = append(b.bulk.nodes, node{variable: a.Var, mode: a.Mode, lo: a.Lo, hi: a.Hi})
}

// bulks reports whether op can share a task with others.
func (op *Operation) bulks() bool {
	return op.isPlainLeaf() && op.recording == nil
}

// close ends what can still grow and enters it. The caller holds intake.mu.
func (b *Bulk) close() (urgent bool) {
	k := b.bulk
	if k == nil {
		return false
	}
	for i := range k.nodes {
		k.nodes[i].variable.open = nil
	}
	i := &b.core.intake
	at := slices.Index(i.open, b)
	i.open = slices.Delete(i.open, at, at+1)
	b.bulk = nil
	k.rare.refused = i.closed
	first := k.entries[0] // A copy: once it is entered, others may run and recycle the bulk.
	b.core.enter(arrival{first.operation, first.site, first.number, &k.rare})
	return i.closed
}

// closeBulks ends all that can still grow. The caller holds i.mu.
func (i *intake) closeBulks() {
	for len(i.open) > 0 {
		i.open[0].close()
	}
}

// bulkOf returns the bulk that op, a DeleteVar, can join: where all its variables are in use, if that is one place.
func (c *core) bulkOf(op *Operation) *Bulk {
	if len(c.intake.open) == 0 || len(op.Accesses) == 0 {
		return nil
	}
	b := op.Accesses[0].Var.open
	for i := range op.Accesses {
		if op.Accesses[i].Var.open != b {
			return nil
		}
	}
	return b
}

// closeBulks ends what can still grow, of others than own, and touches a variable of op.
func (c *core) closeBulks(op *Operation, own *Bulk) (urgent bool) {
	if len(c.intake.open) == 0 {
		return false
	}
	for i := range op.Accesses {
		if b := op.Accesses[i].Var.open; b != nil && b != own {
			urgent = b.close() || urgent
		}
	}
	return urgent
}

// current returns the operation of t that runs.
func (t *task) current() *Operation {
	if b := t.bulk(); b != nil {
		return b.entries[b.current].operation
	}
	return t.operation
}

// each calls visit for the operations of t.
func (t *task) each(visit func(op *Operation, number uint64, site *fault.Site)) {
	if t.bulk() == nil {
		visit(t.operation, t.number, t.site)
		return
	}
	for i := range t.bulk().entries {
		e := t.bulk().entry(i)
		visit(e.operation, e.number, e.site)
	}
}
