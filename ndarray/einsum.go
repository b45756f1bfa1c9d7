package ndarray

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/einsum"
	"github.com/weft-nd/weft/fault"
)

// Einsum contracts arrays by an equation of Einstein's summation convention, such as "ij,jk->ik" for a matrix product; package einsum
// has the language, which is that of numpy.einsum. Axes of one letter have the same number of elements, or one, which goes with any;
// a letter that an operand has twice takes its diagonal. Operands of different dtypes are promoted, and the result has their common one:
// integers wrap round; of bools, products are and, sums or. Without sums and products, as in "ij->ji" and "ii->i", it is a view.
//
// Pairs of operands are contracted in the cheapest order for up to five, and in a good one for more, most of them by MatMul; axes are
// arranged by views where strides allow. It panics with *Error, which points into the equation, if that cannot be read or
// operands do not fit it.
func Einsum(equation string, operands ...*Array) *Array {
	checkNotNil("Einsum", operands...)
	read, err := einsum.Parse(equation)
	failEinsum(err, operands)
	if isMatrixProduct(read, operands) {
		return operands[0].MatMul(operands[1])
	}
	shapes := make([][]int, len(operands))
	for i, a := range operands {
		shapes[i] = a.tensor().Shape()
	}
	bound, err := read.Bind(shapes)
	failEinsum(err, operands)
	common := commonType("Einsum", operands)
	operands = InOneCapture(operands...)
	if common == dtype.Bool {
		return einsumOfBools(bound, operands)
	}
	return runEinsum(bound, operands, common)
}

// isMatrixProduct reports whether an equation is "ij,jk->ik", with whatever letters, of operands that MatMul takes as they are, into
// the same dtype: what is small takes longer to arrange than to multiply.
func isMatrixProduct(e *einsum.Equation, operands []*Array) bool {
	if !e.IsMatrixProduct() || len(operands) != 2 {
		return false
	}
	x, y := operands[0].tensor(), operands[1].tensor()
	d := x.DType()
	return (d.IsFloat() || d.IsComplex()) && y.DType() == d && len(x.Shape()) == 2 && len(y.Shape()) == 2 && x.Shape()[1] == y.Shape()[0]
}

// failEinsum panics with the mistake in an equation if there is one.
func failEinsum(err error, operands []*Array) {
	if err == nil {
		return
	}
	m := err.(*einsum.Mistake)
	reason := fault.ErrParameter
	if m.Shapes {
		reason = fault.ErrShape
	}
	failAt("Einsum", reason, m.Detail, m.Text, m.Column, operands...)
}

// commonType returns the dtype in which operands meet.
func commonType(operator string, operands []*Array) dtype.DType {
	common := operands[0].DType()
	for _, a := range operands[1:] {
		promoted := dtype.Promote(common, a.DType())
		if promoted == dtype.Invalid {
			fail(operator, fault.ErrDType, fmt.Sprintf("%v and %v have no common dtype", common, a.DType()), operands...)
		}
		common = promoted
	}
	return common
}

// einsumOfBools counts, in floats, where all are true: a sum of such counts is zero if all are.
func einsumOfBools(bound *einsum.Bound, operands []*Array) *Array {
	var made temporaries
	counted := make([]*Array, len(operands))
	for i, a := range operands {
		counted[i] = made.add(a.Cast(dtype.Float32))
	}
	return made.discard(made.add(runEinsum(bound, counted, dtype.Float32)).Cast(dtype.Bool))
}

// labelled is an array with a label for each axis.
type labelled struct {
	*Array
	labels []einsum.Label
}

// runEinsum computes a bound equation in elements of type d.
func runEinsum(bound *einsum.Bound, operands []*Array, d dtype.DType) *Array {
	var made temporaries
	left := make([]labelled, len(operands))
	for i, a := range operands {
		if a.DType() != d {
			a = made.add(a.Cast(d))
		}
		left[i] = labelled{a, bound.Operands[i]}.withoutRepeats().withoutOnes(bound)
	}
	for i, a := range left {
		left[i] = a.summed(neededBy(bound.Result, left, i), &made)
	}
	if len(left) > 1 {
		bound = &einsum.Bound{Result: bound.Result, Sizes: bound.Sizes}
		for _, a := range left {
			bound.Operands = append(bound.Operands, a.labels)
		}
	}
	for _, step := range bound.Path() {
		a, b := left[step.Left], left[step.Right]
		left = slices.Delete(slices.Delete(left, step.Right, step.Right+1), step.Left, step.Left+1)
		wanted := bound.Result
		if len(left) > 0 {
			wanted = neededBy(bound.Result, left, -1)
		}
		left = append(left, contract(a, b, wanted, &made))
	}
	result := left[0].arranged(bound.Result)
	for axis, label := range bound.Result {
		if n := bound.Sizes[label]; result.tensor().Shape()[axis] != n { // an axis of one element goes with any number
			shape := result.Shape()
			shape[axis] = n
			result = result.BroadcastTo(shape...)
		}
	}
	return made.discard(result, operands...)
}

