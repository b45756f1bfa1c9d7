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
	fourRows, fourLast, twoRows, twoLast func(dst, src, roots *T, count, width int)
}

// Passes for features.AVX2 and features.AVX512, where there is assembly.
var (
	assembled32 [2]assembledPasses[float32]
	assembled64 [2]assembledPasses[float64]
)

// assembledOf returns the passes of the highest level whose vectors divide a number of numbers, nil if there is none.
func assembledOf[T dtype.Float](count int) (passes *assembledPasses[T], lanes int) {
	for level := features.Best; level > features.Portable; level-- {
		lanes = 16 << level / int(unsafe.Sizeof(Number[T]{}))
		if count%lanes != 0 {
			continue
		}
		if singles, isSingle := any(&assembled32).(*[2]assembledPasses[T]); isSingle {
			return &singles[level-1], lanes
		}
		return &any(&assembled64).(*[2]assembledPasses[T])[level-1], lanes
	}
	return nil, 1
}

// assembled writes the pass of x to y if there is assembly for it.
func (p *pass[T]) assembled(y, x []Number[T]) (done bool) {
	if p.radix != 2 && p.radix != 4 {
		return false
	}
	passes, _ := assembledOf[T](p.width)
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
	}
	run(&y[0].Re, &x[0].Re, &p.roots[0].Re, p.count, p.width)
	return true
}

// assembledFirst writes the pass of x to y for the first transforms, of rows of one number, and returns for how many.
func (p *pass[T]) assembledFirst(y, x []Number[T]) (done int) {
	if features.Best == features.Portable {
		return 0
	}
	lanes := 16 << features.Best / int(unsafe.Sizeof(Number[T]{}))
	done = p.count / lanes * lanes
	if passes, _ := assembledOf[T](done); done > 0 {
		passes.first(&y[0].Re, &x[0].Re, &p.roots[0].Re, p.count, done)
	}
	return done
}
