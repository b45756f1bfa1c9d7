package fourier

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
)

// pass is one step of Stockham's method: it makes radix transforms of length count, each of rows of width numbers, of one transform of
// length radix·count. Numbers of a row are not joined to one another:
//
//	y[radix·p + k] = roots(p·k) · Σ x[p + count·j]·exp(−2πi·jk/radix), 0 ≤ p < count, 0 ≤ j, k < radix
//
// of rows x and y.
type pass[T dtype.Float] struct {
	radix, count, width int
	// roots are exp(−2πi·pk/(radix·count)) for each p and each k but 0: those of a p one after the other, or, where rows have one
	// number, those of a k. Steps are from one p to the next, and from one k.
	roots []Number[T]
	steps [2]int
	// ofRows are the roots, those of a p one after the other, of a pass whose roots are in the other order.
	ofRows []Number[T]
	// turns are exp(−2πi·j/radix), of a radix without a butterfly of its own.
	turns []Number[T]
}

func newPass[T dtype.Float](radix, count, width int) pass[T] {
	p := pass[T]{radix: radix, count: count, width: width, roots: make([]Number[T], (radix-1)*count), steps: [2]int{radix - 1, 1}}
	if width == 1 {
		p.steps = [2]int{1, count}
	}
	for i := range count {
		for k := 1; k < radix; k++ {
			p.roots[i*p.steps[0]+(k-1)*p.steps[1]] = rounded[T](root(i*k, radix*count))
		}
	}
	if width == 1 {
		for i := range count {
			for k := 1; k < radix; k++ {
				p.ofRows = append(p.ofRows, p.root(i, k))
			}
		}
	}
	if !hasButterfly(radix) {
		p.turns = make([]Number[T], radix)
		for j := range radix {
			p.turns[j] = rounded[T](root(j, radix))
		}
	}
	return p
}

// hasButterfly reports whether a radix has a butterfly of its own.
func hasButterfly(radix int) bool { return radix <= 5 || radix == 8 }

// root returns the root of p = i and k.
func (p *pass[T]) root(i, k int) Number[T] { return p.roots[i*p.steps[0]+(k-1)*p.steps[1]] }

// abreast is the pass of so many lines at once, number by number: their numbers make one row.
func (p *pass[T]) abreast(lines int) pass[T] {
	wider := *p
	wider.width *= lines
	if lines > 1 && p.ofRows != nil {
		wider.roots, wider.steps = p.ofRows, [2]int{p.radix - 1, 1}
	}
	return wider
}

// length is how many numbers a line of the pass has.
func (p *pass[T]) length() int { return p.radix * p.count * p.width }

// row returns row number i of x.
func (p *pass[T]) row(x []Number[T], i int) []Number[T] { return x[i*p.width:][:p.width:p.width] }

// batch are lines of numbers that follow one another: the first number of the first line, and the bytes from one line to the next.
type batch[T dtype.Float] struct {
	first *Number[T]
	next  int
}

// batchOf are lines in x, so many numbers from one to the next.
func batchOf[T dtype.Float](x []Number[T], next int) batch[T] {
	return batch[T]{&x[0], next * int(unsafe.Sizeof(x[0]))}
}

// line returns count numbers of a line.
func (b batch[T]) line(line, count int) []Number[T] {
	return unsafe.Slice((*Number[T])(unsafe.Add(unsafe.Pointer(b.first), line*b.next)), count)
}

// real is the real part of a number of the first line.
func (b batch[T]) real(number int) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(b.first), number*int(unsafe.Sizeof(*b.first))))
}

// run writes the pass of so many lines of x to y.
func (p *pass[T]) run(y, x batch[T], lines int) {
	done := 0
	switch {
	case p.width > 1:
		if p.assembled(y, x, lines) {
			return
		}
	case p.radix == 4 || p.radix == 8:
		done = p.assembledFirst(y, x, lines)
		if done == p.count {
			return
		}
	}
	for line := range lines {
		p.runLine(y.line(line, p.length()), x.line(line, p.length()), done)
	}
}

// runLine writes the pass of the line x to y. The first transforms of rows of one number may be done.
func (p *pass[T]) runLine(y, x []Number[T], done int) {
	switch p.radix {
	case 2:
		p.two(y, x)
	case 3:
		p.three(y, x)
	case 4:
		p.four(y, x, done)
	case 5:
		p.five(y, x)
	case 8:
		p.eight(y, x, done)
	default:
		p.odd(y, x)
	}
}
