package engine

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/weft-nd/weft/device"
)

// keptWork is the operations of a NewBulkOperator on a device, as one Function: their work is kept by a stream, so that
// it costs one call to run it again. Operations whose work cannot be kept are run one by one between pieces of work
// that is.
type keptWork struct {
	operations []Operation

	mu    sync.Mutex
	runs  int // since the beginning, or since keeping work has failed, up to waits
	waits int // how many runs there are before work is kept
	parts []keptPart
	again bool // some of the parts are to be kept that could not be
}

// keptPart is operations whose work is kept; it is nil where that cannot be.
type keptPart struct {
	operations []Operation
	work       device.Work
}

// captureAfter is how often the operations of a bulk run before their work is kept: by then they have done what is done only
// once, such as loading kernels, and cannot be kept.
const captureAfter = 2

// captureAtLatest is the largest number of runs after which keeping work is tried again once it has failed. The number doubles
// with each failure.
const captureAtLatest = 1 << 10

// canRepeat reports whether operations can be kept work.
func canRepeat(operations []Operation) bool {
	for i := range operations {
		op := &operations[i]
		_, finishes := op.Function.(Finisher)
		plain := op.Property == Normal && op.Priority == 0 && !op.Host && op.Async == nil && op.Context == nil && !op.KeepOnSkip && !finishes
		if !plain || !op.Repeats || op.Device.OnHost() || op.Device != operations[0].Device {
			return false
		}
	}
	return true
}

// newKeptWork returns an operator for operations, that touches what they touch.
func (c *core) newKeptWork(operations []Operation) *Operation {
	p, all := &keptWork{waits: captureAfter}, &recording{}
	whole := Operation{Name: keptName(operations), Function: p, Device: operations[0].Device, Site: operations[0].Site}
	for i := range operations {
		op := c.NewOperator(operations[i])
		p.operations = append(p.operations, *op)
		all.record(op)
		whole.Bytes += op.Bytes
	}
	for i := range all.nodes {
		a := Access{Var: all.nodes[i].variable, Mode: all.nodes[i].mode, Lo: all.nodes[i].lo, Hi: all.nodes[i].hi}
		if p.replaces(a.Var) {
			a.Mode, a.Lo, a.Hi = Write, 0, 0
		}
		whole.Accesses = append(whole.Accesses, a)
	}
	return c.NewOperator(whole)
}

// keptName names the first kinds of operations, such as "bulk of 12: mul, add, …": profiles see them as one.
func keptName(operations []Operation) string {
	const most = 3
	var kinds []string
	for i := range operations {
		if name := operations[i].Name; !slices.Contains(kinds, name) {
			if len(kinds) == most {
				kinds = append(kinds, "…")
				break
			}
			kinds = append(kinds, name)
		}
	}
	return bulkName(len(operations)) + ": " + strings.Join(kinds, ", ")
}

// replaces reports whether the first operation that touches v replaces all of it, so that nobody reads what was there before.
func (p *keptWork) replaces(v *Var) bool {
	for i := range p.operations {
		touches, reads := false, false
		for _, a := range p.operations[i].Accesses {
			if a.Var == v {
				touches, reads = true, reads || a.Mode != Write || a.Hi > 0
			}
		}
		if touches {
			return !reads
		}
	}
	return false
}

// Run implements Function. It is called by one goroutine at a time for one stream; those of other streams wait.
func (p *keptWork) Run(rc *RunContext) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if capturer, able := rc.Stream.(device.Capturer); able && p.runs == p.waits && (p.parts == nil || p.again) {
		p.keep(capturer, rc)
	}
	p.runs = min(p.runs+1, p.waits)
	if p.parts == nil {
		return runEach(p.operations, rc)
	}
	for _, part := range p.parts {
		if part.work != nil && part.work.Enqueue(rc.Stream) == nil {
			continue
		}
		if err := runEach(part.operations, rc); err != nil {
			return err
		}
	}
	return nil
}

func runEach(operations []Operation, rc *RunContext) error {
	_, err := runUntil(operations, rc)
	return err
}

// runUntil runs operations up to the first that fails, and returns how many were run before.
func runUntil(operations []Operation, rc *RunContext) (done int, err error) {
	for i := range operations {
		if op := &operations[i]; op.Function != nil {
			if err := op.Function.Run(rc); err != nil {
				return i, op.failed(err, op.siteOr(nil))
			}
		}
	}
	return len(operations), nil
}

// keep makes the parts. What the device cannot do at all is not tried again; whatever else failed, such as for lack of memory,
// is tried later.
func (p *keptWork) keep(s device.Capturer, rc *RunContext) {
	p.parts, p.again = nil, false
	try := func(operations []Operation) (work device.Work, kept int) {
		work, kept, why := capture(operations, s, rc)
		if why != nil {
			s.NotKept(why)
			p.again = p.again || !errors.Is(why, errors.ErrUnsupported)
		}
		return work, kept
	}
	for left := p.operations; len(left) > 0; {
		work, kept := try(left)
		if work == nil && kept > 0 && kept < len(left) {
			work, _ = try(left[:kept])
		}
		if kept > 0 {
			p.parts = append(p.parts, keptPart{left[:kept], work})
		}
		if left = left[kept:]; len(left) > 0 {
			p.parts, left = append(p.parts, keptPart{left[:1], nil}), left[1:]
		}
	}
	if p.again {
		p.runs, p.waits = 0, min(2*p.waits, captureAtLatest)
	}
}

// capture keeps the work of operations; where that cannot be it returns why, and how many there are before the first whose cannot.
func capture(operations []Operation, s device.Capturer, rc *RunContext) (work device.Work, kept int, why error) {
	if err := s.Capture(); err != nil {
		return nil, len(operations), err
	}
	ended := false
	defer func() {
		if !ended { // An operation has panicked: nothing more is to be captured.
			_, _ = s.Captured()
		}
	}()
	kept, why = runUntil(operations, rc)
	ended = true
	work, err := s.Captured()
	if why = cmp.Or(why, err); why != nil {
		return nil, kept, why
	}
	return work, kept, nil
}
