package fft_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/fft"
	nd "github.com/weft-nd/weft/ndarray"
)

// noise returns complex128 numbers around 0.
func noise(shape ...int) *nd.Array {
	count := 1
	for _, n := range shape {
		count *= n
	}
	r := rand.New(rand.NewPCG(uint64(count), 7))
	values := make([]complex128, count)
	for i := range values {
		values[i] = complex(r.NormFloat64(), r.NormFloat64())
	}
	return nd.FromSlice(values, shape...)
}

func numbers(t *testing.T, x *nd.Array) []complex128 {
	t.Helper()
	values, err := nd.ValuesAs[complex128](x)
	require.NoError(t, err)
	return values
}

// requireNear checks that arrays have the same shape and dtype, and elements that differ by no more than rounding makes of the
// largest.
func requireNear(t *testing.T, want, got *nd.Array, message ...any) {
	t.Helper()
	require.Equal(t, want.Shape(), got.Shape(), message...)
	require.Equal(t, want.DType(), got.DType(), message...)
	w, g := numbers(t, want), numbers(t, got)
	largest := 1.0
	for _, z := range w {
		largest = max(largest, cmplx.Abs(z))
	}
	for i, z := range w {
		unit := 0x1p-52
		if want.DType().Size() == dtype.Complex64.Size() && want.DType().IsComplex() || want.DType() == dtype.Float32 {
			unit = 0x1p-23
		}
		require.LessOrEqual(t, cmplx.Abs(z-g[i]), (8+math.Log2(float64(len(w))))*unit*largest, "element %d: got %v, want %v %v", i, g[i], z, message)
	}
}

func requireSame(t *testing.T, want, got *nd.Array, message ...any) {
	t.Helper()
	require.Equal(t, want.Shape(), got.Shape(), message...)
	require.Equal(t, numbers(t, want), numbers(t, got), message...)
}

var lengths = []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 37, 64, 74, 101, 360}

func TestInverseTransformsGiveBackWhatWasTransformed(t *testing.T) {
	for _, n := range lengths {
		for _, norm := range []fft.Norm{fft.Backward, fft.Ortho, fft.Forward} {
			for _, d := range []dtype.DType{dtype.Complex64, dtype.Complex128} {
				z := noise(3, n).Cast(d)
				options := []fft.Option{fft.Normed(norm)}
				requireNear(t, z, fft.IFFT(fft.FFT(z, options...), options...), n, norm)
				x := z.Real().Copy()
				options = append(options, fft.Lengths(n))
				requireNear(t, x, fft.IRFFT(fft.RFFT(x, options...), options...), n, norm)
				requireNear(t, x, fft.HFFT(fft.IHFFT(x, options...), options...), n, norm)
				cube := noise(2, n, 3).Cast(d)
				requireNear(t, cube, fft.IFFTN(fft.FFTN(cube, options[0]), options[0]), n, norm)
				requireNear(t, cube, fft.IFFT2(fft.FFT2(cube, options[0]), options[0]), n, norm)
				part := cube.Real().Copy()
				whole := fft.Lengths(2, n, 3)
				requireNear(t, part, fft.IRFFTN(fft.RFFTN(part, options[0]), options[0], whole), n, norm)
				requireNear(t, part, fft.IRFFT2(fft.RFFT2(part, options[0]), options[0], fft.Lengths(n, 3)), n, norm)
			}
		}
	}
}

func TestTransformsOfRealNumbersAreAPartOfThoseOfComplexOnes(t *testing.T) {
	for _, n := range lengths {
		for _, d := range []dtype.DType{dtype.Float32, dtype.Float64} {
			x := noise(2, n).Real().Cast(d)
			whole := fft.FFT(x)
			requireNear(t, whole.Index(nd.Whole, nd.Span(0, n/2+1)), fft.RFFT(x), n)
			mirrored := whole.Flip(-1).Roll(1, -1).Conj()
			requireNear(t, whole, mirrored, "number n-k is conjugate")
			requireNear(t, fft.RFFT(x).Conj().Cast(fft.RFFT(x).DType()), fft.IHFFT(x, fft.Normed(fft.Forward)), n)
			requireNear(t, x, fft.IFFT(whole).Real(), n)
		}
	}
}

