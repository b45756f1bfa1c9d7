package engine

import (
	"slices"
	"strings"
	"sync"

	"github.com/weft-nd/weft/device"
)

// keptWork is the operations of a NewBulkOperator on a device, as one Function: their work is kept by a stream, so that it costs one call to
// run it again.
type keptWork struct {
	operations []Operation

	mu   sync.Mutex
	runs int // since the beginning, up to captureAfter, and more where work cannot be kept
	work device.Work
}

// captureAfter is how often the operations of a bulk run before their work is kept: what they do once alone, such as loading kernels, is
// done then, and cannot be kept.
const captureAfter = 2

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
	p, all := &keptWork{}, &recording{}
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
	capturer, able := rc.Stream.(device.Capturer)
	if p.work == nil && able && p.runs == captureAfter {
		p.work = p.capture(capturer, rc)
	}
	if p.work != nil && p.work.Enqueue(rc.Stream) == nil {
		return nil
	}
	p.runs++
	return p.each(rc)
}

func (p *keptWork) each(rc *RunContext) error {
	for i := range p.operations {
		if op := &p.operations[i]; op.Function != nil {
			if err := op.Function.Run(rc); err != nil {
				return op.failed(err, op.siteOr(nil))
			}
		}
	}
	return nil
}

// capture keeps the work of the operations; nil where that cannot be.
func (p *keptWork) capture(s device.Capturer, rc *RunContext) (kept device.Work) {
	if s.Capture() != nil {
		return nil
	}
	problem := error(errExit)
	defer func() {
		if work, err := s.Captured(); err == nil && problem == nil {
			kept = work
		}
	}()
	problem = p.each(rc)
	return nil
}
