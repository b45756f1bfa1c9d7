package ops

import (
	"slices"

	"github.com/weft-nd/weft/kernels/cpu/fourier"
	"github.com/weft-nd/weft/storage"
)

// transformBack is the gradient of discrete Fourier transforms: the transform of the upstream gradient with exponents of the
// other sign and the same factor. For real transforms, numbers that stand for two of the whole transform are halved before, or
// doubled after that.
func (r *Rule) transformBack(form fourier.Form) {
	p, shape := r.Params().(FourierParams), r.Shape(0)
	axes := slices.Clone(p.Axes)
	if len(axes) == 0 {
		axes = reducedAxes(nil, len(shape))
	}
	for i, axis := range axes {
		if axis < 0 {
			axes[i] += len(shape)
		}
	}
	back := FourierParams{Axes: axes, Inverse: !p.Inverse, Norm: p.Norm}
	switch p.Norm {
	case "backward":
		back.Norm = "forward"
	case "forward":
		back.Norm = "backward"
	}
	last, gradient := axes[len(axes)-1], r.Upstream()
	switch form {
	case fourier.Complex:
		gradient = r.Apply("fft", back, gradient)
	case fourier.FromReal:
		count := shape[last]
		if len(p.Lengths) > 0 && p.Lengths[len(axes)-1] != -1 {
			count = p.Lengths[len(axes)-1]
		}
		back.Lengths = append(slices.Repeat([]int{-1}, len(axes)-1), count)
		gradient = r.Apply("irfft", back, r.weighPairs(gradient, last, count, -0.5))
	case fourier.ToReal:
		count := r.Result(0).Shape[last]
		gradient = r.weighPairs(r.Apply("rfft", back, gradient), last, count, 1)
	}
	r.Set(0, r.fitted(gradient, axes))
}

// weighPairs adds those of the numbers along an axis of a, times a factor, that stand for two of count.
func (r *Rule) weighPairs(a Value, axis, count int, factor float64) Value {
	pairs := (count - 1) / 2
	if pairs == 0 {
		return a
	}
	spans := wholeSpans(a.Shape())
	spans[axis] = storage.Span{Start: 1, Count: pairs, Step: 1}
	twofold := r.Scale(r.Apply("slice", SliceParams{spans}, a), factor)
	return r.Add(a, r.Apply("embed", EmbedParams{a.Shape(), spans}, twofold))
}

// fitted returns a as long along axes as the operand: cut, or filled up with zeros.
func (r *Rule) fitted(a Value, axes []int) Value {
	spans, isCut := wholeSpans(a.Shape()), false
	for _, axis := range axes {
		if want := r.Shape(0)[axis]; want < spans[axis].Count {
			spans[axis].Count, isCut = want, true
		}
	}
	if isCut {
		a = r.Apply("slice", SliceParams{spans}, a)
	}
	if !slices.Equal(a.Shape(), r.Shape(0)) {
		a = r.Apply("embed", EmbedParams{r.Shape(0), spans}, a)
	}
	return a
}
