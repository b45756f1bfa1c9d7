package ops

import (
	"runtime"
	"runtime/debug"
	"slices"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/parallel"
)

// straight is a call whose operands each lie in memory without gaps, count elements long, except that one of them may be
// repeated: a single element, the same row for all rows, or a column with one element for each row.
type straight struct {
	*shortcut
	operator  *Operator
	line      cpu.Line // the shortcut's, or a faster one for what an operand is
	dst       *Tensor  // nil if the result is new
	fresh     *compact // that it is in then
	env       *Env
	shape     []int
	count     int
	rows      int    // in which the loop runs
	steps     [2]int // elements from an operand's part of a row to that of the next
	repeated  int    // the operands that are one element for a row: a sum of 1<<i
	long      bool   // it takes so long that others are to push meanwhile
	shared    bool   // and that threads share it
	reduction *reductionCall

	to   unsafe.Pointer // memory
	from [cpu.LineOperands]unsafe.Pointer
}

// find looks at the operands, and for their shortcut.
func (r *straight) find(op *Operator, params any, inputs []*Tensor) bool {
	if len(inputs) == 0 || len(inputs) > cpu.LineOperands {
		return false
	}
	types := operandTypes(0)
	for i, t := range inputs {
		if t == nil || len(t.nodes()) > 0 || i > 0 && t.env != r.env {
			return false
		}
		if i == 0 {
			r.env = t.env
			if r.shortcut = op.shortcuts[t.view.DType].Load(); r.shortcut == nil {
				return false
			}
		}
		types = types.with(i, t.view.DType)
		count, isRow := t.view.Row()
		if !isRow || !r.join(i, count, t.view.Shape) {
			return false
		}
	}
	for r.types != types || (params != nil || r.params != nil) && r.params != params {
		if r.shortcut = r.next; r.shortcut == nil {
			return false
		}
	}
	r.line = r.shortcut.line
	return r.count > 0 && r.env.isOrdinary() && (r.repeated == 0 || r.rows == 1 || r.line.Repeats(r.count/r.rows)) && r.isWorthwhile()
}

// isOrdinary reports whether nothing about e is out of the ordinary: calls in it may be computed by their caller.
func (e *Env) isOrdinary() bool {
	return len(e.scope) == 0 && e.capturing() == nil && straying.count.Load() == 0 && e.device.Kind == device.KindCPU
}

// sharedNanoseconds is how long the loop of an operator may take that its caller shares with the workers that are awake, while
// nothing is pending: the caller's part takes about as long as the longest loop that it runs alone. Rows are shared if there
// are at least manyRows of at least longRow elements.
const (
	sharedNanoseconds = 16_000
	manyRows          = 32
	longRow           = 64
)

// isWorthwhile reports whether the call is done in the time that it takes to hand it to a worker and to get its results from
// there. Many short rows are left to the kernel, which has a faster way.
func (r *straight) isWorthwhile() bool {
	takes, rows := float64(float64(r.count)*r.nanoseconds), float64(r.rows*rowNanoseconds) // alike on all processors: not fused
	r.long, r.shared = r.count > shortElements || takes+rows > shortNanoseconds, takes > restNanoseconds
	if r.shared {
		return takes <= sharedNanoseconds && (r.rows == 1 || r.rows >= manyRows && r.count/r.rows >= longRow)
	}
	return !r.long || takes+rows <= restNanoseconds && rows <= shortNanoseconds
}

// join takes operand i, of the given shape, to those before.
func (r *straight) join(i, count int, shape []int) bool {
	switch {
	case i == 0:
		r.count, r.shape, r.rows = count, shape, 1
		return true
	case r.rows > 1:
		return false // A third operand beside a row or a column is for the kernel.
	case slices.Equal(shape, r.shape):
		return true
	case len(r.shape) <= len(shape) && r.count < count:
		part, fewer := r.shape, r.count
		r.count, r.shape = count, shape
		if i > 1 {
			r.repeated = 1<<i - 1
			return fewer == 1
		}
		return r.repeat(0, fewer, part)
	}
	return len(shape) <= len(r.shape) && (i == 1 || count == 1) && r.repeat(i, count, shape)
}

// repeat arranges operand i, of fewer elements than the other, whose shape is that of the result.
func (r *straight) repeat(i, count int, shape []int) bool {
	switch {
	case count == 0:
		return false
	case count == 1:
		r.repeated |= 1 << i
	case isRepeatedRow(shape, r.shape, count):
		r.rows = r.count / count
		r.steps[1-i] = count
	case isRepeatedColumn(shape, r.shape, count):
		r.rows, r.repeated = count, 1<<i
		r.steps[i], r.steps[1-i] = 1, r.count/count
	default:
		return false
	}
	return true
}

// isRepeatedRow reports whether an array of shape part, which has so many elements, holds these of the last axes of a whole.
func isRepeatedRow(part, whole []int, count int) bool {
	for axis, rest := len(part)-1, count; axis >= 0 && rest > 1; axis-- {
		if part[axis] != whole[len(whole)-len(part)+axis] {
			return false
		}
		rest /= part[axis]
	}
	return true
}

