package ops

import (
	"slices"
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/resource"
	"github.com/weft-nd/weft/storage"
)

// launch is a call on its way through the engine.
type launch struct {
	call Call
	binding
	promise storage.Promise
	scratch resource.Scratch
	hunger  storage.Hunger // for scratch
	unbound bool
	watched atomic.Bool // by recorders, and one of the two users of the launch has called Recycle

	outputs  []*Tensor
	fresh    *compact // that one of outputs is in, if it is small and new: the only one, if there are no others
	watching []Recorder
	records  []*Record // one for each recorder that watches
	register func(p engine.Pusher)

	operation engine.Operation // what the engine gets; it lives as long as the launch

	room  room
	large largeRoom
}

// prepare lowers the call and finds its kernel.
func (l *launch) prepare() {
	c := &l.call
	l.device = c.env.device
	if len(c.inputs) > fewInputs || len(l.outputs) > fewOutputs {
		written := len(l.outputs)
		for i := range c.inputs {
			if c.inputMode(i) != engine.Read {
				written++
			}
		}
		l.makeRoom(written)
	}
	for i, t := range c.inputs {
		if c.inputMode(i) == engine.Read {
			l.lowered.Inputs = append(l.lowered.Inputs, t.view)
		} else {
			l.lowered.Outputs = append(l.lowered.Outputs, t.view)
		}
	}
	for _, t := range l.outputs {
		l.lowered.Outputs = append(l.lowered.Outputs, t.view)
	}
	if c.Operator.Lower != nil {
		c.Operator.Lower(c, &l.lowered)
	}
	if c.Operator.Draws {
		l.lowered.Integers = append([]int64{int64(c.ticket.Key), int64(c.ticket.Sequence)}, l.lowered.Integers...)
	}
	var err error
	if l.kernel, err = c.kernelFor(l.device); err != nil {
		c.Fail(fault.ErrDevice, err.Error())
	}
	if remote, ok := l.kernel.remote.(device.ScratchKernel); ok {
		l.lowered.Scratch = remote.Scratch(l.device.Index, l.lowered.layout())
	} else if l.kernel.widens {
		l.lowered.Scratch = cpu.WideningScratch(c.Operator.Name, c.leadingType(), l.lowered.layout())
	}
	if l.kernel.fallback != "" {
		l.device = device.CPU(0) // where the replicas are then, to and from which the engine copies
		countFallback(c.Operator.Name)
	}
	l.operation.Brief = l.isBrief()
	l.learn()
}

// layout returns the arguments of a kernel without memory.
func (l *Lowered) layout() *device.Arguments {
	a := &device.Arguments{Integers: l.Integers, Scalars: l.Scalars}
	for _, v := range l.Outputs {
		a.Outputs = append(a.Outputs, layoutOf(v))
	}
	for _, v := range l.Inputs {
		a.Inputs = append(a.Inputs, layoutOf(v))
	}
	return a
}

// push registers the operator with the engine; in the same step it makes the records of those who watch it, and registers the
// copies of its results. When it returns, l may be another call's already, unless it is watched.
func (l *launch) push(copies []*launch) {
	l.describe()
	if len(copies) == 0 {
		l.call.env.engine.Atomically(l.register)
		return
	}
	for _, copying := range copies {
		copying.prepare()
		copying.describe()
	}
	operator, site := l.call.Operator.Name, l.call.Site
	l.call.env.engine.Atomically(func(p engine.Pusher) {
		for _, copying := range copies { // before anything is pushed, so that a mistake changes nothing
			copying.outputs[0].view.Synced.Check(operator, engine.Update, site)
		}
		l.register(p)
		for _, copying := range copies {
			copying.register(p)
		}
	})
}

// describe makes the operation of the call, which was prepared.
func (l *launch) describe() {
	c, op := &l.call, &l.operation
	op.Name, op.Function, op.KeepOnSkip = c.Operator.Name, l, c.Operator.KeepOnSkip
	op.Device, op.Context, op.Site, op.Priority = l.device, c.env.scope.context(), c.Site, c.env.priority
	op.Inline = true // Kernels return or panic.
	if l.kernel.fallback != "" {
		op.Name = l.kernel.fallback
	}
	if c.allocates {
		op.Bytes = totalBytes(c.Outputs)
	}
}

