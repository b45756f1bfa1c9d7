package fourier

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
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

	plan *plan[T]
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
	if !isSmooth(length) {
		length = smooth(2*length - 1)
	}
	return roomOf(length), length >= longLine
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
func (f *Transform[T]) Room() int { return roomOf(f.plan.Room()) }

// IsShared reports whether threads share the work of one line.
func (f *Transform[T]) IsShared() bool { return f.plan.IsShared() }

// Cost returns about how many nanoseconds a line takes.
func (f *Transform[T]) Cost() float64 { return f.plan.cost() }

// Together returns how many lines are transformed at once: many if they are short, or near to one another, that is
// nearer than the numbers of a line.
func (f *Transform[T]) Together(near bool) int {
	size := int(unsafe.Sizeof(Number[T]{}))
	bytes, vector := f.Room()*size, vectorBytes/size
	lines := min(nearBytes/bytes, 64)
	if near {
		lines = max(lines, min(besideBytes/size, middleBytes/bytes), vector)
	}
	if lines > vector {
		lines -= lines % vector
	}
	return max(1, lines)
}

// run transforms so many lines of src, which have given numbers each, with zeros behind them up to the length, to dst. Either may be the
// other, or they overlap nothing. It works in w, which has room for that many lines. Near tells that the lines are nearer to one
// another than the numbers of a line.
func (f *Transform[T]) Run(t *parallel.Thread, w *Workspace[T], dst, src Lines, lines, given int, near bool) {
	from, to, isWhole := f.complexLines(src, f.Form == FromReal), f.complexLines(dst, f.Form == ToReal), given == f.whole()
	switch size := int(unsafe.Sizeof(T(0))); {
	case f.plan.matrix != nil:
		f.runMatrix(t, w, to, from, src, given)
	case f.plan.chirp != nil:
		f.load(t, w, from, src, lines, given)
		f.runLoaded(t, w, to, lines)
	case near && lines > fewAbreast[T]() && f.Form == Complex:
		whole := lines
		if given > 0 { // There may be no memory.
			whole = wholeAbreast[T](lines)
		}
		f.runAbreast(w, to, from, whole, given)
		if whole < lines {
			f.Run(t, w, dst.behind(whole), src.behind(whole), lines-whole, given, near)
		}
	case !isWhole || !from.isContiguous(size) || from.Part < 0 || f.Form != Complex && !f.packed():
		f.load(t, w, from, src, lines, given)
		f.runLoaded(t, w, to, lines)
	default:
		f.runContiguous(w, to, from, lines)
	}
}

// whole is how many numbers lines have before they are transformed.
func (f *Transform[T]) whole() int {
	if f.Form == ToReal {
		return f.Count/2 + 1
	}
	return f.Count
}

// complexLines are lines as the plan has them: real numbers in pairs, and the parts of numbers exchanged for an inverse.
func (f *Transform[T]) complexLines(l Lines, isReal bool) Lines {
	switch {
	case isReal && f.packed():
		return l.pairs()
	case f.Form == Complex && f.Inverse && l.Start != nil: // There may be no memory.
		return l.swapped()
	}
	return l
}

// runContiguous is Run of whole lines whose numbers follow one another.
func (f *Transform[T]) runContiguous(w *Workspace[T], dst, src Lines, lines int) {
	size := int(unsafe.Sizeof(T(0)))
	from := batch[T]{(*Number[T])(src.Start), src.Next}
	if f.Form == ToReal {
		packed := batchOf(w.X, w.Room)
		f.plan.packLines(packed, from, lines, f.Inverse)
		from = packed
	}
	isDirect := dst.isContiguous(size) && dst.Part > 0
	if isDirect && f.Form != FromReal && f.Factor == 1 && len(f.plan.passes) > 1 {
		f.plan.runTo(batch[T]{(*Number[T])(dst.Start), dst.Next}, from, w.other, w.X, w.Room, lines)
		return
	}
	result := f.plan.runFrom(from, w.other, w.X, w.Room, lines)
	switch {
	case f.Form == FromReal && isDirect:
		to := batch[T]{(*Number[T])(dst.Start), dst.Next}
		f.plan.unpackLines(to, batchOf(result, w.Room), lines, f.Inverse)
		for line := range lines {
			if y := to.line(line, f.made()); f.Factor != 1 {
				scale(y, y, f.Factor, false)
			}
		}
		return
	case f.Form == FromReal:
		for line := range lines {
			f.plan.unpack(result[line*w.Room:], 0, f.Count/4, f.Inverse)
		}
	}
	store(dst, result, steps{w.Room, 1}, lines, f.made(), f.Factor)
}

