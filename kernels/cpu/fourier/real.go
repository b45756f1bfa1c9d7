package fourier

import "github.com/weft-nd/weft/dtype"

// Real numbers, if their number n is even, are transformed as h = n/2 complex ones z, whose parts they are: with Z the transform of
// z, E those of the real parts and O of the imaginary ones,
//
//	E[k] = (Z[k] + conj(Z[h−k]))/2, O[k] = −i·(Z[k] − conj(Z[h−k]))/2, X[k] = E[k] + exp(−2πi·k/n)·O[k]
//
// (Press, Teukolsky, Vetterling and Flannery, "Numerical Recipes", 12.3). The way back is the same in the other order.

// newRealPlan returns the plan for an even number of real numbers.
func newRealPlan[T dtype.Float](n, longest int) *plan[T] {
	half := newPlan[T](n/2, longest)
	half.roots = make([]Number[T], n/4+1)
	for k := range half.roots {
		half.roots[k] = rounded[T](root(k, n))
	}
	return half
}

// unpackLines makes of the transforms x of so many lines of h complex numbers those of 2h real ones, h+1 numbers of
// each line of y; conjugate if inverse. Y and x overlap nothing.
func (p *plan[T]) unpackLines(y, x batch[T], lines int, inverse bool) {
	if p.assembledLines(y, x, lines, inverse, true) {
		return
	}
	for line := range lines {
		to := y.line(line, p.length+1)
		copy(to, x.line(line, p.length))
		p.unpack(to, 0, p.length/2, inverse)
	}
}

// packLines makes of h+1 numbers of so many lines of x those of y as pack does. Y and x overlap nothing, and lines of
// both have h+1 numbers.
func (p *plan[T]) packLines(y, x batch[T], lines int, inverse bool) {
	if p.assembledLines(y, x, lines, inverse, false) {
		return
	}
	for line := range lines {
		to := y.line(line, p.length+1)
		copy(to, x.line(line, p.length+1))
		p.pack(to, 0, p.length/2, inverse)
	}
}

// unpack makes the transform x of h complex numbers that of 2h real ones, h+1 numbers of it, for the pairs of numbers k and h−k with k from
// lo to hi, at most h/2; conjugate if inverse.
func (p *plan[T]) unpack(x []Number[T], lo, hi int, inverse bool) {
	h := p.length
	x = x[:h+1]
	if lo == 0 {
		x[0], x[h] = Number[T]{Re: x[0].Re + x[0].Im}, Number[T]{Re: x[0].Re - x[0].Im}
		lo = 1
	}
	for k := lo + p.assembledHalves(x, lo, hi, inverse, true); k <= hi; k++ {
		a, b := x[k], x[h-k].conjugate()
		even, odd := a.plus(b).scaled(0.5), a.minus(b).turned().scaled(0.5).times(p.roots[k])
		first, last := even.plus(odd), even.minus(odd).conjugate()
		if inverse {
			first, last = first.conjugate(), last.conjugate()
		}
		x[k], x[h-k] = first, last
	}
}

// pack makes of h+1 numbers x that belong to 2h real ones the h complex numbers whose transform has these for parts, for pairs as unpack
// does; of the conjugate numbers if inverse. The imaginary parts of the first and the last number count for nothing.
func (p *plan[T]) pack(x []Number[T], lo, hi int, inverse bool) {
	h := p.length
	x = x[:h+1]
	if lo == 0 {
		x[0] = Number[T]{x[0].Re + x[h].Re, x[0].Re - x[h].Re}
		lo = 1
	}
	for k := lo + p.assembledHalves(x, lo, hi, inverse, false); k <= hi; k++ {
		a, b := x[k], x[h-k].conjugate()
		if inverse {
			a, b = a.conjugate(), b.conjugate()
		}
		even, odd := a.plus(b), a.minus(b).times(p.roots[k]).turned()
		x[k], x[h-k] = even.minus(odd), even.plus(odd).conjugate()
	}
}

// mirror completes the numbers of the transform of an odd number of real ones by those that are conjugate; all are conjugate if inverse.
func mirror[T dtype.Float](x []Number[T], inverse bool) {
	x[0].Im = 0
	for k := 1; k <= len(x)/2; k++ {
		number := x[k]
		if inverse {
			number = number.conjugate()
		}
		x[k], x[len(x)-k] = number, number.conjugate()
	}
}
