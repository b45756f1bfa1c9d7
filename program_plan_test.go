package weft_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

var places = []device.Device{device.CPU(0), device.Sim(0), device.Sim(1)}

// instruction is a source of choices. What it does follows from them and from what the instructions before it have made;
// each array is chosen by the place of its instruction, so that a program without some of them stays much the same.
type instruction struct {
	place int
	seed  uint64
}

// step is one call of a planned program.
type step struct {
	text string
	run  func(w *world)
}

// planner turns instructions into calls, and runs the model along.
type planner struct {
	*rand.Rand
	now   int
	live  []*handle
	tapes []*modelTape
	count int // of handles
	steps []step
}

// world is what the calls of a program work on.
type world struct {
	env    *nd.Env
	arrays map[int]*nd.Array
	tapes  map[int]*autograd.Tape
	faulty bool // devices fail at random
}

// plan returns the calls of a program.
func plan(program []instruction, shared []*handle) []step {
	p := &planner{live: slices.Clone(shared), count: len(shared)}
	for _, in := range program {
		p.Rand, p.now = rand.New(rand.NewPCG(in.seed, 1)), in.place
		kinds[p.IntN(len(kinds))](p)
	}
	for _, h := range p.live {
		if !h.memory.released {
			p.read(h)
		}
	}
	return p.steps
}

func (p *planner) emit(run func(w *world), format string, arguments ...any) {
	p.steps = append(p.steps, step{fmt.Sprintf(format, arguments...), run})
}

// choose returns a live array that fits, nil if there is none.
func (p *planner) choose(fits func(h *handle) bool) *handle {
	limit := p.IntN(p.now + 1)
	var last *handle
	for _, h := range p.live {
		if !h.memory.released && fits(h) && (last == nil || h.born <= limit) {
			last = h
		}
	}
	return last
}

func anything(*handle) bool   { return true }
func writable(h *handle) bool { return !h.memory.shared }

// add makes h an array of the program.
func (p *planner) add(h *handle) *handle {
	p.count++
	h.id, h.born = p.count, p.now
	p.live = append(p.live, h)
	return h
}

// array returns the array of h on a place.
func (w *world) array(h *handle, place int) *nd.Array {
	a := w.arrays[h.id]
	if h.place != place {
		a = a.To(places[place])
	}
	return a
}

// compute plans the call of an operator on operands[0]'s device, with a new array as its result.
func (p *planner) compute(r result, call func(w *world, operands []*nd.Array) *nd.Array, format string, arguments ...any) *handle {
	place := r.operands[0].place
	h := &handle{memory: &memory{integer: r.integer, failed: r.failure()}, shape: r.shape, place: place}
	if !r.exact() || !p.record(&r, h.memory, place != 0) {
		return nil
	}
	h.tapes, h.vague = r.watching()
	h.memory.exposed = r.exposed(place)
	for i, n := range r.elements {
		h.memory.data = append(h.memory.data, n.value)
		h.offsets = append(h.offsets, i)
		if len(h.tapes) > 0 {
			h.slopes = append(h.slopes, n.slope)
		}
	}
	p.add(h)
	p.call(h, r.operands, place, call, format, arguments...)
	return h
}

func (p *planner) call(h *handle, operands []*handle, place int, call func(w *world, operands []*nd.Array) *nd.Array, format string, arguments ...any) {
	p.emit(func(w *world) {
		arrays := make([]*nd.Array, len(operands))
		for i, operand := range operands {
			arrays[i] = w.array(operand, place)
		}
		w.arrays[h.id] = call(w, arrays)
	}, "%v = %s%v on %v", h, fmt.Sprintf(format, arguments...), operands, places[place])
}

// String returns the name of h.
func (h *handle) String() string { return fmt.Sprintf("a%d%v", h.id, h.shape) }

func (r *result) exposed(place int) bool {
	return place != 0 || slices.ContainsFunc(r.operands, func(h *handle) bool { return h.memory.exposed })
}

