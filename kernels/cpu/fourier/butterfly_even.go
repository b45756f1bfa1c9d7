package fourier

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

func (p *pass[T]) four(y, x []Number[T]) {
	switch {
	case p.count == 1:
		p.fourLast(y, x)
	case p.width == 1:
		p.fourFirst(y, x)
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

// fourFirst is four where rows have one number.
func (p *pass[T]) fourFirst(y, x []Number[T]) {
	done, n := p.assembledFirst(y, x), p.count
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
