package fourier

// The parts of the roots of 3, and of 5.
const (
	sine3                    = -0.86602540378443864676
	cosine5, sine5           = 0.30901699437494742410, -0.95105651629515357212
	cosine5Twice, sine5Twice = -0.80901699437494742410, -0.58778525229247312917
)

// Of x[j] and x[radix−j] butterflies of odd radices take the sum and the difference: the cosines of their roots are the same, and the sines
// but for the sign.

func (p *pass[T]) three(y, x []Number[T]) {
	sine := T(sine3)
	for i := range p.count {
		w1, w2 := p.root(i, 1), p.root(i, 2)
		x0, x1, x2 := p.row(x, i), p.row(x, i+p.count), p.row(x, i+2*p.count)
		y0, y1, y2 := p.row(y, 3*i), p.row(y, 3*i+1), p.row(y, 3*i+2)
		x1, x2 = x1[:len(x0)], x2[:len(x0)]
		y0, y1, y2 = y0[:len(x0)], y1[:len(x0)], y2[:len(x0)]
		for q, a := range x0 {
			sum, difference := x1[q].plus(x2[q]), x1[q].minus(x2[q])
			y0[q] = a.plus(sum)
			even := a.plus(sum.scaled(-0.5))
			odd := Number[T]{-T(sine * difference.Im), T(sine * difference.Re)}
			y1[q], y2[q] = even.plus(odd).times(w1), even.minus(odd).times(w2)
		}
	}
}

func (p *pass[T]) five(y, x []Number[T]) {
	r1, r2 := Number[T]{T(cosine5), T(sine5)}, Number[T]{T(cosine5Twice), T(sine5Twice)}
	for i := range p.count {
		w1, w2, w3, w4 := p.root(i, 1), p.root(i, 2), p.root(i, 3), p.root(i, 4)
		x0, x1, x2 := p.row(x, i), p.row(x, i+p.count), p.row(x, i+2*p.count)
		x3, x4 := p.row(x, i+3*p.count), p.row(x, i+4*p.count)
		y0, y1, y2, y3, y4 := p.row(y, 5*i), p.row(y, 5*i+1), p.row(y, 5*i+2), p.row(y, 5*i+3), p.row(y, 5*i+4)
		x1, x2, x3, x4 = x1[:len(x0)], x2[:len(x0)], x3[:len(x0)], x4[:len(x0)]
		y0, y1, y2, y3, y4 = y0[:len(x0)], y1[:len(x0)], y2[:len(x0)], y3[:len(x0)], y4[:len(x0)]
		for q, a := range x0 {
			sum1, difference1 := x1[q].plus(x4[q]), x1[q].minus(x4[q])
			sum2, difference2 := x2[q].plus(x3[q]), x2[q].minus(x3[q])
			y0[q] = a.plus(sum1).plus(sum2)
			even := a.plus(sum1.scaled(r1.Re)).plus(sum2.scaled(r2.Re))
			odd := difference1.scaled(r1.Im).plus(difference2.scaled(r2.Im)).turned()
			y1[q], y4[q] = even.minus(odd).times(w1), even.plus(odd).times(w4)
			even = a.plus(sum1.scaled(r2.Re)).plus(sum2.scaled(r1.Re))
			odd = difference1.scaled(r2.Im).minus(difference2.scaled(r1.Im)).turned()
			y2[q], y3[q] = even.minus(odd).times(w2), even.plus(odd).times(w3)
		}
	}
}

// odd is the pass of any odd radix.
func (p *pass[T]) odd(y, x []Number[T]) {
	half := p.radix / 2
	var sums, differences [largestRadix / 2]Number[T]
	for i := range p.count {
		for q := range p.width {
			first := x[i*p.width+q]
			total := first
			for j := 1; j <= half; j++ {
				a, b := x[(i+j*p.count)*p.width+q], x[(i+(p.radix-j)*p.count)*p.width+q]
				sums[j-1], differences[j-1] = a.plus(b), a.minus(b)
				total = total.plus(sums[j-1])
			}
			to := y[p.radix*i*p.width+q:]
			to[0] = total
			for k := 1; k <= half; k++ {
				even, odd, at := first, Number[T]{}, 0
				for j := range half {
					if at += k; at >= p.radix {
						at -= p.radix
					}
					even = even.plus(sums[j].scaled(p.turns[at].Re))
					odd = odd.plus(differences[j].scaled(p.turns[at].Im))
				}
				odd = odd.turned()
				to[k*p.width] = even.minus(odd).times(p.root(i, k))
				to[(p.radix-k)*p.width] = even.plus(odd).times(p.root(i, p.radix-k))
			}
		}
	}
}
