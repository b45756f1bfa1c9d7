package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// lent is an input of a capture whose calls read it in the array that the caller of ReplayWith has, other memory each
// time: the gate, which they read in place of the variable of the memory that the capture was made with, is written
// when that changes.
type lent struct {
	gate  *engine.Var
	start device.Pointer // for the calls that read the gate
	from  *Tensor        // for the next replay; guarded by Capture.mu
}

// ReplayWith is Replay of what CaptureFunction has made, for other inputs of the same shapes and dtypes. If all calls are one
// operation on the host, inputs are read where they are, and later writes to them wait for the replay; only those that are not
// row-major, and those that a call writes to, are copied. Otherwise all are copied. It panics with *fault.Error if inputs
// differ in shape, dtype or device from those of the capture.
func (c *Capture) ReplayWith(inputs ...*Tensor) {
	site := fault.Here(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checkUnreleased(site)
	c.checkKinds(inputs, site)
	if c.lends == nil {
		for _, i := range c.order {
			copyInto(c.inputs[i], inputs[i], site)
		}
		c.replay(site)
		return
	}
	for i, l := range c.lends.lent {
		defer func() { l.from = nil }()
		if l.from = inputs[i]; !c.canRead(l.from) {
			l.from = &Tensor{env: c.inputs[i].env, view: storage.NewViewFor(c.engine, l.from.DType(), l.from.Shape())}
			copyInto(l.from, inputs[i], site)
			defer l.from.Discard(site)
		}
	}
	c.replay(site)
}

func (c *Capture) checkKinds(inputs []*Tensor, site *fault.Site) {
	problem := ""
	if len(inputs) != len(c.inputs) {
		problem = fmt.Sprintf("%d inputs for a capture of a function of %d", len(inputs), len(c.inputs))
	}
	for i := 0; i < len(inputs) && problem == ""; i++ {
		if x, captured := inputs[i], c.inputs[i]; x.DType() != captured.DType() || !slices.Equal(x.Shape(), captured.Shape()) {
			problem = fmt.Sprintf("input %d is %v %v, that of the capture %v %v", i, x.DType(), x.Shape(), captured.DType(), captured.Shape())
		}
	}
	if problem != "" {
		panic(&fault.Error{Operator: "Replay", Detail: problem, Cause: fault.ErrMisuse, Site: site})
	}
}

func copyInto(to, from *Tensor, site *fault.Site) {
	invoke(registered("copy"), nil, nil, []*Tensor{to}, []*Tensor{from}, site, nil)
}

// canRead reports whether the calls of c can read t in place of an input: it lies as that, and no call writes there.
func (c *Capture) canRead(t *Tensor) bool {
	return t.env.engine == c.engine && t.view.IsContiguous() &&
		!slices.ContainsFunc(c.lends.uses, func(u use) bool { return u.synced == t.view.Synced && u.mode != engine.Read })
}

// take makes c a function of inputs. They are lent to its calls where that is possible: all calls must be one operation on the
// host, as others may write between two operations; no tape may have saved an input; and memory must not be closed to
// operations that do not declare it. If they are lent, the inputs that the capture was made with are released.
func (c *Capture) take(inputs []*Tensor, site *fault.Site) {
	c.inputs = inputs
	for i := range inputs {
		c.order = append(c.order, i)
	}
	slices.SortStableFunc(c.order, func(i, j int) int { return inputs[i].view.Count() - inputs[j].view.Count() })
	if len(c.phases) != 1 || slices.ContainsFunc(inputs, func(t *Tensor) bool { return t.view.Synced.IsSaved() || t.view.Synced.Var().Sanitized() }) {
		return
	}
	if s, ok := c.phases[0].(*stretch); ok && s.device.OnHost() {
		for _, t := range inputs {
			s.lend(t.view.Synced, &lent{gate: c.engine.NewVar()})
			t.view.Synced.Release(site)
		}
		c.lends = s
	}
}

// lend makes the calls of s find what is in memory where l tells.
func (s *stretch) lend(memory *storage.Synced, l *lent) {
	s.lent = append(s.lent, l)
	s.uses = slices.DeleteFunc(s.uses, func(u use) bool { return u.synced == memory })
	for _, c := range s.calls {
		for i := range c.replicas {
			if m := &c.replicas[i]; m.synced == memory {
				m.lent = l
			}
		}
	}
}

// borrow pushes what lets the calls of s, which are pushed next, read what is lent to them.
func (s *stretch) borrow(p engine.Pusher, site *fault.Site) {
	for _, l := range s.lent {
		b := &borrowing{lent: l, offset: l.from.view.Offset * l.from.DType().Size()}
		b.operation = engine.Operation{Name: "borrow", Function: b, Device: s.device, Inline: true, Context: l.from.env.scope.context(), Site: site}
		b.replica, b.operation.Accesses = l.read(p, s.device, b.accesses[:0], site)
		b.operation.Accesses = append(b.operation.Accesses, engine.Access{Var: l.gate, Mode: engine.Write})
		p.Push(&b.operation)
	}
}

// read returns the replica that is lent, on d, and accesses with those of its reader appended.
func (l *lent) read(p engine.Pusher, d device.Device, accesses []engine.Access, site *fault.Site) (*storage.Replica, []engine.Access) {
	lo, hi := l.from.view.Extent()
	return l.from.view.Synced.Acquire(p, d, engine.Read, lo, hi, accesses, site)
}

// giveBack pushes what keeps those who write to what was lent waiting for the calls of s, which were pushed before.
func (s *stretch) giveBack(p engine.Pusher, site *fault.Site) {
	accesses := make([]engine.Access, 0, 2*len(s.lent))
	g := &givingBack{s.lent, make([]*storage.Replica, len(s.lent))}
	for i, l := range s.lent {
		g.replicas[i], accesses = l.read(p, s.device, accesses, site)
		accesses = append(accesses, engine.Access{Var: l.gate, Mode: engine.Update})
	}
	if len(accesses) > 0 {
		p.Push(&engine.Operation{Name: "give back", Function: g, Accesses: accesses, Device: s.device, Inline: true, Site: site})
	}
}

// borrowing is the function of an operation that finds what is lent, when it is there.
type borrowing struct {
	lent      *lent
	replica   *storage.Replica
	offset    int // bytes
	operation engine.Operation
	accesses  [3]engine.Access
}

// Run implements engine.Function.
func (b *borrowing) Run(*engine.RunContext) error {
	start, err := b.replica.Claim()
	if err == nil && !start.IsNil() {
		start = start.Add(b.offset)
	}
	b.lent.start = start
	return err
}

// givingBack is the function of an operation that forgets what was lent. Until then it keeps that, which the caller may have dropped.
type givingBack struct {
	lent     []*lent
	replicas []*storage.Replica
}

// Run implements engine.Function.
func (*givingBack) Run(*engine.RunContext) error { return nil }

// Finished implements engine.Finisher: what was lent is forgotten where another input was in error, too.
func (g *givingBack) Finished() {
	for _, l := range g.lent {
		l.start = device.Pointer{}
	}
}
