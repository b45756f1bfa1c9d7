package engine

import (
	"slices"
	"strconv"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/profile"
)

// Meter is implemented by Functions that know what they cost, for observers.
type Meter interface {
	// Cost returns how many bytes of memory are read and written, and how many floating-point operations are done; 0 is unknown.
	Cost() (bytes, operations int64)
}

// flusher is implemented by observers that buffer; Wait, WaitAll, Stop and Close flush them, so that records of what a program
// has waited for are complete even if it ends at once.
type flusher interface {
	Flush() error
}

// observation is an observer in use. It is identified by its address, because observers need not be comparable.
type observation struct {
	observer profile.Observer
}

// Observe implements Engine.
func (c *core) Observe(o profile.Observer) (stop func()) {
	seen := &observation{o}
	c.changeObservers(func() { c.observers = append(slices.Clone(c.observers), seen) })
	return func() {
		c.changeObservers(func() {
			c.observers = slices.DeleteFunc(slices.Clone(c.observers), func(other *observation) bool { return other == seen })
		})
	}
}

func (c *core) changeObservers(change func()) {
	c.mu.Lock()
	c.absorb()
	change()
	observed := len(c.observers) > 0
	if !observed {
		c.observers = nil
	}
	c.signals.observed.Store(observed)
	c.intake.mu.Lock()
	c.intake.timed = observed
	c.intake.mu.Unlock()
	c.unlock()
}

// tell tells all observers of c.record. The caller holds c.mu.
func (c *core) tell() {
	for _, seen := range c.observers {
		seen.observer.Observe(&c.record)
	}
}

// flushObservers follows every wait.
func (c *core) flushObservers() {
	if !c.signals.observed.Load() {
		return
	}
	c.mu.Lock()
	observers := c.observers
	c.mu.Unlock()
	for _, seen := range observers {
		if f, ok := seen.observer.(flusher); ok {
			_ = f.Flush() // Observers that keep a file log what goes wrong with it.
		}
	}
}

// observe tells the observers of t, which has ended. The caller holds c.mu.
func (c *core) observe(t *task, o outcome) {
	if b := t.bulk(); t.waiter() != nil || b != nil && len(b.entries) == 0 { // Nothing is left of one that was dissolved.
		c.record.End = profile.Now()
		return
	}
	op, r := t.operation, &c.record
	times := &t.needsRare().times
	*r = profile.Record{
		Number: t.number, Name: op.Name, Device: op.Device, Pushed: times.pushed, Ready: times.ready, Start: times.start, End: profile.Now(),
		Skipped: !o.ran, Site: t.site, Cause: times.cause, Accesses: r.Accesses[:0],
	}
	times.fill(r)
	if t.runner != nil {
		r.Lane = t.runner.laneName()
	}
	if o.err != nil {
		r.Err = o.err
	}
	t.each(func(op *Operation, _ uint64, _ *fault.Site) {
		if m, ok := op.Function.(Meter); ok {
			bytes, operations := m.Cost()
			r.Bytes, r.Work = r.Bytes+bytes, r.Work+operations
		}
	})
	if b := t.bulk(); b != nil {
		r.Name = bulkName(len(b.entries))
	}
	nodes := t.nodes()
	for i := range nodes {
		n := &nodes[i]
		r.Accesses = append(r.Accesses, profile.Access{Variable: c.identify(n.variable), Mode: profile.Mode(n.mode), Lo: n.lo, Hi: n.hi})
	}
	c.tell()
}

// fill replaces the times that are missing: of an operation that was ready when pushed, was skipped, or was pushed before
// anybody observed.
func (t *times) fill(r *profile.Record) {
	if r.Start == 0 {
		r.Start = r.End
	}
	if r.Pushed == 0 {
		r.Pushed = r.Start
		if r.Ready != 0 {
			r.Pushed = r.Ready
		}
	}
	r.Ready = max(r.Ready, r.Pushed)
}

// readied notes that tasks have become ready by the end of t, which c.record is about. The caller holds c.mu.
func (c *core) readied(t *task, after *task) {
	first := c.ready.first
	if after != nil {
		first = after.next
	}
	for ; first != nil; first = first.next {
		times := &first.needsRare().times
		times.ready, times.cause = c.record.End, t.number
	}
}

// identify returns the number by which observers know v. The caller holds c.mu.
func (c *core) identify(v *Var) uint64 {
	if v.id == 0 {
		c.variable++
		v.id = c.variable
	}
	return v.id
}

// laneName returns what runs r's task, such as "worker 1", for people.
func (r *runner) laneName() string {
	if r.lane != "worker" {
		return r.lane
	}
	if r.worker == "" {
		r.worker = "worker " + strconv.Itoa(r.number)
	}
	return r.worker
}

// observeWait returns what to call when a goroutine has waited for v.
func (c *core) observeWait(v *Var, site *fault.Site) (done func()) {
	start := profile.Now()
	return func() {
		c.mu.Lock()
		c.record = profile.Record{
			Name: "wait", Lane: "caller", Pushed: start, Ready: start, Start: start, End: profile.Now(), Site: site,
			Accesses: append(c.record.Accesses[:0], profile.Access{Variable: c.identify(v)}),
		}
		c.tell()
		c.mu.Unlock()
		c.flushObservers()
	}
}
