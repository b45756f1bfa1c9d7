package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// multivariateNormal fills Outputs[0], of shape (..., n), with mean + factor·z: mean is Inputs[0], of shape (n,), factor
// Inputs[1], of shape (n, m), and z are m standard normal numbers for each row, those of the elements of an array of shape
// (..., m) at draw 0. Sums run over the columns of factor in their order.
func multivariateNormal[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	mean := contiguous[T](a.Inputs[0])
	factor := newColumns(contiguous[T](a.Inputs[1]), len(mean), a.Inputs[1].Shape[1])
	if a.Outputs[0].Count() == 0 {
		return nil
	}
	cost := float64(len(factor)) * (1 + 20/float64(len(mean)))
	drawRows[T](t, a, 4+cost, func(s source, span int) rowMaker {
		z := make([]float64, span*len(factor))
		return func(x []float64, row int) {
			z := z[:len(x)/len(mean)*len(factor)]
			standardNormals(z, s, uint64(row)*uint64(len(factor)))
			for ; len(x) > 0; x, z = x[len(mean):], z[len(factor):] {
				x := x[:len(mean)]
				clear(x)
				for k, c := range factor {
					c.addTimes(x, z[k])
				}
				for i, v := range mean {
					x[i] += float64(v)
				}
			}
		}
	})
	return nil
}

var _ = register("multivariate_normal",
	entry{dtype.Float32.String(), multivariateNormal[float32]}, entry{dtype.Float64.String(), multivariateNormal[float64]})

// normalReplay is the z of multivariateNormal.
func normalReplay(b *lawBuffers, x []float64, s source, first uint64, _ []float64) {
	b.gaussians(x, s, first, 0)
}

var _ = following("normal_replay", normalReplay, 12)

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

// standardNormals fills z with the normal numbers at draw 0 of elements from any first on.
func standardNormals(z []float64, s source, first uint64) {
	b := lawPool.Get().(*lawBuffers)
	defer lawPool.Put(b)
	batches(first, first+uint64(len(z)), func(at uint64, count, skip int) {
		b.gaussians(b.x[:count], s, at, 0)
		z = z[copy(z, b.x[skip:count]):]
	})
}
