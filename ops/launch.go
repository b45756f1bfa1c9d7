package ops

import (
	"fmt"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/resource"
	"github.com/weft-nd/weft/storage"
)

// launch is an operator on its way through the engine: the kernel, its arguments, and the memory they are in.
type launch struct {
	call     *Call
	device   device.Device
	lowered  Lowered
	replicas []memory
	scratch  *resource.Scratch
	kernel   kernel

	// What the engine and the kernel get; they live as long as the launch.
	operation engine.Operation
	arguments device.Arguments
}

// memory is one piece of memory that a launch touches.
type memory struct {
	synced  *storage.Synced
	replica *storage.Replica
}

// newLaunch lowers c and finds its kernel.
func newLaunch(c *Call, env *Env, outputs, inputs []*Tensor) *launch {
	l := &launch{call: c, device: env.device, replicas: make([]memory, 0, len(inputs)+len(outputs))}
	l.lowered.Inputs = make([]storage.View, 0, len(inputs))
	l.lowered.Outputs = make([]storage.View, 0, len(outputs))
	for i, t := range inputs {
		if c.inputMode(i) == engine.Read {
			l.lowered.Inputs = append(l.lowered.Inputs, t.view)
		} else {
			l.lowered.Outputs = append(l.lowered.Outputs, t.view)
		}
	}
	for _, t := range outputs {
		l.lowered.Outputs = append(l.lowered.Outputs, t.view)
	}
	if c.Operator.Lower != nil {
		c.Operator.Lower(c, &l.lowered)
	}
	var err error
	if l.kernel, err = c.kernelFor(env.device); err != nil {
		c.Fail(fault.ErrDevice, err.Error())
	}
	return l
}

// acquire returns the accesses of the operation, and pushes what makes its operands valid on the device. It is called
// inside engine.Atomically.
func (l *launch) acquire(p engine.Pusher, outputs, inputs []*Tensor) []engine.Access {
	c := l.call
	accesses := make([]engine.Access, 0, len(outputs)+len(inputs))
	for i, t := range inputs {
		t.view.Synced.Check(c.inputMode(i), c.Site)
	}
	for _, t := range outputs {
		t.view.Synced.Check(engine.Update, c.Site)
	}
	for i, t := range inputs {
		accesses = l.take(p, t, c.inputMode(i), accesses)
	}
	for _, t := range outputs {
		mode := engine.Update
		if t.view.CoversAll() && !l.reads(t.view.Synced) {
			mode = engine.Write
		}
		accesses = l.take(p, t, mode, accesses)
	}
	return accesses
}

// inputMode returns how operand i is accessed.
func (c *Call) inputMode(i int) engine.Mode {
	if c.Operator.Mutates != nil && c.Operator.Mutates(c, i) {
		return engine.Update
	}
	return engine.Read
}

func (l *launch) take(p engine.Pusher, t *Tensor, mode engine.Mode, accesses []engine.Access) []engine.Access {
	lo, hi := t.view.Extent()
	if mode == engine.Write {
		lo, hi = 0, t.view.Synced.Bytes()
	}
	replica, accesses := t.view.Synced.Acquire(p, l.device, mode, lo, hi, accesses, l.call.Site)
	l.replicas = append(l.replicas, memory{t.view.Synced, replica})
	return accesses
}

// reads reports whether an operand acquired before is in s.
func (l *launch) reads(s *storage.Synced) bool {
	for _, m := range l.replicas {
		if m.synced == s {
			return true
		}
	}
	return false
}

// Run implements engine.Function.
func (l *launch) Run(rc *engine.RunContext) error {
	if err := l.bind(); err != nil {
		return engine.Untouched(err)
	}
	if l.kernel.remote == nil {
		return l.kernel.host(rc.Thread, &l.arguments)
	}
	if rc.Stream == nil {
		return fmt.Errorf("no stream for %v", l.device)
	}
	return l.kernel.remote.Launch(rc.Stream, &l.arguments)
}

// bind claims all memory, before anything is changed, and makes the arguments of the kernel.
func (l *launch) bind() (err error) {
	a := &l.arguments
	a.Integers, a.Scalars = l.lowered.Integers, l.lowered.Scalars
	if a.Outputs, err = l.bindViews(l.lowered.Outputs); err != nil {
		return err
	}
	if a.Inputs, err = l.bindViews(l.lowered.Inputs); err != nil {
		return err
	}
	if l.lowered.Scratch > 0 {
		if l.scratch, err = resource.Borrow(l.device, l.lowered.Scratch); err != nil {
			return err
		}
		a.Scratch = l.scratch.Pointer()
	}
	return nil
}

func (l *launch) bindViews(views []storage.View) ([]device.View, error) {
	bound := make([]device.View, len(views))
	for i, v := range views {
		start, err := l.claim(v.Synced)
		if err != nil {
			return nil, err
		}
		if !start.IsNil() {
			start = start.Add(v.Offset * v.DType.Size())
		}
		bound[i] = device.View{Pointer: start, DType: v.DType, Shape: v.Shape, Strides: v.Strides}
	}
	return bound, nil
}

func (l *launch) claim(s *storage.Synced) (device.Pointer, error) {
	for _, m := range l.replicas {
		if m.synced == s {
			return m.replica.Claim()
		}
	}
	panic("ops: the lowering of " + l.call.Operator.Name + " names memory that is no operand")
}

// Finished implements engine.Finisher.
func (l *launch) Finished() {
	if l.scratch != nil {
		l.scratch.Return()
		l.scratch = nil
	}
}

// Describe implements engine.Describer.
func (l *launch) Describe(e *engine.Error) { l.call.describe(e) }
