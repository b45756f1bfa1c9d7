package cpu

import (
	"unsafe"

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
		if n == 0 {
			clearView(t, a.Outputs[4])
			return nil
		}
		s := scratch{memory: a.Scratch}
		from := readLines[B](t, &s, input)
		elements, finishElements := writeLines[B](t, &s, a.Outputs[0])
		firsts, finishFirsts := writeLines[int64](t, &s, a.Outputs[1])
		counts, finishCounts := writeLines[int64](t, &s, a.Outputs[2])
		places, finishPlaces := writeLines[int64](t, &s, a.Outputs[3])
		var words []int64
		if length := sorting.DifferentScratch[B](n); length > 0 {
			words = slice[int64](s.take(8*length).Host, length)
		}
		order := sorting.OrderOf[B](d, false)
		different := order.Different(t, sorting.Different[B]{Elements: elements, Firsts: firsts, Counts: counts, Places: places}, from, words)
		clearElements(t, elements[different:])
		clearElements(t, firsts[different:])
		clearElements(t, counts[different:])
		finishElements()
		finishFirsts()
		finishCounts()
		finishPlaces()
		*(*int64)(a.Outputs[4].Pointer.Host) = int64(different)
		return nil
	}
}

// uniqueCounts finds the different elements of Inputs[0] and how many equal each, as unique does, but nothing else:
// outputs are the elements, the counts, and how many different ones there are.
func uniqueCounts[B sorting.Bits](d dtype.DType) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		input := a.Inputs[0]
		n := input.Count()
		if n == 0 {
			clearView(t, a.Outputs[2])
			return nil
		}
		s := scratch{memory: a.Scratch}
		from := readLines[B](t, &s, input)
		elements, finishElements := writeLines[B](t, &s, a.Outputs[0])
		counts, finishCounts := writeLines[int64](t, &s, a.Outputs[1])
		var other []B
		if spare := spareLength(n, d.Size()); spare > 0 {
			other = slice[B](s.take(spare*d.Size()).Host, spare)
		}
		order := sorting.OrderOf[B](d, false)
		different := order.DifferentCounts(t, elements, counts, from, other)
		clearElements(t, elements[different:])
		clearElements(t, counts[different:])
		finishElements()
		finishCounts()
		*(*int64)(a.Outputs[2].Pointer.Host) = int64(different)
		return nil
	}
}

// clearElements makes zeros.
func clearElements[T any](t *parallel.Thread, elements []T) {
	if len(elements) > 0 {
		clearMemory(t, slice[byte](unsafe.Pointer(&elements[0]), len(elements)*int(unsafe.Sizeof(elements[0]))))
	}
}

// UniqueScratch returns the bytes of temporary memory that the kernel of unique takes for count elements of size bytes; read and
// written tell that the elements of the operand and those of all results are in row-major order.
func UniqueScratch(count, size int, read, written bool) int {
	own := linesDemand(count, size, written) + 3*linesDemand(count, 8, written)
	words := 3 * count
	switch size {
	case 1:
		words = sorting.DifferentScratch[int8](count)
	case 2:
		words = sorting.DifferentScratch[int16](count)
	}
	return demand(linesDemand(count, size, read) + own + linesDemand(words, 8, false))
}

// UniqueCountsScratch is UniqueScratch for the kernel of unique_counts.
func UniqueCountsScratch(count, size int, read, written bool) int {
	own := linesDemand(count, size, written) + linesDemand(count, 8, written)
	return demand(linesDemand(count, size, read) + own + linesDemand(spareLength(count, size), size, false))
}

var _ = register("unique_counts", forOrdered([4]func(dtype.DType) Kernel{uniqueCounts[int8], uniqueCounts[int16], uniqueCounts[int32], uniqueCounts[int64]})...)

var _ = register("unique", forOrdered([4]func(dtype.DType) Kernel{unique[int8], unique[int16], unique[int32], unique[int64]})...)
