package ops

import (
	"math"
	"slices"

	"github.com/weft-nd/weft/dtype"
)

// eachAlong calls body for each index of the indices repeated to shape, in order, with the place that it names in an array
// with the given length of the axis.
func eachAlong(shape []int, indices array, axis, length int, mode string, body func(index, place []int)) {
	eachIndex(shape, func(_ int, index []int) {
		place := slices.Clone(index)
		place[axis] = resolved(int(indices.broadcastAt(index)), length, mode)
		body(index, place)
	})
}

func referenceTakeAlongAxis(in []array, params any) []array {
	p, x := params.(TakeAlongAxisParams), in[0]
	axis := (p.Axis + len(x.shape)) % len(x.shape)
	shape := joint(array{shape: with(x.shape, axis, 1)}, array{shape: with(in[1].shape, axis, 1)})
	shape[axis] = in[1].shape[axis]
	out := newArray(x.dtype, shape)
	latest := map[string]int{} // which element the last index took from a place
	eachAlong(shape, in[1], axis, x.shape[axis], p.Mode, func(index, place []int) {
		number := out.number(index)
		out.values[number] = x.broadcastAt(place)
		if before, again := latest[key(place)]; again && p.Last {
			out.values[before] = 0
		}
		latest[key(place)] = number
	})
	return []array{out}
}

// key tells places apart.
func key(place []int) string {
	text := []rune{}
	for _, i := range place {
		text = append(text, rune(i))
	}
	return string(text)
}

// joined is a copy of x that values are put into by a reduction.
type joined struct {
	array
	reduction Reduction
}

func newJoined(x array, reduction Reduction) joined {
	out := array{dtype: x.dtype, shape: x.shape, values: slices.Clone(x.values), scale: make([]float64, len(x.values))}
	for i, v := range x.values {
		out.scale[i] = math.Abs(v)
	}
	return joined{out, reduction}
}

func (j joined) put(place []int, value float64) {
	number := j.number(place)
	before := j.values[number]
	switch j.reduction {
	case ReduceAdd:
		j.values[number] += value
		j.scale[number] += math.Abs(value)
		return
	case ReduceMul:
		value = rounded(j.dtype, value*before)
	case ReduceMax:
		value = max(value, before)
	case ReduceMin:
		value = min(value, before)
	}
	j.values[number], j.scale[number] = value, math.Abs(value)
}

// isReduced reports whether the table has a reduction of elements of type d; products of complex numbers are tested by themselves.
func isReduced(reduction Reduction, d dtype.DType) bool {
	switch reduction {
	case ReduceAdd:
		return d != dtype.Bool
	case ReduceMul, ReduceMax, ReduceMin:
		return !d.IsComplex()
	}
	return true
}

func referencePutAlongAxis(in []array, params any) []array {
	p, out := params.(PutAlongAxisParams), newJoined(in[0], params.(PutAlongAxisParams).Reduction)
	axis := (p.Axis + len(out.shape)) % len(out.shape)
	shape := with(out.shape, axis, in[1].shape[axis])
	eachAlong(shape, in[1], axis, out.shape[axis], p.Mode, func(index, place []int) { out.put(place, in[2].broadcastAt(index)) })
	return []array{out.array}
}

// eachPoint calls body for each index of what tuples select from an array of the given shape, in order, with its place there.
func eachPoint(shape []int, tuples array, batch int, body func(index, place []int)) {
	last := len(tuples.shape) - 1
	depth := tuples.shape[last]
	eachIndex(slices.Concat(tuples.shape[:last], shape[batch+depth:]), func(_ int, index []int) {
		place := slices.Clone(index[:batch])
		for component := range depth {
			at := tuples.at(append(slices.Clone(index[:last]), component)...)
			place = append(place, resolved(int(at), shape[batch+component], "raise"))
		}
		body(index, append(place, index[last:]...))
	})
}

func referenceGatherND(in []array, params any) []array {
	p, x, last := params.(GatherNDParams), in[0], len(in[1].shape)-1
	out := newArray(x.dtype, slices.Concat(in[1].shape[:last], x.shape[p.Batch+in[1].shape[last]:]))
	latest := map[string]int{}
	eachPoint(x.shape, in[1], p.Batch, func(index, place []int) {
		number := out.number(index)
		out.values[number] = x.at(place...)
		if before, again := latest[key(place)]; again && p.Last {
			out.values[before] = 0
		}
		latest[key(place)] = number
	})
	return []array{out}
}

func referenceScatterND(in []array, params any) []array {
	p := params.(ScatterNDParams)
	out := newJoined(in[0], p.Reduction)
	eachPoint(out.shape, in[1], p.Batch, func(index, place []int) { out.put(place, in[2].broadcastAt(index)) })
	return []array{out.array}
}