// isRepeatedColumn reports whether an array of shape part, which has so many elements, holds these of the first axes of a whole.
func isRepeatedColumn(part, whole []int, count int) bool {
	if len(part) != len(whole) {
		return false
	}
	for axis, rest := 0, count; axis < len(part) && rest > 1; axis++ {
		if part[axis] != whole[axis] {
			return false
		}
		rest /= part[axis]
	}
	return true
}

// fits reports whether the result can be written to dst.
func (r *straight) fits(dst *Tensor, inputs []*Tensor) bool {
	if dst == nil || dst.env != r.env || len(dst.nodes()) > 0 || dst.view.DType != r.result || !slices.Equal(dst.view.Shape, r.shape) {
		return false
	}
	for _, t := range inputs {
		if t.view.Synced == dst.view.Synced && (t.view.DType != r.result || t.view.Offset != dst.view.Offset || !slices.Equal(t.view.Shape, r.shape)) {
			return false
		}
	}
	_, isRow := dst.view.Row()
	return isRow
}

// compute computes the result, a short one while nobody else can push. It reports false if the engine does not allow it, or it
// has failed in new memory: then the call is repeated as an operation, whose panic is an error of its result. A failure while
// it writes to a destination sticks to that.
func (r *straight) compute(dst *Tensor, inputs []*Tensor) (done bool) {
	if r.long {
		return r.computeAtRest(dst, inputs)
	}
	e, writes := r.env.engine, r.dst != nil
	if !writes {
		r.to = r.fresh.Claim() // while others can push
	}
	if e.TryAlone(writes) {
		resting := rest{engine: e, dst: r.dst, alone: true}
		done = r.computeBy(nil, &resting, dst, inputs)
		if resting.hasFailed() {
			resting.begin()
			resting.fail(r.operation(inputs))
			return true
		}
		if done && writes {
			dst.view.Synced.CountWrite()
		}
		e.EndAlone(writes, done)
	}
	if !done && !writes {
		r.fresh.Unclaim()
	}
	return done
}

// computeAtRest is compute for what takes longer: others may push meanwhile.
func (r *straight) computeAtRest(dst *Tensor, inputs []*Tensor) bool {
	e := r.env.engine
	if !e.TryAtRest() {
		return false
	}
	if !r.locate(dst, inputs) {
		e.EndAlone(true, false)
		return false
	}
	resting := rest{engine: e, dst: r.dst}
	thread := resting.begin()
	done := r.computeBy(thread, &resting, dst, inputs)
	if resting.hasFailed() {
		resting.fail(r.operation(inputs))
		return true
	}
	resting.end()
	return done
}

// operation returns what the call would have been, to tell of its failure.
func (r *straight) operation(inputs []*Tensor) *engine.Operation {
	params := r.params
	if r.reduction != nil {
		params = r.reduction.params
	}
	l := newLaunch()
	l.call.begin(r.operator, params, inputs, fault.Here(0))
	l.call.env, l.device = r.env, r.env.device
	l.describe()
	return &l.operation
}

// computeBy computes the result during a rest, or, without a Thread, while nobody else can push.
func (r *straight) computeBy(t *parallel.Thread, resting *rest, dst *Tensor, inputs []*Tensor) (done bool) {
	defer resting.guard(debug.SetPanicOnFault(true))
	if t == nil && !r.locate(dst, inputs) {
		resting.returned = true
		return false
	}
	if r.dst == nil && t != nil {
		r.to = r.fresh.Claim()
	}
	if r.repeated == 1<<1 && r.rows == 1 {
		r.specialise()
	}
	if r.shared {
		r.share(t)
	} else {
		resting.err = r.run(t)
	}
	if r.dst == nil && resting.err == nil {
		r.fresh.Conclude()
	}
	keepAlive(dst, inputs)
	resting.returned = true
	return resting.err == nil
}

// specialise takes a faster line, of the first operand alone, for the one element that the second is. It is guarded, as
// it reads that element.
func (r *straight) specialise() {
	if !r.line.IsKnown() || !r.line.HasAlike() {
		return
	}
	if alike, found := r.line.Alike(r.from[1]); found {
		r.line, r.repeated, r.from[1] = alike, 0, r.from[0] // in place of what is not looked at
	}
}

// locate finds the memory of the operands and of a result that is not new. It reports false unless all are settled.
func (r *straight) locate(dst *Tensor, inputs []*Tensor) bool {
	for i, t := range inputs {
		if r.from[i] = t.at(t.view.Synced.Settled(r.env.device)); r.from[i] == nil {
			return false
		}
	}
	if r.dst != nil {
		r.to = dst.at(dst.view.Synced.Free(r.env.device))
		return r.to != nil
	}
	return true
}

// keepAlive is called when their memory was used.
func keepAlive(dst *Tensor, inputs []*Tensor) {
	runtime.KeepAlive(inputs[0])
	runtime.KeepAlive(inputs[len(inputs)/2]) // of three
	runtime.KeepAlive(inputs[len(inputs)-1])
	runtime.KeepAlive(dst)
}
