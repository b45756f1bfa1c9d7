package ndarray_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// maskedReductions are reductions of a line, with what they are of numbers in a slice, of which at tells where they were.
var maskedReductions = map[string]struct {
	of    func(m nd.Masked, axis int) *nd.Array
	kept  func(m nd.Masked, axis int) *nd.Array
	slow  func(numbers []float64, at []int) float64
	bound float64
}{
	"Count": {
		func(m nd.Masked, axis int) *nd.Array { return m.Count(axis) }, func(m nd.Masked, axis int) *nd.Array { return m.CountKeepDims(axis) },
		func(x []float64, _ []int) float64 { return float64(len(x)) }, 0,
	},
	"Sum": {func(m nd.Masked, axis int) *nd.Array { return m.Sum(axis) }, func(m nd.Masked, axis int) *nd.Array { return m.SumKeepDims(axis) }, slowSum, 1e-15},
	"Prod": {
		func(m nd.Masked, axis int) *nd.Array { return m.Prod(axis) }, func(m nd.Masked, axis int) *nd.Array { return m.ProdKeepDims(axis) },
		func(x []float64, _ []int) float64 {
			product := 1.0
			for _, v := range x {
				product *= v
			}
			return product
		}, 1e-15,
	},
	"Mean": {func(m nd.Masked, axis int) *nd.Array { return m.Mean(axis) }, func(m nd.Masked, axis int) *nd.Array { return m.MeanKeepDims(axis) }, slowMean, 1e-15},
	"Var": {
		func(m nd.Masked, axis int) *nd.Array { return m.Var(1, axis) }, func(m nd.Masked, axis int) *nd.Array { return m.VarKeepDims(1, axis) },
		func(x []float64, _ []int) float64 { return slowVariance(x, 1) }, 1e-14,
	},
	"Std": {
		func(m nd.Masked, axis int) *nd.Array { return m.Std(0.5, axis) }, func(m nd.Masked, axis int) *nd.Array { return m.StdKeepDims(0.5, axis) },
		func(x []float64, _ []int) float64 { return math.Sqrt(slowVariance(x, 0.5)) }, 1e-14,
	},
	"Max": {func(m nd.Masked, axis int) *nd.Array { return m.Max(axis) }, func(m nd.Masked, axis int) *nd.Array { return m.MaxKeepDims(axis) }, slowMax, 0},
	"Min": {
		func(m nd.Masked, axis int) *nd.Array { return m.Min(axis) }, func(m nd.Masked, axis int) *nd.Array { return m.MinKeepDims(axis) },
		func(x []float64, at []int) float64 { return -slowMax(negated(x), at) }, 0,
	},
	"ArgMax": {func(m nd.Masked, axis int) *nd.Array { return m.ArgMax(axis) }, func(m nd.Masked, axis int) *nd.Array { return m.ArgMaxKeepDims(axis) }, slowArgMax, 0},
	"ArgMin": {
		func(m nd.Masked, axis int) *nd.Array { return m.ArgMin(axis) }, func(m nd.Masked, axis int) *nd.Array { return m.ArgMinKeepDims(axis) },
		func(x []float64, at []int) float64 { return slowArgMax(negated(x), at) }, 0,
	},
	"Median":   {func(m nd.Masked, axis int) *nd.Array { return m.Median(axis) }, nil, func(x []float64, _ []int) float64 { return slowQuantile(x, 0.5) }, 1e-15},
	"Quantile": {func(m nd.Masked, axis int) *nd.Array { return m.Quantile(0.3, axis) }, nil, func(x []float64, _ []int) float64 { return slowQuantile(x, 0.3) }, 1e-15},
	"Quantiles": {
		func(m nd.Masked, axis int) *nd.Array { return m.Quantiles([]float64{1, 0.3}, axis).Index(1) }, nil,
		func(x []float64, _ []int) float64 { return slowQuantile(x, 0.3) }, 1e-15,
	},
}

func slowSum(x []float64, _ []int) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

func slowMean(x []float64, at []int) float64 { return slowSum(x, at) / float64(len(x)) }

func slowVariance(x []float64, correction float64) float64 {
	freedom := float64(len(x)) - correction
	if freedom <= 0 {
		return math.NaN()
	}
	mean, sum := slowMean(x, nil), 0.0
	for _, v := range x {
		sum += float64((v - mean) * (v - mean))
	}
	return sum / freedom
}