// tuplesOf returns arrays of indices, broadcast, as tuples along a last axis.
func tuplesOf(indices []array) array {
	joint := []int{}
	for _, a := range indices {
		for i := range a.shape {
			if i >= len(joint) {
				joint = append([]int{1}, joint...)
			}
			if n := a.shape[len(a.shape)-1-i]; n != 1 {
				joint[len(joint)-1-i] = n
			}
		}
	}
	tuples := newArray(dtype.Int64, append(slices.Clone(joint), len(indices)))
	eachIndex(joint, func(number int, index []int) {
		for i, a := range indices {
			tuples.values[number*len(indices)+i] = a.broadcastAt(index)
		}
	})
	return tuples
}

func referenceTakePoints(in []array, params any) []array {
	return referenceGatherND([]array{in[0], tuplesOf(in[1:])}, GatherNDParams{Last: params.(TakePointsParams).Last})
}

func referencePutPoints(in []array, params any) []array {
	return referenceScatterND([]array{in[0], tuplesOf(in[2:]), in[1]}, ScatterNDParams{Reduction: params.(PutPointsParams).Reduction})
}

// everyOtherTrue makes the mask, operand 1, true in its first element, and in every other.
func everyOtherTrue(in []array) {
	for i := range in[1].values {
		in[1].values[i] = float64(1 - i%2)
	}
}

// eachMasked calls body for each index of what a mask of the axes from the given one on selects from an array of the given shape, in
// order, with its place there.
func eachMasked(shape []int, mask array, axis int, body func(index, place []int)) {
	numbers := map[string]int{}
	eachIndex(mask.shape, func(_ int, index []int) {
		if mask.at(index...) != 0 {
			numbers[key(index)] = len(numbers)
		}
	})
	behind := axis + len(mask.shape)
	eachIndex(shape, func(_ int, place []int) {
		if number, set := numbers[key(place[axis:behind])]; set {
			body(slices.Concat(place[:axis], []int{number}, place[behind:]), place)
		}
	})
}

func referenceMaskTake(in []array, params any) []array {
	p, x := params.(MaskTakeParams), in[0]
	out := newArray(x.dtype, slices.Concat(x.shape[:p.Axis], []int{p.Count}, x.shape[p.Axis+len(in[1].shape):]))
	eachMasked(x.shape, in[1], p.Axis, func(index, place []int) { out.values[out.number(index)] = x.at(place...) })
	return []array{out}
}

func referenceMaskPut(in []array, params any) []array {
	p := params.(MaskPutParams)
	out := newJoined(in[0], p.Reduction)
	eachMasked(out.shape, in[1], p.Axis, func(index, place []int) { out.put(place, in[2].broadcastAt(index)) })
	return []array{out.array}
}

func referencePad(in []array, params any) []array {
	p, x := params.(PadParams), in[0]
	shape := slices.Clone(x.shape)
	for axis := range shape {
		shape[axis] += p.Before[axis] + p.After[axis]
	}
	return []array{made(x.dtype, shape, func(index []int) float64 {
		own := slices.Clone(index)
		for axis := range own {
			if own[axis] -= p.Before[axis]; own[axis] < 0 || own[axis] >= x.shape[axis] {
				return rounded(x.dtype, p.Value)
			}
		}
		return x.at(own...)
	})}
}

func referencePadWith(in []array, params any) []array {
	p, x := params.(PadWithParams), in[0]
	shape := slices.Clone(x.shape)
	for axis := range shape {
		shape[axis] += p.Before[axis] + p.After[axis]
	}
	return []array{made(x.dtype, shape, func(index []int) float64 {
		own := slices.Clone(index)
		for axis, n := range x.shape {
			at := own[axis] - p.Before[axis]
			beside, step := map[string][2]int{ // what stands just before the first and behind the last
				"edge": {0, n - 1}, "reflect": {1, n - 2}, "symmetric": {0, n - 1}, "wrap": {n - 1, 0},
			}[p.Mode], map[string]int{"edge": 0, "reflect": -1, "symmetric": -1, "wrap": 1}[p.Mode]
			if at < 0 {
				at = beside[0] + step*(at+1)
			} else if at >= n {
				at = beside[1] + step*(at-n)
			}
			own[axis] = at
		}
		return x.at(own...)
	})}
}

func referenceRoll(in []array, params any) []array {
	p, x := params.(RollParams), in[0]
	out := newArray(x.dtype, x.shape)
	eachIndex(x.shape, func(number int, index []int) {
		to := slices.Clone(index)
		for i, axis := range p.Axes {
			axis = (axis + len(to)) % len(to)
			to[axis] = resolved(to[axis]+p.Shifts[i], x.shape[axis], "wrap")
		}
		out.values[out.number(to)] = x.values[number]
	})
	return []array{out}
}
