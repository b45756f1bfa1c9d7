package factor

// Planes is a complex matrix as two real ones in row-major order, of its real and of its imaginary parts, for algorithms
// that go row by row.
type Planes struct {
	Rows, Columns int
	Re, Im        []float64
}

// NewPlanes returns a matrix of zeros.
func NewPlanes(rows, columns int) Planes {
	return Planes{rows, columns, make([]float64, rows*columns), make([]float64, rows*columns)}
}

// At returns the parts of an element.
func (p Planes) At(i, j int) (re, im float64) {
	return p.Re[i*p.Columns+j], p.Im[i*p.Columns+j]
}

// Set changes an element.
func (p Planes) Set(i, j int, re, im float64) {
	p.Re[i*p.Columns+j], p.Im[i*p.Columns+j] = re, im
}

// row returns the elements of a row from a column on, in the memory of p.
func (p Planes) row(i, first int) pairs[float64] {
	lo, hi := i*p.Columns+first, (i+1)*p.Columns
	return pairs[float64]{p.Re[lo:hi], p.Im[lo:hi]}
}

func newPairs(count int) pairs[float64] {
	return pairs[float64]{make([]float64, count), make([]float64, count)}
}

// columnOf returns a copy of the elements of a column from a row on.
func (p Planes) columnOf(j, first int) pairs[float64] {
	x := newPairs(p.Rows - first)
	for i := range x.re {
		x.re[i], x.im[i] = p.At(first+i, j)
	}
	return x
}

// times returns the sum of the products of the elements of x and y.
func (x pairs[T]) times(y pairs[T]) [2]T {
	return [2]T{dot(x.re, y.re) - dot(x.im, y.im), dot(x.re, y.im) + dot(x.im, y.re)}
}

// conjugate changes the signs of the imaginary parts.
func (x pairs[T]) conjugate() { negate(x.im) }

func conjugateOf[T float32 | float64](v [2]T) [2]T { return [2]T{v[0], -v[1]} }

// Reflector is I − factor·v·vᴴ, whose vector v has zeros before a row and one there.
type Reflector struct {
	first  int
	vector pairs[float64]
	factor [2]float64
}

// reflector returns the one whose adjoint turns x to (pivot, 0, …), in the rows from first on. It keeps x.
func reflector(x pairs[float64], first int) (r Reflector, pivot float64) {
	pivot, factor := x.reflection()
	return Reflector{first, x, factor}, pivot
}

// adjoint returns the inverse of r.
func (r Reflector) adjoint() Reflector {
	r.factor = conjugateOf(r.factor)
	return r
}

// onRows computes p = r·p for the columns from first on.
func (r Reflector) onRows(p Planes, first int) {
	if r.factor == [2]float64{} {
		return
	}
	sum, v, count := newPairs(p.Columns-first), r.vector, len(r.vector.re)
	row := func(i int) pairs[float64] { return p.row(r.first+i, first) }
	i := 0
	for ; i+2 <= count; i += 2 { // less the sum, as the loops take off
		sum.takeOffBoth(row(i), row(i+1), conjugateOf(v.at(i)), conjugateOf(v.at(i+1)))
	}
	if i < count {
		sum.takeOff(row(i), conjugateOf(v.at(i)))
	}
	for i := range count {
		f := product(r.factor, v.at(i))
		row(i).takeOff(sum, [2]float64{-f[0], -f[1]})
	}
}

// onColumns computes p = p·r for the rows from first on.
func (r Reflector) onColumns(p Planes, first int) {
	if r.factor == [2]float64{} {
		return
	}
	conjugates := newPairs(len(r.vector.re))
	copy(conjugates.re, r.vector.re)
	copy(conjugates.im, r.vector.im)
	conjugates.conjugate()
	for i := first; i < p.Rows; i++ {
		row := p.row(i, r.first)
		row.takeOff(conjugates, product(row.times(r.vector), r.factor))
	}
}

// Reflectors are a product of them.
type Reflectors []Reflector

// Apply computes p = r·p.
func (r Reflectors) Apply(p Planes) {
	for i := len(r) - 1; i >= 0; i-- {
		r[i].onRows(p, 0)
	}
}
