package cuda

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cuda/driver"
	"github.com/weft-nd/weft/kernels/cuda/internal/ptx"
)

// The sizes of struct Chain in chain.cuh.
const (
	chainAxes     = 4
	chainOperands = 36
	chainSteps    = 256
	chainSlots    = 8
)

// chainArguments is struct Chain.
type chainArguments struct {
	count, steps uint64
	shape        [chainAxes]int64
	operands     [chainOperands]chainOperand
	program      [chainSteps]step
}

type chainOperand struct {
	start   uint64
	dtype   int64
	strides [chainAxes]int64
}

// Where the elements of an operand are: see chain.cuh.
const (
	chainStrided = iota
	chainRepeated
	chainLinear
)

// where returns which of these it is.
func (o *chainOperand) where(shape [chainAxes]int64) int64 {
	repeated, linear, next := true, true, int64(1)
	for axis, size := range slices.Backward(shape[:]) {
		if size == 1 {
			continue
		}
		repeated = repeated && o.strides[axis] == 0
		linear = linear && o.strides[axis] == next
		next *= size
	}
	switch {
	case repeated:
		return chainRepeated
	case linear:
		return chainLinear
	}
	return chainStrided
}

// step is a step of a program: see chain.cuh.
type step struct{ code, x, y, z, rounding, slot, operand, _ uint8 }

// The place that a number comes from, if it is no slot, which is its number plus one.
const (
	fromBefore  = 0
	fromOperand = chainSlots + 1 // and the number of the operand
)

// set makes p the arguments for c, and returns how many slots its program has.
func (p *chainArguments) set(c *chain) (slots int) {
	*p = chainArguments{count: 1, steps: uint64(len(c.links)), shape: [chainAxes]int64{1, 1, 1, 1}}
	numbers := map[*member]uint8{}
	for i, m := range c.operands {
		numbers[m] = uint8(i)
		p.operands[i] = chainOperand{start: uint64(m.view.Pointer.Address), dtype: int64(m.view.DType)}
	}
	at := 0
	for i, size := range c.shape {
		p.count *= uint64(size)
		p.shape[at] *= int64(size)
		for k, m := range c.operands {
			p.operands[k].strides[at] = int64(m.view.Strides[i])
		}
		if i == len(c.joined) || !c.joined[i] {
			at++
		}
	}
	for k := range c.operands {
		p.operands[k].dtype |= p.operands[k].where(p.shape) << 8
	}
	program := p.program[:len(c.links)]
	newAllocation(c, numbers, program).run()
	for _, s := range program {
		slots = max(slots, int(s.slot))
	}
	return slots
}

// allocation decides where the numbers of a chain are kept between steps.
type allocation struct {
	*chain
	numbers map[*member]uint8
	program []step
	nexts   [][]int         // of each step: those that read its result, ascending
	current map[*member]int // the step that wrote a member last
	slots   [chainSlots]int // the step whose result is in a slot; none if there is none
}

const none = -1

func newAllocation(c *chain, numbers map[*member]uint8, program []step) *allocation {
	a := &allocation{chain: c, numbers: numbers, program: program, nexts: make([][]int, len(c.links)), current: map[*member]int{}}
	for i := range a.slots {
		a.slots[i] = none
	}
	for i, l := range c.links {
		for _, m := range l.inputs {
			if from, found := a.current[m]; found {
				a.nexts[from] = append(a.nexts[from], i)
			}
		}
		a.current[l.output] = i
	}
	clear(a.current)
	return a
}

// run makes the program. What nobody reads any more leaves its slot; of two results the one that is read later has none, and is read from
// the array that it is an element of, as are operands.
func (a *allocation) run() {
	for i, l := range a.links {
		s := &a.program[i]
		s.code, s.rounding = l.code, l.rounding
		for k, m := range l.inputs {
			*[]*uint8{&s.x, &s.y, &s.z}[k] = a.place(m, i)
		}
		a.current[l.output] = i
		a.keep(i)
	}
	for m, last := range a.current {
		if !m.unseen {
			a.store(last)
		}
	}
}

