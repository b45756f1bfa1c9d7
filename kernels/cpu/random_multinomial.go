package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// multinomial deals Integers[2] trials to the categories of the rows of Inputs[0], of shape (..., categories). The rows of
// Outputs[0] belong to those in equal shares, in row-major order. What a category gets is a binomial number of the trials
// that those before it left, with its share of the weights from it on, made of the draws of its element.
func multinomial[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	w, output := newWeighing[T](a.Inputs[0], false), a.Outputs[0]
	last := len(output.Shape) - 1
	rows, size := newOrderedNest(part(output, 0, last)), output.DType.Size()
	if err := w.check(t, 1, nil); err != nil || rows.count == 0 {
		return err
	}
	s, share := source{uint64(a.Integers[0]), uint64(a.Integers[1])}, rows.count/w.rows.count
	t.ForCost(rows.count, 100*float64(w.categories), func(_ *parallel.Thread, lo, hi int) {
		weights, shares, dealt := make([]float64, w.categories), make([]float64, w.categories), make([]int64, w.categories)
		n, b := &numbers{source: s}, newBinomial()
		var c cursor
		for row := lo; row < hi; row++ {
			if row == lo || row%share == 0 {
				w.read(row/share, weights)
				sum := 0.0
				for i := len(weights) - 1; i >= 0; i-- {
					shares[i] = 0
					if sum += weights[i]; sum > 0 {
						shares[i] = weights[i] / sum
					}
				}
			}
			deal(dealt, shares, a.Integers[2], uint64(row*w.categories), n, b)
			c.seek(rows, row)
			move(c.pointer(0), output.Strides[last]*size, unsafe.Pointer(&dealt[0]), size, len(dealt), size)
		}
	})
	return nil
}

// deal fills dst with the trials of each category; shares are their parts of what is left, first the number of the first
// element.
func deal(dst []int64, shares []float64, trials int64, first uint64, n *numbers, b *binomial) {
	for i, share := range shares {
		if dst[i] = 0; trials > 0 && share > 0 {
			n.begin(first + uint64(i))
			b.set(trials, share)
			dst[i] = b.draw(n)
			trials -= dst[i]
		}
	}
}

var _ = register("multinomial",
	entry{dtype.Float32.String(), multinomial[float32]}, entry{dtype.Float64.String(), multinomial[float64]})
