package factor

import "math"

// reflectEachComplex is reflectEach for complex numbers.
func (f *reflections[T]) reflectEachComplex(first, count, block int) {
	length := f.rows - first
	a, v, t := f.a.from(first, first), f.v.from(first, first), f.t.from(first, first-block)
	p := complexPanel[T]{f.columns, length, count}
	for j := range count {
		p.column(j).read(a.elements[2*j:], a.row)
	}
	for j := range count {
		x := p.column(j).part(j, length)
		pivot, factor := x.reflection()
		for k := j + 1; k < count; k++ {
			y := p.column(k).part(j, length)
			y.takeOff(x, product([2]T{factor[0], -factor[1]}, x.dot(y)))
		}
		for k := range j { // T's column is −factor·T·Vᴴv
			w := product(factor, p.column(k).part(j, length).dot(x))
			f.w.elements[2*k], f.w.elements[2*k+1] = -w[0], -w[1]
		}
		t.elements[j*(t.row+2)], t.elements[j*(t.row+2)+1] = factor[0], factor[1]
		for k := range j {
			var sum [2]T
			for l := k; l < j; l++ {
				number := t.elements[k*t.row+2*l:]
				w := product([2]T{number[0], number[1]}, [2]T{f.w.elements[2*l], f.w.elements[2*l+1]})
				sum = [2]T{sum[0] + w[0], sum[1] + w[1]}
			}
			t.elements[k*t.row+2*j], t.elements[k*t.row+2*j+1] = sum[0], sum[1]
		}
		x.write(v.elements[j*(v.row+2):], v.row)
		p.column(j).part(0, j).write(a.elements[2*j:], a.row)
		a.elements[j*(a.row+2)], a.elements[j*(a.row+2)+1] = pivot, 0
		for i := j + 1; i < length; i++ {
			a.elements[i*a.row+2*j], a.elements[i*a.row+2*j+1] = 0, 0
		}
	}
}

// reflection is reflection of complex numbers: it is I − factor·v·vᴴ whose adjoint turns x to (pivot, 0, …), where pivot
// is real (LAPACK's zlarfg).
func (x pairs[T]) reflection() (pivot T, factor [2]T) {
	scale := scaleOf(x.re, x.im)
	sum := 0.0
	for i, v := range x.re[1:] {
		re, im := float64(v)*scale, float64(x.im[1+i])*scale
		sum += float64(re*re) + float64(im*im)
	}
	re, im := float64(float64(x.re[0])*scale), float64(float64(x.im[0])*scale)
	if sum += float64(im * im); sum == 0 {
		pivot = x.re[0]
		clear(x.re)
		clear(x.im)
		x.re[0] = 1
		return pivot, [2]T{}
	}
	reflected := -math.Copysign(math.Sqrt(float64(re*re)+sum), re)
	divisor := re - reflected
	size := float64(divisor*divisor) + float64(im*im)
	for i := 1; i < len(x.re); i++ {
		v, w := float64(x.re[i])*scale, float64(x.im[i])*scale
		x.re[i] = T((float64(v*divisor) + float64(w*im)) / size)
		x.im[i] = T((float64(w*divisor) - float64(v*im)) / size)
	}
	x.re[0], x.im[0] = 1, 0
	return T(reflected / scale), [2]T{T(-divisor / reflected), T(-im / reflected)}
}
