package fourier

import (
	"math"

	"github.com/weft-nd/weft/dtype"
)

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

func (p *pass[T]) eight(y, x []Number[T], done int) {
	if p.width == 1 {
		p.eightFirst(y, x, done)
		return
	}
	for i := range p.count {
		var from, to, w [8]Number[T]
		for k := 1; k < 8; k++ {
			w[k] = p.root(i, k)
		}
		for q := range p.width {
			for j := range from {
				from[j] = x[(i+j*p.count)*p.width+q]
			}
			butterflyOfEight(&to, &from)
			row := y[8*i*p.width+q:]
			row[0] = to[0]
			for k := 1; k < 8; k++ {
				number := to[k]
				if p.count > 1 {
					number = number.times(w[k])
				}
				row[k*p.width] = number
			}
		}
	}
}

// eightFirst is eight where rows have one number, of the transforms that are not done.
func (p *pass[T]) eightFirst(y, x []Number[T], done int) {
	n := p.count
	for i := done; i < n; i++ {
		var from, to [8]Number[T]
		for j := range from {
			from[j] = x[i+j*n]
		}
		butterflyOfEight(&to, &from)
		row := y[8*i:][:8]
		row[0] = to[0]
		for k := 1; k < 8; k++ {
			number := to[k]
			if n > 1 {
				number = number.times(p.roots[(k-1)*n+i])
			}
			row[k] = number
		}
	}
}

// butterflyOfEight writes the transform of x to y: those of four of the sums of x[j] and x[j+4], and of the differences, turned by eighths.
func butterflyOfEight[T dtype.Float](y, x *[8]Number[T]) {
	var sums, differences [4]Number[T]
	for j := range sums {
		sums[j], differences[j] = x[j].plus(x[j+4]), x[j].minus(x[j+4])
	}
	eighth := T(math.Sqrt2 / 2)
	differences[1] = differences[1].plus(differences[1].turned()).scaled(eighth)
	differences[2] = differences[2].turned()
	differences[3] = differences[3].turned().minus(differences[3]).scaled(eighth)
	y[0], y[2], y[4], y[6] = butterflyOfFour(sums)
	y[1], y[3], y[5], y[7] = butterflyOfFour(differences)
}

func butterflyOfFour[T dtype.Float](x [4]Number[T]) (y0, y1, y2, y3 Number[T]) {
	even, difference := x[0].plus(x[2]), x[0].minus(x[2])
	odd, turned := x[1].plus(x[3]), x[1].minus(x[3]).turned()
	return even.plus(odd), difference.plus(turned), even.minus(odd), difference.minus(turned)
}
