package cpu

import (
	"math"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
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
	drawing(t, &device.Arguments{Outputs: a.Outputs, Integers: a.Integers}, 40, func(s source, first uint64, count int, p pointers) {
		row := int(first) / share
		rest := (row+1)*share - int(first) // elements of the row that are left
		counting(slice[int64](p[0], count), s, first, func(n *numbers, _ int) int64 {
			if rest == 0 {
				row, rest = row+1, share
			}
			rest--
			return int64(categoryAt(sums[row*w.categories:][:w.categories], n.fraction()))
		})
	})
	return nil
}

// CategoricalScratch returns how many bytes of temporary memory categorical borrows for that many weights.
func CategoricalScratch(weights int) int { return demand(8 * weights) }

// categoryAt returns the first category up to which the sum of the weights is larger than the fraction u of all. Its own
// weight is positive.
func categoryAt(sums []float64, u float64) int {
	target := u * sums[len(sums)-1]
	if target >= sums[len(sums)-1] { // rounded up, among the smallest numbers
		target = 0
	}
	first, limit := 0, int64(math.Float64bits(target))
	for count := len(sums); count > 1; {
		half := count / 2
		// The bits of numbers that are not negative have their order. No processor predicts the branch: all bits of the mask
		// are set where the sum is at most the target.
		mask := (int64(math.Float64bits(sums[first+half-1])) - limit - 1) >> 63
		first += half & int(mask)
		count -= half
	}
	return first
}

var _ = register("categorical",
	entry{dtype.Float32.String(), categorical[float32]}, entry{dtype.Float64.String(), categorical[float64]})
