package cpu

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/elementary"
	"github.com/weft-nd/weft/parallel"
)

// choose picks different numbers below the population Integers[2]: the first steps of the shuffle of Fisher and Yates, in
// which element i changes places with itself or a later one, by the 64-bit value of element i. Where few are chosen, only
// places that changed are kept.
func choose(_ *parallel.Thread, a *device.Arguments) error {
	chosen := make([]int64, a.Outputs[0].Count())
	if len(chosen) == 0 {
		return nil
	}
	s, population := source{uint64(a.Integers[0]), uint64(a.Integers[1])}, a.Integers[2]
	other := func(i int, value uint64) int64 {
		return int64(i) + int64(s.within(value, uint64(i), uint64(population)-uint64(i)))
	}
	if population/8 <= int64(len(chosen)) {
		order := make([]int64, population)
		for i := range order {
			order[i] = int64(i)
		}
		s.each(len(chosen), func(i int, value uint64) {
			j := other(i, value)
			order[i], order[j] = order[j], order[i]
		})
		copy(chosen, order)
	} else {
		moved := make(map[int64]int64, len(chosen))
		at := func(place int64) int64 {
			if number, found := moved[place]; found {
				return number
			}
			return place
		}
		s.each(len(chosen), func(i int, value uint64) {
			j := other(i, value)
			chosen[i], moved[j] = at(j), at(int64(i))
		})
	}
	newOrderedNest(a.Outputs[0]).scatter(unsafe.Pointer(&chosen[0]), 0, 0, len(chosen))
	return nil
}

var _ = register("choose", entry{dtype.Int64.String(), choose})

// arrival is a category and the time of its first event.
type arrival struct {
	time     float64
	category int64
}

func (a arrival) compare(b arrival) int {
	return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.category, b.category))
}

// chooseWeighted picks different categories from the rows of Inputs[0], of shape (..., categories), into the rows of
// Outputs[0]: in the order of the first events of Poisson processes whose rates are the weights (Efraimidis and Spirakis,
// "Weighted random sampling with a reservoir", Information Processing Letters 97(5), 2006). Category i of row r has the 64-bit
// value of element r·categories + i. Integers[2] tells whether the elements are logarithms of weights.
func chooseWeighted[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	w, output := newWeighing[T](a.Inputs[0], a.Integers[2] != 0), a.Outputs[0]
	last := len(output.Shape) - 1
	w.least = output.Shape[last]
	if err := w.check(t, 1, nil); err != nil || output.Count() == 0 {
		return err
	}
	s := source{uint64(a.Integers[0]), uint64(a.Integers[1])}
	rows, size := newOrderedNest(part(output, 0, last)), output.DType.Size()
	t.ForCost(w.rows.count, 40*float64(w.categories), func(_ *parallel.Thread, lo, hi int) {
		weights, chosen := make([]float64, w.categories), make([]int64, w.least)
		first := make([]arrival, 0, min(w.categories, 2*w.least+64))
		var c cursor
		for row := lo; row < hi; row++ {
			w.read(row, weights)
			for i, next := range s.arrivals(first[:0], w.least, weights, row*w.categories) {
				chosen[i] = next.category
			}
			c.seek(rows, row)
			move(c.pointer(0), output.Strides[last]*size, unsafe.Pointer(&chosen[0]), size, len(chosen), size)
		}
	})
	return nil
}

// arrivals returns the earliest count first events of the categories with positive weights, in order. It uses dst, which has
// room for all or some more than count; element is the number of the first category's element.
func (s source) arrivals(dst []arrival, count int, weights []float64, element int) []arrival {
	var values [blockSize + 1]uint64
	latest := math.Inf(1)
	for at := 0; at < len(weights); at += blockSize {
		length, odd := min(blockSize, len(weights)-at), (element+at)%2
		s.wide(values[:length+odd], uint64(element+at-odd), 0)
		for i, weight := range weights[at : at+length] {
			value := values[i+odd]
			if weight == 0 || float64(0.999*elementary.Unit(^value)) > float64(latest*weight) { // -log u is above 1 - u
				continue
			}
			next := arrival{-elementary.LogUnit(value) / weight, int64(at + i)}
			if next.time > latest {
				continue
			}
			if len(dst) == cap(dst) {
				slices.SortFunc(dst, arrival.compare)
				dst, latest = dst[:count], dst[count-1].time
			}
			dst = append(dst, next)
		}
	}
	slices.SortFunc(dst, arrival.compare)
	return dst[:count]
}

var _ = register("choose_weighted",
	entry{dtype.Float32.String(), chooseWeighted[float32]}, entry{dtype.Float64.String(), chooseWeighted[float64]})
