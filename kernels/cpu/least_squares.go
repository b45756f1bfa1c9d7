package cpu

import (
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// pseudoInverse computes Outputs[0], the pseudo-inverses of the matrices of Inputs[0]. Singular values up to Scalars[0] times the largest, or
// as many units of rounding as the matrix has rows or columns where that is 0, count as zero.
func pseudoInverse(d *decomposed) (problem string) {
	u, _, v, rank, ok := d.truncated()
	if !ok {
		return svdProblem
	}
	multiplyAlone(d.columns, d.rows, rank, turned(by(v, 0, d.columns)), turned(by(u, 0, d.small())), by(d.results[0], 0, d.rows))
	return ""
}

// leastSquares computes Outputs[0], the shortest of the vectors x whose a·x is nearest to the right sides Inputs[1], the numbers of singular
// values of the matrices a, Inputs[0], that do not count as zero, and the singular values.
func leastSquares(d *decomposed) (problem string) {
	u, s, v, rank, ok := d.truncated()
	if !ok {
		return svdProblem
	}
	d.results[1][0] = float64(rank)
	copy(d.results[2], s)
	b := d.others[0]
	if columns := len(b) / d.rows; columns > 0 && rank > 0 {
		shares := make([]float64, rank*columns)
		multiplyAlone(rank, columns, d.rows, turned(by(u, 0, d.small())), by(b, 0, columns), by(shares, 0, columns))
		multiplyAlone(d.columns, columns, rank, turned(by(v, 0, d.columns)), by(shares, 0, columns), by(d.results[0], 0, columns))
	}
	return ""
}

// truncated returns the factors of the matrix, with the columns of U divided by the singular values, and how many of these do not count as
// zero.
func (d *decomposed) truncated() (u, s, v []float64, rank int, ok bool) {
	k := d.small()
	u, s, v = make([]float64, d.rows*k), make([]float64, k), make([]float64, k*d.columns)
	if !d.singularVectors(u, s, v) {
		return nil, nil, nil, 0, false
	}
	relative := d.scalars[0]
	if relative == 0 {
		relative = d.unit * float64(max(d.rows, d.columns))
	}
	for rank < k && s[rank] > relative*s[0] {
		rank++
	}
	for i := range d.rows {
		for j, value := range s[:rank] {
			u[i*k+j] /= value
		}
	}
	return u, s, v, rank, true
}

// multiplyAlone computes c = a·b in the calling goroutine.
func multiplyAlone(rows, columns, terms int, a, b, c gemm.Matrix) {
	gemm.Product[float64]{M: rows, N: columns, K: terms, Alpha: 1, A: a, B: b, C: c}.Run(parallel.Serial(), nil)
}

var (
	_ = register("pseudo_inverse", decomposition[float32](22, pseudoInverse), decomposition[float64](22, pseudoInverse))
	_ = register("least_squares", decomposition[float32](20, leastSquares), decomposition[float64](20, leastSquares))
)
