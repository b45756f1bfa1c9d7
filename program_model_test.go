package weft_test

import (
	"math"
	"slices"
	"strings"
)

// The model of the random programs: synchronous, on one slice per memory, with the offset of every element of a view
// written out. Derivatives go forward: beside its value an element carries the polynomial of its dependence on the
// elements that tapes watch, of first order in each tape.

// polynomial holds coefficients by products of variables. A variable is a rune, tape·256 + element; a product is a sorted
// string of variables of different tapes.
type polynomial map[string]float64

type number struct {
	value float64
	slope polynomial
}

func (a number) plus(factor float64, b number) number {
	sum := number{a.value + factor*b.value, polynomial{}}
	for term, c := range a.slope {
		sum.slope[term] += c
	}
	for term, c := range b.slope {
		sum.slope[term] += factor * c
	}
	return sum
}

func (a number) times(b number) number {
	product := number{a.value * b.value, polynomial{}}
	for term, c := range a.slope {
		product.slope[term] += c * b.value
	}
	for term, c := range b.slope {
		product.slope[term] += a.value * c
	}
	for s, c := range a.slope {
		for t, d := range b.slope {
			if term, ok := multiply(s, t); ok {
				product.slope[term] += c * d
			}
		}
	}
	return product
}

// multiply returns the product of two products of variables; ok is false if it vanishes: a tape is in both.
func multiply(s, t string) (product string, ok bool) {
	all := append([]rune(s), []rune(t)...)
	slices.Sort(all)
	for i := 1; i < len(all); i++ {
		if all[i]>>8 == all[i-1]>>8 {
			return "", false
		}
	}
	return string(all), true
}

// without returns a without what depends on variables of the tape.
func (a number) without(tape int) number {
	rest := number{a.value, polynomial{}}
	for term, c := range a.slope {
		if !slices.ContainsFunc([]rune(term), func(v rune) bool { return int(v>>8) == tape }) {
			rest.slope[term] = c
		}
	}
	return rest
}

// derivative returns the derivative of a with respect to a variable.
func (a number) derivative(variable rune) number {
	d := number{slope: polynomial{}}
	for term, c := range a.slope {
		factors := []rune(term)
		i := slices.Index(factors, variable)
		switch {
		case i < 0:
		case len(factors) == 1:
			d.value += c
		default:
			d.slope[string(slices.Delete(factors, i, i+1))] += c
		}
	}
	return d
}

// exact reports whether arithmetic on a has no rounding.
func (a number) exact() bool {
	fits := func(v float64) bool { return math.Abs(v) <= 512 && v*8 == math.Trunc(v*8) }
	for _, c := range a.slope {
		if !fits(c) {
			return false
		}
	}
	return fits(a.value)
}

// unknown is the failure of memory whose contents the model does not predict.
const unknown = "?"

// memory is what views share.
type memory struct {
	data     []float64
	integer  bool
	failed   string   // the operators of which one failed first, like "take|access"; empty if the contents are right
	torn     [][2]int // the elements that failed writes of parts were to change, if all failures are of this kind
	released bool
	shared   bool // by several programs: only read
	exposed  bool // faults of a device may have reached it
}

// handle is an array: a view of memory that tapes may watch.
type handle struct {
	id, born int
	memory   *memory
	shape    []int
	offsets  []int        // of each element, row-major
	slopes   []polynomial // of each element; nil where nothing watches
	tapes    []*modelTape
	vague    bool // it is uncertain whether all of tapes watch it
	place    int
}

// modelTape is what the model knows of a tape.
type modelTape struct {
	id         int
	persistent bool
	closed     bool
	variables  int
	sources    []*source
	saved      map[*memory]bool // protected for sure; false: perhaps
	fellows    []*modelTape     // that watched operands of what it recorded
	uncertain  bool             // something that failed was recorded
	exposed    bool
	bits       float64 // that backward intermediates may need
}

// source is a watched array with the variable of its first element.
type source struct {
	original, watched *handle
	first             int
}

// failure returns the failure of the memory, as far as h is sure to see it: other elements are not in error where they are,
// but become so when the memory as a whole is copied to another device.
func (h *handle) failure() string {
	disjoint := func(torn [2]int) bool { return h.extent()[1] <= torn[0] || torn[1] <= h.extent()[0] }
	if h.memory.torn == nil || len(h.offsets) == 0 || slices.ContainsFunc(h.memory.torn, func(torn [2]int) bool { return !disjoint(torn) }) {
		return h.memory.failed
	}
	return unknown
}

// extent returns the bounds of the elements of h in memory; those of the whole memory if h has none.
func (h *handle) extent() [2]int {
	if len(h.offsets) == 0 {
		return [2]int{0, len(h.memory.data)}
	}
	return [2]int{slices.Min(h.offsets), slices.Max(h.offsets) + 1}
}

func (h *handle) element(i int) number {
	n := number{value: h.memory.data[h.offsets[i]]}
	if h.slopes != nil {
		n.slope = h.slopes[i]
	}
	return n
}