// record notes what the tapes keep of r; it reports whether their gradients stay exact.
func (p *planner) record(r *result, output *memory, exposed bool) bool {
	all, vague := r.watching()
	for _, tape := range all {
		if !tape.closed && tape.bits+r.bits() > 46 {
			return false
		}
	}
	for _, tape := range all {
		if tape.closed {
			continue
		}
		tape.bits += r.bits()
		tape.fellows = append(tape.fellows, all...)
		tape.uncertain = tape.uncertain || r.failure() != ""
		tape.exposed = tape.exposed || exposed || r.exposed(0)
		for _, m := range r.saves {
			if m == nil {
				m = output
			}
			tape.saved[m] = tape.saved[m] || !vague
		}
	}
	return true
}

// protection tells whether a live tape has saved m: for sure, perhaps.
func (p *planner) protection(m *memory) (sure, perhaps bool) {
	for _, tape := range p.tapes {
		if certain, found := tape.saved[m]; found && !tape.closed {
			sure, perhaps = sure || certain, true
		}
	}
	return sure, perhaps
}

// store plans the write of r to dst. Call is given dst before the operands, and nothing that a tape watches.
func (p *planner) store(dst *handle, r result, call func(w *world, dst *nd.Array, operands []*nd.Array), format string, arguments ...any) {
	covers, repeats := dst.coversAll()
	sure, perhaps := p.protection(dst.memory)
	run := func(w *world) {
		arrays := make([]*nd.Array, len(r.operands))
		for i, operand := range r.operands {
			arrays[i] = w.array(operand, dst.place).Detach()
		}
		call(w, w.arrays[dst.id].Detach(), arrays)
	}
	text := fmt.Sprintf("%s(%v, %v) on %v", fmt.Sprintf(format, arguments...), dst, r.operands, places[dst.place])
	switch {
	case !r.exact():
	case repeats:
		p.mistake(run, fault.ErrMisuse, text)
	case sure:
		p.mistake(run, fault.ErrSaved, text)
	case perhaps:
	default:
		m := dst.memory
		failed := r.failure()
		m.exposed = r.exposed(dst.place) || !covers && m.exposed
		switch {
		case covers || failed == "" && m.failed == "":
			m.torn = nil
		case m.failed == "" || m.torn != nil && (failed != "" || dst.failure() != unknown):
			m.torn = append(m.torn, dst.extent())
		}
		if !covers {
			failed = either(failed, m.failed)
		}
		if m.failed = failed; failed == "" {
			for i, n := range r.elements {
				m.data[dst.offsets[i]] = n.value
			}
		}
		p.emit(run, "%s", text)
	}
}

// mistake plans a call that must panic, and change nothing.
func (p *planner) mistake(run func(w *world), reason error, text string) {
	p.emit(func(w *world) {
		if err := nd.Try(func() { run(w) }); !errorIs(err, reason) {
			panic(problem(fmt.Sprintf("want the mistake %q, got %v", reason, err)))
		}
	}, "%s panics with %v", text, reason)
}

// look plans a view of h.
func (p *planner) look(h *handle, shape, from []int, call func(a *nd.Array) *nd.Array, format string, arguments ...any) *handle {
	if len(from) > 36 {
		return nil
	}
	view := p.add(h.pick(shape, from))
	p.call(view, []*handle{h}, h.place, func(_ *world, operands []*nd.Array) *nd.Array { return call(operands[0]) }, format, arguments...)
	return view
}

// read plans the comparison of h with the model.
func (p *planner) read(h *handle) {
	covers, _ := h.coversAll() // a part of what a device holds is copied there before it is read
	want := expectation{h.values(), h.failure(), h.memory.exposed || h.place != 0 && !(h.contiguous() && covers)}
	integer := h.memory.integer
	how := p.IntN(4)
	p.emit(func(w *world) { w.compare(w.arrays[h.id], integer, want, how) }, "compare(%v, %v, %q)", h, want.values, want.failed)
}

// expectation is what a read must give.
type expectation struct {
	values  []float64
	failed  string
	exposed bool // an error will do
}

func dtypeOf(integer bool) dtype.DType {
	if integer {
		return dtype.Int64
	}
	return dtype.Float64
}