func negated(x []float64) []float64 {
	result := slices.Clone(x)
	for i := range result {
		result[i] = -result[i]
	}
	return result
}

func slowMax(x []float64, _ []int) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	best := math.Inf(-1)
	for _, v := range x {
		best = max(best, v)
	}
	return best
}

func slowArgMax(x []float64, at []int) float64 {
	if len(x) == 0 {
		return -1
	}
	best := 0
	for i, v := range x {
		if v > x[best] || math.IsNaN(v) && !math.IsNaN(x[best]) {
			best = i
		}
	}
	return float64(at[best])
}

func slowQuantile(x []float64, q float64) float64 {
	if len(x) == 0 || slices.ContainsFunc(x, math.IsNaN) {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(x))
	position := float64(q * float64(len(x)-1))
	below := int(position)
	if part := position - float64(below); part > 0 {
		return float64(sorted[below]*(1-part)) + float64(sorted[below+1]*part)
	}
	return sorted[below]
}

// sparse is an array of shape (3,5,4), views of which have lines in three directions, with lines of NaN alone, of one number, and of infinities.
func sparse() (x *nd.Array, numbers []float64) {
	numbers = make([]float64, 60)
	for i := range numbers {
		numbers[i] = []float64{1.5, -2, math.NaN(), 0.25, math.NaN(), 3, -2, 8, 0.5, math.Inf(1), math.NaN(), -1, 1.5}[i*7%13]
		if i/20 == 1 && (i/4%5 == 2 || i%4 == 3) || i < 4 {
			numbers[i] = math.NaN()
		}
	}
	numbers[22], numbers[2] = math.Inf(-1), 4
	return nd.FromSlice(numbers, 3, 5, 4), numbers
}

func TestMaskedReductionsEqualThoseOfWhatCounts(t *testing.T) {
	x, numbers := sparse()
	isSet := func(i int) bool { return i%3 != 1 && i/20 != 2 }
	flags := make([]bool, len(numbers))
	for i := range flags {
		flags[i] = isSet(i)
	}
	mask := nd.FromSlice(flags, 3, 5, 4)
	strides := []int{20, 4, 1}
	for name, r := range maskedReductions {
		for axis, n := range x.Shape() {
			for kind, c := range map[string]struct {
				m      nd.Masked
				counts func(i int) bool
			}{
				"without NaN": {x.WithoutNaN(), func(i int) bool { return !math.IsNaN(numbers[i]) }},
				"masked":      {x.Masked(mask), isSet},
				"turned":      {x.T().Copy().T().Masked(mask.T().Copy().T()), isSet},
			} {
				var want []float64
				for i := range numbers {
					if i/strides[axis]%n != 0 {
						continue // not the beginning of a line
					}
					var line []float64
					var at []int
					for j := range n {
						if k := i + j*strides[axis]; c.counts(k) {
							line, at = append(line, numbers[k]), append(at, j)
						}
					}
					want = append(want, r.slow(line, at))
				}
				y := r.of(c.m, axis-3)
				require.Equal(t, slices.Delete(x.Shape(), axis, axis+1), y.Shape())
				requireClose(t, want, values[float64](t, y.Cast(dtype.Float64)), r.bound, "%s %s along %d", name, kind, axis)
				if r.kept != nil {
					y = r.kept(c.m, axis)
					require.Equal(t, 1, y.Shape()[axis])
					requireClose(t, want, values[float64](t, y.Cast(dtype.Float64)), r.bound, "%s %s along %d kept", name, kind, axis)
				}
			}
		}
	}
}

func requireClose(t *testing.T, want, got []float64, bound float64, name string, arguments ...any) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, w := range want {
		same := math.IsNaN(w) && math.IsNaN(got[i]) || w == got[i] || math.Abs(w-got[i]) <= bound*max(1, math.Abs(w))
		if !same {
			require.Failf(t, "not close", name+": element %d is %v, want %v", append(arguments, i, got[i], w)...)
		}
	}
}