// place returns where step i finds the element of m.
func (a *allocation) place(m *member, i int) uint8 {
	from, computed := a.current[m]
	if computed && from == i-1 {
		return fromBefore
	}
	if computed {
		for slot, kept := range a.slots {
			if kept == from {
				return uint8(slot + 1)
			}
		}
		a.store(from)
	}
	return fromOperand + a.numbers[m]
}

// keep finds a slot for the result of step i, if the next step is not the only one that reads it.
func (a *allocation) keep(i int) {
	next := a.next(i, i+1)
	if next == math.MaxInt {
		return
	}
	latest, at := 0, none
	for slot, kept := range a.slots {
		of := math.MaxInt
		if kept != none {
			of = a.next(kept, i)
		}
		if of > latest {
			latest, at = of, slot
		}
	}
	if latest > next {
		a.slots[at], a.program[i].slot = i, uint8(at+1)
	}
}

// next returns the first step behind another one that reads the result of step i.
func (a *allocation) next(i, behind int) int {
	for _, reader := range a.nexts[i] {
		if reader > behind {
			return reader
		}
	}
	return math.MaxInt
}

// store makes step i write its result to memory.
func (a *allocation) store(i int) { a.program[i].operand = a.numbers[a.links[i].output] + 1 }

// kernel returns the kernel that runs the chain, how many elements one of its threads has at a time, and the bytes of one in a slot.
func (c *chain) kernel() (k ptx.Kernel, lanes uint64, size int) {
	name := "arithmetic_" + c.computed.String()
	switch c.computed {
	case dtype.Float64, dtype.Int64:
		lanes, size = 2, 8
	default:
		name, lanes, size = "arithmetic_float32", 4, 4
		if slices.ContainsFunc(c.links, func(l link) bool { return l.code >= chainCodeOf["exp"] }) {
			name, lanes = "functions_float32", 1
		}
	}
	k, found := ptx.Find(name)
	if !found {
		panic("cuda: there is no kernel for chains " + name)
	}
	return k, lanes, size
}

// enqueueKept adds a launch of k to the chain of s, a stream that keeps its work, or enqueues it behind the chain.
func (s *stream) enqueueKept(k *kernel, a *device.Arguments) error {
	if s.chain.add(k, a) {
		return nil
	}
	return s.enqueue(func(c driver.Context) error { // which has flushed the chain
		if s.chain.add(k, a) {
			return nil
		}
		return k.enqueue(c, s, a)
	})
}

// flush enqueues the chain: a link that is alone by its own kernel.
func (s *stream) flush(c driver.Context) error {
	if len(s.chain.links) == 0 {
		return nil
	}
	latest := s.chain
	s.chain = chain{}
	if len(latest.links) == 1 {
		return latest.links[0].kernel.enqueue(c, s, &latest.links[0].arguments)
	}
	if err := latest.launch(c, s); err != nil {
		return fmt.Errorf("chain of %d: %w", len(latest.links), err)
	}
	s.launched()
	return nil
}

func (c *chain) launch(context driver.Context, s *stream) error {
	k, lanes, size := c.kernel()
	f, err := s.unit.modules.function(context, k)
	if err != nil {
		return err
	}
	a := new(chainArguments)
	shared := a.set(c) * int(lanes) * size * eachThreads
	blocks := (a.count + eachThreads*lanes - 1) / (eachThreads * lanes)
	return context.Launch(f, int(min(blocks, mostBlocks)), eachThreads, shared, s.handle, unsafe.Pointer(a))
}

// prepareChains loads the kernels for chains before work is kept, as nothing can be loaded then: those with functions if there was one.
func (u *unit) prepareChains(c driver.Context) error {
	wanted := []string{"arithmetic_float32", "arithmetic_float64", "arithmetic_int64"}
	if u.modules.has("functions") {
		wanted = append(wanted, "functions_float32")
	}
	for _, name := range wanted {
		k, _ := ptx.Find(name)
		if _, err := u.modules.function(c, k); err != nil {
			return err
		}
	}
	return nil
}
