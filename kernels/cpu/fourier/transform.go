package fourier

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// Form is what numbers a transform goes from and to.
type Form uint8

// The forms. Of the transform of n real numbers, the first n/2+1 complex numbers stand for all: number n−k is conjugate to number k.
const (
	Complex Form = iota
	FromReal
	ToReal
)

// Transform transforms lines of Count numbers: real ones, of which there are half as many complex ones and one more, or complex ones. The
// exponents have the other sign if it is Inverse; results are multiplied by Factor.
type Transform[T dtype.Float] struct {
	Form    Form
	Count   int
	Inverse bool
	Factor  T

	plan *Plan[T]
}

// New returns a transform of count numbers, at least one.
func New[T dtype.Float](form Form, count int, inverse bool, factor T) *Transform[T] {
	return &Transform[T]{form, count, inverse, factor, planOf[T](count, form != Complex)}
}

// Room returns how many complex numbers the memory of a line of count has that is transformed, and IsShared whether threads share the
// work of one line.
func Room(form Form, count int) (room int, isShared bool) {
	length := count
	if form != Complex && count%2 == 0 {
		length = count / 2
	}
	radices, rest := factors(length)
	if rest > 1 {
		length = smooth(2*length - 1)
		radices, _ = factors(length)
	}
	return length + 1, length >= Longest && len(radices) > 1
}

// packed reports whether real numbers are transformed in pairs.
func (f *Transform[T]) packed() bool { return f.Form != Complex && f.Count%2 == 0 }

// given and made return how many complex numbers lines have before and after they are transformed, two real ones being one.
func (f *Transform[T]) given() int { return f.numbers(f.Form == ToReal, f.Form == FromReal) }
func (f *Transform[T]) made() int  { return f.numbers(f.Form == FromReal, f.Form == ToReal) }

func (f *Transform[T]) numbers(halved, real bool) int {
	switch {
	case halved:
		return f.Count/2 + 1
	case real && f.packed():
		return f.Count / 2
	}
	return f.Count
}

// Room is that of Room.
func (f *Transform[T]) Room() int { return f.plan.Room() + 1 }

// IsShared reports whether threads share the work of one line.
func (f *Transform[T]) IsShared() bool { return f.plan.IsShared() }

// Cost returns about how many nanoseconds a line takes.
func (f *Transform[T]) Cost() float64 { return f.plan.cost() }

// Run transforms so many lines of src, which have given numbers each, with zeros behind them up to the length, to dst. Either may be the
// other, or they overlap nothing. It works in w, which has room for that many lines. Near tells that the lines are nearer to one
// another than the numbers of a line.
func (f *Transform[T]) Run(t *parallel.Thread, w *Workspace[T], dst, src Lines, lines, given int, near bool) {
	if near && lines > 1 && f.Form == Complex && f.plan.runsAbreast() {
		f.runAbreast(w, dst, src, lines, given)
		return
	}
	if f.isPlain(dst, src, given) {
		for line := range lines {
			from, _ := contiguous[T](src, line, given)
			to, _ := contiguous[T](dst, line, given)
			f.plan.runTo(to, from, w.X[:given], w.other[:given])
		}
		return
	}
	shared := f.plan.IsShared()
	f.load(t, w, src, lines, given, shared)
	if f.Form == ToReal {
		for line := range lines {
			f.prepare(t, w.X[line*w.Room:][:w.Room], shared)
		}
	}
	result := w.Run(t, f.plan, lines)
	if f.Form == FromReal {
		for line := range lines {
			f.finish(t, result[line*w.Room:][:w.Room], shared)
		}
	}
	to := dst
	switch {
	case f.Form == ToReal && f.packed():
		to = to.pairs()
	case f.Form == Complex && f.Inverse:
		to = to.swapped()
	}
	if shared {
		t.ForCost(f.made(), 2, func(_ *parallel.Thread, lo, hi int) {
			store(to.from(lo), result[lo:], steps{w.Room, 1}, lines, hi-lo, f.Factor)
		})
		return
	}
	store(to, result, steps{w.Room, 1}, lines, f.made(), f.Factor)
}

// isPlain reports whether the first pass can read from src, and the last write to dst.
func (f *Transform[T]) isPlain(dst, src Lines, given int) bool {
	size := int(unsafe.Sizeof(T(0)))
	return f.Form == Complex && !f.Inverse && f.Factor == 1 && given == f.Count && len(f.plan.passes) > 1 && dst.isContiguous(size) && src.isContiguous(size)
}

// runAbreast is Run of complex numbers whose lines are transformed number by number.
func (f *Transform[T]) runAbreast(w *Workspace[T], dst, src Lines, lines, given int) {
	if f.Inverse {
		dst = dst.swapped()
		if given > 0 { // There may be no memory.
			src = src.swapped()
		}
	}
	load(w.X, steps{1, lines}, src, lines, given)
	clear(w.X[given*lines : f.Count*lines])
	result := f.plan.runAbreast(w.X, w.other, lines)
	store(dst, result, steps{1, lines}, lines, f.Count, f.Factor)
}

// load copies lines to w and fills them up with zeros.
func (f *Transform[T]) load(t *parallel.Thread, w *Workspace[T], src Lines, lines, given int, shared bool) {
	from, pairs := src, given
	switch {
	case given == 0: // There may be no memory.
	case f.Form == FromReal && f.packed():
		from, pairs = from.pairs(), given/2
	case f.Form == Complex && f.Inverse:
		from = from.swapped()
	}
	if shared {
		t.ForCost(pairs, 2, func(_ *parallel.Thread, lo, hi int) { load(w.X[lo:], steps{w.Room, 1}, from.from(lo), lines, hi-lo) })
	} else {
		load(w.X, steps{w.Room, 1}, from, lines, pairs)
	}
	for line := range lines {
		clear(w.X[line*w.Room:][pairs:f.given()])
		if f.Form == FromReal && f.packed() && given%2 == 1 {
			w.X[line*w.Room+pairs].Re = *(*T)(unsafe.Add(src.Start, line*src.Next+(given-1)*src.Step))
		}
	}
}

// prepare makes the complex numbers of a line those whose transform is real.
func (f *Transform[T]) prepare(t *parallel.Thread, x []Number[T], shared bool) {
	switch last := f.Count / 4; {
	case !f.packed():
		mirror(x[:f.Count], f.Inverse)
	case shared:
		t.ForCost(last+1, 4, func(_ *parallel.Thread, lo, hi int) { f.plan.pack(x, lo, hi-1, f.Inverse) })
	default:
		f.plan.pack(x, 0, last, f.Inverse)
	}
}

// finish makes the transform of the numbers of a line that of real ones.
func (f *Transform[T]) finish(t *parallel.Thread, x []Number[T], shared bool) {
	switch last := f.Count / 4; {
	case f.packed() && shared:
		t.ForCost(last+1, 4, func(_ *parallel.Thread, lo, hi int) { f.plan.unpack(x, lo, hi-1, f.Inverse) })
	case f.packed():
		f.plan.unpack(x, 0, last, f.Inverse)
	case f.Inverse:
		for k := range f.made() {
			x[k] = x[k].conjugate()
		}
	}
}
