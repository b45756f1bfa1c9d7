package fourier

import (
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// Plan is what transforms complex lines of one length: passes, or for a long line a matrix, or for a length with large prime factors a
// chirp.
type Plan[T dtype.Float] struct {
	length int
	passes []pass[T]
	matrix *matrix[T]
	chirp  *chirp[T]
	// roots are exp(−2πi·k/(2·length)) up to a quarter of a turn, of a plan for twice as many real numbers.
	roots []Number[T]
}

// newPlan returns the plan for n numbers, at least one. Lines of longest numbers and more are matrices.
func newPlan[T dtype.Float](n, longest int) *Plan[T] {
	p := &Plan[T]{length: n}
	radices, rest := factors(n)
	switch {
	case rest > 1:
		p.chirp = newChirp[T](n, longest)
	case n >= longest && len(radices) > 1:
		p.matrix = newMatrix[T](split(n, radices), n/split(n, radices), longest)
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
func (p *Plan[T]) Room() int {
	if p.chirp != nil {
		return p.chirp.plan.length
	}
	return p.length
}

// IsShared reports whether threads share the work of one line.
func (p *Plan[T]) IsShared() bool {
	return p.matrix != nil || p.chirp != nil && p.chirp.plan.matrix != nil
}

// Run transforms the line at the beginning of x with other memory; both have Room numbers. It returns which of them has the result at
// its beginning.
func (p *Plan[T]) Run(t *parallel.Thread, x, other []Number[T]) []Number[T] {
	switch {
	case p.chirp != nil:
		return p.chirp.run(t, x, other)
	case p.matrix != nil:
		p.matrix.run(t, x, other)
		return x
	}
	for i := range p.passes {
		p.passes[i].run(other, x)
		x, other = other, x
	}
	return x
}

// runsAbreast reports whether lines can be transformed abreast.
func (p *Plan[T]) runsAbreast() bool { return p.matrix == nil && p.chirp == nil }

// runAbreast is Run of so many lines at once, whose numbers lie beside one another: x has the first number of each, then the second of each.
func (p *Plan[T]) runAbreast(x, other []Number[T], lines int) []Number[T] {
	for i := range p.passes {
		wider := p.passes[i].abreast(lines)
		wider.run(other, x)
		x, other = other, x
	}
	return x
}

// runTo writes the transform of x, which is left as it is unless it is y, to y, by way of other memory. There are two passes at least.
func (p *Plan[T]) runTo(y, x, memory, other []Number[T]) {
	last := len(p.passes) - 1
	for i := range last {
		p.passes[i].run(memory, x)
		x, memory, other = memory, other, memory
	}
	p.passes[last].run(y, x)
}
