package ndarray_test

import (
	"errors"
	"slices"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// span is what nd.SpanBy is given.
type span struct{ start, stop, step int }

// numbers are indices in an array, or a mask of zeros and ones. Known ones are written in the call; others are in an array.
type numbers struct {
	shape  []int
	values []int
	mask   bool
	known  bool
}

// axisIndex is one index value as the reference sees it: what it does to at most one axis of the array.
type axisIndex struct {
	axis     int   // of the array; -1 for none
	choices  []int // of a slice: the indices along the axis of the result; nil for others
	picks    bool  // an int, array or mask
	shape    []int // of an array of indices, and the indices
	indices  []int
	isNumber bool // an int
}

var errInvalid = errors.New("invalid index")

// resolve returns index as one axisIndex after the other, by the rules in "Indexing on ndarrays" of NumPy's manual.
func resolve(shape []int, index []any) (resolved []axisIndex, err error) {
	named := 0
	for _, value := range index {
		switch v := value.(type) {
		case int, span:
			named++
		case nd.Mark:
			if v == nd.Whole {
				named++
			}
		case numbers:
			named += consumed(v)
		}
	}
	if named > len(shape) {
		return nil, errInvalid
	}
	axis := 0
	keep := func(count int) {
		for range count {
			resolved = append(resolved, axisIndex{axis: axis, choices: sliced(shape[axis], nd.Open, nd.Open, 1)})
			axis++
		}
	}
	rests := 0
	for _, value := range index {
		switch v := value.(type) {
		case int:
			i, ok := fromFront(v, shape[axis])
			if !ok {
				return nil, errInvalid
			}
			resolved = append(resolved, axisIndex{axis: axis, picks: true, isNumber: true, shape: []int{}, indices: []int{i}})
			axis++
		case span:
			if v.step == 0 {
				return nil, errInvalid
			}
			resolved = append(resolved, axisIndex{axis: axis, choices: sliced(shape[axis], v.start, v.stop, v.step)})
			axis++
		case nd.Mark:
			switch v {
			case nd.Whole:
				keep(1)
			case nd.NewAxis:
				resolved = append(resolved, axisIndex{axis: -1, choices: []int{0}})
			case nd.Rest:
				if rests++; rests > 1 {
					return nil, errInvalid
				}
				resolved = append(resolved, axisIndex{axis: -2}) // so that an empty one separates, too
				keep(len(shape) - named)
			}
		case bool:
			count := 0
			if v {
				count = 1
			}
			resolved = append(resolved, axisIndex{axis: -1, picks: true, shape: []int{count}, indices: make([]int, count)})
		case numbers:
			part, ok := resolveNumbers(v, shape, axis)
			if !ok {
				return nil, errInvalid
			}
			resolved = append(resolved, part...)
			axis += consumed(v)
		}
	}
	keep(len(shape) - axis)
	return resolved, nil
}

func consumed(v numbers) int {
	if v.mask {
		return len(v.shape)
	}
	return 1
}

func fromFront(i, n int) (int, bool) {
	if i < -n || i >= n {
		return 0, false
	}
	return (i + n) % n, true
}

func resolveNumbers(v numbers, shape []int, axis int) (resolved []axisIndex, ok bool) {
	if !v.mask {
		one := axisIndex{axis: axis, picks: true, shape: v.shape}
		for _, value := range v.values {
			i, ok := fromFront(value, shape[axis])
			if !ok && v.known {
				return nil, false
			}
			if !ok {
				i = -1
			}
			one.indices = append(one.indices, i)
		}
		return []axisIndex{one}, true
	}
	if !slices.Equal(v.shape, shape[axis:axis+len(v.shape)]) {
		return nil, false
	}
	for component := range v.shape {
		one := axisIndex{axis: axis + component, picks: true}
		number := 0
		each(v.shape, func(at []int) {
			if v.values[number] != 0 {
				one.indices = append(one.indices, at[component])
			}
			number++
		})
		one.shape = []int{len(one.indices)}
		resolved = append(resolved, one)
	}
	return resolved, true
}

// selected returns what index selects of r, and the part of r that its basic values alone do; the error is errInvalid, or
// fault.ErrIndex for an index in an array that is out of range.
func (r reference) selected(index []any) (picked, basic reference, err error) {
	resolved, err := resolve(r.shape, index)
	if err != nil {
		return picked, basic, err
	}
	basic = r.resolved(slices.Collect(func(yield func(axisIndex) bool) {
		for _, v := range resolved {
			if v.picks && !v.isNumber && v.axis >= 0 {
				v = axisIndex{axis: v.axis, choices: sliced(r.shape[v.axis], nd.Open, nd.Open, 1)}
			} else if v.picks && !v.isNumber {
				continue
			}
			yield(v)
		}
	}))
	joint, ok := []int{}, true
	for _, v := range resolved {
		if v.picks {
			if joint, ok = broadcast(joint, v.shape); !ok {
				return picked, basic, errInvalid
			}
		}
	}
	if !slices.Contains(joint, 0) {
		for _, v := range resolved {
			if slices.Contains(v.indices, -1) {
				return picked, basic, fault.ErrIndex
			}
		}
	}
	return r.resolved(resolved), basic, nil
}

// resolved returns what resolved index values select of r.
func (r reference) resolved(resolved []axisIndex) reference {
	joint, place, shape := []int{}, -1, []int{}
	first, last, count := -1, 0, 0
	for number, v := range resolved {
		switch {
		case v.picks:
			if joint, _ = broadcast(joint, v.shape); first < 0 {
				first, place = number, len(shape)
			}
			last = number
			count++
		case v.axis != -2:
			shape = append(shape, len(v.choices))
		}
	}
	arrays := slices.ContainsFunc(resolved, func(v axisIndex) bool { return v.picks && !v.isNumber })
	if place < 0 || arrays && last-first+1 != count || !arrays {
		place = 0
	}
	return r.picked(slices.Insert(shape, place, joint...), func(at []int) []int {
		together, rest := at[place:place+len(joint)], slices.Concat(at[:place], at[place+len(joint):])
		from := make([]int, len(r.shape))
		for _, v := range resolved {
			switch {
			case v.axis == -2:
			case v.picks && v.axis >= 0:
				from[v.axis] = v.indices[numberOf(v.shape, together)]
			case !v.picks:
				if v.axis >= 0 {
					from[v.axis] = v.choices[rest[0]]
				}
				rest = rest[1:]
			}
		}
		return from
	})
}

// numberOf returns the row-major number of the element of an array of the given shape that is at an index of one it broadcasts to.
func numberOf(shape, at []int) int {
	number := 0
	for axis, n := range shape {
		i := at[len(at)-len(shape)+axis]
		if n == 1 {
			i = 0
		}
		number = number*n + i
	}
	return number
}

// broadcast returns the shape to which a and b broadcast.
func broadcast(a, b []int) (joint []int, ok bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	joint = slices.Clone(a)
	for i := range b {
		axis := len(a) - len(b) + i
		switch {
		case a[axis] == 1:
			joint[axis] = b[i]
		case b[i] != 1 && b[i] != a[axis]:
			return nil, false
		}
	}
	return joint, true
}
