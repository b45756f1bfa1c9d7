package ndarray

import "github.com/weft-nd/weft/storage"

// partRank is the largest number of axes of what basicPart returns.
const partRank = 4

// basicPart is a part of an array as it is found from index values of ints, Ranges and marks.
type basicPart struct {
	offset         int
	shape, strides [partRank]int
	rank           int
}

// keep adds an axis. It reports whether there was room.
func (p *basicPart) keep(count, stride int) bool {
	if p.rank == partRank {
		return false
	}
	p.shape[p.rank], p.strides[p.rank] = count, stride
	p.rank++
	return true
}

// basicPart returns the view of a that index selects if its values are ints, Ranges and marks, as they mostly are: such a view
// takes one allocation and no call of an operator. It returns nil for whatever is out of the ordinary, including mistakes,
// which selection handles.
func (a *Array) basicPart(index []any) *Array {
	if a == nil || a.tensor().Env() == nil {
		return nil
	}
	v := a.tensor().View()
	rest, basic := unnamedAxes(index, len(v.Shape))
	if !basic {
		return nil
	}
	p, axis := basicPart{offset: v.Offset}, 0
	keepWhole := func(count int) bool {
		for range count {
			if !p.keep(v.Shape[axis], v.Strides[axis]) {
				return false
			}
			axis++
		}
		return true
	}
	for _, value := range index {
		fits := true
		switch value := value.(type) {
		case int:
			n := v.Shape[axis]
			if value < 0 {
				value += n
			}
			fits = value >= 0 && value < n
			p.offset += value * v.Strides[axis]
			axis++
		case Range:
			if value.step == 0 {
				return nil
			}
			span := value.within(v.Shape[axis])
			if span.Count > 0 {
				p.offset += span.Start * v.Strides[axis]
			}
			fits = p.keep(span.Count, span.Step*v.Strides[axis])
			axis++
		case Mark:
			switch value {
			case Whole:
				fits = keepWhole(1)
			case Rest:
				fits = keepWhole(rest)
			case NewAxis:
				fits = p.keep(1, 0)
			}
		}
		if !fits {
			return nil
		}
	}
	if !keepWhole(len(v.Shape) - axis) {
		return nil
	}
	return p.of(a)
}

// unnamedAxes returns how many of an array's axes index values leave, and whether those are ints, Ranges and marks without a mistake.
func unnamedAxes(index []any, rank int) (rest int, basic bool) {
	rests := 0
	for _, value := range index {
		switch value := value.(type) {
		case int, Range:
			rank--
		case Mark:
			switch value {
			case Whole:
				rank--
			case Rest:
				rests++
			case NewAxis:
			default:
				return 0, false
			}
		default:
			return 0, false
		}
	}
	return rank, rank >= 0 && rests <= 1
}

// reversedPart is basicPart for the view of a with the order of its axes reversed; nil if ops.Transpose has to make it.
func (a *Array) reversedPart() *Array {
	if a == nil || a.tensor().Env() == nil {
		return nil
	}
	v := a.tensor().View()
	p := basicPart{offset: v.Offset}
	for axis := len(v.Shape) - 1; axis >= 0; axis-- {
		if !p.keep(v.Shape[axis], v.Strides[axis]) {
			return nil
		}
	}
	return p.of(a)
}

// reshapedPart is basicPart for the view of a, whose elements follow one another in memory, in another shape; nil if
// ops.Reshape has to make it.
func (a *Array) reshapedPart(shape []int) *Array {
	if a == nil || a.tensor().Env() == nil || len(shape) > partRank {
		return nil
	}
	v := a.tensor().View()
	have, row := v.Row()
	known, open := 1, -1
	for axis, n := range shape {
		switch {
		case n > 0 && n <= have/known: // no product is beyond the numbers
			known *= n
		case n == -1 && open < 0:
			open = axis
		default:
			return nil
		}
	}
	if !row || have == 0 || have%known > 0 || open < 0 && known < have {
		return nil
	}
	p, step := basicPart{offset: v.Offset, rank: len(shape)}, 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		p.shape[axis], p.strides[axis] = shape[axis], step
		if axis == open {
			p.shape[axis] = have / known
		}
		step *= p.shape[axis]
	}
	return p.of(a)
}

// broadcastPart is basicPart for a repeated to a shape; nil if ops.BroadcastTo has to make it.
func (a *Array) broadcastPart(shape []int) *Array {
	if a == nil || a.tensor().Env() == nil || len(shape) > partRank {
		return nil
	}
	v := a.tensor().View()
	lead := len(shape) - len(v.Shape)
	if lead < 0 || storage.ShapeProblem(v.DType, shape) != "" {
		return nil
	}
	p := basicPart{offset: v.Offset}
	for axis, n := range shape {
		stride := 0
		if own := axis - lead; own >= 0 {
			switch v.Shape[own] {
			case n:
				stride = v.Strides[own]
			case 1:
			default:
				return nil
			}
		}
		p.keep(n, stride)
	}
	return p.of(a)
}

// of returns the part of a; nil if a tape watches that.
func (p *basicPart) of(a *Array) *Array {
	return (*Array)(a.tensor().Part(p.offset, p.shape[:p.rank], p.strides[:p.rank]))
}
