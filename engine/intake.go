package engine

import (
	"fmt"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/profile"
)

// intake is where goroutines that push meet. It gives operations their order. Whoever holds core.mu later makes tasks of them
// and enters these into the queues of their variables, many at a time, while the pushers go on. So what a pusher writes is
// small, and in one piece, for the processors that read it.
type intake struct {
	mu     briefMutex // taken inside core.mu; inside it core.mu is only tried
	number uint64     // of the latest operation
	arrivals
	bulks     freeBulks
	registrar registrar
	open      []*Bulk // that have a task that can still grow
	pushed    uint64  // operations so far
	alone     uint64  // those of them that were done between TryAlone and EndAlone
	counts    uint64  // those of them that count for the limit
	bytes     int64   // asked for by all operations so far
	closed    bool
	timed     bool // somebody observes
}

// Push implements Engine.
func (c *core) Push(op *Operation) {
	site := op.siteOr(nil)
	if site == nil {
		site = fault.Here(1)
	}
	if c.eager {
		c.mu.Lock()
	}
	deletes := op != nil && op.Property == DeleteVar // op is not to be looked at when it may have ended
	c.intake.mu.Lock()
	problem, urgent := c.submit(op, site)
	pushed := c.intake.load()
	c.intake.mu.Unlock()
	c.pushed(urgent)
	if problem == nil && !deletes {
		c.executor.throttle(pushed)
	}
	if problem != nil {
		panic(problem)
	}
}

// siteOr returns where op was asked for, otherwise if that is unknown.
func (op *Operation) siteOr(otherwise *fault.Site) *fault.Site {
	if op == nil || op.Site == nil {
		return otherwise
	}
	return op.Site
}

// pushed follows every push. The workers register what plain leaves they find; everything else does not wait for them.
func (c *core) pushed(urgent bool) {
	switch {
	case c.eager:
		c.unlock()
	case urgent:
		c.mu.Lock()
		c.unlock()
	default:
		c.executor.offer()
	}
}

// load returns what has been pushed so far. The caller holds i.mu.
func (i *intake) load() load { return load{i.counts, i.bytes} }

// registrar is the Pusher of Atomically and Bulk. An engine has one, guarded by intake.mu.
type registrar struct {
	core   *core
	bulk   Bulk // what Bulk gathers; its size is 0 in Atomically
	site   *fault.Site
	urgent bool
	used   bool // register runs

	brief  arrival // that was pushed first, if it is brief; it is not entered yet
	pushed bool    // something was pushed
}

// Push implements Pusher.
func (r *registrar) Push(op *Operation) {
	site := op.siteOr(r.site)
	if site == nil {
		site = fault.Here(1)
	}
	if !r.used {
		panic(&Error{Operator: "engine.Push", Detail: "the Pusher is used after the function that got it has returned", Cause: fault.ErrMisuse, Site: site})
	}
	var problem *Error
	var urgent bool
	switch {
	case r.bulk.size > 0:
		problem, urgent = r.bulk.add(op, site)
	default:
		problem, urgent = r.submit(op, site)
	}
	if problem != nil {
		panic(problem)
	}
	r.urgent = r.urgent || urgent
}

// submit enters op, unless it is brief and the first that is pushed: it may be the only one.
func (r *registrar) submit(op *Operation, site *fault.Site) (problem *Error, urgent bool) {
	c, first := r.core, !r.pushed
	r.pushed = true
	r.enterBrief()
	a, problem, urgent := c.accept(op, site)
	switch {
	case a.operation == nil:
	case first && op.Brief && !c.eager && op.isPlainLeaf() && op.Context == nil && op.owner == nil:
		r.brief = a
	default:
		c.enter(a)
	}
	return problem, urgent
}

// enterBrief enters what submit has not.
func (r *registrar) enterBrief() {
	if r.brief.operation != nil {
		r.core.enter(r.brief)
		r.brief = arrival{}
	}
}

// Atomically implements Engine. What was registered before a panic of register is run.
func (c *core) Atomically(register func(p Pusher)) { c.together(0, nil, register) }

// together calls register while nobody else can push, with the registrar gathering bulks of the given size if that is not 0.
func (c *core) together(size int, site *fault.Site, register func(p Pusher)) {
	if c.eager {
		c.mu.Lock()
	}
	c.intake.mu.Lock()
	before := c.intake.counts
	r := &c.intake.registrar
	r.core, r.bulk.core, r.bulk.size, r.site, r.urgent, r.used, r.pushed = c, c, size, site, false, true, false
	defer func() {
		urgent := r.bulk.close() || r.urgent
		r.used = false
		if a := r.brief; a.operation != nil {
			r.brief = arrival{}
			if c.runBrief(a) {
				return
			}
			c.enter(a)
		}
		pushed := c.intake.load()
		c.intake.mu.Unlock()
		c.pushed(urgent)
		if pushed.operations > before { // Deletions alone neither wait nor help.
			c.executor.throttle(pushed)
		}
	}()
	register(r)
}

// submit gives op its place in the order of all operations. It reports whether op is urgent: of a kind that must not wait
// until a worker has time to register it. The caller holds intake.mu.
func (c *core) submit(op *Operation, site *fault.Site) (problem *Error, urgent bool) {
	a, problem, urgent := c.accept(op, site)
	if a.operation != nil {
		c.enter(a)
	}
	return problem, urgent
}