func (h *handle) values() []float64 {
	values := make([]float64, len(h.offsets))
	for i, offset := range h.offsets {
		values[i] = h.memory.data[offset]
	}
	return values
}

func (h *handle) contiguous() bool {
	for i, offset := range h.offsets {
		if offset != h.offsets[0]+i {
			return false
		}
	}
	return true
}

// coversAll reports whether every element of the memory is one of h; repeats reports whether one is several of h.
func (h *handle) coversAll() (covers, repeats bool) {
	sorted := slices.Sorted(slices.Values(h.offsets))
	distinct := slices.Compact(slices.Clone(sorted))
	return len(sorted) == len(h.memory.data) && len(distinct) == len(sorted), len(distinct) < len(sorted)
}

// pick returns the view of h whose element i is element from[i] of h.
func (h *handle) pick(shape, from []int) *handle {
	view := *h
	view.shape, view.offsets, view.slopes = shape, make([]int, len(from)), nil
	for i, j := range from {
		view.offsets[i] = h.offsets[j]
		if h.slopes != nil {
			view.slopes = append(view.slopes, h.slopes[j])
		}
	}
	return &view
}

// viewable reports whether strides express the elements of h in another shape, by trying those that the first elements along
// each axis would need.
func (h *handle) viewable(shape []int) bool {
	strides := make([]int, len(shape))
	ok := true
	step := 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		if shape[axis] > 1 && len(h.offsets) > 0 {
			strides[axis] = h.offsets[step] - h.offsets[0]
		}
		step *= shape[axis]
	}
	each(shape, func(flat int, index []int) {
		offset := h.offsets[0]
		for axis, i := range index {
			offset += i * strides[axis]
		}
		ok = ok && offset == h.offsets[flat]
	})
	return ok
}

// each calls f for every element of an array of the given shape, row-major.
func each(shape []int, f func(flat int, index []int)) {
	count := countOf(shape)
	index := make([]int, len(shape))
	for flat := range count {
		rest := flat
		for axis := len(shape) - 1; axis >= 0; axis-- {
			index[axis] = rest % shape[axis]
			rest /= shape[axis]
		}
		f(flat, index)
	}
}

func countOf(shape []int) int {
	count := 1
	for _, n := range shape {
		count *= n
	}
	return count
}

// flatOf returns the number of the element of an array of the given shape that an index of a shape it broadcasts to sees.
func flatOf(shape, index []int) int {
	flat := 0
	for axis, n := range shape {
		i := index[len(index)-len(shape)+axis]
		if n == 1 {
			i = 0
		}
		flat = flat*n + i
	}
	return flat
}

// broadcast returns the shape to which both broadcast.
func broadcast(a, b []int) (joint []int, ok bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	joint = slices.Clone(a)
	for i := range b {
		axis := len(a) - len(b) + i
		switch {
		case a[axis] == 1:
			joint[axis] = b[i]
		case b[i] != 1 && b[i] != a[axis]:
			return nil, false
		}
	}
	return joint, true
}

func (h *handle) broadcastsTo(shape []int) bool {
	joint, ok := broadcast(h.shape, shape)
	return ok && slices.Equal(joint, shape)
}

// result is what an operator computes.
type result struct {
	operator string
	integer  bool
	shape    []int
	elements []number
	fails    bool // an index is out of range
	operands []*handle
	saves    []*memory // by tapes that watch an operand; nil entries are memory of the result
	local    bool      // no gradient passes
}

// failure returns the operators of which the result carries the failure. Of several operands in error the one counts whose
// error is known first, which depends on the engine.
func (r *result) failure() string {
	failed := ""
	for _, operand := range r.operands {
		failed = either(failed, operand.failure())
	}
	if failed == "" && r.fails {
		return r.operator
	}
	return failed
}

func either(a, b string) string {
	switch {
	case a == unknown || b == unknown:
		return unknown
	case a == "" || a == b:
		return b
	case b == "":
		return a
	}
	all := append(strings.Split(a, "|"), strings.Split(b, "|")...)
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "|")
}

// exact reports whether r can be compared without a tolerance.
func (r *result) exact() bool {
	return !slices.ContainsFunc(r.elements, func(n number) bool { return !n.exact() }) && len(r.elements) <= 36
}

// watching returns the tapes that record r.
func (r *result) watching() (all []*modelTape, vague bool) {
	if r.local {
		return nil, false
	}
	for _, operand := range r.operands {
		vague = vague || operand.vague
		for _, tape := range operand.tapes {
			if !slices.Contains(all, tape) {
				all = append(all, tape)
			}
		}
	}
	return all, vague
}

// bits returns how many bits one element of a gradient may gain on its way through r.
func (r *result) bits() float64 {
	largest, most := 1.0, float64(len(r.elements))
	for _, operand := range r.operands {
		most = max(most, float64(len(operand.offsets)))
		for _, v := range operand.values() {
			largest = max(largest, math.Abs(v))
		}
	}
	return 1 + math.Log2(largest) + math.Log2(max(most, 1))
}
