package cpu

// qr computes Outputs[0] and Outputs[1], the reduced factors Q and R of the matrices of Inputs[0]. The diagonal of R is not negative.
func qr(d *decomposed) (problem string) {
	q, r := d.results[0], d.results[1]
	k, n := d.small(), d.columns
	tau := make([]float64, k)
	working(func(work []float64, length int) { lapackGonum.Dgeqrf(d.rows, n, d.a, n, tau, work, length) })
	for i := range k {
		copy(r[i*n+i:(i+1)*n], d.a[i*n+i:])
	}
	for i := range d.rows {
		copy(q[i*k:(i+1)*k], d.a[i*n:])
	}
	working(func(work []float64, length int) { lapackGonum.Dorgqr(d.rows, k, k, q, k, tau, work, length) })
	for i := range k {
		if r[i*n+i] < 0 {
			negate(r[i*n+i:], n-i, 1)
			negate(q[i:], d.rows, k)
		}
	}
	return ""
}

var _ = register("qr", decomposition[float32](4, true, qr), decomposition[float64](4, true, qr))
