package factor

// Tridiagonal finds the product Q of reflectors for which Qᴴ·a·Q is a real tridiagonal matrix, of which it writes the
// diagonal and what is beside it, for a Hermitian matrix a, which it overwrites (LAPACK's zhetd2).
func Tridiagonal(a Planes, diagonal, beside []float64) (q Reflectors) {
	n := a.Rows
	for k := range n {
		diagonal[k], _ = a.At(k, k)
		if k == n-1 {
			break
		}
		x := newPairs(n - k - 1) // the column is conjugate to the row
		copy(x.re, a.row(k, k+1).re)
		copy(x.im, a.row(k, k+1).im)
		x.conjugate()
		r, pivot := reflector(x, k+1)
		beside[k] = pivot
		r.onBothSides(a)
		q = append(q, r)
	}
	return q
}

// onBothSides computes a = rᴴ·a·r for a Hermitian matrix a, in the rows and columns from r.first on.
func (r Reflector) onBothSides(a Planes) {
	v, count := r.vector, len(r.vector.re)
	w := newPairs(count)
	for i := range count {
		p := product(r.factor, a.row(r.first+i, r.first).times(v))
		w.re[i], w.im[i] = p[0], p[1]
	}
	half := product([2]float64{r.factor[0] / 2, r.factor[1] / 2}, w.dot(v))
	w.takeOff(v, half)
	for i := range count {
		row, f, g := a.row(r.first+i, r.first), v.at(i), w.at(i)
		takeOffFour(row.re, w.re, w.im, v.re, v.im, f[0], f[1], g[0], g[1])
		takeOffFour(row.im, w.re, w.im, v.re, v.im, f[1], -f[0], g[1], -g[0])
	}
}

// Bidiagonal finds the products of reflectors for which leftᴴ·a·right is a real upper bidiagonal matrix, of which it
// writes the diagonal and what is above it, for a matrix a with at least as many rows as columns, which it overwrites
// (LAPACK's zgebd2).
func Bidiagonal(a Planes, diagonal, above []float64) (left, right Reflectors) {
	for k := range a.Columns {
		r, pivot := reflector(a.columnOf(k, k), k)
		diagonal[k], left = pivot, append(left, r)
		r.adjoint().onRows(a, k+1)
		if k == a.Columns-1 {
			break
		}
		y := newPairs(a.Columns - k - 1)
		copy(y.re, a.row(k, k+1).re)
		copy(y.im, a.row(k, k+1).im)
		y.conjugate()
		r, pivot = reflector(y, k+1)
		above[k], right = pivot, append(right, r)
		r.onColumns(a, k+1)
	}
	return left, right
}

// Hessenberg finds the product Q of reflectors for which a is Q·H·Qᴴ, and replaces a by H, which has zeros below the
// elements under its diagonal (LAPACK's zgehd2).
func Hessenberg(a Planes) (q Reflectors) {
	for k := 0; k+2 < a.Rows; k++ {
		r, pivot := reflector(a.columnOf(k, k+1), k+1)
		r.adjoint().onRows(a, k+1)
		r.onColumns(a, 0)
		a.Set(k+1, k, pivot, 0)
		for i := k + 2; i < a.Rows; i++ {
			a.Set(i, k, 0, 0)
		}
		q = append(q, r)
	}
	return q
}
