package fourier

import "math"

func (p *pass[T]) two(y, x []Number[T]) {
	for i := range p.count {
		x0, x1 := p.row(x, i), p.row(x, i+p.count)
		y0, y1 := p.row(y, 2*i), p.row(y, 2*i+1)
		x1, y0, y1 = x1[:len(x0)], y0[:len(x0)], y1[:len(x0)]
		if p.count == 1 {
			for q, a := range x0 {
				b := x1[q]
				y0[q], y1[q] = a.plus(b), a.minus(b)
			}
			return
		}
		w := p.root(i, 1)
		for q, a := range x0 {
			b := x1[q]
			y0[q], y1[q] = a.plus(b), a.minus(b).times(w)
		}
	}
}

func (p *pass[T]) four(y, x []Number[T], done int) {
	switch {
	case p.count == 1:
		p.fourLast(y, x)
	case p.width == 1:
		p.fourFirst(y, x, done)
	default:
		for i := range p.count {
			w1, w2, w3 := p.root(i, 1), p.root(i, 2), p.root(i, 3)
			x0, x1, x2, x3 := p.row(x, i), p.row(x, i+p.count), p.row(x, i+2*p.count), p.row(x, i+3*p.count)
			y0, y1, y2, y3 := p.row(y, 4*i), p.row(y, 4*i+1), p.row(y, 4*i+2), p.row(y, 4*i+3)
			x1, x2, x3 = x1[:len(x0)], x2[:len(x0)], x3[:len(x0)]
			y0, y1, y2, y3 = y0[:len(x0)], y1[:len(x0)], y2[:len(x0)], y3[:len(x0)]
			for q, a := range x0 {
				c := x2[q]
				even, difference := a.plus(c), a.minus(c)
				b, d := x1[q], x3[q]
				odd, turned := b.plus(d), b.minus(d).turned()
				y0[q] = even.plus(odd)
				y1[q] = difference.plus(turned).times(w1)
				y2[q] = even.minus(odd).times(w2)
				y3[q] = difference.minus(turned).times(w3)
			}
		}
	}
}

// fourFirst is four where rows have one number, of the transforms that are not done.
func (p *pass[T]) fourFirst(y, x []Number[T], done int) {
	n := p.count
	x0, x1, x2, x3 := x[:n], x[n:][:n], x[2*n:][:n], x[3*n:][:n]
	w1, w2, w3 := p.roots[:n], p.roots[n:][:n], p.roots[2*n:][:n]
	y = y[:4*n]
	for i := done; i < n; i++ {
		a, c := x0[i], x2[i]
		even, difference := a.plus(c), a.minus(c)
		b, d := x1[i], x3[i]
		odd, turned := b.plus(d), b.minus(d).turned()
		to := y[4*i:][:4]
		to[0] = even.plus(odd)
		to[1] = difference.plus(turned).times(w1[i])
		to[2] = even.minus(odd).times(w2[i])
		to[3] = difference.minus(turned).times(w3[i])
	}
}

// fourLast is four of one transform, which has no roots but ones.
func (p *pass[T]) fourLast(y, x []Number[T]) {
	n := p.width
	x0, x1, x2, x3 := x[:n], x[n:][:n], x[2*n:][:n], x[3*n:][:n]
	y0, y1, y2, y3 := y[:n], y[n:][:n], y[2*n:][:n], y[3*n:][:n]
	for q, a := range x0 {
		c := x2[q]
		even, difference := a.plus(c), a.minus(c)
		b, d := x1[q], x3[q]
		odd, turned := b.plus(d), b.minus(d).turned()
		y0[q], y1[q] = even.plus(odd), difference.plus(turned)
		y2[q], y3[q] = even.minus(odd), difference.minus(turned)
	}
}

// eight is the butterfly of radix 8, those of radix 4 of the sums of x[j] and x[j+4], and of the differences, turned by
// eighths, of the transforms that are not done.
func (p *pass[T]) eight(y, x []Number[T], done int) {
	for i := done; i < p.count; i++ {
		for q := range p.width {
			p.eightOf(y, x, i, q)
		}
	}
}

// eightOf is eight of one number of a row.
func (p *pass[T]) eightOf(y, x []Number[T], i, q int) {
	width, n := p.width, p.count*p.width
	eighth := T(math.Sqrt2 / 2)
	x, y = x[i*width+q:], y[8*i*width+q:]
	x = x[:7*n+1]
	sum0, difference0 := x[0].plus(x[4*n]), x[0].minus(x[4*n])
	sum2, difference2 := x[2*n].plus(x[6*n]), x[2*n].minus(x[6*n]).turned()
	even, difference := sum0.plus(sum2), sum0.minus(sum2)
	evenOfOdd, differenceOfOdd := difference0.plus(difference2), difference0.minus(difference2)

	sum1, difference1 := x[n].plus(x[5*n]), x[n].minus(x[5*n])
	sum3, difference3 := x[3*n].plus(x[7*n]), x[3*n].minus(x[7*n])
	odd, turned := sum1.plus(sum3), sum1.minus(sum3).turned()
	difference1 = difference1.plus(difference1.turned()).scaled(eighth)
	difference3 = difference3.turned().minus(difference3).scaled(eighth)
	oddOfOdd, turnedOfOdd := difference1.plus(difference3), difference1.minus(difference3).turned()

	y = y[:7*width+1]
	y[0] = even.plus(odd)
	if p.count == 1 {
		y[width], y[2*width], y[3*width] = evenOfOdd.plus(oddOfOdd), difference.plus(turned), differenceOfOdd.plus(turnedOfOdd)
		y[4*width], y[5*width] = even.minus(odd), evenOfOdd.minus(oddOfOdd)
		y[6*width], y[7*width] = difference.minus(turned), differenceOfOdd.minus(turnedOfOdd)
		return
	}
	w, k := p.roots[i*p.steps[0]:], p.steps[1]
	w = w[:6*k+1]
	y[width] = evenOfOdd.plus(oddOfOdd).times(w[0])
	y[2*width] = difference.plus(turned).times(w[k])
	y[3*width] = differenceOfOdd.plus(turnedOfOdd).times(w[2*k])
	y[4*width] = even.minus(odd).times(w[3*k])
	y[5*width] = evenOfOdd.minus(oddOfOdd).times(w[4*k])
	y[6*width] = difference.minus(turned).times(w[5*k])
	y[7*width] = differenceOfOdd.minus(turnedOfOdd).times(w[6*k])
}