// An element-wise operator is brief, so that handing it to a worker would take as long, if it has at most briefElements, or at
// most shortElements and a loop that is known to take no more than shortNanoseconds.
const (
	briefElements    = 256
	shortElements    = 1024
	shortNanoseconds = 500
	rowNanoseconds   = 10 // of a call of a loop
)

// restNanoseconds is how long the loop of an operator may take that the caller runs itself while nothing is pending: handing it
// to a worker takes two microseconds, and moves its operands from one processor's cache to another's.
const restNanoseconds = 6500

// isShort reports whether the loop over so many elements takes less time than to hand it to a worker.
func isShort(line cpu.Line, elements int) bool {
	return elements <= shortElements && line.Nanoseconds(elements) <= shortNanoseconds
}

// isBrief reports whether the operator is done before a worker would begin with it, needs no memory that might be lacking, and
// can be called again if it fails.
func (l *launch) isBrief() bool {
	if l.lowered.Scratch > 0 || len(l.outputs) != 1 || l.device.Kind != device.KindCPU || l.kernel.fallback != "" {
		return false
	}
	elements, line := int(l.call.Outputs[0].elements()), l.kernel.line
	if line.IsKnown() && isShort(line, elements) {
		return true
	}
	op := l.call.Operator
	switch {
	case op.Form == FormUnary || op.Form == FormBinary:
		return elements <= briefElements
	case op.Form == FormReduction:
		return isBriefReduction(l.lowered.Inputs[0], elements)
	case op.Brief != nil:
		return op.Brief(&l.call)
	}
	return op.IsRegistered() && op.Mutates == nil && (op.Work == nil || op.Work(&l.call) <= briefWork) && l.call.areFew(0)
}

// The most elements of each operand, and of the result, of a brief operator without a Brief of its own. Random numbers have a
// lower limit, since each may be drawn again and again.
const (
	fewElements = 2048
	fewDrawn    = 128
)

// briefWork is the most floating-point operations of such an operator: one takes up to a nanosecond.
const briefWork = 8_000

// areFew reports whether the operands from the given one on, and the results, are of few elements each.
func (c *Call) areFew(first int) bool {
	most := int64(fewElements)
	if c.Operator.Draws {
		most = fewDrawn
	}
	isLarge := func(o Operand) bool { return o.elements() > most }
	return !slices.ContainsFunc(c.Inputs[first:], isLarge) && !slices.ContainsFunc(c.Outputs, isLarge)
}

// The most elements, and the time in nanoseconds, of a reduction to not more than briefElements that is brief where they lie one after the
// other. Otherwise it takes a quarter of what an element-wise operator does for each.
const (
	briefReduced   = 1 << 17
	briefReduction = 8_192
)

func isBriefReduction(in storage.View, outputs int) bool {
	count := in.Count()
	if outputs > briefElements {
		return false
	}
	return count <= 4*briefElements || count <= briefReduced && cpu.ReductionNanoseconds(count*in.DType.Size()) <= briefReduction && in.IsContiguous()
}

// registerWith is what push does inside engine.Atomically.
func (l *launch) registerWith(p engine.Pusher) {
	if priority := l.operation.Priority; priority != 0 {
		p = prioritised{p, priority}
	}
	pushed := false
	defer func() {
		if !pushed { // It was a mistake.
			l.promise.Drop()
		}
	}()
	l.operation.Accesses = l.acquire(p)
	l.locate()
	if capture := l.call.env.capturing(); capture != nil {
		capture.add(l)
	}
	l.letGo()
	watching := l.watching
	p.Push(&l.operation)
	pushed = true
	if len(watching) > 0 {
		l.records = l.call.records(l.records, watching, l.outputs)
	}
}

// letGo drops what is not needed to run l, and would keep arrays alive that the program drops while l is pending. Who
// watches l lets go of its operands and results later.
func (l *launch) letGo() {
	views := [...][]storage.View{l.lowered.Inputs, l.lowered.Outputs, l.room.views[:], l.large.views[:l.large.used]}
	for _, all := range views { // Lowering may have left some that are not used.
		for i := range all {
			all[i].Synced = nil
		}
	}
	for i := range l.replicas {
		l.replicas[i].synced = nil
	}
	if len(l.watching) == 0 {
		l.letTensorsGo()
	}
}

func (l *launch) letTensorsGo() {
	l.fresh = nil
	clear(l.call.inputs[:cap(l.call.inputs)]) // Behind the operands there may be destinations.
	clear(l.outputs)
}

