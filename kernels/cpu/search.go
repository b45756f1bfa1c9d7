package cpu

import (
	"math/bits"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu/sorting"
	"github.com/weft-nd/weft/parallel"
)

// searchSorted writes where in Inputs[0], one ascending line, the elements of Inputs[1] belong to Outputs[0]: before those that
// equal them, or behind them if Integers[0] is not zero. If Integers[1] is not, a line that does not ascend, or has NaN, is an
// error.
func searchSorted[B sorting.Bits](d dtype.DType) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		output, line, values := a.Outputs[0], a.Inputs[0], a.Inputs[1]
		if output.Count() == 0 && a.Integers[1] == 0 {
			return nil
		}
		s := scratch{memory: a.Scratch}
		var list []B
		if line.Count() > 0 {
			list = readLines[B](t, &s, line)
		}
		wanted := readLines[B](t, &s, values)
		found, finish := writeLines[int64](t, &s, output)
		order := sorting.OrderOf[B](d, false)
		if a.Integers[1] != 0 {
			if err := checkAscending(&order, list); err != nil {
				return err
			}
		}
		const block = 256
		search, cost := order.Search, block*float64(2+2*bits.Len(uint(len(list))))
		if marks := sorting.RulerMarks(len(list), len(wanted)); marks > 0 {
			memory := slice[uint32](s.take(4*marks).Host, marks)
			if ruler, exists := sorting.NewRuler(d, list, memory); exists {
				search, cost = ruler.Search, 4*block
			}
		}
		t.ForCost((len(wanted)+block-1)/block, cost, func(_ *parallel.Thread, lo, hi int) {
			lo, hi = lo*block, min(hi*block, len(wanted))
			search(found[lo:hi], list, wanted[lo:hi], a.Integers[0] != 0)
		})
		finish()
		return nil
	}
}

func checkAscending[B sorting.Bits](order *sorting.Order[B], line []B) error {
	for i, x := range line {
		switch rank := order.Rank(x); {
		case order.IsNaN(rank):
			return dataErrorf(fault.ErrParameter, "element %d of the line is NaN", i)
		case i > 0 && rank < order.Rank(line[i-1]):
			return dataErrorf(fault.ErrParameter, "the line does not ascend: element %d is less than the one before it", i)
		}
	}
	return nil
}

// SearchScratch returns the bytes of temporary memory that the kernel of searchsorted takes for a list of length elements and
// count values, all of size bytes. List, values and result tell whose elements are in row-major order.
func SearchScratch(length, count, size int, list, values, result bool) int {
	marks := linesDemand(sorting.RulerMarks(length, count), 4, false)
	return demand(linesDemand(length, size, list) + linesDemand(count, size, values) + linesDemand(count, 8, result) + marks)
}

var _ = register("searchsorted", forOrdered([4]func(dtype.DType) Kernel{searchSorted[int8], searchSorted[int16], searchSorted[int32], searchSorted[int64]})...)
