package cuda

import (
	"fmt"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// fold is a kernel of a reduction: one launch, or, where a result has many elements and there are few results, one for parts and one
// that joins them; see reduce.h.
type fold struct{ *kernel }

var _ device.ScratchKernel = (*fold)(nil)

const (
	// wholeFold is how many elements of a result are not cut.
	wholeFold = 1 << 13
	// foldBlocks is about how many blocks there are then, at least where there are elements for them.
	foldBlocks = 1 << 11
	// partialBytes is room for what is known of a part.
	partialBytes = 16
	// foldColumns is how many results a block is at where those are nearer in memory than the elements of one.
	foldColumns = 32
	// foldLanes, foldSegments and columnThreads are those of reduce.h.
	foldLanes, foldSegments, columnThreads = 32, 4, 8
)

// cut returns how a reduction of so many elements to each of so many results is cut: into parts of a length.
func cut(results, elements int) (length, parts int) {
	parts = min(elements/(wholeFold/2), foldBlocks/max((results+foldColumns-1)/foldColumns, 1))
	if elements <= wholeFold || parts < 2 {
		return elements, 1
	}
	length = (elements + parts - 1) / parts
	length = (length + foldLanes*foldSegments - 1) / (foldLanes * foldSegments) * (foldLanes * foldSegments)
	return length, (elements + length - 1) / length
}

// foldScratch returns the bytes of temporary memory for a reduction of so many elements to each of so many results.
func foldScratch(results, elements int) int {
	if _, parts := cut(results, elements); parts > 1 {
		return results * parts * partialBytes
	}
	return 0
}

// reductionScratch returns them for a reduction of the last Integers[0] axes of Inputs[0].
func reductionScratch(a *device.Arguments) int {
	shape := a.Inputs[0].Shape
	split := len(shape) - int(a.Integers[0])
	return foldScratch(elements(shape[:split]), elements(shape[split:]))
}

// Scratch returns the bytes of temporary memory for a call.
func (k *fold) Scratch(_ int, a *device.Arguments) int {
	return reductionScratch(a)
}

// Launch enqueues the kernel on s, a stream of the same backend. The arguments are copied.
func (k *fold) Launch(s device.Stream, a *device.Arguments) error {
	own, err := k.streamOf(s)
	if err != nil {
		return err
	}
	return own.enqueue(func(c driver.Context) error { return k.fold(c, own, a) })
}

// fold enqueues the reduction, with room for the results of parts at a.Scratch.
func (k *fold) fold(c driver.Context, s *stream, a *device.Arguments) error {
	p := s.arguments
	if err := p.set(k.found.Form, a); err != nil {
		return fmt.Errorf("%s: %w", k.name, err)
	}
	if p.count == 0 {
		return nil
	}
	f, err := s.unit.modules.function(c, k.found)
	if err != nil {
		return fmt.Errorf("%s: %w", k.name, err)
	}
	length, parts := cut(int(p.count), int(p.inner))
	p.part, p.parts = uint64(length), uint64(parts)
	results := p.count
	if nearer(p, &p.operands[len(a.Outputs)]) {
		p.columns = foldColumns
		results = (results + foldColumns - 1) / foldColumns
	}
	if parts > 1 {
		p.keep(a.Scratch)
	}
	if err := s.launch(c, f, int(min(results*p.parts, mostBlocks)), foldThreads(p, length)); err != nil || parts == 1 {
		return err
	}
	p.joins, p.columns = 1, 1
	return s.launch(c, f, int(min(p.count, mostBlocks)), foldThreads(p, parts))
}

// nearer reports whether results that follow one another are nearer in memory than the elements of one of them.
func nearer(p *arguments, o *operand) bool {
	if p.outerAxes == 0 || p.innerAxes == 0 || p.shape[p.outerAxes-1] < foldColumns {
		return false
	}
	outer, inner := o.strides[p.outerAxes-1], o.strides[p.outerAxes+p.innerAxes-1]
	return max(outer, -outer) < max(inner, -inner)
}

// foldThreads returns the threads of a block that takes so many elements of a result.
func foldThreads(p *arguments, length int) int {
	if p.columns > 1 {
		return foldColumns * columnThreads
	}
	threads := foldLanes
	for threads < foldLanes*foldSegments && threads < length {
		threads *= 2
	}
	return threads
}

// keep gives the results of parts a place.
func (p *arguments) keep(at device.Pointer) {
	o := &p.operands[maxOperands-1]
	*o = operand{start: uint64(at.Address), dtype: int64(dtype.Complex128)}
	next := int64(p.parts)
	for axis := p.outerAxes - 1; axis >= 0; axis-- {
		o.strides[axis] = next
		next *= p.shape[axis]
	}
}

// fold enqueues the kernel of a reduction, with room for the results of parts at a.Scratch.
func (l *launcher) fold(operator string, a *device.Arguments) error {
	name := operator + "/" + l.types
	found, ok := findKernel(name)
	if !ok {
		panic("cuda: a recipe wants " + name)
	}
	return (&fold{&kernel{l.backend, name, found}}).fold(l.context, l.stream, a)
}

// elements returns how many an array has.
func elements(shape []int) int {
	n := 1
	for _, of := range shape {
		n *= of
	}
	return n
}
