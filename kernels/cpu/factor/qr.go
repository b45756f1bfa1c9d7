package factor

import (
	"math"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

const (
	leastReflections = 8  // columns that are reflected one by one
	mostReflections  = 64 // and those whose reflections are applied to the others together
)

// QR replaces a, which is rows×columns, by the upper triangular R, with zeros below its diagonal, and writes Q, whose
// columns are orthonormal, to q, which is rows×min(rows,columns), so that Q·R is what a was. The diagonal of R is real
// and not negative. Elements that are not finite make factors that are not. Where q has no elements it is left out.
//
// Q is a product of reflections, which are joined as I − V·T·Vᴴ (Schreiber and Van Loan, "A storage-efficient WY
// representation for products of Householder transformations", 1989) by halves (Elmroth and Gustavson, "Applying
// recursion to serial and parallel QR factorization leads to better performance", 2000).
func QR[E Element](t *parallel.Thread, rows, columns int, a []E, stride int, q []E, strideQ int) {
	if isSingle[E]() {
		qr(t, rows, columns, viewOf[float32](a, stride, 1), viewOf[float32](q, strideQ, 1))
		return
	}
	qr(t, rows, columns, viewOf[float64](a, stride, 1), viewOf[float64](q, strideQ, 1))
}

func qr[T gemm.Float](t *parallel.Thread, rows, columns int, a, q view[T]) {
	count := min(rows, columns)
	if count == 0 {
		return
	}
	f := newReflections(t, rows, columns, a)
	for first := 0; first < count; first += mostReflections {
		n := min(mostReflections, count-first)
		f.reflect(first, n, first)
		if rest := columns - first - n; rest > 0 {
			f.apply(first, n, first, true, f.a.from(first, first+n), rest)
		}
	}
	if len(q.elements) > 0 {
		f.form(count, q)
	}
	f.turn(count, columns, q)
}

// form writes the product of all reflections.
func (f *reflections[T]) form(count int, q view[T]) {
	for i := range f.rows {
		clear(q.elements[i*q.row:][:count*q.column])
		if i < count {
			q.elements[i*(q.row+q.column)] = 1
		}
	}
	for first := (count - 1) / mostReflections * mostReflections; first >= 0; first -= mostReflections {
		n := min(mostReflections, count-first)
		f.apply(first, n, first, false, q.from(first, first), count-first)
	}
}

// reflections are QR at work.
type reflections[T gemm.Float] struct {
	thread  *parallel.Thread
	rows    int
	a       view[T]
	v       view[T] // the vectors as columns, with ones on the diagonal and zeros above
	t       view[T] // of each block of columns T, whose columns are numbered within the block
	w, tw   view[T] // temporary
	columns []T     // temporary, a few columns one after the other, of complex numbers the parts apart
}

func newReflections[T gemm.Float](t *parallel.Thread, rows, columns int, a view[T]) *reflections[T] {
	count := min(rows, columns)
	block := min(mostReflections, count)
	parts := a.parts()
	memory := make([]T, parts*(rows*count+count*block+2*block*columns+rows*min(leastReflections, count)))
	take := func(rows, columns int) (part view[T]) {
		part = view[T]{memory[:parts*rows*columns], parts * columns, parts, a.isComplex, false}
		memory = memory[parts*rows*columns:]
		return part
	}
	return &reflections[T]{
		thread: t, rows: rows, a: a, v: take(rows, count), t: take(count, block), w: take(block, columns), tw: take(block, columns), columns: memory,
	}
}

// multiply computes c = alpha·a·b.
func (f *reflections[T]) multiply(rows, columns, terms int, alpha T, a, b, c view[T]) {
	multiply(f.thread, rows, columns, terms, alpha, 0, a, b, c)
}

// apply applies count reflections from first on, or the inverse of that, to so many columns of c, whose rows are those from first on. They
// belong to the block that begins at a column.
func (f *reflections[T]) apply(first, count, block int, inverse bool, c view[T], columns int) {
	v, t := f.v.from(first, first), f.t.from(first, first-block)
	if inverse {
		t = t.adjoint()
	}
	f.multiply(count, columns, f.rows-first, 1, v.adjoint(), c, f.w)
	f.multiply(count, columns, count, 1, t, f.w, f.tw)
	takeOff(f.thread, f.rows-first, columns, count, v, f.tw, c)
}

// reflect finds the reflections of count columns from first on.
func (f *reflections[T]) reflect(first, count, block int) {
	switch {
	case count <= leastReflections && f.a.isComplex:
		f.reflectEachComplex(first, count, block)
		return
	case count <= leastReflections:
		f.reflectEach(first, count, block)
		return
	}
	n := half(count, leastReflections)
	second, rest := first+n, count-n
	f.reflect(first, n, block)
	f.apply(first, n, block, true, f.a.from(first, second), rest)
	f.reflect(second, rest, block)
	// T of both is that of each on the diagonal, and −T₁·V₁ᴴ·V₂·T₂ beside them.
	f.multiply(n, rest, f.rows-second, 1, f.v.from(second, first).adjoint(), f.v.from(second, second), f.w)
	f.multiply(n, rest, n, -1, f.t.from(first, first-block), f.w, f.tw)
	f.multiply(n, rest, rest, 1, f.tw, f.t.from(second, second-block), f.t.from(first, second-block))
}

// reflectEach is reflect column by column, in a copy by columns.
func (f *reflections[T]) reflectEach(first, count, block int) {
	length := f.rows - first
	a, v, t := f.a.from(first, first), f.v.from(first, first), f.t.from(first, first-block)
	column := func(j int) []T { return f.columns[j*length:][:length] }
	for i := range length {
		for j, x := range a.elements[i*a.row:][:count] {
			f.columns[j*length+i] = x
		}
	}
	for j := range count {
		x := column(j)[j:]
		pivot, factor := reflection(x)
		for k := j + 1; k < count; k++ {
			y := column(k)[j:]
			takeOffOne(y, x, T(factor*dot(x, y)))
		}
		t.elements[j*t.row+j] = factor
		for k := range j { // T's column is −factor·T·Vᵀv
			f.w.elements[k] = T(-factor * dot(column(k)[j:], x))
		}
		for k := range j {
			sum := T(0)
			for l := k; l < j; l++ {
				sum += T(t.elements[k*t.row+l] * f.w.elements[l])
			}
			t.elements[k*t.row+j] = sum
		}
		for i := range j {
			a.elements[i*a.row+j] = column(j)[i]
		}
		a.elements[j*a.row+j] = pivot
		for i := j; i < length; i++ {
			v.elements[i*v.row+j] = x[i-j]
			if i > j {
				a.elements[i*a.row+j] = 0
			}
		}
	}
}

// reflection replaces x by the vector v that begins with 1, where I − factor·v·vᵀ turns x to (pivot, 0, …). It computes with multiples of x
// whose squares are in range.
func reflection[T gemm.Float](x []T) (pivot, factor T) {
	scale := scaleOf(x)
	sum := 0.0
	for _, v := range x[1:] {
		w := float64(v) * scale
		sum += float64(w * w)
	}
	if sum == 0 {
		pivot = x[0]
		clear(x)
		x[0] = 1
		return pivot, 0
	}
	first := float64(float64(x[0]) * scale)
	reflected := -math.Copysign(math.Sqrt(float64(first*first)+sum), first)
	divisor := first - reflected
	for i, v := range x[1:] {
		x[1+i] = T(float64(v) * scale / divisor)
	}
	x[0] = 1
	return T(reflected / scale), T(-divisor / reflected)
}

// scaleOf returns the power of two that brings the largest element of all x near one, as far as it is in range; 1 for
// zeros, and where there are elements that are not finite.
func scaleOf[T gemm.Float](all ...[]T) float64 {
	largest := 0.0
	for _, x := range all {
		for _, v := range x {
			largest = max(largest, math.Abs(float64(v))) // NaN stays
		}
	}
	if largest == 0 || largest-largest != 0 {
		return 1
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, min(-exponent, 1022))
}

// dot returns the sum of products, as four sums.
func dot[T gemm.Float](x, y []T) T {
	y = y[:len(x)]
	var sums [4]T
	i := 0
	for ; i+4 <= len(x); i += 4 {
		sums[0] += T(x[i] * y[i])
		sums[1] += T(x[i+1] * y[i+1])
		sums[2] += T(x[i+2] * y[i+2])
		sums[3] += T(x[i+3] * y[i+3])
	}
	for ; i < len(x); i++ {
		sums[0] += T(x[i] * y[i])
	}
	return (sums[0] + sums[1]) + (sums[2] + sums[3])
}

// turn changes the signs of rows of R and columns of Q where the diagonal is negative.
func (f *reflections[T]) turn(count, columns int, q view[T]) {
	parts, a := f.a.parts(), f.a
	var negative []int
	for i := range count {
		if a.elements[i*(a.row+a.column)] < 0 {
			negative = append(negative, i)
			negate(a.elements[i*a.row:][parts*i : parts*columns])
			clear(a.elements[i*(a.row+a.column):][1:parts])
		}
	}
	if len(q.elements) == 0 {
		return
	}
	for i := range f.rows {
		row := q.elements[i*q.row:]
		for _, j := range negative {
			negate(row[parts*j:][:parts])
		}
	}
}

func negate[T gemm.Float](x []T) {
	for i, v := range x {
		x[i] = -v
	}
}
