package ndarray

import (
	"slices"

	"github.com/weft-nd/weft/einsum"
)

// contraction sorts the labels of two arrays that are contracted.
type contraction struct {
	batch []einsum.Label // of both, kept
	inner []einsum.Label // of both, summed over
	left  []einsum.Label // of the first alone
	right []einsum.Label // of the second alone
}

// contract multiplies a and b where they have the same labels, and sums over those that are not wanted. Labels of one alone are
// wanted. The labels of the result come in the order of those wanted where that needs no copy. What it makes it adds to made.
func contract(a, b labelled, wanted []einsum.Label, made *temporaries) labelled {
	c := contraction{}
	for _, label := range a.labels {
		switch {
		case !slices.Contains(b.labels, label):
			c.left = append(c.left, label)
		case !slices.Contains(wanted, label):
			c.inner = append(c.inner, label)
		}
	}
	var order []einsum.Label
	for _, label := range wanted {
		inA, inB := slices.Contains(a.labels, label), slices.Contains(b.labels, label)
		if slices.Contains(order, label) || !inA && !inB {
			continue
		}
		order = append(order, label)
		switch {
		case inA && inB:
			c.batch = append(c.batch, label)
		case inB:
			c.right = append(c.right, label)
		}
	}
	if len(c.inner) == 0 {
		return labelled{made.add(a.arranged(order).Mul(b.arranged(order))), order}
	}
	c.left, c.right = a.merging(order, c.left), b.merging(order, c.right)
	c.inner = innerOrder(a, b, c.inner)
	return c.multiply(a, b, order, made)
}

// innerOrder returns labels in the order in which their axes become one axis with the fewest elements copied.
func innerOrder(a, b labelled, labels []einsum.Label) (best []einsum.Label) {
	most := -1
	for _, order := range [][]einsum.Label{a.merging(a.labels, labels), b.merging(b.labels, labels)} {
		left := 0
		for _, x := range []labelled{a, b} {
			if x.merges(order) {
				left += x.Count()
			}
		}
		if left > most {
			best, most = order, left
		}
	}
	return best
}

// multiply computes the contraction by a matrix product. If the result has labels of b first, it is that of b and a.
func (c *contraction) multiply(a, b labelled, order []einsum.Label, made *temporaries) labelled {
	if len(c.left) > 0 && len(c.right) > 0 && slices.Index(order, c.right[0]) < slices.Index(order, c.left[0]) {
		a, b = b, a
		c.left, c.right = c.right, c.left
	}
	batch, inner := a.sizes(c.batch), a.sizes(c.inner)
	rows, columns := a.sizes(c.left), b.sizes(c.right)
	x := made.add(a.arranged(slices.Concat(c.batch, c.left, c.inner)).Reshape(append(slices.Clone(batch), product(rows), product(inner))...))
	y := made.add(b.arranged(slices.Concat(c.batch, c.inner, c.right)).Reshape(append(slices.Clone(batch), product(inner), product(columns))...))
	z := made.add(x.MatMul(y))
	if z.DType() != a.DType() {
		z = made.add(z.Cast(a.DType()))
	}
	return labelled{z.Reshape(slices.Concat(batch, rows, columns)...), slices.Concat(c.batch, c.left, c.right)}
}

// sizes returns the elements along the axes of labels.
func (a labelled) sizes(labels []einsum.Label) []int {
	sizes := make([]int, len(labels))
	for i, label := range labels {
		sizes[i] = a.tensor().Shape()[slices.Index(a.labels, label)]
	}
	return sizes
}

func product(sizes []int) int {
	count := 1
	for _, n := range sizes {
		count *= n
	}
	return count
}

// merging returns labels in the given order if their axes become one axis in that without a copy, else in that of memory.
func (a labelled) merging(order, labels []einsum.Label) []einsum.Label {
	sorted := slices.DeleteFunc(slices.Clone(order), func(label einsum.Label) bool { return !slices.Contains(labels, label) })
	if a.merges(sorted) {
		return sorted
	}
	strides := a.tensor().View().Strides
	slices.SortStableFunc(sorted, func(one, other einsum.Label) int {
		return strides[slices.Index(a.labels, other)] - strides[slices.Index(a.labels, one)]
	})
	return sorted
}

// merges reports whether the axes of labels, in that order, are one axis without a copy.
func (a labelled) merges(labels []einsum.Label) bool {
	view := a.tensor().View()
	for i := 1; i < len(labels); i++ {
		outer, inner := slices.Index(a.labels, labels[i-1]), slices.Index(a.labels, labels[i])
		if view.Strides[outer] != view.Strides[inner]*view.Shape[inner] {
			return false
		}
	}
	return true
}
