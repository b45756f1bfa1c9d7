package ops

import (
	"maps"
	"math"
	"math/cmplx"
	"slices"

	"github.com/weft-nd/weft/dtype"
)

var badTransforms = []Sample{
	{Shapes: [][]int{{}}, Params: FourierParams{Norm: "backward"}}, {Shapes: [][]int{{}}, Params: FourierParams{Axes: []int{-1}, Norm: "backward"}},
	{Shapes: [][]int{{2, 3}}, Params: FourierParams{Axes: []int{2}, Norm: "backward"}}, {Shapes: [][]int{{2, 3}}, Params: FourierParams{Axes: []int{1, -1}, Norm: "backward"}},
	{Shapes: [][]int{{2, 3}}, Params: FourierParams{Axes: []int{1}, Lengths: []int{2, 3}, Norm: "backward"}}, {Shapes: [][]int{{2, 3}}, Params: FourierParams{Lengths: []int{2}, Norm: "backward"}},
	{Shapes: [][]int{{2, 3}}, Params: FourierParams{Axes: []int{1}, Lengths: []int{0}, Norm: "backward"}}, {Shapes: [][]int{{2, 3}}, Params: FourierParams{Axes: []int{1}, Lengths: []int{-2}, Norm: "backward"}},
	{Shapes: [][]int{{2, 0}}, Params: FourierParams{Axes: []int{1}, Norm: "backward"}}, {Shapes: [][]int{{2, 3}}, Params: FourierParams{Axes: []int{1}, Lengths: []int{1 << 60}, Norm: "backward"}},
	{Shapes: [][]int{{2, 3}}, Params: FourierParams{Norm: "orthogonal"}}, {Shapes: [][]int{{2, 3}}, Params: FourierParams{}},
}

func init() {
	operators["fft"] = row{reference: realPartsOf(referenceFFT), bad: badTransforms}
	operators["rfft"] = row{reference: realPartsOf(referenceRFFT), bad: badTransforms}
	operators["irfft"] = row{reference: realPartsOf(referenceIRFFT), bad: append(badTransforms, Sample{Shapes: [][]int{{2, 1}}, Params: FourierParams{Axes: []int{1}, Norm: "backward"}})}
}

// complexTransforms are added to complexOperators.
var complexTransforms = map[string]complexRow{
	"fft": {ulps: 4, reference: referenceFFT}, "rfft": {ulps: 4, reference: referenceRFFT}, "irfft": {ulps: 4, reference: referenceIRFFT},
}

func init() { maps.Copy(complexOperators, complexTransforms) }

// realPartsOf is the reference that is told of no imaginary parts.
func realPartsOf(reference func([]array, map[int][]float64, any) ([]array, [][]float64)) func([]array, any) []array {
	return func(in []array, params any) []array {
		results, _ := reference(in, map[int][]float64{0: make([]float64, len(in[0].values))}, params)
		return results
	}
}

// spectrum is an array of complex numbers, and the sums of the magnitudes that each is made of.
type spectrum struct {
	shape      []int
	values     []complex128
	magnitudes []float64
}

func (s spectrum) at(index []int) int { return array{shape: s.shape}.number(index) }

// along replaces each line along an axis by what f makes of it, n numbers.
func (s spectrum) along(axis, n int, f func(line []complex128) []complex128) spectrum {
	shape := slices.Clone(s.shape)
	shape[axis] = n
	count := len(newArray(dtype.Float64, shape).values)
	result := spectrum{shape, make([]complex128, count), make([]float64, count)}
	across := slices.Clone(shape)
	across[axis] = 1
	eachIndex(across, func(_ int, first []int) {
		line, total := []complex128{}, 0.0
		for i := range s.shape[axis] {
			first[axis] = i
			line = append(line, s.values[s.at(first)])
			total += s.magnitudes[s.at(first)]
		}
		for i, z := range f(line) {
			first[axis] = i
			result.values[result.at(first)], result.magnitudes[result.at(first)] = z, total
		}
		first[axis] = 0
	})
	return result
}

// resized cuts the lines along an axis, or puts zeros behind them.
func (s spectrum) resized(axis, n int) spectrum {
	return s.along(axis, n, func(line []complex128) []complex128 {
		return append(line, make([]complex128, max(0, n-len(line)))...)[:n]
	})
}

