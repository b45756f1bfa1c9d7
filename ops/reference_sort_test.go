package ops

import (
	"math"
	"slices"

	"github.com/weft-nd/weft/dtype"
)

var badSorts = []Sample{{Shapes: [][]int{{}}, Params: SortParams{}}, {Shapes: [][]int{{3}}, Params: SortParams{Axis: 1}}, {Shapes: [][]int{{3, 2}}, Params: SortParams{Axis: -3}}}

func axisOf(shape []int, axis int) int { return (axis + len(shape)) % len(shape) }

// eachLine calls body with the indices of the first elements of all lines along axis, and a function that returns the index
// of their i-th elements.
func eachLine(shape []int, axis int, body func(at func(i int) []int)) {
	across := slices.Clone(shape)
	across[axis] = 1
	eachIndex(across, func(_ int, first []int) {
		body(func(i int) []int {
			index := slices.Clone(first)
			index[axis] = i
			return index
		})
	})
}

// comesBefore is the order of sorting, NaN above all numbers.
func comesBefore(a, b float64, descending bool) bool {
	if descending {
		a, b = b, a
	}
	return a < b || !math.IsNaN(a) && math.IsNaN(b)
}

// sortedBy returns the numbers of the elements in their order, by insertion from the back.
func sortedBy(line []float64, descending bool) []int {
	order := []int{}
	for i, v := range line {
		place := len(order)
		for place > 0 && comesBefore(v, line[order[place-1]], descending) {
			place--
		}
		order = slices.Insert(order, place, i)
	}
	return order
}

// arranged makes an array of what value gives for each line: the line and the numbers of its elements in their order.
func arranged(x array, axis, length int, d dtype.DType, descending bool, value func(line []float64, number int) float64) array {
	axis = axisOf(x.shape, axis)
	shape := slices.Clone(x.shape)
	shape[axis] = length
	out := newArray(d, shape)
	eachLine(x.shape, axis, func(at func(i int) []int) {
		line := make([]float64, x.shape[axis])
		for i := range line {
			line[i] = x.at(at(i)...)
		}
		for i, number := range sortedBy(line, descending)[:length] {
			out.values[out.number(at(i))] = value(line, number)
		}
	})
	return out
}

func referenceSort(in []array, params any) []array {
	p, x := params.(SortParams), in[0]
	element := func(line []float64, number int) float64 { return line[number] }
	return []array{arranged(x, p.Axis, x.shape[axisOf(x.shape, p.Axis)], x.dtype, p.Descending, element)}
}

func numberAlone(_ []float64, number int) float64 { return float64(number) }

func referenceArgSort(in []array, params any) []array {
	p, x := params.(SortParams), in[0]
	return []array{arranged(x, p.Axis, x.shape[axisOf(x.shape, p.Axis)], dtype.Int64, p.Descending, numberAlone)}
}

func referenceArgTopK(in []array, params any) []array {
	p := params.(ArgTopKParams)
	return []array{arranged(in[0], p.Axis, p.K, dtype.Int64, !p.Smallest, numberAlone)}
}

func referenceSearchSorted(in []array, params any) []array {
	return []array{made(dtype.Int64, in[1].shape, func(index []int) float64 {
		count, v := 0.0, in[1].at(index...)
		for _, x := range in[0].values {
			if comesBefore(x, v, false) || params.(SearchSortedParams).Right && !comesBefore(v, x, false) {
				count++
			}
		}
		return count
	})}
}

func referenceUnique(in []array, _ any) []array {
	x := in[0]
	n := len(x.values)
	elements, firsts, counts := newArray(x.dtype, []int{n}), newArray(dtype.Int64, []int{n}), newArray(dtype.Int64, []int{n})
	places, different := newArray(dtype.Int64, x.shape), newArray(dtype.Int64, []int{})
	last := -1
	for i, number := range sortedBy(x.values, false) {
		if v := x.values[number]; i == 0 || v != elements.values[last] {
			last++
			elements.values[last], firsts.values[last] = v, float64(number)
		}
		counts.values[last]++
		places.values[number] = float64(last)
	}
	different.values[0] = float64(last + 1)
	return []array{elements, firsts, counts, places, different}
}

func referenceUniqueCounts(in []array, params any) []array {
	all := referenceUnique(in, params)
	return []array{all[0], all[2], all[4]}
}

func referenceIndicesOfNonzero(in []array, params any) []array {
	x, count := in[0], newArray(dtype.Int64, []int{})
	columns := len(x.values)
	if room := params.(NonzeroParams).Room; room > 0 {
		columns = min(columns, room)
	}
	out := newArray(dtype.Int64, []int{len(x.shape), columns})
	eachIndex(x.shape, func(number int, index []int) {
		if x.values[number] == 0 {
			return
		}
		if at := int(count.values[0]); at < columns {
			for axis, i := range index {
				out.values[out.number([]int{axis, at})] = float64(i)
			}
		}
		count.values[0]++
	})
	return []array{out, count}
}

func referenceBincount(in []array, params any) []array {
	counts := newArray(dtype.Int64, []int{params.(BincountParams).Length})
	for _, v := range in[0].values {
		counts.values[int(v)]++
	}
	return []array{counts}
}
