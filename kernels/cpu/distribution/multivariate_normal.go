package distribution

import "github.com/weft-nd/weft/dtype"

// MultivariateNormal makes rows mean + factor·z, where z are standard normal numbers, as many for each row as factor
// has columns: those of the elements of an array of such rows at draw 0. Sums run over the columns of factor in their
// order.
type MultivariateNormal[T dtype.Float] struct {
	mean   []T
	factor []column
}

// NewMultivariateNormal returns what makes rows of the length of mean. Factor is a row-major matrix with so many
// columns, and as many rows as mean has numbers.
func NewMultivariateNormal[T dtype.Float](mean, factor []T, columns int) *MultivariateNormal[T] {
	return &MultivariateNormal[T]{mean, newColumns(factor, len(mean), columns)}
}

// Rows fills x with consecutive rows, the first of which has the given number. It uses z, which has room for the normal numbers.
func (m *MultivariateNormal[T]) Rows(x, z []float64, s Source, row int) {
	z = z[:len(x)/len(m.mean)*len(m.factor)]
	standardNormals(z, s, uint64(row)*uint64(len(m.factor)))
	for ; len(x) > 0; x, z = x[len(m.mean):], z[len(m.factor):] {
		x := x[:len(m.mean)]
		clear(x)
		for k, c := range m.factor {
			c.addTimes(x, z[k])
		}
		for i, v := range m.mean {
			x[i] += float64(v)
		}
	}
}

// StandardNormal has no parameters: its numbers are the z of MultivariateNormal.
var StandardNormal = following(standardNormal)

func standardNormal(b *lawBuffers, x []float64, s Source, first uint64, _ []float64) {
	b.gaussians(x, s, first, 0)
}

// column is a column of a matrix from its first element that is not zero to its last.
type column struct {
	first  int
	values []float64
}

// newColumns returns the columns of a row-major matrix.
func newColumns[T dtype.Float](matrix []T, rows, columns int) []column {
	all, memory := make([]column, columns), make([]float64, rows*columns)
	for k := range all {
		values := memory[k*rows : (k+1)*rows]
		first, end := rows, 0
		for i := range values {
			if values[i] = float64(matrix[i*columns+k]); values[i] != 0 {
				first, end = min(first, i), i+1
			}
		}
		if first < end {
			all[k] = column{first, values[first:end]}
		}
	}
	return all
}

// addTimes adds z times c to x.
func (c column) addTimes(x []float64, z float64) {
	x = x[c.first:][:len(c.values)]
	for i, v := range c.values {
		x[i] += float64(v * z)
	}
}