// Where a signal is the mirror image of itself, its transform is real.
func TestTransformsOfMirroredSignalsAreReal(t *testing.T) {
	for _, n := range lengths {
		half := noise(n/2 + 1)
		values, whole := numbers(t, half), make([]complex128, n)
		for j, z := range values {
			whole[(n-j)%n], whole[j] = cmplx.Conj(z), z
			if 2*j%n == 0 {
				whole[j] = complex(real(z), 0)
			}
		}
		transformed := fft.FFT(nd.FromSlice(whole))
		requireNear(t, transformed.Real().Copy(), fft.HFFT(half, fft.Lengths(n)), n)
		requireNear(t, fft.IFFT(nd.FromSlice(whole)).Real().Copy(), fft.IRFFT(half, fft.Lengths(n)), n)
	}
}

func TestTransformsOverAxesAreThoseAlongEach(t *testing.T) {
	z := noise(3, 4, 5)
	requireNear(t, fft.FFT(fft.FFT(fft.FFT(z, fft.Along(2)), fft.Along(1)), fft.Along(0)), fft.FFTN(z))
	requireNear(t, fft.FFT(fft.FFT(z, fft.Along(2)), fft.Along(0)), fft.FFTN(z, fft.Along(0, -1)))
	requireNear(t, fft.IFFT(fft.IFFT(z, fft.Along(2)), fft.Along(1)), fft.IFFT2(z))
	x := z.Real().Copy()
	requireNear(t, fft.FFT(fft.RFFT(x, fft.Along(1)), fft.Along(2)), fft.RFFT2(x, fft.Along(2, 1)), "the last axis named has half of the numbers")
	requireNear(t, fft.IRFFT(fft.IFFT(z, fft.Along(0)), fft.Along(1)), fft.IRFFTN(z, fft.Along(0, 1)))
	requireNear(t, fft.FFT(fft.FFT(z, fft.Lengths(6)), fft.Along(1), fft.Lengths(2)), fft.FFTN(z, fft.Lengths(2, 6)), "lengths are of the last axes")
	requireNear(t, fft.FFT2(z, fft.Lengths(-1, 7)), fft.FFT2(z, fft.Lengths(4, 7)), "-1 is as many as there are")
}

func TestLengthsCutAndFillUpWithZeros(t *testing.T) {
	z := noise(2, 6, 3)
	for _, n := range []int{1, 2, 5, 6, 7, 12, 53} {
		resized := z
		if n <= 6 {
			resized = z.Index(nd.Whole, nd.Span(0, n))
		} else {
			resized = nd.Concat(1, z, nd.Zeros[complex128](2, n-6, 3))
		}
		along := fft.Along(1)
		requireSame(t, fft.FFT(resized, along), fft.FFT(z, along, fft.Lengths(n)), n)
		requireSame(t, fft.IFFT(resized, along), fft.IFFT(z, along, fft.Lengths(n)), n)
		requireSame(t, fft.RFFT(resized.Real(), along), fft.RFFT(z.Real(), along, fft.Lengths(n)), n)
		requireSame(t, fft.FFTN(resized), fft.FFTN(z, fft.Lengths(2, n, 3)), n)
		requireSame(t, fft.RFFTN(resized.Real()), fft.RFFTN(z.Real(), fft.Lengths(2, n, 3)), n)
	}
	for _, n := range []int{1, 4, 5, 20, 21} {
		short := nd.Concat(0, noise(3), nd.Zeros[complex128](n)).Index(nd.Span(0, n/2+1))
		requireSame(t, fft.IRFFT(short, fft.Lengths(n)), fft.IRFFT(noise(3), fft.Lengths(n)), n)
	}
	requireSame(t, nd.Zeros[complex128](2, 4), fft.FFT(nd.Zeros[float64](2, 0), fft.Lengths(4)))
	requireSame(t, nd.Zeros[float64](3, 4), fft.IRFFTN(nd.Zeros[complex128](0, 0), fft.Lengths(3, 4)))
}

