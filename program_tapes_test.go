package weft_test

import (
	"slices"

	"github.com/weft-nd/weft/autograd"
	nd "github.com/weft-nd/weft/ndarray"
)

// watch plans that a tape, a new one or one of the program's, watches an array.
func watch(p *planner) {
	again := p.IntN(2) == 0 // what another tape watches already
	h := p.choose(func(h *handle) bool { return !h.memory.integer && (!again || len(h.tapes) > 0) })
	if h == nil {
		return
	}
	tape := p.openTape(again || p.IntN(2) == 0)
	if slices.Contains(h.tapes, tape) { // It is watched already.
		if tape.sees(h) {
			p.emit(func(w *world) {
				if a := w.arrays[h.id]; w.tapes[tape.id].Watch(a) != a {
					panic("what is watched is watched again")
				}
			}, "tape %d watches %v, as before", tape.id, h)
		}
		return
	}
	if tape.variables+len(h.offsets) > 250 || slices.ContainsFunc(tape.sources, func(s *source) bool { return s.original == h }) {
		return
	}
	watched := *h
	watched.tapes = append(slices.Clone(h.tapes), tape)
	watched.slopes = nil
	for i := range h.offsets {
		n := h.element(i).without(tape.id)
		n.slope[string(rune(tape.id<<8+tape.variables+i))] = 1
		watched.slopes = append(watched.slopes, n.slope)
	}
	p.add(&watched)
	tape.fellows = append(tape.fellows, h.tapes...)
	tape.sources = append(tape.sources, &source{h, &watched, tape.variables})
	tape.variables += len(h.offsets)
	p.emit(func(w *world) { w.arrays[watched.id] = w.tapes[tape.id].Watch(w.arrays[h.id]) }, "%v = tape %d watches %v", &watched, tape.id, h)
}

// openTape returns a tape that records.
func (p *planner) openTape(fresh bool) *modelTape {
	open := []*modelTape{}
	for _, tape := range p.tapes {
		if !tape.closed {
			open = append(open, tape)
		}
	}
	if len(open) > 0 && (!fresh || len(open) > 2) {
		return open[p.IntN(len(open))]
	}
	tape := &modelTape{id: len(p.tapes) + 1, persistent: p.IntN(3) == 0, saved: map[*memory]bool{}}
	p.tapes = append(p.tapes, tape)
	p.emit(func(w *world) {
		if tape.persistent {
			w.tapes[tape.id] = autograd.NewTape(autograd.Persistent())
		} else {
			w.tapes[tape.id] = autograd.NewTape()
		}
	}, "tape %d, persistent %v", tape.id, tape.persistent)
	return tape
}

func (t *modelTape) close() { t.closed, t.saved = true, nil }

func closing(p *planner) {
	if len(p.tapes) > 0 && p.IntN(3) == 0 {
		tape := p.tapes[p.IntN(len(p.tapes))]
		tape.close()
		p.emit(func(w *world) { w.tapes[tape.id].Close() }, "close tape %d", tape.id)
	}
}

// sees reports whether the tape surely watches h.
func (t *modelTape) sees(h *handle) bool {
	if !slices.Contains(h.tapes, t) {
		return false
	}
	for i := range h.offsets {
		n := h.element(i)
		if len(n.without(t.id).slope) < len(n.slope) {
			return true
		}
	}
	return !h.vague
}

// gradient plans the gradient of an array with respect to sources of a tape.
func gradient(p *planner) {
	y := p.choose(func(h *handle) bool {
		return !h.memory.integer && slices.ContainsFunc(h.tapes, func(t *modelTape) bool { return !t.closed && t.sees(h) })
	})
	if y == nil {
		return
	}
	tape := y.tapes[slices.IndexFunc(y.tapes, func(t *modelTape) bool { return !t.closed && t.sees(y) })]
	upstream := p.choose(func(h *handle) bool {
		return !h.memory.integer && slices.Equal(h.shape, y.shape) && !slices.Contains(h.tapes, tape) && h.place == y.place
	})
	if len(y.offsets) != 1 && (upstream == nil || p.IntN(2) == 0) {
		upstream = nil
		r := elementWise("sum", []int{}, false, func([]int) (sum number) {
			for i := range y.offsets {
				sum = sum.plus(1, y.element(i))
			}
			return sum
		}, y)
		if y = p.compute(r, func(_ *world, o []*nd.Array) *nd.Array { return o[0].Sum() }, "sum"); y == nil {
			return
		}
	} else if len(y.offsets) == 1 && p.IntN(2) == 0 {
		upstream = nil
	}
	b := backward{tape: tape, y: y, upstream: upstream}
	if b.differentiate(p) {
		b.emit(p)
	}
}

