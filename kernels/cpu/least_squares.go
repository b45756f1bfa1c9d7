package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// pseudoInverse computes Outputs[0], the pseudo-inverses of the matrices of Inputs[0]. Singular values up to Scalars[0]
// times the largest, or as many units of rounding as the matrix has rows or columns where that is 0, count as zero.
func pseudoInverse(d *decomposed) (problem string) {
	k := d.small()
	u, s, v := make([]float64, d.rows*k), make([]float64, k), make([]float64, k*d.columns)
	rank, ok := d.truncate(u, s, v)
	if !ok {
		return svdProblem
	}
	multiplyAlone(d.columns, d.rows, rank, turned(matrixFrom(v, 0, d.columns)), turned(matrixFrom(u, 0, k)), matrixFrom(d.results[0], 0, d.rows))
	return ""
}

// leastSquares computes Outputs[0], the shortest of the vectors x whose a·x is nearest to the right sides Inputs[1],
// the numbers of singular values of the matrices a, Inputs[0], that do not count as zero, and the singular values. The
// batch of a broadcasts to that of the others.
func leastSquares[T gemm.Float]() entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		m, of, s := matricesOf(a.Inputs[0]), matricesOf(a.Outputs[0]), scratch{memory: a.Scratch}
		if of.count == 0 {
			return nil
		}
		k := min(m.rows, m.columns)
		u, singular, v, ranks := make([]float64, m.count*m.rows*k), make([]float64, m.count*k), make([]float64, m.count*k*m.columns), make([]float64, m.count)
		err := decompose[T](t, &s, a, 20, false, [][]float64{u, singular, v, ranks}, func(d *decomposed) string {
			rank, ok := d.truncate(d.results[0], d.results[1], d.results[2])
			if !ok {
				return svdProblem
			}
			d.results[3][0] = float64(rank)
			return ""
		})
		if err != nil {
			return err
		}
		b := readLines[T](t, &s, a.Inputs[1])
		results := make([][]float64, len(a.Outputs))
		for i, view := range a.Outputs {
			results[i] = make([]float64, view.Count())
		}
		nanoseconds := 0.2 * float64((m.rows+m.columns)*k*of.columns)
		t.ForCost(of.count, nanoseconds, func(_ *parallel.Thread, lo, hi int) {
			for number := lo; number < hi; number++ {
				from := m.number(number, of.batch)
				x, rank := lot(results[0], number, of.count), int(ranks[from])
				results[1][number] = ranks[from]
				copy(lot(results[2], number, of.count), lot(singular, from, m.count))
				if of.columns == 0 || rank == 0 {
					continue
				}
				shares := make([]float64, rank*of.columns)
				multiplyAlone(rank, of.columns, m.rows, turned(matrixFrom(lot(u, from, m.count), 0, k)), matrixFrom(wide(lot(b, number, of.count)), 0, of.columns), matrixFrom(shares, 0, of.columns))
				multiplyAlone(m.columns, of.columns, rank, turned(matrixFrom(lot(v, from, m.count), 0, m.columns)), matrixFrom(shares, 0, of.columns), matrixFrom(x, 0, of.columns))
			}
		})
		for i, view := range a.Outputs {
			storeAll(view, results[i])
		}
		return nil
	}}
}

// truncate computes the factors of the matrix, with the columns of U divided by the singular values, and how many of these do not count as
// zero.
func (d *decomposed) truncate(u, s, v []float64) (rank int, ok bool) {
	k := d.small()
	if !d.singularVectors(u, s, v) {
		return 0, false
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
	return rank, true
}

// multiplyAlone computes c = a·b in the calling goroutine.
func multiplyAlone(rows, columns, terms int, a, b, c gemm.Matrix) {
	gemm.Product[float64]{M: rows, N: columns, K: terms, Alpha: 1, A: a, B: b, C: c}.Run(parallel.Serial(), nil)
}

var (
	_ = register("pseudo_inverse", decomposition[float32](22, pseudoInverse), decomposition[float64](22, pseudoInverse))
	_ = register("least_squares", leastSquares[float32](), leastSquares[float64]())
)
