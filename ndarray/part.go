package ndarray

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

// basicPart returns the view of a that index selects if its values are ints, Ranges and marks, as they mostly are: such a view takes one
// object and no call of an operator. It returns nil for whatever is out of the ordinary, mistakes among it: that is for a selection.
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
	return (*Array)(a.tensor().Part(p.offset, p.shape[:p.rank], p.strides[:p.rank]))
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