// runMatrix is Run of one line that is a matrix.
func (f *Transform[T]) runMatrix(t *parallel.Thread, w *Workspace[T], dst, src, given Lines, count int) {
	m, size := f.plan.matrix, int(unsafe.Sizeof(T(0)))
	if count < f.whole() || f.Form == ToReal {
		f.load(t, w, src, given, 1, count)
		if f.Form == ToReal {
			f.prepare(t, w.X)
		}
		src = linesOf(w.X)
	}
	switch {
	case f.Form != FromReal:
		m.run(t, dst, src, w.other, f.Factor)
	case f.packed() && dst.isContiguous(size):
		m.run(t, dst, src, w.other, 1)
		y, _ := contiguous[T](dst, 0, f.made())
		f.finish(t, y)
		if f.Factor != 1 {
			t.ForCost(len(y), 1, func(_ *parallel.Thread, lo, hi int) { scale(y[lo:hi], y[lo:hi], f.Factor, false) })
		}
	default:
		m.run(t, linesOf(w.X), src, w.other, 1)
		f.finish(t, w.X)
		f.store(t, dst, w.X, w.Room, 1)
	}
}

// fewAbreast is how many lines are transformed one after the other although they are near to one another: beside one
// another they would leave most of a vector empty.
func fewAbreast[T dtype.Float]() int { return max(1, lanes[T](features.Best)/4) }

// wholeAbreast is how many of so many lines are transformed number by number: not those behind whole vectors, if they are few.
func wholeAbreast[T dtype.Float](lines int) int {
	vector := lanes[T](features.Best)
	if lines < vector {
		vector = lanes[T](features.AVX2)
	}
	if rest := lines % vector; lines > vector && rest <= fewAbreast[T]() {
		return lines - rest
	}
	return lines
}

// runAbreast is Run of complex numbers whose lines are transformed number by number.
func (f *Transform[T]) runAbreast(w *Workspace[T], dst, src Lines, lines, given int) {
	width := widthOf[T](lines, len(w.X)/w.Room)
	first := f.plan.firstAbreast(w, src, lines, width, given)
	result := f.plan.runAbreast(w.X, w.other, width, first)
	store(dst, result, steps{1, width}, lines, f.Count, f.Factor)
}

// runLoaded transforms the numbers of so many lines that are in w.
func (f *Transform[T]) runLoaded(t *parallel.Thread, w *Workspace[T], dst Lines, lines int) {
	for line := range lines {
		if f.Form == ToReal {
			f.prepare(t, w.X[line*w.Room:][:w.Room])
		}
	}
	result := w.run(t, f.plan, lines)
	for line := range lines {
		if f.Form == FromReal {
			f.finish(t, result[line*w.Room:][:w.Room])
		}
	}
	f.store(t, dst, result, w.Room, lines)
}

// store writes the products of the results of so many lines, room numbers from one to the next, and the factor.
func (f *Transform[T]) store(t *parallel.Thread, dst Lines, x []Number[T], room, lines int) {
	if !f.plan.IsShared() {
		store(dst, x, steps{room, 1}, lines, f.made(), f.Factor)
		return
	}
	t.ForCost(f.made(), 2, func(_ *parallel.Thread, lo, hi int) {
		store(dst.from(lo), x[lo:], steps{room, 1}, lines, hi-lo, f.Factor)
	})
}

// load copies so many lines, which have given numbers each, to w and fills them up with zeros. From are src as the plan has them.
func (f *Transform[T]) load(t *parallel.Thread, w *Workspace[T], from, src Lines, lines, given int) {
	pairs, isPacked := given, f.Form == FromReal && f.packed()
	if isPacked {
		pairs = given / 2
	}
	if f.plan.IsShared() {
		t.ForCost(pairs, 2, func(_ *parallel.Thread, lo, hi int) { load(w.X[lo:], steps{w.Room, 1}, from.from(lo), lines, hi-lo) })
	} else {
		load(w.X, steps{w.Room, 1}, from, lines, pairs)
	}
	for line := range lines {
		clear(w.X[line*w.Room:][pairs:f.given()])
		if isPacked && given%2 == 1 {
			w.X[line*w.Room+pairs].Re = *(*T)(unsafe.Add(src.Start, line*src.Next+(given-1)*src.Step))
		}
	}
}

// prepare makes the complex numbers of a line those whose transform is real.
func (f *Transform[T]) prepare(t *parallel.Thread, x []Number[T]) {
	switch last := f.Count / 4; {
	case !f.packed():
		mirror(x[:f.Count], f.Inverse)
	case f.plan.IsShared():
		t.ForCost(last+1, 4, func(_ *parallel.Thread, lo, hi int) { f.plan.pack(x, lo, hi-1, f.Inverse) })
	default:
		f.plan.pack(x, 0, last, f.Inverse)
	}
}

// finish makes the transform of the numbers of a line that of real ones.
func (f *Transform[T]) finish(t *parallel.Thread, x []Number[T]) {
	switch last := f.Count / 4; {
	case f.packed() && f.plan.IsShared():
		t.ForCost(last+1, 4, func(_ *parallel.Thread, lo, hi int) { f.plan.unpack(x, lo, hi-1, f.Inverse) })
	case f.packed():
		f.plan.unpack(x, 0, last, f.Inverse)
	case f.Inverse:
		for k := range f.made() {
			x[k] = x[k].conjugate()
		}
	}
}