func TestResultsAreSinglePrecisionWhereOperandsAre(t *testing.T) {
	for _, d := range dtype.All() {
		x := nd.Ones[int8](4).Cast(d)
		single := d == dtype.Float32 || d == dtype.Float16 || d == dtype.BFloat16 || d == dtype.Complex64
		complexes, reals := dtype.Complex128, dtype.Float64
		if single {
			complexes, reals = dtype.Complex64, dtype.Float32
		}
		require.Equal(t, complexes, fft.FFT(x).DType(), d)
		require.Equal(t, complexes, fft.IFFT2(x.Reshape(2, 2)).DType(), d)
		require.Equal(t, reals, fft.IRFFT(x).DType(), d)
		require.Equal(t, reals, fft.HFFT(x).DType(), d)
		require.Equal(t, []complex128{4, 0, 0, 0}, numbers(t, fft.FFT(x)), d)
		if d.IsComplex() {
			require.ErrorIs(t, nd.Try(func() { fft.RFFT(x) }), fault.ErrDType)
			continue
		}
		require.Equal(t, complexes, fft.RFFT(x).DType(), d)
		require.Equal(t, []complex128{4, 0, 0}, numbers(t, fft.RFFT(x)), d)
	}
}

func TestViewsAreTransformedAsTheirCopies(t *testing.T) {
	z := noise(6, 8, 5)
	for name, view := range map[string]*nd.Array{
		"transposed": z.Transpose(2, 0, 1), "backward": z.Flip(1), "strided": z.Index(nd.SpanBy(0, 6, 2), nd.SpanBy(7, 0, -3)), "part": z.Index(nd.Span(1, 4), nd.Span(2, 7), nd.Span(1, 3)),
		"broadcast": z.Index(0).BroadcastTo(3, 8, 5), "one number": z.Index(nd.Span(0, 1), nd.Span(0, 1), nd.Span(0, 1)).BroadcastTo(2, 8, 6),
	} {
		for axis := range 3 {
			along := fft.Along(axis)
			requireSame(t, fft.FFT(view.Copy(), along), fft.FFT(view, along), name, axis)
			requireSame(t, fft.RFFT(view.Imag().Copy(), along), fft.RFFT(view.Imag(), along), name, axis)
			requireSame(t, fft.IRFFT(view.Copy(), along, fft.Lengths(9)), fft.IRFFT(view, along, fft.Lengths(9)), name, axis)
		}
		requireSame(t, fft.IFFTN(view.Copy()), fft.IFFTN(view), name)
		requireSame(t, fft.RFFTN(view.Real().Copy()), fft.RFFTN(view.Real()), name)
	}
}

func TestWhatIsNoNumberStaysInItsLine(t *testing.T) {
	for _, n := range lengths {
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			z := noise(5, n)
			want := fft.FFT(z)
			spoiled := z.Copy()
			nd.Set(spoiled, complex(bad, 0), 2, n/2)
			got := fft.FFT(spoiled)
			for line := range 5 {
				if line != 2 {
					requireSame(t, want.Index(line), fft.FFT(spoiled).Index(line), n)
				}
			}
			for _, value := range numbers(t, got.Index(2)) {
				require.True(t, cmplx.IsNaN(value) || cmplx.IsInf(value), "%d: %v", n, value)
			}
			for _, value := range numbers(t, fft.RFFT(spoiled.Real()).Index(2)) {
				require.True(t, cmplx.IsNaN(value) || cmplx.IsInf(value), "%d: %v", n, value)
			}
		}
	}
}

func TestLongTransformsAreThoseOfGonum(t *testing.T) {
	for _, n := range []int{1 << 15, 1 << 16, 3 << 16, 100_000} {
		z := noise(2, n)
		values := numbers(t, z)
		plan := fourier.NewCmplxFFT(n)
		want := append(plan.Coefficients(nil, values[:n]), plan.Coefficients(nil, values[n:])...)
		requireNear(t, nd.FromSlice(want, 2, n), fft.FFT(z), n)
		requireNear(t, z, fft.IFFT(fft.FFT(z)), n)
		requireNear(t, nd.FromSlice(want, 2, n).T().Copy(), fft.FFT(z.T(), fft.Along(0)), n, "columns")
		x := z.Real().Copy()
		first, err := nd.Values[float64](x.Index(0))
		require.NoError(t, err)
		spectrum := fourier.NewFFT(n).Coefficients(nil, first)
		requireNear(t, nd.FromSlice(spectrum), fft.RFFT(x).Index(0).Copy(), n)
		requireNear(t, x, fft.IRFFT(fft.RFFT(x), fft.Lengths(n)), n)
		requireNear(t, z.Cast(dtype.Complex64), fft.IFFT(fft.FFT(z.Cast(dtype.Complex64))), n)
	}
}