var shapes = [][]int{{}, {1}, {2}, {3}, {4}, {2, 3}, {3, 2}, {2, 2}, {1, 3}, {2, 1}, {3, 3}, {2, 1, 3}, {2, 2, 2}, {0}, {0, 3}, {12}}

// create plans a new array.
func create(p *planner) {
	shape, place, integer := shapes[p.IntN(len(shapes))], max(p.IntN(5)-2, 0), p.IntN(3) == 0
	m := &memory{integer: integer, data: make([]float64, countOf(shape))}
	h := &handle{memory: m, shape: shape, place: place}
	for i := range m.data {
		m.data[i] = float64(p.IntN(6) - 2)
		h.offsets = append(h.offsets, i)
	}
	how := p.IntN(5)
	switch how {
	case 0:
		m.exposed = true // the zeros are made where they are needed first
		clear(m.data)
	case 1:
		m.exposed = place != 0
		for i := range m.data {
			m.data[i] = 3
		}
	}
	data := slices.Clone(m.data)
	p.add(h)
	p.emit(func(w *world) {
		env := w.env.WithDevice(places[place])
		switch {
		case how == 0:
			w.arrays[h.id] = nd.ZerosIn(env, dtypeOf(integer), shape...)
		case how == 1:
			w.arrays[h.id] = nd.FullIn(env, dtypeOf(integer), 3, shape...)
		case integer:
			w.arrays[h.id] = nd.FromSliceIn(env, integers(data), slices.Clone(shape)...)
		default:
			w.arrays[h.id] = nd.FromSliceIn(env, data, slices.Clone(shape)...)
		}
	}, "%v = create(%v, %v) on %v", h, dtypeOf(integer), data, places[place])
}

func integers(values []float64) []int64 {
	converted := make([]int64, len(values))
	for i, v := range values {
		converted[i] = int64(v)
	}
	return converted
}

// move plans a handle on another device.
func move(p *planner) {
	if h := p.choose(anything); h != nil {
		place := p.IntN(len(places))
		moved := *h
		moved.place = place
		p.call(p.add(&moved), []*handle{h}, place, func(_ *world, operands []*nd.Array) *nd.Array { return operands[0].To(places[place]) }, "move")
	}
}

// drop plans that the program forgets an array.
func drop(p *planner) {
	if h := p.choose(writable); h != nil {
		p.live = slices.DeleteFunc(p.live, func(other *handle) bool { return other == h })
		p.emit(func(w *world) { delete(w.arrays, h.id) }, "drop(%v)", h)
	}
}

// release plans that the memory of an array is given back, and a use of it after.
func release(p *planner) {
	h := p.choose(writable)
	if h == nil || p.IntN(2) == 0 {
		return
	}
	run := func(w *world) { w.arrays[h.id].Release() }
	sure, perhaps := p.protection(h.memory)
	switch {
	case sure:
		p.mistake(run, fault.ErrSaved, fmt.Sprintf("release(%v)", h))
	case !perhaps:
		h.memory.released = true
		p.emit(run, "release(%v)", h)
		p.mistake(func(w *world) { w.arrays[h.id].Detach().Neg() }, fault.ErrReleased, fmt.Sprintf("neg(%v)", h))
	}
}

// kinds are what instructions do, each as often as it is named.
var kinds = slices.Concat(
	slices.Repeat([]func(*planner){create}, 4), slices.Repeat([]func(*planner){view}, 5), slices.Repeat([]func(*planner){unary}, 3),
	slices.Repeat([]func(*planner){binary}, 4), slices.Repeat([]func(*planner){write}, 4), slices.Repeat([]func(*planner){gradient}, 3),
	slices.Repeat([]func(*planner){watch}, 3), slices.Repeat([]func(*planner){callback}, 2),
	[]func(*planner){move, move, drop, release, take, take, concat, matmul, matmul, setSlice, setSlice, takeInto, closing,
		func(p *planner) {
			if h := p.choose(anything); h != nil {
				p.read(h)
			}
		}},
)