// backward is a planned gradient.
type backward struct {
	tape        *modelTape
	y, upstream *handle
	sources     []*handle
	results     []*handle
}

// differentiate computes the results; it reports whether they are exact.
func (b *backward) differentiate(p *planner) bool {
	tape, fellows := b.tape, b.fellows()
	if slices.ContainsFunc(fellows, func(u *modelTape) bool { return u.bits+2*tape.bits+12 > 46 }) {
		return false
	}
	uncertain, exposed := tape.uncertain, tape.exposed || b.y.place != 0 || b.y.memory.exposed
	if b.upstream != nil {
		uncertain = uncertain || b.upstream.memory.failed != ""
		exposed = exposed || b.upstream.memory.exposed
	}
	for _, s := range tape.sources {
		h := s.watched
		if p.IntN(2) == 0 {
			h = s.original
		}
		if !slices.Contains(p.live, h) {
			continue
		}
		m := &memory{exposed: exposed || h.place != 0}
		if uncertain {
			m.failed = unknown
		}
		g := &handle{memory: m, shape: h.shape, tapes: fellows, vague: true, place: h.place}
		for k := range h.offsets {
			n := number{slope: polynomial{}}
			for i := range b.y.offsets {
				d := b.y.element(i).derivative(rune(tape.id<<8 + s.first + k))
				if b.upstream != nil {
					d = d.times(b.upstream.element(i))
				}
				n = n.plus(1, d)
			}
			if !n.exact() {
				return false
			}
			m.data, g.offsets, g.slopes = append(m.data, n.value), append(g.offsets, k), append(g.slopes, n.slope)
		}
		b.sources, b.results = append(b.sources, h), append(b.results, g)
	}
	return true
}

// fellows returns the other tapes that may record the backward pass.
func (b *backward) fellows() (fellows []*modelTape) {
	candidates := slices.Concat(b.tape.fellows, b.y.tapes)
	if b.upstream != nil {
		candidates = append(candidates, b.upstream.tapes...)
	}
	for _, u := range candidates {
		if u != b.tape && !u.closed && !slices.Contains(fellows, u) {
			fellows = append(fellows, u)
		}
	}
	return fellows
}

func (b *backward) emit(p *planner) {
	tape, y, upstream, sources, results := b.tape, b.y, b.upstream, b.sources, b.results
	for _, u := range b.fellows() {
		u.bits += 2*tape.bits + 12
		u.uncertain = u.uncertain || tape.uncertain || upstream != nil && upstream.memory.failed != ""
		u.exposed = u.exposed || tape.exposed || y.place != 0 || upstream != nil && upstream.memory.exposed
		u.fellows = append(u.fellows, b.fellows()...)
		perhaps := []*memory{y.memory}
		if upstream != nil {
			perhaps = append(perhaps, upstream.memory)
		}
		for m := range tape.saved {
			perhaps = append(perhaps, m)
		}
		for _, g := range results {
			perhaps = append(perhaps, g.memory)
		}
		for _, m := range perhaps {
			if _, known := u.saved[m]; !known {
				u.saved[m] = false
			}
		}
	}
	if !tape.persistent {
		tape.close()
	}
	for _, g := range results {
		p.add(g)
	}
	p.emit(func(w *world) {
		arrays := make([]*nd.Array, len(sources))
		for i, s := range sources {
			arrays[i] = w.arrays[s.id]
		}
		var gradients []*nd.Array
		if upstream == nil {
			gradients = w.tapes[tape.id].Gradient(w.arrays[y.id], arrays...)
		} else {
			gradients = w.tapes[tape.id].GradientWith(w.arrays[y.id], w.arrays[upstream.id], arrays...)
		}
		for i, g := range gradients {
			w.arrays[results[i].id] = g
			if g.Device() != arrays[i].Device() {
				panic(problem("the gradient of an array on " + arrays[i].Device().String() + " is on " + g.Device().String()))
			}
		}
	}, "%v = gradient of %v by tape %d with %v and upstream %v", results, y, tape.id, sources, upstream)
}
