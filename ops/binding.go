package ops

import (
	"fmt"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/storage"
)

// binding is a kernel, its arguments, and the memory they are in.
type binding struct {
	device    device.Device
	lowered   Lowered
	replicas  []memory
	places    []int32 // in replicas, of the memory of the lowered outputs and inputs
	kernel    kernel
	arguments device.Arguments
}

// memory is one piece of memory that a binding touches.
type memory struct {
	synced  *storage.Synced // nil in a launch that was pushed
	replica *storage.Replica
	mode    engine.Mode
	claimed bool // by bind

	replaces bool  // all bytes of an operand that is a part, and reads none of them
	lo, hi   int64 // the bytes of an operand that is a part; hi is 0 for one that is not

	lent *lent // that stands for the replica; nil for most
}

// bind claims the memory of all operands and results, before anything is changed, and makes the arguments of the kernel of them.
func (b *binding) bind() (err error) {
	a := &b.arguments
	a.Integers, a.Scalars = b.lowered.Integers, b.lowered.Scalars
	outputs := len(b.lowered.Outputs)
	if a.Outputs, err = b.bindViews(a.Outputs[:0], b.lowered.Outputs, b.places[:outputs]); err != nil {
		return err
	}
	a.Inputs, err = b.bindViews(a.Inputs[:0], b.lowered.Inputs, b.places[outputs:])
	return err
}

// bindViews appends views, whose memory has these places, to bound.
func (b *binding) bindViews(bound []device.View, views []storage.View, places []int32) ([]device.View, error) {
	for i := range views {
		v := &views[i]
		start, err := b.replicas[places[i]].claim()
		if err != nil {
			return bound, err
		}
		bound = append(bound, viewAt(v, start))
	}
	return bound, nil
}

// viewAt returns v in memory that starts at the given address, which is nil if there is none. A view without elements
// stays at the start of that: where it begins, and its strides, may lead behind all memory, where the collector would
// take a pointer for one to what lies there.
func viewAt(v *storage.View, start device.Pointer) device.View {
	strides := v.Strides
	if v.Count() == 0 {
		strides = make([]int, len(strides))
	} else if !start.IsNil() {
		start = start.Add(v.Offset * v.DType.Size())
	}
	return device.View{Pointer: start, DType: v.DType, Shape: v.Shape, Strides: strides}
}

// locate finds the places of all lowered views.
func (b *binding) locate() {
	for i := range b.lowered.Outputs {
		b.places = append(b.places, b.place(b.lowered.Outputs[i].Synced))
	}
	for i := range b.lowered.Inputs {
		b.places = append(b.places, b.place(b.lowered.Inputs[i].Synced))
	}
}

func (b *binding) place(s *storage.Synced) int32 {
	for i := range b.replicas {
		if b.replicas[i].synced == s {
			return int32(i)
		}
	}
	panic("ops: the lowering of an operator names memory that is no operand")
}

func (m *memory) claim() (device.Pointer, error) {
	if m.lent != nil {
		return m.lent.start, nil
	}
	m.claimed = m.claimed || !m.replica.Claimed()
	return m.replica.Claim()
}

// run calls the kernel, or enqueues it.
func (b *binding) run(rc *engine.RunContext) error {
	if b.kernel.remote == nil {
		return b.kernel.host(rc.Thread, &b.arguments)
	}
	if rc.Stream == nil {
		return fmt.Errorf("no stream for %v", b.device)
	}
	return b.kernel.remote.Launch(rc.Stream, &b.arguments)
}