// TestReductionsOfAllElementsEqualThoseOfArrays has every element count, in every dtype.
func TestReductionsOfAllElementsEqualThoseOfArrays(t *testing.T) {
	for _, d := range dtype.All() {
		x := nd.FromSlice([]float64{3, 0, 5, 1, 1, 2, 7, 4, 5, 1, 6, 3}, 3, 4).Cast(d)
		for _, m := range []nd.Masked{x.WithoutNaN(), x.Masked(nd.Full(true))} {
			pairs := map[string][2]*nd.Array{
				"Sum": {x.Sum(1), m.Sum(1)}, "SumKeepDims": {x.SumKeepDims(), m.SumKeepDims()}, "Prod": {x.Prod(0), m.Prod(0)}, "Mean": {x.Mean(0, 1), m.Mean(0, 1)},
			}
			if !d.IsComplex() {
				pairs["Max"], pairs["Min"], pairs["MaxKeepDims"] = [2]*nd.Array{x.Max(1), m.Max(1)}, [2]*nd.Array{x.Min(), m.Min()}, [2]*nd.Array{x.MaxKeepDims(0, 1), m.MaxKeepDims(0, 1)}
				pairs["ArgMax"], pairs["ArgMin"] = [2]*nd.Array{x.ArgMax(1), m.ArgMax(1)}, [2]*nd.Array{x.ArgMin(), m.ArgMin()}
				pairs["Var"], pairs["Std"] = [2]*nd.Array{x.Var(1, 1), m.Var(1, 1)}, [2]*nd.Array{x.Std(0), m.Std(0)}
				pairs["Median"], pairs["Quantile"] = [2]*nd.Array{x.Median(0), m.Median(0)}, [2]*nd.Array{x.Quantile(0.3, 1), m.Quantile(0.3, 1)}
				pairs["Quantiles"] = [2]*nd.Array{x.Quantiles([]float64{0.9, 0.1}, 1), m.Quantiles([]float64{0.9, 0.1}, 1)}
				pairs["no Quantiles"] = [2]*nd.Array{x.Quantiles(nil, 1), m.Quantiles(nil, 1)}
			}
			for name, pair := range pairs {
				require.Equal(t, pair[0].DType(), pair[1].DType(), "%s of %v", name, d)
				require.Equal(t, pair[0].Shape(), pair[1].Shape(), "%s of %v", name, d)
				limits, _ := d.FloatLimits()
				near, err := nd.Item[bool](pair[0].IsClose(pair[1], max(limits.Epsilon, 1e-15), 0).AllTrue())
				require.NoError(t, err)
				require.True(t, near, "%s of %v: want %v, got %v", name, d, pair[0], pair[1])
			}
		}
	}
}

func TestQuantilesOfAllElementsEqualThoseOfArrays(t *testing.T) {
	x := nd.Arange(0.0, 84, 1).MulScalar(1.7).Sin().MulScalar(3).Reshape(12, 7)
	x.SetSlice(nd.Weak(0.1), 0) // between equal numbers is none other
	x.SetSlice(nd.FromSlice([]float64{math.Inf(1), math.Inf(-1), 1e308, -1.7e308, 1.7e308, 0, math.NaN()}), 1)
	x.SetSlice(nd.FromSlice([]float64{math.Inf(1), 1, math.Inf(-1), math.Inf(1), math.Inf(-1), 2, 3}), 2)
	for _, d := range []dtype.DType{dtype.Float64, dtype.Float32, dtype.Float16} {
		a := x.Cast(d)
		for _, q := range []float64{0, 0.1, 0.3, 0.45, 0.5, 0.6, 0.9, 1} {
			for axis := range 2 {
				require.Equal(t, a.Quantile(q, axis).String(), a.Masked(nd.Full(true)).Quantile(q, axis).String(), "%v of %v along %d", q, d, axis)
			}
		}
	}
}

