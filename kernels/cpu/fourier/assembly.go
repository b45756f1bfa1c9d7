package fourier

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// assembledPasses are passes of some radices in vectors of one width. Rows have a positive multiple of the numbers of a vector.
type assembledPasses[T dtype.Float] struct {
	// first is of radix 4, of rows of one number, for count of stride transforms, a positive multiple of the numbers of a vector.
	first func(dst, src, roots *T, stride, count int)
	// rows are of rows; last are of one transform, with no roots but ones.
	fourRows, fourLast, twoRows, twoLast, threeRows, fiveRows func(dst, src, roots *T, count, width int)
	// scaled multiplies count numbers, exchanged those whose parts it exchanges.
	scaled, exchanged func(dst, src *T, factor T, count int)
	// product multiplies count numbers by as many others; conjugateProduct gives what is conjugate to that.
	product, conjugateProduct func(dst, x, y *T, count int)
	// unpack and pack are those of a plan for count numbers from front on, and as many before the end of the vector at back; conjugate is 0 or −1.
	unpack, pack func(front, back, roots *T, count, conjugate int)
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

// assembled writes the pass of x to y if there is assembly for it.
func (p *pass[T]) assembled(y, x []Number[T]) (done bool) {
	if p.radix > 5 {
		return false
	}
	passes := assembledOf[T](p.width)
	if passes == nil {
		return false
	}
	run := passes.fourRows
	switch {
	case p.radix == 4 && p.count == 1:
		run = passes.fourLast
	case p.radix == 2 && p.count == 1:
		run = passes.twoLast
	case p.radix == 2:
		run = passes.twoRows
	case p.radix == 3:
		run = passes.threeRows
	case p.radix == 5:
		run = passes.fiveRows
	}
	run(&y[0].Re, &x[0].Re, &p.roots[0].Re, p.count, p.width)
	return true
}

// assembledFirst writes the pass of x to y for the first transforms, of rows of one number, and returns for how many.
func (p *pass[T]) assembledFirst(y, x []Number[T]) (done int) {
	if features.Best == features.Portable {
		return 0
	}
	if done = p.count &^ (lanes[T](features.Best) - 1); done > 0 {
		assembledOf[T](done).first(&y[0].Re, &x[0].Re, &p.roots[0].Re, p.count, done)
	}
	return done
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
func (p *Plan[T]) assembledHalves(x []Number[T], lo, hi int, inverse, unpacks bool) (done int) {
	if features.Best == features.Portable {
		return 0
	}
	vector := lanes[T](features.Best)
	if done = max(min(hi, (p.length-1)/2)-lo+1, 0) &^ (vector - 1); done == 0 {
		return 0
	}
	conjugate := 0
	if inverse {
		conjugate = -1
	}
	front, back := &x[lo].Re, &x[p.length-lo-vector+1].Re
	if passes := assembledOf[T](done); unpacks {
		passes.unpack(front, back, &p.roots[lo].Re, done, conjugate)
	} else {
		passes.pack(front, back, &p.roots[lo].Re, done, conjugate)
	}
	return done
}
