package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/factor"
	"github.com/weft-nd/weft/parallel"
)

// pseudoInverse computes Outputs[0], the pseudo-inverses of the matrices of Inputs[0]. Singular values up to Scalars[0]
// times the largest, or as many units of rounding as the matrix has rows or columns where that is 0, count as zero.
func pseudoInverse(d *decomposed) (problem string) {
	k, parts := d.small(), d.parts()
	u, s, v := make([]float64, parts*d.rows*k), make([]float64, k), make([]float64, parts*k*d.columns)
	rank, ok := d.truncate(u, s, v)
	if !ok {
		return svdProblem
	}
	if rank > 0 {
		left, right := factor.Matrix{Numbers: v, Columns: d.columns, Complex: d.isComplex, Adjoint: true}, factor.Matrix{Numbers: u, Columns: k, Complex: d.isComplex, Adjoint: true}
		factor.Multiply(parallel.Serial(), d.columns, d.rows, rank, left, right, factor.Matrix{Numbers: d.results[0], Columns: d.rows, Complex: d.isComplex})
	}
	return ""
}

// leastSquares computes Outputs[0], the shortest of the vectors x whose a·x is nearest to the right sides Inputs[1],
// the numbers of singular values of the matrices a, Inputs[0], that do not count as zero, and the singular values. The
// batch of a broadcasts to that of the others.
func leastSquares[E factor.Element]() entry {
	of := dtype.Of[E]()
	return entry{of.String(), func(t *parallel.Thread, a *device.Arguments) error {
		m, out, s := matricesOf(a.Inputs[0]), matricesOf(a.Outputs[0]), scratch{memory: a.Scratch}
		if out.count == 0 {
			return nil
		}
		k, parts := min(m.rows, m.columns), partsOf(of)
		u, singular, v, ranks := make([]float64, parts*m.count*m.rows*k), make([]float64, m.count*k), make([]float64, parts*m.count*k*m.columns), make([]float64, m.count)
		err := decompose[E](t, &s, a, 20, false, [][]float64{u, singular, v, ranks}, func(d *decomposed) string {
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
		b := readLines[E](t, &s, a.Inputs[1])
		results := make([][]float64, len(a.Outputs))
		for i, view := range a.Outputs {
			results[i] = make([]float64, view.Count()*partsOf(view.DType))
		}
		nanoseconds := 0.2 * float64((m.rows+m.columns)*k*out.columns)
		t.ForCost(out.count, nanoseconds, func(_ *parallel.Thread, lo, hi int) {
			for number := lo; number < hi; number++ {
				from := m.number(number, out.batch)
				x, rank := lot(results[0], number, out.count), int(ranks[from])
				results[1][number] = ranks[from]
				copy(lot(results[2], number, out.count), lot(singular, from, m.count))
				if out.columns == 0 || rank == 0 {
					continue
				}
				adjoint := func(numbers []float64, columns int) factor.Matrix {
					return factor.Matrix{Numbers: lot(numbers, from, m.count), Columns: columns, Complex: of.IsComplex(), Adjoint: true}
				}
				right := func(numbers []float64) factor.Matrix {
					return factor.Matrix{Numbers: numbers, Columns: out.columns, Complex: of.IsComplex()}
				}
				shares := right(make([]float64, parts*rank*out.columns))
				factor.Multiply(parallel.Serial(), rank, out.columns, m.rows, adjoint(u, k), right(wide(lot(b, number, out.count))), shares)
				factor.Multiply(parallel.Serial(), m.columns, out.columns, rank, adjoint(v, m.columns), shares, right(x))
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
	parts := d.parts()
	for i := range d.rows {
		row := u[parts*i*k:]
		for j, value := range s[:rank] {
			for part := range parts {
				row[parts*j+part] /= value
			}
		}
	}
	return rank, true
}

var (
	_ = register("pseudo_inverse", decomposition[float32](22, pseudoInverse), decomposition[float64](22, pseudoInverse), decomposition[complex64](88, pseudoInverse), decomposition[complex128](88, pseudoInverse))
	_ = register("least_squares", leastSquares[float32](), leastSquares[float64](), leastSquares[complex64](), leastSquares[complex128]())
)