func TestReductionsOfNothingThatCounts(t *testing.T) {
	none := nd.Full(false)
	integers := nd.FromSlice([]int16{3, -4}).Masked(none)
	require.Equal(t, []int64{0}, values[int64](t, integers.Sum()))
	require.Equal(t, []int64{1}, values[int64](t, integers.Prod()))
	require.Equal(t, []int16{math.MinInt16}, values[int16](t, integers.Max()))
	require.Equal(t, []int16{math.MaxInt16}, values[int16](t, integers.Min()))
	require.Equal(t, []uint64{math.MaxUint64}, values[uint64](t, nd.FromSlice([]uint64{3}).Masked(none).Min()))
	require.Equal(t, []int64{math.MaxInt64}, values[int64](t, nd.FromSlice([]int64{3}).Masked(none).Min()))
	require.Equal(t, []bool{false}, values[bool](t, nd.FromSlice([]bool{true}).Masked(none).Max()))
	require.Equal(t, []bool{true}, values[bool](t, nd.FromSlice([]bool{false}).Masked(none).Min()))
	require.Equal(t, []int64{-1}, values[int64](t, integers.ArgMax()))
	require.True(t, math.IsNaN(values[float64](t, integers.Mean())[0]))
	require.True(t, math.IsNaN(values[float64](t, integers.Median(0))[0]))

	empty := nd.Zeros[float32](0, 2).WithoutNaN()
	require.Equal(t, []float32{0, 0}, values[float32](t, empty.Sum(0)))
	require.True(t, math.IsNaN(float64(values[float32](t, empty.Mean(0))[1])))
	require.Equal(t, []int{0}, empty.Max(1).Shape())
	require.ErrorContains(t, mistake(t, func() { empty.Max(0) }), "Masked.Max: axis 0 has no elements to choose from")
	require.ErrorContains(t, mistake(t, func() { empty.ArgMin() }), "Masked.ArgMin: axis 0 has no elements to choose from")
	require.ErrorContains(t, mistake(t, func() { empty.Median(0) }), "Masked.Median: there are no elements along axis 0")

	require.Equal(t, []float64{2}, values[float64](t, nd.Full(2.0).WithoutNaN().Max()))
	require.Equal(t, []float64{0}, values[float64](t, nd.Full(2.0).WithoutNaN().Std(0)))
}

// TestIndicesAreOfWhatCounts has elements equal to the best that do not count, and ones that no number is beyond.
func TestIndicesAreOfWhatCounts(t *testing.T) {
	last := nd.FromSlice([]bool{false, false, true})
	for _, x := range []*nd.Array{
		nd.FromSlice([]float32{5, 9, 5}), nd.FromSlice([]float64{math.Inf(-1), math.Inf(1), math.Inf(-1)}), nd.FromSlice([]float64{1, 2, math.NaN()}),
		nd.FromSlice([]int8{-128, 127, -128}), nd.FromSlice([]uint8{0, 255, 0}), nd.FromSlice([]bool{false, true, false}),
	} {
		require.Equal(t, []int64{2}, values[int64](t, x.Masked(last).ArgMax()), "%v", x)
		require.Equal(t, []int64{2}, values[int64](t, x.Masked(last).ArgMin()), "%v", x)
	}
}

func TestMistakesWithMasksAreErrorsAtTheCall(t *testing.T) {
	x, mask := floats(2, 3), nd.Full(true)
	for _, c := range []struct {
		cause error
		text  string
		call  func()
	}{
		{fault.ErrDType, "Masked: a mask of int64, want bool", func() { x.Masked(nd.Zeros[int64](3)) }},
		{fault.ErrShape, "Masked: ", func() { x.Masked(nd.Zeros[bool](4)) }},
		{fault.ErrShape, "Masked: ", func() { x.Masked(nd.Zeros[bool](5, 2, 3)) }},
		{fault.ErrMisuse, "Masked: array 1 of 2 is nil", func() { x.Masked(nil) }},
		{fault.ErrMisuse, "WithoutNaN: the array is nil", func() { (*nd.Array)(nil).WithoutNaN() }},
		{fault.ErrMisuse, "Masked.Sum: array 0 of 2 is nil", func() { nd.Masked{}.Sum() }},
		{fault.ErrAxis, "Masked.Mean: axis 2 is out of range", func() { x.Masked(mask).Mean(2) }},
		{fault.ErrAxis, "Masked.ArgMax: axis 1 is named twice", func() { x.Masked(mask).ArgMax(1, -1) }},
		{fault.ErrAxis, "Masked.Quantile: axis 5 is out of range", func() { x.WithoutNaN().Quantile(0.5, 5) }},
		{fault.ErrParameter, "Masked.Quantiles: q is 1.5 (legal: from 0 to 1", func() { x.WithoutNaN().Quantiles([]float64{0, 1.5}, 0) }},
		{fault.ErrParameter, "Masked.Var: the correction is NaN", func() { x.WithoutNaN().Var(math.NaN()) }},
		{fault.ErrDType, "Masked.Max: no arithmetic for complex64", func() { nd.Zeros[complex64](2).WithoutNaN().Max() }},
		{fault.ErrDType, "Masked.Std: no variances of complex numbers", func() { nd.Zeros[complex64](2).WithoutNaN().Std(0) }},
	} {
		err := mistake(t, c.call)
		require.ErrorIs(t, err, c.cause)
		require.ErrorContains(t, err, "weft: "+c.text)
		require.ErrorContains(t, err, " at masked_test.go:")
	}
}
