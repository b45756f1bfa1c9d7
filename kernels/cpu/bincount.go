package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// bincount counts how often each number below the length of Outputs[0] is in Inputs[0].
func bincount(t *parallel.Thread, a *device.Arguments) error {
	output, input := a.Outputs[0], a.Inputs[0]
	length, n := output.Shape[0], input.Count()
	if n == 0 {
		clearView(t, output)
		return nil
	}
	s := scratch{memory: a.Scratch}
	from := readLines[int64](t, &s, input)
	counts, finish := writeLines[int64](t, &s, output)
	clear(counts)
	parts := 1
	if length <= n/8 {
		parts = t.NumThreads() // sums of integers are the same in any order
	}
	own := make([]int64, (parts-1)*length)
	wrong := make([]int, parts)
	t.ForCost(parts, light*float64(n/parts), func(_ *parallel.Thread, lo, hi int) {
		for part := lo; part < hi; part++ {
			into := counts
			if part > 0 {
				into = own[(part-1)*length:][:length]
			}
			first := n * part / parts
			wrong[part] = first + countInto(into, from[first:n*(part+1)/parts])
		}
	})
	for part := range parts {
		if at := wrong[part]; at < n*(part+1)/parts {
			return dataErrorf(fault.ErrIndex, "number %d is out of range for %d counts", from[at], length)
		}
		if part > 0 {
			add(counts, counts, own[(part-1)*length:][:length])
		}
	}
	finish()
	return nil
}

// countInto counts numbers until one has no place in counts. It returns how many it has counted.
func countInto(counts, numbers []int64) int {
	for i, number := range numbers {
		if uint64(number) >= uint64(len(counts)) {
			return i
		}
		counts[number]++
	}
	return len(numbers)
}

// BincountScratch returns the bytes of temporary memory that the kernel of bincount takes for count numbers below length; read
// and written tell that the elements of the operand and those of the result are in row-major order.
func BincountScratch(count, length int, read, written bool) int {
	return demand(linesDemand(count, 8, read) + linesDemand(length, 8, written))
}

var _ = register("bincount", entry{dtype.Int64.String(), bincount})
