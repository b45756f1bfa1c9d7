package cpu

import (
	"cmp"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// loop computes count contiguous elements.
type loop func(count int, p pointers)

// assembledLoop computes rows of count elements, at least as many as a vector has. Steps are the bytes from one row to the
// next, in the result and in each operand. Form has the bit 1<<i if operand i, counted without the result, is one element for
// all of a row, and formStreams if the result is to bypass the caches: then it is aligned to a vector and overlaps no operand.
// Otherwise the result may be the same memory as an operand.
type assembledLoop func(dst, x, y, z *byte, count, form, rows int, steps [maxOperands]int)

const (
	formSecond  = 2 // that of the second operand
	formStreams = 8
)

// loopVariants are the assembly of a loop for AVX2, which may be nil, and for AVX-512.
type loopVariants [2]assembledLoop

// assemblyLoops are the loops in assembly by the names of kernels; nothing changes once the package is initialised.
var assemblyLoops = map[string]loopVariants{}

// inner is an inner loop in all its forms, which give the same bits, except for those of NaN.
type inner struct {
	dtypes      string // of the kernel
	name        string // of the kernel, or of what other loops find this one by
	plain       loop
	past        loop    // plain for a result that bypasses the caches, used where there is no assembly of the loop; nil: none
	nanoseconds float64 // of an element, by plain
	sizes       []int   // bytes of an element of the result and of each operand

	ofPairs   bool    // the operand is pairs, of which assembly takes two vectors for one of results
	assembled float64 // nanoseconds of an element, by assembly, beside those of memory

	forms func(general runner, level int) assembledLoop // adds forms to assembly, which may be nil, of a level; nil: none to add

	assembly string // the name of the kernel whose assembly serves, if it does the same on the bits of the elements; empty: its own

	parts func() *inner                        // of a loop on complex numbers that is one on their parts; nil of others
	alike func(exponent unsafe.Pointer) *inner // of powers of floats: see Line.Alike; nil of others

	found atomic.Pointer[[3]runner] // at each level, once somebody has asked
}

// inners are the inner loops by the names of kernels.
var inners = map[string]*inner{}

// loopNamed returns what finds the loop of a kernel, once the package is initialised.
func loopNamed(name string) func() *inner {
	var found atomic.Pointer[inner]
	return func() *inner {
		i := found.Load()
		if i == nil {
			i = inners[name]
			found.Store(i)
		}
		return i
	}
}

// unaryLoop is the inner loop of a kernel that the element type of its operand selects.
func unaryLoop[D, X dtype.Element](plain func(dst []D, x []X), nanoseconds float64) *inner {
	d, x := dtype.Of[D](), dtype.Of[X]()
	return &inner{dtypes: x.String(), nanoseconds: nanoseconds, sizes: []int{d.Size(), x.Size()}, plain: func(count int, p pointers) {
		plain(slice[D](p[0], count), slice[X](p[1], count))
	}}
}

// binaryLoop is unaryLoop for two operands.
func binaryLoop[D, X dtype.Element](plain func(dst []D, x, y []X), nanoseconds float64) *inner {
	d, x := dtype.Of[D](), dtype.Of[X]()
	return &inner{dtypes: x.String(), nanoseconds: nanoseconds, sizes: []int{d.Size(), x.Size(), x.Size()}, plain: func(count int, p pointers) {
		plain(slice[D](p[0], count), slice[X](p[1], count), slice[X](p[2], count))
	}}
}

// streaming adds the form of plain for results that bypass the caches.
func (i *inner) streaming(past loop) *inner {
	i.past = past
	return i
}

// registerLoops registers the element-wise kernels of the loops. Assembly of the same name is found at the first call.
func registerLoops(operator string, loops ...*inner) struct{} {
	for _, i := range loops {
		i.makeKnown(operator + "/" + i.dtypes)
		registerNamed(i.name, elementwise(i))
	}
	return struct{}{}
}

// makeKnown gives i the name of its kernel, by which it finds its assembly at the first call.
func (i *inner) makeKnown(name string) {
	i.name = name
	inners[name] = i
}

// runner is an inner loop at the level of this processor.
type runner struct {
	plain   loop
	past    loop          // nil: none, or vector does it
	vector  assembledLoop // nil: none
	least   int           // elements that vector takes at least
	aligned uintptr       // of the result, for formStreams
	row     int           // least elements of a row for which an operand of one element is not repeated in memory first
	sizes   []int

	nanoseconds float64 // of an element
}

// runner returns the loop at the best level.
func (i *inner) runner() *runner { return &i.levels()[features.Best] }

// levels returns the loop at each level.
func (i *inner) levels() *[3]runner {
	if found := i.found.Load(); found != nil {
		return found
	}
	found := i.find()
	i.found.Store(found) // Others may have found the same.
	return found
}

// find makes the loop of each level, with the assembly for the kernel.
func (i *inner) find() *[3]runner {
	runners := new([3]runner)
	for level := range runners {
		r := &runners[level]
		*r = runner{plain: i.plain, sizes: i.sizes, nanoseconds: i.nanoseconds}
		if level == int(features.Portable) {
			continue
		}
		r.row = 32
		if r.vector = assemblyLoops[cmp.Or(i.assembly, i.name)][level-1]; i.parts != nil {
			r.row = longRow
			r.vector = onPairs(i.parts().levels()[level].vector, i.sizes)
		}
		if i.forms != nil {
			r.vector = i.forms(*r, level)
		}
		if r.vector == nil {
			r.past = i.past
			continue
		}
		widest := slices.Max(i.sizes)
		if i.ofPairs {
			widest = i.sizes[0]
		}
		r.least = 32 << (level - 1) / widest
		r.aligned = uintptr(r.least * i.sizes[0])
		r.nanoseconds = i.assembled
		for _, size := range i.sizes {
			r.nanoseconds += perByte * float64(size)
		}
	}
	return runners
}

// perByte is the nanoseconds that assembly takes for a byte of operands and results: those of memory, not of the processor.
const perByte = 0.012

// longestLoop is the number of elements that assembly computes in one go: the runtime cannot stop a goroutine before it is done.
const longestLoop = 1 << 16

// run computes count elements. Form may have formStreams only if there is assembly and count is at least r.least.
func (r *runner) run(count int, p pointers, form int) {
	if r.vector == nil || count < r.least {
		if form != 0 {
			r.runRepeated(count, p, form)
			return
		}
		r.plain(count, pointers{p[0], p[1], p[2], p[3]})
		return
	}
	if form&formStreams != 0 {
		skipped := r.align(&p, form)
		if count -= skipped; count < r.least {
			p = r.behind(p, form, count-r.least)
			count, form = r.least, form&^formStreams
		}
	}
	for count >= longestLoop+r.least {
		r.call(longestLoop, p, form)
		p = r.behind(p, form, longestLoop)
		count -= longestLoop
	}
	r.call(count, p, form)
}

// runRepeated is run by plain, which needs operands of one element repeated in memory, a block at a time.
func (r *runner) runRepeated(count int, p pointers, form int) {
	s := singlesPool.Get().(*singles)
	defer singlesPool.Put(s)
	most := int(unsafe.Sizeof(s[0])) / slices.Max(r.sizes)
	for i, size := range r.sizes[1:] {
		if form>>i&1 != 0 {
			to := unsafe.Pointer(&s[1+i])
			move(to, size, p[1+i], 0, min(count, most), size)
			p[1+i] = to
		}
	}
	for ; count > most; count -= most {
		r.plain(most, pointers{p[0], p[1], p[2], p[3]})
		p = r.behind(p, form, most)
	}
	r.plain(count, pointers{p[0], p[1], p[2], p[3]})
}

// runRows is run for several rows of count elements; steps are the bytes from one row to the next in each operand. Form does
// not have formStreams.
func (r *runner) runRows(rows, count int, p pointers, steps [maxOperands]int, form int) {
	at := func(i, row int) unsafe.Pointer { return unsafe.Add(p[i], row*steps[i]) }
	if r.vector == nil || count < r.least || count > longestLoop {
		for row := range rows {
			r.run(count, pointers{at(0, row), at(1, row), at(2, row), at(3, row)}, form)
		}
		return
	}
	for row, together := 0, longestLoop/count; row < rows; row += together {
		r.vector((*byte)(at(0, row)), (*byte)(at(1, row)), (*byte)(at(2, row)), (*byte)(at(3, row)), count, form, min(together, rows-row), steps)
	}
}

func (r *runner) call(count int, p pointers, form int) {
	r.vector((*byte)(p[0]), (*byte)(p[1]), (*byte)(p[2]), (*byte)(p[3]), count, form, 1, [maxOperands]int{})
}

// align computes the first elements, up to where the result is aligned, and advances p by their number.
func (r *runner) align(p *pointers, form int) (skipped int) {
	over := int(uintptr(p[0]) & (r.aligned - 1))
	if over == 0 {
		return 0
	}
	r.call(r.least, *p, form&^formStreams)
	skipped = (int(r.aligned) - over) / r.sizes[0]
	*p = r.behind(*p, form, skipped)
	return skipped
}

// behind returns p advanced by count elements.
func (r *runner) behind(p pointers, form, count int) pointers {
	for i, size := range r.sizes {
		if i == 0 || form>>(i-1)&1 == 0 {
			p[i] = unsafe.Add(p[i], count*size)
		}
	}
	return p
}

// LineOperands is the largest number of operands of a Line.
const LineOperands = maxOperands - 1

// Line is the inner loop of an element-wise kernel, for calls so small that calling the kernel would take most of their time.
// It may be used from any goroutine. On the zero Line only IsKnown may be called.
type Line struct{ inner *inner }

// IsKnown reports whether there is a loop.
func (l Line) IsKnown() bool { return l.inner != nil }

// LineOf returns the loop of the kernel of the given name; found is false if there is no such kernel, or it is not made of a
// loop.
func LineOf(name string) (line Line, found bool) {
	i, found := inners[name]
	return Line{i}, found
}

// Nanoseconds returns about how long the loop takes for count elements whose memory is in the caches.
func (l Line) Nanoseconds(count int) float64 { return float64(count) * l.inner.runner().nanoseconds }

// HasAlike reports whether Alike may find a loop.
func (l Line) HasAlike() bool { return l.inner.alike != nil }

// Alike returns a loop on the first operand alone that gives the same bits, faster, if the second operand is the one element
// that y points to; found is false if there is none.
func (l Line) Alike(y unsafe.Pointer) (line Line, found bool) {
	i := l.inner.alike(y)
	return Line{i}, i != nil
}

// Repeats reports whether rows of count elements are computed fast where an operand is one element for all of a row.
func (l Line) Repeats(count int) bool {
	r := l.inner.runner()
	return r.vector != nil && count >= r.least
}

// Run computes count elements that follow one another in memory, in the result and in the operands; y and z are nil if there
// are fewer operands. Operand i is one element for all if repeated has the bit 1<<i. Dst may be an operand with elements of the
// same size.
func (l Line) Run(count int, dst, x, y, z unsafe.Pointer, repeated int) {
	l.inner.runner().run(count, pointers{dst, x, y, z}, repeated)
}

// RunRows is Run with two operands for several rows of count elements; steps are the bytes from one row to the next in the
// result and in each operand.
func (l Line) RunRows(rows, count int, dst, x, y unsafe.Pointer, steps [3]int, repeated int) {
	l.inner.runner().runRows(rows, count, pointers{dst, x, y}, [maxOperands]int{steps[0], steps[1], steps[2]}, repeated)
}
