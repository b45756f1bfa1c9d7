package fourier

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// assembledPasses are passes of some radices in vectors of one width, and what goes with them. A number of numbers is a
// positive multiple of those of a vector, if nothing else is said.
type assembledPasses[T dtype.Float] struct {
	// First are of rows of one number, of which count is such a multiple; last have no roots but ones.
	eightFirst, fourFirst, eightRows, eightLast, fiveRows, fourRows, fourLast, threeRows, twoRows, twoLast passCode[T]
	// scaled multiplies count numbers, exchanged those whose parts it exchanges.
	scaled, exchanged func(dst, src *T, factor T, count int)
	// product multiplies count numbers by as many others; conjugateProduct gives what is conjugate to that.
	product, conjugateProduct func(dst, x, y *T, count int)
	// unpack and pack are those of a plan, in place, for count numbers from front on, and as many before the end of the
	// vector at back; conjugate is 0 or −1.
	unpack, pack func(front, back, roots *T, count, conjugate int)
	// unpackLines and packLines are those of a plan for lines of length complex numbers, at least two vectors, nexts in bytes apart.
	unpackLines, packLines func(y, x, roots *T, length, conjugate, lines, yNext, xNext int)
	// turnedRows multiplies rows of width numbers by coarse and by the rows of fine. Steps are in bytes.
	turnedRows func(dst, src *T, coarse, fine *float64, rows, width, dstStep, srcStep, fineStep int)
	// acrossRows writes rows, a multiple of the numbers of a vector, as columns. Strides are in bytes.
	acrossRows func(dst, src *byte, dstStride, srcStride, rows, columns int)
}

// Passes for features.AVX2 and features.AVX512, where there is assembly.
var (
	assembled32 [2]assembledPasses[float32]
	assembled64 [2]assembledPasses[float64]
)

// assembledOf returns the passes of the highest level whose vectors divide a number of numbers, nil if there is none.
func assembledOf[T dtype.Float](count int) *assembledPasses[T] {
	level := features.Best
	for level > features.Portable && count%lanes[T](level) != 0 {
		level--
	}
	if level == features.Portable {
		return nil
	}
	if singles, isSingle := any(&assembled32).(*[2]assembledPasses[T]); isSingle {
		return &singles[level-1]
	}
	return &any(&assembled64).(*[2]assembledPasses[T])[level-1]
}

// lanes is how many numbers a vector of a level has.
func lanes[T dtype.Float](level features.Level) int {
	return 16 << level / int(unsafe.Sizeof(Number[T]{}))
}

// passCode writes a pass of so many lines of x to y. Width and distances are in bytes: steps are from one of the rows
// that are joined to the next, skips from the end of a row to the first row of the next p, and nexts from one line to
// the next.
type passCode[T dtype.Float] func(y, x, roots *T, count, width, yStep, xStep, ySkip, xSkip, lines, yNext, xNext int)

// assembly returns that of the pass for rows of numbers, nil if there is none; isLast tells that it has no roots but ones.
func (p *pass[T]) assembly(isLast bool) passCode[T] {
	passes := assembledOf[T](p.width)
	if passes == nil {
		return nil
	}
	switch {
	case p.radix == 8 && isLast:
		return passes.eightLast
	case p.radix == 8:
		return passes.eightRows
	case p.radix == 4 && isLast:
		return passes.fourLast
	case p.radix == 4:
		return passes.fourRows
	case p.radix == 2 && isLast:
		return passes.twoLast
	case p.radix == 2:
		return passes.twoRows
	case p.radix == 3:
		return passes.threeRows
	case p.radix == 5:
		return passes.fiveRows
	}
	return nil
}

// assembled writes the pass of so many lines of x to y if there is assembly for it.
func (p *pass[T]) assembled(y, x batch[T], lines int) (done bool) {
	run := p.assembly(p.count == 1)
	if run == nil {
		return false
	}
	width := p.width * int(unsafe.Sizeof(Number[T]{}))
	run(&y.first.Re, &x.first.Re, &p.roots[0].Re, p.count, width, width, p.count*width, (p.radix-1)*width, 0, lines, y.next, x.next)
	return true
}

