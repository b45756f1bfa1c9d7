package cpu

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/distribution"
	"github.com/weft-nd/weft/parallel"
)

// rowMaker computes consecutive rows in float64, the first of which has the number row.
type rowMaker func(x []float64, row int)

// drawRows fills Outputs[0] by rows along its last axis. Each part of the work has its own rowMaker, for up to span rows at
// a time.
func drawRows[T dtype.Float](t *parallel.Thread, a *device.Arguments, nanoseconds float64, maker func(s distribution.Source, span int) rowMaker) {
	output := a.Outputs[0]
	n := newOrderedNest(output)
	if n.count == 0 {
		return
	}
	s := randomBits(a)
	length := output.Shape[len(output.Shape)-1]
	rows, span := n.count/length, max(1, blockSize/length)
	t.ForCost((rows+span-1)/span, nanoseconds*float64(span*length), func(_ *parallel.Thread, lo, hi int) {
		fill := maker(s, span)
		x, block := make([]float64, span*length), make([]T, span*length)
		for row := lo * span; row < min(hi*span, rows); row += span {
			part := x[:min(span, rows-row)*length]
			fill(part, row)
			for i, v := range part {
				block[i] = T(v)
			}
			n.scatter(unsafe.Pointer(&block[0]), 0, row*length, len(part))
		}
	})
}

// dirichlet fills Outputs[0], of shape (..., shape of the input), with gamma numbers of the concentrations Inputs[0], divided
// by their sum along the last axis.
func dirichlet[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	concentrations := a.Inputs[0]
	err := checkElements(t, concentrations, "concentration", "a finite number above 0", func(v T) bool {
		return v > 0 && float64(v) <= math.MaxFloat64
	})
	if err != nil || a.Outputs[0].Count() == 0 {
		return err
	}
	length := concentrations.Shape[len(concentrations.Shape)-1]
	d := distribution.NewDirichlet(contiguous[T](concentrations), length)
	drawRows[T](t, a, 60, func(s distribution.Source, span int) rowMaker {
		powers := make([]float64, span*length)
		return func(x []float64, row int) { d.Rows(x, powers, s, row) }
	})
	return nil
}

var _ = register("dirichlet", entry{dtype.Float32.String(), dirichlet[float32]}, entry{dtype.Float64.String(), dirichlet[float64]})

// multivariateNormal fills Outputs[0], of shape (..., n), with mean + factor·z: mean is Inputs[0], of shape (n,), factor
// Inputs[1], of shape (n, m), and z are m standard normal numbers for each row, those of the elements of an array of shape
// (..., m).
func multivariateNormal[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	mean, columns := contiguous[T](a.Inputs[0]), a.Inputs[1].Shape[1]
	m := distribution.NewMultivariateNormal(mean, contiguous[T](a.Inputs[1]), columns)
	if a.Outputs[0].Count() == 0 {
		return nil
	}
	cost := float64(columns) * (1 + 20/float64(len(mean)))
	drawRows[T](t, a, 4+cost, func(s distribution.Source, span int) rowMaker {
		z := make([]float64, span*columns)
		return func(x []float64, row int) { m.Rows(x, z, s, row) }
	})
	return nil
}

var _ = register("multivariate_normal",
	entry{dtype.Float32.String(), multivariateNormal[float32]}, entry{dtype.Float64.String(), multivariateNormal[float64]})
