package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/sorting"
	"github.com/weft-nd/weft/parallel"
)

// argsortLines writes the numbers of the elements of Inputs[0] in their order along the last axis to Outputs[0], the first of
// equal ones first, descending if Integers[0] is not zero. If Outputs[0] is shorter than Inputs[0], it gets the first numbers.
func argsortLines[B sorting.Bits](d dtype.DType) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		output, input := a.Outputs[0], a.Inputs[0]
		lines, wanted := lastAxis(output)
		if lines*wanted == 0 {
			return nil
		}
		_, length := lastAxis(input)
		s := scratch{memory: a.Scratch, keeps: true}
		defer s.release()
		from := readLines[B](t, &s, input)
		numbers, finish := writeLines[int64](t, &s, output)
		order := sorting.OrderOf[B](d, a.Integers[0] != 0)
		all := wanted == length
		each := sorting.ScratchLength(length)
		if !all {
			each = sorting.FirstScratch(wanted, length)
		}
		var other []int64
		if each > 0 {
			other = slice[int64](s.take(8*lines*each).Host, lines*each)
		}
		eachLine(t, lines, sortCost*float64(length), func(t *parallel.Thread, line int) {
			dst, src, spare := numbers[line*wanted:(line+1)*wanted], from[line*length:(line+1)*length], other[line*each:(line+1)*each]
			if all {
				order.Argsort(t, dst, src, spare)
			} else {
				order.First(t, dst, src, spare)
			}
		})
		finish()
		return nil
	}
}

// ArgsortScratch returns the bytes of temporary memory that the kernel of argsort takes for lines of length elements of size
// bytes, of which the numbers of so many are wanted. Read and written tell that the elements of the operand and those of the
// result are in row-major order.
func ArgsortScratch(lines, length, size, wanted int, read, written bool) int {
	each := sorting.ScratchLength(length)
	if wanted < length {
		each = sorting.FirstScratch(wanted, length)
	}
	return demandBeyond(keptBytes, linesDemand(lines*length, size, read)+linesDemand(lines*wanted, 8, written)+linesDemand(lines*each, 8, false))
}

var (
	argsorting = [4]func(dtype.DType) Kernel{argsortLines[int8], argsortLines[int16], argsortLines[int32], argsortLines[int64]}
	_          = register("argsort", forOrdered(argsorting)...)
	_          = register("argtopk", forOrdered(argsorting)...)
)
