package engine

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/weft-nd/weft/profile"
)

// inspected is what executors tell of their tasks. The caller holds core.mu.
type inspected interface {
	// Name returns the kind of engine.
	Name() string
	// queueOf returns the queue of t, which is ready.
	queueOf(t *task) string
	// runsOn returns what runs t, such as "worker 1", for people.
	runsOn(t *task) string
	// throttled returns the goroutines that wait in Push.
	throttled() []Throttled
}

// queueOf is for executors without queues: there, what is ready is the next thing that a goroutine does.
func (c *core) queueOf(t *task) string {
	if t.operation.Host {
		return "host"
	}
	return "caller"
}

func (c *core) runsOn(t *task) string { return c.queueOf(t) }

func (c *core) throttled() []Throttled { return nil }

func (e *threaded) queueOf(t *task) string {
	switch {
	case t.staging() != nil:
		return t.staging().lane.name
	case t.operation.Host:
		return "host"
	case t.operation.isCopy():
		return e.layout.host(t.operation.Device).String() + " copies"
	}
	return e.layout.host(t.operation.Device).String() + " kernels"
}

// runsOn asks the runner only where its lane was set with core.mu held.
func (e *threaded) runsOn(t *task) string {
	switch {
	case t.staging() != nil:
		return t.staging().lane.name
	case t.operation.Host:
		return "host"
	case t.refused() || t.operation.Property == DeleteVar:
		return "caller"
	}
	return t.runner.laneName()
}

func (e *threaded) throttled() []Throttled {
	var all []Throttled
	limits := e.limits.relaxed()
	for _, w := range e.waitingToPush {
		t := Throttled{Bytes: max(0, w.load.bytes-e.bytes-limits.bytes)}
		if most := e.counted + limits.operations; w.load.operations > most {
			t.Operations = w.load.operations - most
		}
		all = append(all, t)
	}
	return all
}

// inspection is a Snapshot in the making.
type inspection struct {
	Snapshot
	core      *core
	executor  inspected
	index     map[*task]int // in Pending
	held      map[*task]bool
	variables map[*Var]bool
}

// Snapshot implements Engine.
func (c *core) Snapshot() Snapshot {
	c.mu.Lock()
	defer c.unlock()
	i := &inspection{core: c, executor: c.executor.(inspected), index: map[*task]int{}, held: map[*task]bool{}, variables: map[*Var]bool{}}
	gathered := i.begin()
	c.parking.untouched = true // Nothing fails, and no bulk is closed, for being looked at.
	c.route()
	c.parking.untouched = false
	i.Engine, i.Throttled = i.executor.Name(), i.executor.throttled()
	i.Stopped, i.Blocked = c.signals.paused.Load(), len(c.waiting)
	for t := c.held.first; t != nil; t = t.next {
		i.held[t] = true
	}
	for _, t := range slices.SortedFunc(c.slabs.registered, func(a, b *task) int { return cmp.Compare(a.number, b.number) }) {
		i.addTask(t)
	}
	for v := range i.variables {
		v.eachHolder(i.addHolders)
	}
	for _, entries := range gathered {
		i.addGathered(entries)
	}
	i.finish()
	return i.Snapshot
}

// begin chooses the moment: one at which everything pushed is registered or in the bulks that it returns. That comes soon, as
// goroutines that push too much need core.mu, which the caller holds.
func (i *inspection) begin() (gathered [][]entry) {
	c := i.core
	for {
		c.absorb()
		c.intake.mu.Lock()
		if !c.signals.arrived.Load() {
			break
		}
		c.intake.mu.Unlock()
	}
	defer c.intake.mu.Unlock()
	i.Stats, i.Closed = c.countedStats(), c.intake.closed
	for _, b := range c.intake.open {
		gathered = append(gathered, b.bulk.all(0))
	}
	return gathered
}

// addTask adds t, which is registered.
func (i *inspection) addTask(t *task) {
	p := Pending{Number: t.number, Name: t.operation.Name, Operations: 1, Device: t.operation.Device, Site: t.site}
	switch {
	case t.waiter() != nil:
		p.Wait, p.Operations = true, 0
	case t.bulk() != nil:
		p.gather(t.bulk().all(0))
		p.Operations -= t.bulk().concluded
	}
	switch {
	case t.issued():
		p.State, p.Place = Issued, t.staging().lane.name
	case t.runner != nil:
		p.State, p.Place = Running, i.executor.runsOn(t)
	case i.held[t]:
		p.State = Held
	case i.core.parking.known[t] != nil:
		p.State, p.Place = Parked, "memory of "+t.operation.Device.String()
		p.Err = i.core.parking.known[t].shortage()
	case t.blocked == 0:
		p.State, p.Place = Ready, i.executor.queueOf(t)
	default:
		p.State = Waiting
	}
	if known := i.core.parking.known[t]; known != nil {
		p.Parked = max(1, profile.Now()-known.since)
	}
	nodes := t.nodes()
	p.Accesses = make([]profile.Access, len(nodes))
	for j := range nodes {
		p.Accesses[j] = i.access(nodes[j].variable, nodes[j].access())
	}
	i.index[t] = len(i.Pending)
	i.Pending = append(i.Pending, p)
}

// gather makes p a bulk.
func (p *Pending) gather(entries []entry) {
	p.Name, p.Operations = "bulk of "+strconv.Itoa(len(entries)), len(entries)
	p.Members = make([]Member, len(entries))
	for i, e := range entries {
		p.Members[i] = Member{e.number, e.operation.Name, e.site}
	}
}

// access returns what observers are told of an access of v.
func (i *inspection) access(v *Var, a access) profile.Access {
	number := i.core.identify(v)
	if !i.variables[v] {
		i.variables[v] = true
		i.Variables = append(i.Variables, Variable{Number: number, Sequence: v.Sequence(), Version: v.Version(), Err: v.Err()})
	}
	return profile.Access{Variable: number, Mode: profile.Mode(a.mode), Lo: a.lo, Hi: a.hi}
}

// addHolders adds what the task of n comes after in the queue of n's variable.
func (i *inspection) addHolders(n *node, holders []placed, more bool) {
	p := &i.Pending[i.index[n.task]]
	p.More = p.More || more
	for _, h := range holders {
		holder := &i.Pending[i.index[h.node.task]]
		p.After = append(p.After, Holder{holder.Number, holder.Name, n.variable.id})
	}
}

// addGathered adds the operations of a bulk that can still grow.
func (i *inspection) addGathered(entries []entry) {
	first := &entries[0]
	p := Pending{Number: first.number, Device: first.operation.Device, Site: first.site, State: Gathered}
	p.gather(entries)
	var variables []*Var
	merged := map[*Var]access{}
	for _, e := range entries {
		for j := range e.operation.Accesses {
			a := &e.operation.Accesses[j]
			if before, found := merged[a.Var]; found {
				merged[a.Var] = before.union(a.access())
				continue
			}
			merged[a.Var] = a.access()
			variables = append(variables, a.Var)
		}
	}
	for _, v := range variables {
		p.Accesses = append(p.Accesses, i.access(v, merged[v]))
	}
	i.Pending = append(i.Pending, p)
}

// finish puts everything in order.
func (i *inspection) finish() {
	slices.SortFunc(i.Variables, func(a, b Variable) int { return cmp.Compare(a.Number, b.Number) })
	slices.SortFunc(i.Pending, func(a, b Pending) int { return cmp.Compare(a.Number, b.Number) })
	for _, p := range i.Pending {
		slices.SortFunc(p.After, func(a, b Holder) int {
			return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Variable, b.Variable))
		})
	}
}
