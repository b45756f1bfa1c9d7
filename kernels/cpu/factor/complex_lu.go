package factor

import "github.com/weft-nd/weft/kernels/cpu/gemm"

// complexPanel is a few columns of complex numbers.
type complexPanel[T gemm.Float] struct {
	numbers       []T
	rows, columns int
}

func (p complexPanel[T]) column(j int) pairs[T] {
	own := p.numbers[2*j*p.rows:]
	return pairs[T]{own[:p.rows], own[p.rows:][:p.rows]}
}

// eliminateComplexPanel is eliminatePanel for complex numbers.
func (f *elimination[T]) eliminateComplexPanel(first, rows, columns int) {
	a, p := f.a.from(first, first), complexPanel[T]{f.panel[:cap(f.panel)], rows, columns}
	for j := range columns {
		p.column(j).read(a.elements[2*j:], a.row)
	}
	for j := range columns {
		pivot, singular := p.eliminate(j)
		f.pivots[first+j] = first + pivot
		if singular && f.singular < 0 {
			f.singular = first + j
		}
	}
	for j := range columns {
		p.column(j).write(a.elements[2*j:], a.row)
	}
}

// eliminate takes from a column what belongs to those before it, and chooses its pivot, which may be zero.
func (p complexPanel[T]) eliminate(j int) (pivot int, singular bool) {
	x := p.column(j)
	for k := range j {
		x.part(k+1, j).takeOff(p.column(k).part(k+1, j), x.at(k))
	}
	below, k := x.part(j, p.rows), 0
	for ; k+2 <= j; k += 2 {
		below.takeOffBoth(p.column(k).part(j, p.rows), p.column(k+1).part(j, p.rows), x.at(k), x.at(k+1))
	}
	if k < j {
		below.takeOff(p.column(k).part(j, p.rows), x.at(k))
	}
	pivot = j + below.largest()
	for k := range p.columns {
		if c := p.column(k); pivot != j {
			c.re[j], c.re[pivot] = c.re[pivot], c.re[j]
			c.im[j], c.im[pivot] = c.im[pivot], c.im[j]
		}
	}
	if below.at(0) == [2]T{} {
		return pivot, true
	}
	x.part(j+1, p.rows).divide(below.at(0))
	return pivot, false
}

// largest returns the number of the first number with the largest sum of the magnitudes of its parts. NaN is no larger than others.
func (x pairs[T]) largest() int {
	number, value, im := 0, T(-1), x.im[:len(x.re)]
	for i, v := range x.re {
		w := im[i]
		if v < 0 {
			v = -v
		}
		if w < 0 {
			w = -w
		}
		if v+w > value {
			number, value = i, v+w
		}
	}
	return number
}