func TestResultsDoNotDependOnWhoElseTransforms(t *testing.T) {
	z := noise(64, 1<<12)
	want := numbers(t, fft.FFT2(z))
	results := make(chan *nd.Array, 4)
	for range cap(results) {
		go func() { results <- fft.FFT2(z) }()
	}
	for range cap(results) {
		require.Equal(t, want, numbers(t, <-results))
	}
}

func TestFrequenciesAndShiftsAreEachOthers(t *testing.T) {
	for n := 1; n < 9; n++ {
		f, err := nd.Values[float64](fft.Frequencies(n, 0.5))
		require.NoError(t, err)
		shifted, err := nd.Values[float64](fft.Shift(fft.Frequencies(n, 0.5)))
		require.NoError(t, err)
		require.IsIncreasing(t, append(shifted, math.Inf(1)))
		require.Zero(t, shifted[n/2])
		requireSame(t, fft.Frequencies(n, 0.5), fft.InverseShift(fft.Shift(fft.Frequencies(n, 0.5))))
		for k, frequency := range f {
			wave := nd.Arange(0, float64(n), 1).MulScalar(2 * math.Pi * frequency * 0.5)
			peak := fft.FFT(nd.Complex(wave.Cos(), wave.Sin())).Abs().ArgMax()
			require.EqualValues(t, k, must(t, peak), "a wave of frequency k is number k")
		}
		requireSame(t, fft.Frequencies(n, 2).Abs().Index(nd.Span(0, n/2+1)), fft.RealFrequencies(n, 2))
	}
	x := nd.Arange[int64](0, 12, 1).Reshape(3, 4)
	requireSame(t, x.Roll(1, 0).Roll(2, 1), fft.Shift(x))
	requireSame(t, x.Roll(-1, 0), fft.InverseShift(x, -2))
	requireSame(t, nd.Full(3.0), fft.Shift(nd.Full(3.0)))
	numbers := []int{7, 8, 9}
	requireSame(t, fft.Shift(x), fft.Shift(x, numbers[:0]...))
	require.Equal(t, []int{7, 8, 9}, numbers, "what the caller has behind an empty list of axes")
}

func TestFrequenciesThatNoMemoryHoldsAreErrors(t *testing.T) {
	for _, frequencies := range []func(n int, spacing float64) *nd.Array{fft.Frequencies, fft.RealFrequencies} {
		require.ErrorIs(t, nd.Try(func() { frequencies(1<<42, 1) }), fault.ErrOutOfMemory)
	}
}

func must(t *testing.T, x *nd.Array) int64 {
	t.Helper()
	value, err := nd.Item[int64](x)
	require.NoError(t, err)
	return value
}