// assembledFirst writes the pass of so many lines of x to y for the first transforms, of rows of one number, and returns for how many.
func (p *pass[T]) assembledFirst(y, x batch[T], lines int) (done int) {
	step := p.count * int(unsafe.Sizeof(Number[T]{}))
	for level := features.Best; level > features.Portable; level-- { // shorter vectors take what longer ones leave
		count := (p.count - done) &^ (lanes[T](level) - 1)
		if count == 0 {
			continue
		}
		passes := assembledOf[T](count)
		run := passes.fourFirst
		if p.radix == 8 {
			run = passes.eightFirst
		}
		run(y.real(p.radix*done), x.real(done), &p.roots[done].Re, count, 0, 0, step, 0, 0, lines, y.next, x.next)
		done += count
	}
	return done
}

// assembledFrom writes the pass of x, whose rows are so many bytes apart, to y if there is assembly for it.
func (p *pass[T]) assembledFrom(y []Number[T], x unsafe.Pointer, row int) (done bool) {
	run := p.assembly(p.count == 1)
	if run == nil {
		return false
	}
	width := p.width * int(unsafe.Sizeof(Number[T]{}))
	run(&y[0].Re, (*T)(x), &p.roots[0].Re, p.count, width, width, p.count*row, (p.radix-1)*width, row-width, 1, 0, 0)
	return true
}

// assembledScale multiplies the first numbers of x by a factor, parts exchanged or not, and returns how many.
func assembledScale[T dtype.Float](y, x []Number[T], factor T, exchange bool) (done int) {
	if features.Best == features.Portable {
		return 0
	}
	done = len(x) &^ (lanes[T](features.Best) - 1)
	passes := assembledOf[T](done)
	switch {
	case done == 0:
	case exchange:
		passes.exchanged(&y[0].Re, &x[0].Re, factor, done)
	default:
		passes.scaled(&y[0].Re, &x[0].Re, factor, done)
	}
	return done
}

// assembledProduct multiplies the first numbers of x by those of y, as multiply does, and returns how many.
func assembledProduct[T dtype.Float](x, y []Number[T], conjugate bool) (done int) {
	if features.Best == features.Portable {
		return 0
	}
	done = len(x) &^ (lanes[T](features.Best) - 1)
	passes := assembledOf[T](done)
	switch {
	case done == 0:
	case conjugate:
		passes.conjugateProduct(&x[0].Re, &x[0].Re, &y[0].Re, done)
	default:
		passes.product(&x[0].Re, &x[0].Re, &y[0].Re, done)
	}
	return done
}

// assembledHalves is unpack or pack of the first of the numbers from lo to hi, which is at least one, and returns how many.
func (p *plan[T]) assembledHalves(x []Number[T], lo, hi int, inverse, unpacks bool) (done int) {
	if features.Best == features.Portable {
		return 0
	}
	vector := lanes[T](features.Best)
	if done = max(min(hi, (p.length-1)/2)-lo+1, 0) &^ (vector - 1); done == 0 {
		return 0
	}
	front, back := &x[lo].Re, &x[p.length-lo-vector+1].Re
	if passes := assembledOf[T](done); unpacks {
		passes.unpack(front, back, &p.roots[lo].Re, done, conjugation(inverse))
	} else {
		passes.pack(front, back, &p.roots[lo].Re, done, conjugation(inverse))
	}
	return done
}

// assembledLines is unpackLines or packLines, if there is assembly for lines as long.
func (p *plan[T]) assembledLines(y, x batch[T], lines int, inverse, unpacks bool) (done bool) {
	level := features.Best
	for level > features.Portable && p.length < 2*lanes[T](level) {
		level--
	}
	if level == features.Portable {
		return false
	}
	passes := assembledOf[T](lanes[T](level))
	run := passes.packLines
	if unpacks {
		run = passes.unpackLines
	}
	run(&y.first.Re, &x.first.Re, &p.roots[1].Re, p.length, conjugation(inverse), lines, y.next, x.next)
	return true
}

// conjugation is what assembly is told for numbers that are conjugate or not.
func conjugation(conjugate bool) int {
	if conjugate {
		return -1
	}
	return 0
}
