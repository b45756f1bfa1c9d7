package einsum

import (
	"fmt"
	"slices"
)

// Bound is an equation with the axes of operands: ellipses are replaced by labels, one for each of their axes.
type Bound struct {
	Operands [][]Label
	Result   []Label
	Sizes    map[Label]int // how many elements there are along the axes of a label; 1 goes with all sizes
}

// boundShapes is what an equation is for operands of some shapes.
type boundShapes struct {
	shapes [][]int
	bound  *Bound
}

// isFor reports whether b is for operands of the given shapes.
func (b *boundShapes) isFor(shapes [][]int) bool {
	return b != nil && slices.EqualFunc(b.shapes, shapes, slices.Equal[[]int])
}

// Bind returns the equation for operands of the given shapes, which must not be changed: it may have been bound to them before. The
// error is a *Mistake.
func (e *Equation) Bind(shapes [][]int) (*Bound, error) {
	if latest := e.latest.Load(); latest.isFor(shapes) {
		return latest.bound, nil
	}
	b, err := e.bind(shapes)
	if err == nil {
		own := make([][]int, len(shapes))
		for i, shape := range shapes {
			own[i] = slices.Clone(shape)
		}
		e.latest.Store(&boundShapes{own, b})
	}
	return b, err
}

func (e *Equation) bind(shapes [][]int) (*Bound, error) {
	if len(shapes) != len(e.Operands) {
		return nil, e.misfit(len(e.Text), fmt.Sprintf("the equation has %d operands, %d are given", len(e.Operands), len(shapes)))
	}
	b := &Bound{Sizes: map[Label]int{}}
	for i, shape := range shapes {
		labels, err := e.expand(i, shape)
		if err != nil {
			return nil, err
		}
		b.Operands = append(b.Operands, labels)
		if err := e.size(b, i, shape); err != nil {
			return nil, err
		}
	}
	for i, label := range e.Result.Labels {
		if label == Ellipsis {
			b.Result = append(b.Result, broadcastLabels(e.ellipsisAxes(shapes))...)
			continue
		}
		b.Result = append(b.Result, e.Result.Labels[i])
	}
	return b, e.checkEllipsis(shapes)
}

func (e *Equation) misfit(column int, detail string) error {
	return &Mistake{Text: e.Text, Column: column, Detail: detail, Shapes: true}
}

// expand returns a label for each axis of operand i.
func (e *Equation) expand(i int, shape []int) (labels []Label, err error) {
	term := e.Operands[i]
	at := slices.Index(term.Labels, Ellipsis)
	switch rest := len(shape) - len(term.Labels); {
	case at < 0 && rest != 0:
		return nil, e.misfit(term.place(0), fmt.Sprintf("operand %d has %d axes, the equation %d", i, len(shape), len(term.Labels)))
	case at < 0:
		return term.Labels, nil
	case rest < -1:
		return nil, e.misfit(term.place(0), fmt.Sprintf("operand %d has %d axes, the equation %d or more", i, len(shape), len(term.Labels)-1))
	default:
		return slices.Concat(term.Labels[:at], broadcastLabels(rest+1), term.Labels[at+1:]), nil
	}
}

// broadcastLabels returns the labels of an ellipsis that stands for count axes.
func broadcastLabels(count int) []Label {
	labels := make([]Label, count)
	for i := range labels {
		labels[i] = Label(i - count)
	}
	return labels
}

// size takes the sizes of the axes of operand i, which is the last of b.
func (e *Equation) size(b *Bound, i int, shape []int) error {
	for axis, label := range b.Operands[i] {
		if first := slices.Index(b.Operands[i], label); shape[first] != shape[axis] {
			return e.misfit(e.columnOf(i, axis, len(shape)), fmt.Sprintf("axes %d and %d of operand %d are both %v, but have %d and %d elements",
				first, axis, i, label, shape[first], shape[axis]))
		}
	}
	for axis, label := range b.Operands[i] {
		known, found := b.Sizes[label]
		switch {
		case !found || known == 1:
			b.Sizes[label] = shape[axis]
		case shape[axis] != known && shape[axis] != 1:
			return e.misfit(e.columnOf(i, axis, len(shape)), fmt.Sprintf("axis %d of operand %d (%v) has %d elements, where others have %d", axis, i, label, shape[axis], known))
		}
	}
	return nil
}

// columnOf returns how many bytes are before what names an axis of operand i, of the given rank.
func (e *Equation) columnOf(i, axis, rank int) int {
	term := e.Operands[i]
	at := slices.Index(term.Labels, Ellipsis)
	if many := rank - len(term.Labels) + 1; at >= 0 && axis >= at {
		axis = max(at, axis-many+1)
	}
	return term.place(axis)
}

// ellipsisAxes returns how many axes the ellipses stand for together.
func (e *Equation) ellipsisAxes(shapes [][]int) (most int) {
	for i, term := range e.Operands {
		if slices.Contains(term.Labels, Ellipsis) {
			most = max(most, len(shapes[i])-len(term.Labels)+1)
		}
	}
	return most
}

// checkEllipsis returns the mistake of summing over axes that have no name.
func (e *Equation) checkEllipsis(shapes [][]int) error {
	if e.ellipsisAxes(shapes) > 0 && !slices.Contains(e.Result.Labels, Ellipsis) {
		return e.misfit(e.Result.place(0), "the result has no ellipsis for the axes that broadcast")
	}
	return nil
}
