package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/distribution"
	"github.com/weft-nd/weft/parallel"
)

// categorical draws from the rows of Inputs[0], of shape (..., categories): the elements of Outputs[0] belong to the rows in
// equal shares, in row-major order. Integers[2] tells whether the elements are logarithms of weights. The sums of the weights
// so far, in which a category is searched, are in temporary memory.
func categorical[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	count := a.Outputs[0].Count()
	w := newWeighing[T](a.Inputs[0], a.Integers[2] != 0)
	if w.rows.count == 0 {
		return nil
	}
	sums := temporary[float64](a, w.rows.count*w.categories)
	err := w.check(t, 2, func(row int, weights []float64) {
		sum, dst := 0.0, sums[row*w.categories:][:w.categories]
		for i, weight := range weights {
			sum += weight
			dst[i] = sum
		}
	})
	if err != nil || count == 0 {
		return err
	}
	share := count / w.rows.count
	drawing(t, &device.Arguments{Outputs: a.Outputs, Integers: a.Integers}, 40, func(s distribution.Source, first uint64, count int, p pointers) {
		distribution.Categorical(slice[int64](p[0], count), s, first, sums, w.categories, share)
	})
	return nil
}

// CategoricalScratch returns how many bytes of temporary memory categorical borrows for that many weights.
func CategoricalScratch(weights int) int { return demand(8 * weights) }

var _ = register("categorical",
	entry{dtype.Float32.String(), categorical[float32]}, entry{dtype.Float64.String(), categorical[float64]})

// chooseWeighted picks different categories from the rows of Inputs[0], of shape (..., categories), into the rows of
// Outputs[0]. The elements of the former have the random numbers. Integers[2] tells whether they are logarithms of weights.
func chooseWeighted[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	w, output := newWeighing[T](a.Inputs[0], a.Integers[2] != 0), a.Outputs[0]
	last := len(output.Shape) - 1
	w.least = output.Shape[last]
	if err := w.check(t, 1, nil); err != nil || output.Count() == 0 {
		return err
	}
	s := randomBits(a)
	rows, size := newOrderedNest(part(output, 0, last)), output.DType.Size()
	t.ForCost(w.rows.count, 40*float64(w.categories), func(_ *parallel.Thread, lo, hi int) {
		weights, chosen := make([]float64, w.categories), make([]int64, w.least)
		choice := distribution.NewWeightedChoice(w.categories, w.least)
		var c cursor
		for row := lo; row < hi; row++ {
			w.read(row, weights)
			choice.Choose(chosen, s, row*w.categories, weights)
			c.seek(rows, row)
			move(c.pointer(0), output.Strides[last]*size, unsafe.Pointer(&chosen[0]), size, len(chosen), size)
		}
	})
	return nil
}

var _ = register("choose_weighted",
	entry{dtype.Float32.String(), chooseWeighted[float32]}, entry{dtype.Float64.String(), chooseWeighted[float64]})

// multinomial deals Integers[2] trials to the categories of the rows of Inputs[0], of shape (..., categories). The rows of
// Outputs[0] belong to those in equal shares, in row-major order, and its elements have the random numbers.
func multinomial[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	w, output := newWeighing[T](a.Inputs[0], false), a.Outputs[0]
	last := len(output.Shape) - 1
	rows, size := newOrderedNest(part(output, 0, last)), output.DType.Size()
	if err := w.check(t, 1, nil); err != nil || rows.count == 0 {
		return err
	}
	s, share := randomBits(a), rows.count/w.rows.count
	t.ForCost(rows.count, 100*float64(w.categories), func(_ *parallel.Thread, lo, hi int) {
		weights, dealt := make([]float64, w.categories), make([]int64, w.categories)
		m := distribution.NewMultinomial(s, w.categories)
		var c cursor
		for row := lo; row < hi; row++ {
			if row == lo || row%share == 0 {
				w.read(row/share, weights)
				m.SetWeights(weights)
			}
			m.Deal(dealt, uint64(row*w.categories), a.Integers[2])
			c.seek(rows, row)
			move(c.pointer(0), output.Strides[last]*size, unsafe.Pointer(&dealt[0]), size, len(dealt), size)
		}
	})
	return nil
}

var _ = register("multinomial",
	entry{dtype.Float32.String(), multinomial[float32]}, entry{dtype.Float64.String(), multinomial[float64]})
