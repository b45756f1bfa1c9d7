package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/sorting"
	"github.com/weft-nd/weft/parallel"
)

// sortCost is what an element takes in a list to be sorted, in nanoseconds, about.
const sortCost = 4

// forOrdered makes entries for all element types that have an order, of kernels for elements of 1, 2, 4 and 8 bytes.
func forOrdered(kernels [4]func(d dtype.DType) Kernel) []entry {
	entries := []entry{}
	for _, d := range dtype.All() {
		for i, size := range [4]int{1, 2, 4, 8} {
			if d.Size() == size && d.Kind() != dtype.KindComplex {
				entries = append(entries, entry{d.String(), kernels[i](d)})
			}
		}
	}
	return entries
}

// sortLines sorts Inputs[0] along its last axis into Outputs[0], descending if Integers[0] is not zero.
func sortLines[B sorting.Bits](d dtype.DType) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		output, input := a.Outputs[0], a.Inputs[0]
		lines, length := lastAxis(output)
		if lines*length == 0 {
			return nil
		}
		s := scratch{memory: a.Scratch, keeps: true}
		defer s.release()
		sorted, finish := writeLines[B](t, &s, output)
		from := sorted
		if first, whole := inLines(input); whole {
			from = slice[B](first, lines*length)
		} else {
			copyView(t, linesAt(device.Pointer{Host: unsafe.Pointer(&sorted[0])}, output), input)
		}
		each := spareLength(length, d.Size())
		var other []B
		if each > 0 {
			other = slice[B](s.take(lines*each*d.Size()).Host, lines*each)
		}
		order := sorting.OrderOf[B](d, a.Integers[0] != 0)
		eachLine(t, lines, sortCost*float64(length), func(t *parallel.Thread, line int) {
			lo, hi := line*length, (line+1)*length
			order.Sort(t, sorted[lo:hi], from[lo:hi], other[line*each:(line+1)*each])
		})
		finish()
		return nil
	}
}

// spareLength returns for how many elements more there is memory where so many of size bytes are sorted.
func spareLength(length, size int) int {
	if size < 4 {
		return 0
	}
	return sorting.ScratchLength(length)
}

// SortScratch returns the bytes of temporary memory that the kernel of sort takes for count elements of size bytes; whole tells
// that those of the result are in row-major order, lines along the last axis.
func SortScratch(count, size int, whole bool) int {
	return demandBeyond(keptBytes, linesDemand(count, size, whole)+linesDemand(spareLength(count, size), size, false))
}

var _ = register("sort", forOrdered([4]func(dtype.DType) Kernel{sortLines[int8], sortLines[int16], sortLines[int32], sortLines[int64]})...)
