package storage

import (
	"cmp"
	"slices"
)

// steps are an axis: how many there are along it, and how far each goes, in elements.
type steps struct{ count, size int }

// reach returns how far all of them go.
func (s steps) reach() int { return s.count * s.size }

// Overlaps reports whether elements of v share memory with one another, as those of broadcasting and of sliding windows do.
func (v *View) Overlaps() bool {
	if _, row := v.Row(); row {
		return false
	}
	axes := make([]steps, 0, 8)
	for axis, n := range v.Shape {
		if n > 1 {
			axes = append(axes, steps{n - 1, max(v.Strides[axis], -v.Strides[axis])})
		}
	}
	slices.SortFunc(axes, func(a, b steps) int { return cmp.Compare(a.size, b.size) })
	if len(axes) == 0 || axes[0].size == 0 {
		return len(axes) > 0
	}
	places := 1
	for _, s := range axes {
		places += s.reach()
	}
	if v.Count() > places { // To look for two of so many elements could take long.
		return true
	}
	below := 0 // how far all smaller steps go
	for _, s := range axes {
		if s.size <= below { // Else indices are digits of how far an element is from the first.
			return meet(axes, 0, false)
		}
		below += s.reach()
	}
	return false
}

// meet reports whether two elements that larger steps have put so far apart are brought together by some of the given steps,
// which ascend; moved tells whether any larger step was taken. Only a few multiples of the largest step can be undone by the
// others.
func meet(axes []steps, apart int, moved bool) bool {
	last := len(axes) - 1
	if last < 0 {
		return moved && apart == 0
	}
	below := 0
	for _, s := range axes[:last] {
		below += s.reach()
	}
	largest := axes[last]
	from, to := -floored(below+apart, largest.size), floored(below-apart, largest.size)
	for n := max(from, -largest.count); n <= min(to, largest.count); n++ {
		if meet(axes[:last], apart+n*largest.size, moved || n != 0) {
			return true
		}
	}
	return false
}

// floored returns a/b rounded down; b is positive.
func floored(a, b int) int {
	if a < 0 {
		return -((b - 1 - a) / b)
	}
	return a / b
}
