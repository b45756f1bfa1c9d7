package factor

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