func TestGradientsOfTransformsEqualCentralDifferences(t *testing.T) {
	const step = 1e-5
	shape := []int{2, 5, 4}
	re, im := ramp(40, 0.37), ramp(40, 0.91)
	reals := func() *nd.Array { return nd.FromSlice(re, shape...) }
	complexes := func() *nd.Array { return nd.Complex(nd.FromSlice(re, shape...), nd.FromSlice(im, shape...)) }
	for name, c := range map[string]struct {
		operand func() *nd.Array
		of      func(x *nd.Array) *nd.Array
	}{
		"FFT":                 {complexes, func(x *nd.Array) *nd.Array { return fft.FFT(x, fft.Along(1), fft.Lengths(7), fft.Normed(fft.Ortho)) }},
		"FFT of real numbers": {reals, func(x *nd.Array) *nd.Array { return fft.FFT(x, fft.Lengths(3)) }},
		"IFFTN":               {complexes, func(x *nd.Array) *nd.Array { return fft.IFFTN(x) }},
		"RFFT":                {reals, func(x *nd.Array) *nd.Array { return fft.RFFT(x, fft.Along(1)) }},
		"RFFTN":               {reals, func(x *nd.Array) *nd.Array { return fft.RFFTN(x, fft.Normed(fft.Forward)) }},
		"IRFFT":               {complexes, func(x *nd.Array) *nd.Array { return fft.IRFFT(x, fft.Lengths(5)) }},
		"IRFFTN":              {complexes, func(x *nd.Array) *nd.Array { return fft.IRFFTN(x) }},
		"HFFT":                {complexes, func(x *nd.Array) *nd.Array { return fft.HFFT(x) }},
		"IHFFT":               {reals, func(x *nd.Array) *nd.Array { return fft.IHFFT(x) }},
		"Shift":               {reals, func(x *nd.Array) *nd.Array { return fft.Shift(x) }},
	} {
		loss := func(x *nd.Array) *nd.Array {
			y := c.of(x)
			weights := nd.FromSlice(ramp(y.Count(), 0.53), y.Shape()...)
			return y.Real().Add(y.Abs()).Mul(weights).Sum()
		}
		x := c.operand()
		_, gradients := autograd.ValueAndGradient(func(xs ...*nd.Array) *nd.Array { return loss(xs[0]) }, x)
		require.Equal(t, x.DType(), gradients[0].DType(), name)
		parts := []*nd.Array{gradients[0].Real()}
		if x.DType().IsComplex() {
			parts = append(parts, gradients[0].Imag())
		}
		for part, got := range parts {
			numbers, slopes := [][]float64{re, im}[part], valuesOf(t, got)
			for i, before := range numbers {
				numbers[i] = before + step
				above := valuesOf(t, loss(c.operand()))[0]
				numbers[i] = before - step
				below := valuesOf(t, loss(c.operand()))[0]
				numbers[i] = before
				require.InDelta(t, (above-below)/(2*step), slopes[i], 1e-6, "%s: part %d of %d", name, part, i)
			}
		}
	}
}

// ramp returns numbers from −1 to 1 that follow one another without order.
func ramp(count int, by float64) []float64 {
	numbers := make([]float64, count)
	for i := range numbers {
		numbers[i] = math.Sin(by * float64(i*i+1))
	}
	return numbers
}

func valuesOf(t *testing.T, x *nd.Array) []float64 {
	t.Helper()
	values, err := nd.Values[float64](x)
	require.NoError(t, err)
	return values
}

func TestEmptyBatchesAreTransformed(t *testing.T) {
	for _, x := range []*nd.Array{nd.Zeros[float32](0, 4), nd.Zeros[float32](0, 3, 4)} {
		shape := x.Shape()
		require.Equal(t, shape, fft.FFT(x).Shape())
		shape[len(shape)-1] = 3
		require.Equal(t, shape, fft.RFFT(x).Shape(), fmt.Sprint(x.Shape()))
		require.NoError(t, fft.RFFT(x).Wait(t.Context()))
		require.NoError(t, fft.FFT(x, fft.Lengths(1<<30)).Wait(t.Context()), "memory for nothing")
	}
}

// TestLongPrimeLengthsAreTransformedByTheDefinition computes some elements by the sum that defines them: gonum takes as many operations for each.
func TestLongPrimeLengthsAreTransformedByTheDefinition(t *testing.T) {
	for _, n := range []int{50_021, 65_537, 1_000_003} {
		z := noise(n)
		values, got := numbers(t, z), numbers(t, fft.FFT(z))
		for _, k := range []int{0, 1, 2, 3390, n / 3, n/2 - 1, n / 2, n/2 + 1, n - 1} {
			var want, lost complex128 // what rounding has lost, by Kahan
			for j, value := range values {
				term := value*cmplx.Rect(1, -2*math.Pi*float64(j*k%n)/float64(n)) - lost
				sum := want + term
				want, lost = sum, sum-want-term
			}
			require.InDelta(t, 0, cmplx.Abs(want-got[k]), (8+math.Log2(float64(n)))*0x1p-52*4*math.Sqrt(float64(n)), "element %d of %d", k, n)
		}
		requireNear(t, z, fft.IFFT(fft.FFT(z)), n)
		spectrum := numbers(t, fft.RFFT(z.Real()))
		whole := numbers(t, fft.FFT(z.Real()))
		for k, value := range spectrum {
			require.InDelta(t, 0, cmplx.Abs(value-whole[k]), (8+math.Log2(float64(n)))*0x1p-52*4*math.Sqrt(float64(n)), "element %d of %d", k, n)
		}
	}
}
