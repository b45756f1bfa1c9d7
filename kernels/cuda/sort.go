package cuda

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// runLength is how many elements a block sorts, pairBytes what one takes on its way; see sort.cu.
const runLength, pairBytes = 256, 16

// sorting runs a sort of Inputs[0] along the last axis, descending if Integers[0] is not zero; what is made of the sorted pairs is
// finish's. Floats that compare equal are told apart where they are the result.
func sorting(finish func(l *launcher, a *device.Arguments, order []int64, pairs device.View) error) recipe {
	return recipe{kernel: "sort_runs", scratch: sortScratch, run: func(l *launcher, a *device.Arguments) error {
		x := a.Inputs[0]
		last := len(x.Shape) - 1
		if x.Count() == 0 || a.Outputs[0].Count() == 0 {
			return nil
		}
		keys := order(x.DType, a.Outputs[0].DType != x.DType, a.Integers[0] != 0)
		from, err := l.sortPairs(a.Scratch, x, keys)
		if err != nil {
			return err
		}
		from.Shape, from.Strides = a.Outputs[0].Shape, make([]int, last+1)
		next := 1
		for axis := last; axis >= 0; axis-- {
			from.Strides[axis] = next
			next *= x.Shape[axis]
		}
		return finish(l, a, keys, from)
	}}
}

// sortPairs enqueues a sort along the last axis of x, and returns its pairs, in memory for twice as many.
func (l *launcher) sortPairs(memory device.Pointer, x device.View, keys []int64) (device.View, error) {
	count, length := x.Count(), x.Shape[len(x.Shape)-1]
	from := device.View{Pointer: memory, DType: dtype.Complex128, Shape: []int{count}, Strides: []int{1}}
	to := from
	to.Pointer = to.Pointer.Add(count * pairBytes)
	if count == 0 {
		return from, nil
	}
	if err := l.sortRuns(from, x, keys); err != nil {
		return from, err
	}
	for run := runLength; run < length; run *= 2 {
		err := l.launch("merge_runs", l.types, &device.Arguments{
			Outputs: []device.View{to}, Inputs: []device.View{from}, Integers: []int64{int64(length), int64(run)},
		})
		if err != nil {
			return from, err
		}
		from, to = to, from
	}
	return from, nil
}

// sorted writes elements.
func sorted(l *launcher, a *device.Arguments, order []int64, pairs device.View) error {
	return l.launch("sorted", l.types, &device.Arguments{Outputs: a.Outputs, Inputs: []device.View{pairs}, Integers: order})
}

// sortedNumbers writes their numbers.
func sortedNumbers(l *launcher, a *device.Arguments, _ []int64, pairs device.View) error {
	return l.launch("sorted_numbers", l.types, &device.Arguments{Outputs: a.Outputs, Inputs: []device.View{pairs}})
}

// sortRuns enqueues that runs are sorted, a block for each.
func (l *launcher) sortRuns(pairs, x device.View, order []int64) error {
	name := "sort_runs/" + l.types
	found, _ := findKernel(name)
	p := l.stream.arguments
	pairs.Shape, pairs.Strides = x.Shape, make([]int, len(x.Shape))
	err := p.set(found.Form, &device.Arguments{Outputs: []device.View{pairs}, Inputs: []device.View{x}, Integers: append(slices.Clone(order), 1)})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f, err := l.stream.unit.modules.function(l.context, found)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	p.parts = uint64(ceil(int(p.inner), runLength))
	return l.stream.launch(l.context, f, int(min(p.count*p.parts, mostBlocks)), blockThreads)
}

func sortScratch(a *device.Arguments) int {
	x := a.Inputs[0]
	if x.Shape[len(x.Shape)-1] > runLength {
		return 2 * x.Count() * pairBytes
	}
	return x.Count() * pairBytes
}
