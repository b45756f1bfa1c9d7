package cuda

import (
	"fmt"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// unique finds the different elements of Inputs[0]; see kernels/cpu/unique.go for its results.
func unique(l *launcher, a *device.Arguments) error { return findDifferent(l, a, a.Outputs) }

// uniqueCounts finds the elements and their counts alone.
func uniqueCounts(l *launcher, a *device.Arguments) error {
	firsts := rowMajor(a.Scratch.Add(uniqueScratch(a)), dtype.Int64, []int{a.Inputs[0].Count()})
	return findDifferent(l, a, []device.View{a.Outputs[0], firsts, a.Outputs[1], {}, a.Outputs[2]})
}

// findDifferent writes the results of unique, but for the places of elements if there is no memory for these.
func findDifferent(l *launcher, a *device.Arguments, outputs []device.View) error {
	x := a.Inputs[0]
	count := x.Count()
	s, err := newSelection(l, count, a.Scratch)
	if err != nil {
		return err
	}
	memory := a.Scratch.Add(selectionBytes(count))
	line := rowMajor(memory, x.DType, []int{count})
	memory = memory.Add((8*count + 15) &^ 15) // where numbers are in the end
	if count > 0 {
		if err := l.copy(rowMajor(line.Pointer, x.DType, x.Shape), x); err != nil {
			return err
		}
	}
	keys := order(x.DType, true, false)
	pairs, err := l.sortPairs(memory, line, keys)
	if err != nil {
		return err
	}
	if count > 0 {
		err = l.launch("different", l.types, &device.Arguments{Outputs: []device.View{s.flagsOf([]int{count})}, Inputs: []device.View{pairs}, Integers: keys})
	}
	if err == nil {
		err = s.make(line, true)
	}
	if err == nil && count > 0 {
		whole := func(v device.View) device.View { // of which only the start is looked at
			v.Shape, v.Strides = []int{count}, []int{0}
			return v
		}
		err = l.launch("runs", l.types, &device.Arguments{Outputs: outputs[:3], Inputs: []device.View{whole(s.list), whole(pairs), whole(line)}})
	}
	if places := outputs[3]; err == nil && count > 0 && places.DType != dtype.Invalid {
		err = l.unsort(places, s.numbers, pairs, line)
	}
	if err != nil {
		return err
	}
	return l.launch("copy", "int64", &device.Arguments{Outputs: outputs[4:], Inputs: []device.View{s.total()}})
}

// unsort writes numbers of sorted pairs to z, in the order of the elements; spare has room for those.
func (l *launcher) unsort(z, numbers, pairs, spare device.View) error {
	inOrder := rowMajor(spare.Pointer, dtype.Int64, numbers.Shape)
	first := inOrder
	first.Strides = []int{0}
	if err := l.launch("unsorted", "int64", &device.Arguments{Outputs: []device.View{first}, Inputs: []device.View{numbers, pairs}}); err != nil {
		return err
	}
	return l.launch("copy", "int64", &device.Arguments{Outputs: []device.View{z}, Inputs: []device.View{rowMajor(spare.Pointer, dtype.Int64, z.Shape)}})
}

func uniqueScratch(a *device.Arguments) int {
	count := a.Inputs[0].Count()
	return selectionBytes(count) + (8*count+15)&^15 + 2*count*pairBytes
}

func uniqueCountsScratch(a *device.Arguments) int { return uniqueScratch(a) + 8*a.Inputs[0].Count() }

// searchSorted finds where in Inputs[0], an ascending line, the elements of Inputs[1] belong: behind those that equal them if Integers[0]
// is set. With Integers[1] a line that does not ascend is an error.
func searchSorted(l *launcher, a *device.Arguments) error {
	line, values := a.Inputs[0], a.Inputs[1]
	keys, count, next := order(line.DType, true, false), int64(line.Shape[0]), int64(line.Strides[0])
	if a.Integers[1] != 0 && count > 0 {
		of := device.Arguments{Inputs: []device.View{line}, Integers: append(append([]int64{1}, keys...), next)}
		err := l.look("check_ascending", l.types, of, func(f finding) error {
			text := fmt.Sprintf("the line does not ascend: element %d is less than the one before it", f.number-1)
			if f.bits != 0 {
				text = fmt.Sprintf("element %d of the line is NaN", f.number-1)
			}
			return &dataError{text, fault.ErrParameter}
		})
		if err != nil {
			return err
		}
	}
	if values.Count() == 0 {
		return nil
	}
	if count == 0 { // nothing is read there
		line = values
	}
	line.Shape, line.Strides = values.Shape, make([]int, len(values.Shape))
	return l.launch("search", l.types, &device.Arguments{
		Outputs: a.Outputs, Inputs: []device.View{values, line}, Integers: append(keys, count, next, a.Integers[0]),
	})
}

// bincount counts how often each number below the length of Outputs[0] is in Inputs[0].
func bincount(l *launcher, a *device.Arguments) error {
	z, x := a.Outputs[0], a.Inputs[0]
	length := z.Shape[0]
	err := l.check(x, modeExact, length, func(index string) string {
		return fmt.Sprintf("number %s is out of range for %d counts", index, length)
	})
	if err == nil {
		err = l.launch("clear", l.types, &device.Arguments{Outputs: a.Outputs})
	}
	if err != nil || x.Count() == 0 || length == 0 {
		return err
	}
	integers := []int64{int64(length), int64(z.Strides[0])}
	z.Shape, z.Strides = x.Shape, make([]int, len(x.Shape))
	return l.launch("bincount", l.types, &device.Arguments{Outputs: []device.View{z}, Inputs: []device.View{x}, Integers: integers})
}
