package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/sorting"
	"github.com/weft-nd/weft/parallel"
)

// unique finds the different elements of Inputs[0] in row-major order. Outputs are, for each of them in ascending order, the
// element, the number of the first that equals it, and how many do; for each element of Inputs[0] the place of the one that
// equals it among those; and how many different ones there are. What is left of the first three is zero. Each NaN differs
// from all others.
func unique[B sorting.Bits](d dtype.DType) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		input := a.Inputs[0]
		n := input.Count()
		for _, output := range a.Outputs {
			clearView(t, output)
		}
		if n == 0 {
			return nil
		}
		s := scratch{memory: a.Scratch}
		from := readLines[B](t, &s, input)
		elements, finishElements := writeLines[B](t, &s, a.Outputs[0])
		firsts, finishFirsts := writeLines[int64](t, &s, a.Outputs[1])
		counts, finishCounts := writeLines[int64](t, &s, a.Outputs[2])
		places, finishPlaces := writeLines[int64](t, &s, a.Outputs[3])
		numbers, other := slice[int64](s.take(8*n).Host, n), slice[int64](s.take(8*n).Host, n)
		order := sorting.OrderOf[B](d, false)
		order.Argsort(t, numbers, from, other)
		different, before := 0, B(0)
		for i, number := range numbers {
			rank := order.Rank(from[number])
			if i == 0 || rank != before || order.IsNaN(rank) {
				elements[different], firsts[different], counts[different] = from[number], number, 0
				different++
			}
			counts[different-1]++
			places[number] = int64(different - 1)
			before = rank
		}
		clear(elements[different:])
		clear(firsts[different:])
		clear(counts[different:])
		finishElements()
		finishFirsts()
		finishCounts()
		finishPlaces()
		*(*int64)(a.Outputs[4].Pointer.Host) = int64(different)
		return nil
	}
}

// UniqueScratch returns the bytes of temporary memory that the kernel of unique takes for count elements of size bytes; read and
// written tell that the elements of the operand and those of all results are in row-major order.
func UniqueScratch(count, size int, read, written bool) int {
	own := linesDemand(count, size, written) + 3*linesDemand(count, 8, written)
	return demand(linesDemand(count, size, read) + own + 2*linesDemand(count, 8, false))
}

var _ = register("unique", forOrdered([4]func(dtype.DType) Kernel{unique[int8], unique[int16], unique[int32], unique[int64]})...)
