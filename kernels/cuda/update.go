package cuda

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// The sizes of struct Updates in update.cuh.
const (
	maxUpdated    = 64
	maxNumberSets = 14
	maxNumbers    = 9
	updateChunk   = 2048
)

// updated is struct Updated.
type updated struct {
	operands      [4]uint64
	count         uint64
	first         uint32
	numbers, wide uint16
}

// updates is struct Updates.
type updates struct {
	arrays uint64
	done   uint64
	array  [maxUpdated]updated
	sets   [maxNumberSets][maxNumbers]float64
}

// update runs the step of an optimiser on arrays of weights. For each there is an output for its weights and for each
// of its states, an input for its gradient, and so many Scalars as Integers[0] says. The last output, a 0-d bool,
// becomes true. Arrays in row-major order that share no memory are updated by the kernel many, up to 64 in a launch,
// and others by the kernel operator, one by one.
func update(operator, many string) recipe {
	return recipe{run: func(l *launcher, a *device.Arguments) error {
		last := len(a.Outputs) - 1
		each, numbers := last/max(len(a.Inputs), 1), int(a.Integers[0])
		u := updater{launcher: l, kernel: many}
		together := areApart(a.Outputs[:last], a.Inputs)
		for i := range a.Inputs {
			one := &device.Arguments{Outputs: a.Outputs[i*each:][:each], Inputs: a.Inputs[i:][:1], Scalars: a.Scalars[i*numbers:][:numbers]}
			var err error
			if together && !slices.ContainsFunc(one.Outputs, isStrided) && !isStrided(one.Inputs[0]) {
				err = u.add(one)
			} else {
				one.Integers = []int64{int64(wideStates(one.Outputs))}
				err = l.launch(operator, l.types, one)
			}
			if err != nil {
				return err
			}
		}
		if u.arrays == 0 {
			return l.tell(a.Outputs[last])
		}
		u.done = uint64(a.Outputs[last].Pointer.Address)
		return u.flush()
	}}
}

func isStrided(v device.View) bool { return !isRowMajor(v) }

// wideStates has a bit for each output that is of float32 though the first has 16 bits.
func wideStates(outputs []device.View) (mask uint16) {
	for i, v := range outputs {
		if v.DType == dtype.Float32 && outputs[0].DType != dtype.Float32 {
			mask |= 1 << i
		}
	}
	return mask
}

// areApart reports whether nothing that is written is near to what else is written or read.
func areApart(written, read []device.View) bool {
	type span struct {
		low, high uintptr
		isWritten bool
	}
	var spans []span
	for i, v := range slices.Concat(written, read) {
		if v.Count() == 0 {
			continue
		}
		s := span{v.Pointer.Address, v.Pointer.Address + uintptr(v.DType.Size()), i < len(written)}
		for axis, size := range v.Shape {
			reach := (size - 1) * v.Strides[axis] * v.DType.Size()
			s.low, s.high = s.low+uintptr(min(reach, 0)), s.high+uintptr(max(reach, 0))
		}
		spans = append(spans, s)
	}
	slices.SortFunc(spans, func(x, y span) int { return cmp.Compare(x.low, y.low) })
	var all, allWritten uintptr // where the spans so far end
	for _, s := range spans {
		if s.low < allWritten || s.isWritten && s.low < all {
			return false
		}
		all = max(all, s.high)
		if s.isWritten {
			allWritten = max(allWritten, s.high)
		}
	}
	return true
}

// updater gathers arrays for launches of a kernel many.
type updater struct {
	*launcher
	kernel string
	updates
	numbers int    // sets of numbers
	blocks  uint32 // of the arrays
}

// add enqueues the step of one array, perhaps with those of others to come.
func (u *updater) add(a *device.Arguments) error {
	count := uint64(a.Inputs[0].Count())
	if count == 0 {
		return nil
	}
	blocks := (count + updateChunk - 1) / updateChunk
	set, known := u.find(a.Scalars)
	if u.arrays == maxUpdated || !known && u.numbers == maxNumberSets || u.arrays > 0 && blocks+uint64(u.blocks) > mostBlocks {
		if err := u.flush(); err != nil {
			return err
		}
		set, known = 0, false
	}
	if blocks > 1<<31-1 {
		return fmt.Errorf("%s: an array has %d elements, more than a launch has blocks for", u.kernel, count)
	}
	if !known {
		copy(u.sets[set][:], a.Scalars)
		u.numbers++
	}
	x := &u.array[u.arrays]
	*x = updated{count: count, first: u.blocks, numbers: uint16(set), wide: wideStates(a.Outputs)}
	for i, v := range append(slices.Clone(a.Outputs), a.Inputs...) {
		x.operands[i] = uint64(v.Pointer.Address)
	}
	u.arrays++
	u.blocks += uint32(blocks)
	return nil
}

// find returns the place of a set of numbers, known or new. NaN is equal to itself, and 0 is not -0.
func (u *updater) find(numbers []float64) (set int, known bool) {
	same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
	for i := range u.numbers {
		if slices.EqualFunc(u.sets[i][:len(numbers)], numbers, same) {
			return i, true
		}
	}
	return u.numbers, false
}

// flush enqueues what was gathered.
func (u *updater) flush() error {
	found, ok := findKernel(u.kernel + "/" + u.types)
	if !ok {
		panic("cuda: a recipe wants " + u.kernel + "/" + u.types)
	}
	s := u.stream
	f, err := s.unit.modules.function(u.context, found)
	if err != nil {
		return fmt.Errorf("%s: %w", u.kernel, err)
	}
	if err := u.context.Launch(f, int(u.blocks), eachThreads, 0, s.handle, unsafe.Pointer(&u.updates)); err != nil {
		return err
	}
	s.launched()
	u.arrays, u.numbers, u.blocks = 0, 0, 0
	return nil
}

// inPlace runs the kernel operator on Outputs[0] and Inputs, and then Outputs[1], a 0-d bool, becomes true.
func inPlace(operator string) recipe {
	return recipe{run: func(l *launcher, a *device.Arguments) error {
		changed := *a
		changed.Outputs = a.Outputs[:1]
		if err := l.launch(operator, l.types, &changed); err != nil {
			return err
		}
		return l.tell(a.Outputs[1])
	}}
}

// tell makes a bool true.
func (l *launcher) tell(done device.View) error {
	return l.launch("fill", "bool", &device.Arguments{Outputs: []device.View{done}, Integers: []int64{1}, Scalars: []float64{1}})
}
