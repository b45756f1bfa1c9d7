package ndarray

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/einsum"
	"github.com/weft-nd/weft/fault"
)

// TensorDot returns the sum of products over the last axes axes of a and as many first axes of b: with one axis it is the
// matrix product; with none, the product of each element with each. Operands of different dtypes are promoted. It panics with
// *Error if the axes differ in length. It is tensordot of the array API standard.
func (a *Array) TensorDot(b *Array, axes int) *Array {
	checkNotNil("TensorDot", a, b)
	if axes < 0 || axes > min(a.Rank(), b.Rank()) {
		failTensorDot(a, b, "%d axes of arrays with %d and %d", axes, a.Rank(), b.Rank())
	}
	last, first := make([]int, axes), make([]int, axes)
	for i := range axes {
		last[i], first[i] = a.Rank()-axes+i, i
	}
	return a.tensorDot(b, last, first)
}

// TensorDotAxes is TensorDot over the given axes: axesOfA[i] of a goes with axesOfB[i] of b. Negative axes count from the end.
func (a *Array) TensorDotAxes(b *Array, axesOfA, axesOfB []int) *Array {
	checkNotNil("TensorDot", a, b)
	if len(axesOfA) != len(axesOfB) {
		failTensorDot(a, b, "%d axes go with %d", len(axesOfA), len(axesOfB))
	}
	return a.tensorDot(b, axesOfA, axesOfB)
}

func (a *Array) tensorDot(b *Array, axesOfA, axesOfB []int) *Array {
	x := labelled{a, lettered(a.Rank(), 1)}
	y := labelled{b, lettered(b.Rank(), 1+a.Rank())}
	for i := range axesOfA {
		one, other := a.axis("TensorDot", axesOfA[i], a.Rank()), b.axis("TensorDot", axesOfB[i], b.Rank())
		m, n := a.tensor().Shape()[one], b.tensor().Shape()[other]
		switch {
		case m != n:
			failTensorDot(a, b, "axis %d has %d elements, axis %d of the other array %d", one, m, other, n)
		case slices.Contains(y.labels, x.labels[one]) || int(y.labels[other]) <= a.Rank():
			failTensorDot(a, b, "an axis is named twice in %v or %v", axesOfA, axesOfB)
		}
		y.labels[other] = x.labels[one]
	}
	wanted := slices.DeleteFunc(slices.Concat(x.labels, y.labels), func(label einsum.Label) bool {
		return slices.Contains(x.labels, label) && slices.Contains(y.labels, label)
	})
	return contracted("TensorDot", x, y, wanted)
}

// lettered returns count different labels from first on.
func lettered(count, first int) []einsum.Label {
	labels := make([]einsum.Label, count)
	for i := range labels {
		labels[i] = einsum.Label(first + i)
	}
	return labels
}

// contracted returns the contraction of a and b in their common dtype, with its axes in the order of the labels wanted.
func contracted(operator string, a, b labelled, wanted []einsum.Label) *Array {
	var made temporaries
	given := InOneCapture(a.Array, b.Array)
	a.Array, b.Array = given[0], given[1]
	common := commonType(operator, given)
	if a.DType() != common {
		a.Array = made.add(a.Cast(common))
	}
	if b.DType() != common {
		b.Array = made.add(b.Cast(common))
	}
	return made.discard(contract(a, b, wanted, &made).arranged(wanted), given...)
}

func failTensorDot(a, b *Array, format string, values ...any) {
	fail("TensorDot", fault.ErrShape, fmt.Sprintf(format, values...), a, b)
}

// VecDot returns the sums of products of a and b along axis, which has the same length in both; the other axes broadcast. Complex
// elements of a are conjugated. Operands of different dtypes are promoted. It is vecdot of the array API standard.
func (a *Array) VecDot(b *Array, axis int) *Array {
	checkNotNil("VecDot", a, b)
	defer named("VecDot", a, b)
	one, other := a.axis("VecDot", axis, a.Rank()), b.axis("VecDot", axis, b.Rank())
	if m, n := a.tensor().Shape()[one], b.tensor().Shape()[other]; m != n {
		fail("VecDot", fault.ErrShape, fmt.Sprintf("axis %d has %d elements, in the other array %d", axis, m, n), a, b)
	}
	BroadcastShapes(slices.Delete(a.Shape(), one, one+1), slices.Delete(b.Shape(), other, other+1)) // or fail without the equation below
	given := InOneCapture(a, b)
	a, b = given[0], given[1]
	var made temporaries
	if a.DType().IsComplex() {
		a = made.add(a.Conj())
	}
	return made.discard(Einsum("...i,...i->...", a.MoveAxis(one, -1), b.MoveAxis(other, -1)), given...)
}
