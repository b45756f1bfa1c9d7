package convolution

import "slices"

// tap is an element of the kernel along one axis: at position z of the planes for its phase, shift further on, is what it meets
// for position z of what is written.
type tap struct{ element, phase, shift int }

// class is positions along one axis of what is written that meet the same taps: element first + z*step for z below count.
type class struct {
	first, step, count int
	taps               []tap
}

// route is how one axis is read and written: position z of the planes for a phase is element z*scale + phases[phase] of what is
// read, or zero where there is none.
type route struct {
	length  int // of what is read
	scale   int
	phases  []int
	classes []class
	reach   int // the largest shift
	count   int // the largest count
}

// forward is the route from data to result.
func (a Axis) forward() (r route) {
	r.length, r.scale, r.count = a.Data, a.Stride, a.Result
	c := class{step: 1, count: a.Result}
	for k := range a.Kernel {
		at := k * a.Dilation
		start := at%a.Stride - a.Before
		phase := slices.Index(r.phases, start)
		if phase < 0 {
			phase = len(r.phases)
			r.phases = append(r.phases, start)
		}
		c.taps = append(c.taps, tap{k, phase, at / a.Stride})
		r.reach = at / a.Stride
	}
	r.classes = []class{c}
	return r
}

// backward is the route from result to data. Elements of the data whose distance is a multiple of the stride are a class: what
// is i meets, through each tap k with (i + Before - k*Dilation) a multiple of the stride, that multiple of the result.
func (a Axis) backward() (r route) {
	r.length, r.scale = a.Result, 1
	least := 0
	for first := range min(a.Stride, a.Data) {
		c := class{first: first, step: a.Stride, count: (a.Data-1-first)/a.Stride + 1}
		for k := range a.Kernel {
			if distance := first + a.Before - k*a.Dilation; distance%a.Stride == 0 {
				shift := distance / a.Stride
				c.taps = append(c.taps, tap{k, 0, shift})
				least = min(least, shift)
			}
		}
		r.classes = append(r.classes, c)
		r.count = max(r.count, c.count)
	}
	r.phases = []int{least}
	for _, c := range r.classes {
		for i := range c.taps {
			c.taps[i].shift -= least
			r.reach = max(r.reach, c.taps[i].shift)
		}
	}
	return r
}

// spread is the route with a phase of its own for each distance of a tap, so that nothing is read beyond the positions that are
// written.
func (r route) spread() route {
	phases := r.phases
	r.phases, r.reach = nil, 0
	r.classes = slices.Clone(r.classes)
	for i := range r.classes {
		taps := slices.Clone(r.classes[i].taps)
		for k, t := range taps {
			start := phases[t.phase] + t.shift*r.scale
			phase := slices.Index(r.phases, start)
			if phase < 0 {
				phase = len(r.phases)
				r.phases = append(r.phases, start)
			}
			taps[k] = tap{t.element, phase, 0}
		}
		r.classes[i].taps = taps
	}
	return r
}

// inside returns the positions from first to before last, of those below count, that are elements of what is read.
func (r *route) inside(phase, from, count int) (first, last int) {
	start := from*r.scale + r.phases[phase]
	if start < 0 {
		first = min(count, (-start+r.scale-1)/r.scale)
	}
	last = first
	if room := r.length - 1 - start; room >= 0 {
		last = max(first, min(count, room/r.scale+1))
	}
	return first, last
}