// accept is submit, but leaves it to the caller to enter what it returns, if that has an operation.
func (c *core) accept(op *Operation, site *fault.Site) (a arrival, problem *Error, urgent bool) {
	if i := &c.intake; op != nil && op.owner == c && op.gathers && !op.deleted && len(i.open) == 0 && !i.closed && c.countPlain(op) {
		return arrival{operation: op, site: site, number: i.number}, nil, false
	}
	if problem = c.check(op, site); problem != nil {
		return arrival{}, problem, false
	}
	if op.Property == DeleteVar {
		if b := c.bulkOf(op); b != nil {
			return arrival{}, nil, b.include(op, site)
		}
	}
	urgent = c.closeBulks(op, nil)
	a = arrival{operation: op, site: site}
	if op.recording != nil {
		a.number = c.countRecording(op)
	} else {
		c.intake.number++
		a.number = c.intake.number
		c.count(op, a.number)
	}
	if c.intake.closed {
		a.rare = &rare{refused: true}
	}
	return a, nil, urgent || !op.isPlainLeaf() || c.intake.closed
}

// count counts the writes of op, which has the given number.
func (c *core) count(op *Operation, number uint64) {
	for i := range op.Accesses {
		op.Accesses[i].count(number)
	}
	tellSequences(op, number)
	c.countOperation(op)
}

// countPlain gives op, a plain operator that NewOperator has checked, its number and counts it. It reports false, and does nothing, if
// a variable of op was deleted since. The caller holds intake.mu.
func (c *core) countPlain(op *Operation) bool {
	for i := range op.Accesses {
		if op.Accesses[i].Var.deleted != nil {
			return false
		}
	}
	c.intake.number++
	number := c.intake.number
	for i := range op.Accesses {
		op.Accesses[i].count(number)
	}
	c.countOperation(op)
	return true
}

// count counts the write of a, if it is one, by the operation with the given number.
func (a *Access) count(number uint64) {
	v := a.Var
	if a.Mode != Read && v.wrote != number {
		v.wrote = number
		v.sequence++
	}
	if a.Hi > 0 && !v.ranged {
		v.ranged = true
	}
}

// tellSequences fills in the sequence numbers of what op, which has the given number, writes.
func tellSequences(op *Operation, number uint64) {
	if op.owner != nil {
		return
	}
	for i := range op.Accesses {
		if a := &op.Accesses[i]; a.Var.wrote == number {
			a.Sequence = a.Var.sequence
		}
	}
}

// countOperation counts op for the statistics and the limits.
func (c *core) countOperation(op *Operation) {
	c.intake.pushed++
	if op.Property != DeleteVar {
		c.intake.counts++
		c.intake.bytes += op.Bytes
	}
}

// enter hands a to those who register.
func (c *core) enter(a arrival) {
	first, filled := c.intake.add(a)
	if first && c.intake.timed { // A clock costs more than a push, and batches are brief.
		c.intake.filling.stamp = profile.Now()
	}
	if (first || filled) && !c.signals.arrived.Load() {
		c.signals.arrived.Store(true)
	}
}

// isPlainLeaf reports whether op is for the workers, and may wait in the intake until one of them has time.
func (op *Operation) isPlainLeaf() bool {
	return op.Property == Normal && op.Priority == 0 && !op.Host && op.Async == nil && op.Device.OnHost()
}

// check returns what is wrong with op.
func (c *core) check(op *Operation, site *fault.Site) *Error {
	if op != nil && op.owner == c && !op.deleted {
		return c.checkVariables(op, site)
	}
	problem := ""
	switch {
	case op == nil:
		return &Error{Operator: "engine.Push", Detail: "the operation is nil", Cause: fault.ErrMisuse, Site: site}
	case op.owner != nil && op.owner != c:
		problem = "the operator belongs to another engine"
	case op.deleted:
		problem = "the operator was deleted"
	case op.Function == nil && op.Async == nil:
		problem = "the operation has no function"
	case op.Function != nil && op.Async != nil:
		problem = "the operation has two functions"
	case op.Async != nil && !op.Device.OnHost():
		problem = "asynchronous functions run on the host"
	case op.Bytes < 0:
		problem = fmt.Sprintf("the operation takes %d bytes", op.Bytes)
	case int(op.Device.Kind) >= device.KindCount:
		problem = fmt.Sprintf("there is no kind %d of device", op.Device.Kind)
	case op.Property > NoSkip:
		problem = fmt.Sprintf("there is no property %d", op.Property)
	}
	if problem != "" {
		return misuse(op, problem, site)
	}
	return c.checkVariables(op, site)
}

func (c *core) checkVariables(op *Operation, site *fault.Site) *Error {
	for i := range op.Accesses {
		a := &op.Accesses[i]
		switch {
		case a.Var == nil:
			return misuse(op, fmt.Sprintf("access %d has no variable", i), site)
		case a.Var.core != c:
			return misuse(op, fmt.Sprintf("the variable of access %d belongs to another engine", i), site)
		case a.Var.deleted != nil:
			return misuse(op, fmt.Sprintf("the variable of access %d was deleted at %v", i, a.Var.deleted), site)
		case a.Mode > Update:
			return misuse(op, fmt.Sprintf("access %d has the unknown mode %d", i, a.Mode), site)
		case a.Lo < 0 || a.Hi < a.Lo:
			return misuse(op, fmt.Sprintf("access %d has the range [%d,%d)", i, a.Lo, a.Hi), site)
		}
	}
	return nil
}

func misuse(op *Operation, problem string, site *fault.Site) *Error {
	return &Error{Operator: "engine.Push: " + op.Name, Detail: problem, Cause: fault.ErrMisuse, Site: site}
}