// neededBy returns the labels that the result and arrays other than the given one have; they must not be changed.
func neededBy(result []einsum.Label, arrays []labelled, except int) (needed []einsum.Label) {
	if except == 0 && len(arrays) == 1 {
		return result
	}
	needed = slices.Clone(result)
	for i, a := range arrays {
		if i != except {
			needed = append(needed, a.labels...)
		}
	}
	return needed
}

// withoutRepeats returns the diagonals of axes that have the same label.
func (a labelled) withoutRepeats() labelled {
	for second := 1; second < len(a.labels); second++ {
		if first := slices.Index(a.labels, a.labels[second]); first < second {
			label := a.labels[second]
			rest := slices.Delete(slices.Delete(slices.Clone(a.labels), second, second+1), first, first+1)
			return labelled{a.diagonal(first, second), append(rest, label)}.withoutRepeats()
		}
	}
	return a
}

// diagonal is a.Diagonal(0, first, second) of axes of equal length, first before second, which is a part if no tape watches.
func (a *Array) diagonal(first, second int) *Array {
	v := a.tensor().View()
	var shape, strides []int
	for axis, n := range v.Shape {
		if axis != first && axis != second {
			shape, strides = append(shape, n), append(strides, v.Strides[axis])
		}
	}
	shape, strides = append(shape, v.Shape[first]), append(strides, v.Strides[first]+v.Strides[second])
	if part := a.tensor().Part(v.Offset, shape, strides); part != nil {
		return (*Array)(part)
	}
	return a.Diagonal(0, first, second)
}

// withoutOnes removes axes of one element whose label has more elsewhere.
func (a labelled) withoutOnes(bound *einsum.Bound) labelled {
	shape := a.tensor().Shape()
	isOne := func(axis int) bool { return shape[axis] != bound.Sizes[a.labels[axis]] }
	first := 0
	for first < len(shape) && !isOne(first) {
		first++
	}
	if first == len(shape) {
		return a
	}
	kept, labels := []int{}, []einsum.Label{}
	for axis, label := range a.labels {
		if !isOne(axis) {
			kept, labels = append(kept, shape[axis]), append(labels, label)
		}
	}
	return labelled{a.Reshape(kept...), labels}
}

// summed returns a summed over the axes whose labels are not needed. What it makes it adds to made.
func (a labelled) summed(needed []einsum.Label, made *temporaries) labelled {
	axes, labels := []int{}, []einsum.Label{}
	for axis, label := range a.labels {
		if slices.Contains(needed, label) {
			labels = append(labels, label)
		} else {
			axes = append(axes, axis)
		}
	}
	if len(axes) == 0 {
		return a
	}
	if len(labels) == 0 {
		axes = nil // all
	}
	sum := made.add(a.Sum(axes...))
	if sum.DType() != a.DType() {
		sum = made.add(sum.Cast(a.DType()))
	}
	return labelled{sum, labels}
}

// arranged returns a with its axes in the order of labels; those that it lacks have one element.
func (a labelled) arranged(labels []einsum.Label) *Array {
	order, shape := make([]int, 0, len(a.labels)), make([]int, len(labels))
	for i, label := range labels {
		shape[i] = 1
		if axis := slices.Index(a.labels, label); axis >= 0 {
			order = append(order, axis)
			shape[i] = a.tensor().Shape()[axis]
		}
	}
	arranged := a.Array
	if !slices.IsSorted(order) {
		arranged = arranged.Transpose(order...)
	}
	if len(order) < len(labels) {
		arranged = arranged.Reshape(shape...)
	}
	return arranged
}
