package fourier

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// plan is what transforms complex lines of one length: passes, or for a long line a matrix, or for a length with large prime factors a
// chirp.
type plan[T dtype.Float] struct {
	length int
	passes []pass[T]
	matrix *matrix[T]
	chirp  *chirp[T]
	// roots are exp(−2πi·k/(2·length)) up to a quarter of a turn, of a plan for twice as many real numbers.
	roots []Number[T]
}

// newPlan returns the plan for n numbers, at least one. Lines of longest numbers and more are matrices.
func newPlan[T dtype.Float](n, longest int) *plan[T] {
	p := &plan[T]{length: n}
	radices, rest := factors(n)
	switch {
	case rest > 1:
		p.chirp = newChirp[T](n, longest)
	case n >= longest && len(radices) > 1:
		p.matrix = newMatrix[T](split(n), n/split(n), longest)
	default:
		width := 1
		for _, radix := range radices {
			p.passes = append(p.passes, newPass[T](radix, n/width/radix, width))
			width *= radix
		}
	}
	return p
}

// Room returns how many numbers the memory of a line must have; of real ones it has one more.
func (p *plan[T]) Room() int {
	if p.chirp != nil {
		return p.chirp.plan.length
	}
	return p.length
}

// IsShared reports whether threads share the work of one line.
func (p *plan[T]) IsShared() bool {
	return p.matrix != nil || p.chirp != nil && p.chirp.plan.matrix != nil
}

// Run transforms the line at the beginning of x with other memory; both have Room numbers. It returns which of them has the result at
// its beginning.
func (p *plan[T]) Run(t *parallel.Thread, x, other []Number[T]) []Number[T] {
	switch {
	case p.chirp != nil:
		return p.chirp.run(t, x, other)
	case p.matrix != nil:
		line := linesOf(x)
		p.matrix.run(t, line, line, other, 1)
		return x
	}
	return p.runLines(x, other, len(x), 1)
}

// isPlain reports whether lines are transformed by passes alone, so that several can be transformed at once.
func (p *plan[T]) isPlain() bool { return p.matrix == nil && p.chirp == nil }

// runLines transforms so many lines, room numbers from one to the next, of x with other memory, and returns which of them has the results.
func (p *plan[T]) runLines(x, other []Number[T], room, lines int) []Number[T] {
	for i := range p.passes {
		p.passes[i].run(batchOf(other, room), batchOf(x, room), lines)
		x, other = other, x
	}
	return x
}

// runFrom is runLines of lines in other places, which are left as they are.
func (p *plan[T]) runFrom(src batch[T], x, other []Number[T], room, lines int) []Number[T] {
	if len(p.passes) == 0 {
		for line := range lines {
			copy(x[line*room:], src.line(line, p.length))
		}
		return x
	}
	p.passes[0].run(batchOf(x, room), src, lines)
	for i := range p.passes[1:] {
		p.passes[1+i].run(batchOf(other, room), batchOf(x, room), lines)
		x, other = other, x
	}
	return x
}

// runTo writes the transforms of so many lines of src, which are left as they are unless they are dst, to dst, by way
// of memory, which has room numbers from one line to the next. There are two passes at least.
func (p *plan[T]) runTo(dst, src batch[T], x, other []Number[T], room, lines int) {
	last := len(p.passes) - 1
	for i := range last {
		p.passes[i].run(batchOf(x, room), src, lines)
		src, x, other = batchOf(x, room), other, x
	}
	p.passes[last].run(dst, src, lines)
}

// runAbreast is Run of so many lines at once, whose numbers lie beside one another: x has the first number of each,
// then the second of each. It makes the passes from number first on.
func (p *plan[T]) runAbreast(x, other []Number[T], lines, first int) []Number[T] {
	for i := first; i < len(p.passes); i++ {
		wider := p.passes[i].abreast(lines)
		wider.run(batch[T]{first: &other[0]}, batch[T]{first: &x[0]}, 1)
		x, other = other, x
	}
	return x
}

// firstAbreast loads so many lines of src, which have given numbers each, and zeros behind them, into w, number by
// number, width of them from one number to the next, or makes the first pass of them, and returns how many passes it
// has made.
func (p *plan[T]) firstAbreast(w *Workspace[T], src Lines, lines, width, given int) (passes int) {
	if given == p.length && lines == width && len(p.passes) > 0 && src.areBeside(int(unsafe.Sizeof(T(0)))) {
		first := p.passes[0].abreast(lines)
		if first.assembledFrom(w.X, src.Start, src.Step) {
			return 1
		}
	}
	if width > lines {
		clear(w.X[:given*width])
	}
	load(w.X, steps{1, width}, src, lines, given)
	clear(w.X[given*width : p.length*width])
	return 0
}