// prioritised gives all that is pushed a priority.
type prioritised struct {
	engine.Pusher
	priority int
}

// Push implements engine.Pusher.
func (p prioritised) Push(op *engine.Operation) {
	op.Priority = p.priority
	p.Pusher.Push(op)
}

// acquire returns the accesses of the operation, and pushes what makes its operands valid on the device. It is called
// inside engine.Atomically.
func (l *launch) acquire(p engine.Pusher) []engine.Access {
	c, inputs, outputs := &l.call, l.call.inputs, l.outputs
	accesses := l.operation.Accesses
	for i, t := range inputs {
		t.view.Synced.Check(c.Operator.Called(), c.inputMode(i), c.Site)
	}
	for _, t := range outputs {
		if !c.allocates {
			t.view.Synced.Check(c.Operator.Called(), engine.Update, c.Site)
		}
	}
	for i, t := range inputs {
		accesses = l.take(p, t, c.inputMode(i), accesses)
	}
	for _, t := range outputs {
		reads := !c.allocates && l.reads(t.view.Synced)
		if c.allocates || !reads && t.view.CoversAll() {
			accesses = l.take(p, t, engine.Write, accesses)
			continue
		}
		before := len(accesses)
		accesses = l.take(p, t, engine.Update, accesses)
		if !reads && t.view.CoversExtent() {
			l.replaces(accesses[before:])
		}
	}
	for i := range l.replicas {
		if m := &l.replicas[i]; m.mode != engine.Read {
			l.promise.AddReplica(m.replica)
		}
	}
	if l.lowered.Scratch > 0 {
		l.promise.Add(scratchPlace(l.device), l.lowered.Scratch)
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
	lo, hi := 0, t.view.Synced.Bytes()
	if mode != engine.Write {
		lo, hi = t.view.Extent()
	}
	replica, accesses := t.view.Synced.Acquire(p, l.device, mode, lo, hi, accesses, l.call.Site)
	m := memory{synced: t.view.Synced, replica: replica, mode: mode}
	if lo > 0 || hi < t.view.Synced.Bytes() {
		m.lo, m.hi = int64(lo), int64(hi)
	}
	l.replicas = append(l.replicas, m)
	return accesses
}

// replaces makes the accesses of the operand that was taken last such as replace a part of the memory, which cures it.
func (l *launch) replaces(accesses []engine.Access) {
	l.replicas[len(l.replicas)-1].replaces = true
	for i := range accesses {
		accesses[i].Replaces = true
	}
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
	if err := l.promise.Due(); err != nil {
		return err
	}
	if err := l.bind(); err != nil {
		l.unbind()
		return err
	}
	l.promise.Keep()
	return l.run(rc)
}

// bind claims all memory, before anything is changed, and makes the arguments of the kernel.
func (l *launch) bind() error {
	if err := l.binding.bind(); err != nil {
		return err
	}
	if l.lowered.Scratch > 0 {
		if err := l.scratch.Borrow(scratchPlace(l.device), l.lowered.Scratch); err != nil {
			return l.hunger.Starved(err)
		}
		l.arguments.Scratch, l.arguments.ScratchBytes = l.scratch.Pointer(), l.lowered.Scratch
	}
	return nil
}

// scratchPlace returns the device on which operators on d have temporary memory: ordinary memory if that of d is pinned or
// shared.
func scratchPlace(d device.Device) device.Device {
	if d.Kind == device.KindCPUPinned || d.Kind == device.KindCPUShared {
		return device.CPU(0)
	}
	return d
}

// unbind gives back what bind has claimed: an operation that waits for memory must not keep others from it. The first time it
// tells the engine, because another operation may have been tried in vain meanwhile; telling it every time would make this
// operation try again without end.
func (l *launch) unbind() {
	given := false
	for i := range l.replicas {
		if m := &l.replicas[i]; m.claimed {
			m.replica.Unclaim()
			m.claimed, given = false, true
		}
	}
	if given && !l.unbound {
		l.unbound = true
		engine.MemoryFreed()
	}
}

// Finished implements engine.Finisher.
func (l *launch) Finished() {
	l.promise.Drop()
	l.scratch.Return()
}

// Describe implements engine.Describer.
func (l *launch) Describe(e *engine.Error) {
	e.Operator = l.call.Operator.Called()
	l.call.describe(e)
}