// transform is the definition, along an axis.
func (s spectrum) transform(axis int, inverse bool) spectrum {
	n := s.shape[axis]
	return s.along(axis, n, func(line []complex128) []complex128 {
		result := make([]complex128, n)
		for k := range result {
			for j, z := range line {
				angle := -2 * math.Pi * float64(j*k%n) / float64(n)
				if inverse {
					angle = -angle
				}
				result[k] += z * cmplx.Rect(1, angle)
			}
		}
		return result
	})
}

// scaled divides by the count of numbers to the power that the norm says.
func (s spectrum) scaled(count int, p FourierParams) spectrum {
	factor := 1.0
	switch {
	case p.Norm == "ortho":
		factor = 1 / math.Sqrt(float64(count))
	case p.Norm == "backward" && p.Inverse || p.Norm == "forward" && !p.Inverse:
		factor = 1 / float64(count)
	}
	for i := range s.values {
		s.values[i] *= complex(factor, 0)
		s.magnitudes[i] *= factor
	}
	return s
}

func (s spectrum) arrays(d dtype.DType) ([]array, [][]float64) {
	re, im := newArray(d, s.shape), newArray(d, s.shape)
	re.scale = s.magnitudes
	for i, z := range s.values {
		re.values[i], im.values[i] = real(z), imag(z)
	}
	if !d.IsComplex() {
		return []array{re}, [][]float64{nil}
	}
	return []array{re}, [][]float64{im.values}
}

// transformOf returns the operand, and the axes and lengths of the call; those of the last axis are of real numbers if the result is real.
func transformOf(in array, imaginary []float64, p FourierParams, toReal bool) (s spectrum, axes, lengths []int, count int) {
	s = spectrum{in.shape, make([]complex128, len(in.values)), make([]float64, len(in.values))}
	for i, re := range in.values {
		s.values[i] = complex(re, 0)
		if imaginary != nil {
			s.values[i] = complex(re, imaginary[i])
		}
		s.magnitudes[i] = cmplx.Abs(s.values[i])
	}
	axes, count = slices.Clone(p.Axes), 1
	if len(axes) == 0 {
		for axis := range in.shape {
			axes = append(axes, axis)
		}
	}
	for i := range axes {
		axes[i] = axisOf(in.shape, axes[i])
		n := in.shape[axes[i]]
		if toReal && i == len(axes)-1 {
			n = 2 * (n - 1)
		}
		if len(p.Lengths) > 0 && p.Lengths[i] >= 0 {
			n = p.Lengths[i]
		}
		lengths = append(lengths, n)
		count *= n
	}
	return s, axes, lengths, count
}

func referenceFFT(in []array, imaginary map[int][]float64, params any) ([]array, [][]float64) {
	p := params.(FourierParams)
	s, axes, lengths, count := transformOf(in[0], imaginary[0], p, false)
	for i, axis := range axes {
		s = s.resized(axis, lengths[i]).transform(axis, p.Inverse)
	}
	return s.scaled(count, p).arrays(dtype.Promote(in[0].dtype, dtype.Complex64))
}

// referenceRFFT leaves out of the whole transform what is conjugate.
func referenceRFFT(in []array, imaginary map[int][]float64, params any) ([]array, [][]float64) {
	p := params.(FourierParams)
	s, axes, lengths, count := transformOf(in[0], nil, p, false)
	for i, axis := range axes {
		s = s.resized(axis, lengths[i]).transform(axis, p.Inverse)
	}
	last := len(axes) - 1
	return s.resized(axes[last], lengths[last]/2+1).scaled(count, p).arrays(dtype.Promote(in[0].dtype, dtype.Complex64))
}

// referenceIRFFT completes the numbers by those that are conjugate.
func referenceIRFFT(in []array, imaginary map[int][]float64, params any) ([]array, [][]float64) {
	p := params.(FourierParams)
	s, axes, lengths, count := transformOf(in[0], imaginary[0], p, true)
	last := len(axes) - 1
	for i, axis := range axes[:last] {
		s = s.resized(axis, lengths[i]).transform(axis, p.Inverse)
	}
	n := lengths[last]
	s = s.resized(axes[last], n/2+1).along(axes[last], n, func(line []complex128) []complex128 {
		whole := make([]complex128, n)
		for k, z := range line {
			whole[(n-k)%n] = cmplx.Conj(z)
			whole[k] = z
			if 2*k%n == 0 {
				whole[k] = complex(real(z), 0)
			}
		}
		return whole
	})
	return s.transform(axes[last], p.Inverse).scaled(count, p).arrays(in[0].dtype.RealPart())
}
