package cpu

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// ofComplex returns the results of the kernel of an operator for complex numbers with the given parts.
func ofComplex[T dtype.Float](t *testing.T, operator string, operands ...[2]T) [2]T {
	t.Helper()
	kernel, found := Lookup(operator + "/" + complexOf[T]().String())
	require.True(t, found, operator)
	view := func(v *[2]T) device.View {
		return device.View{Pointer: device.Pointer{Host: unsafe.Pointer(v)}, DType: complexOf[T]()}
	}
	var result [2]T
	a := &device.Arguments{Outputs: []device.View{view(&result)}}
	for i := range operands {
		a.Inputs = append(a.Inputs, view(&operands[i]))
	}
	require.NoError(t, kernel(pools[2].Thread(), a))
	return result
}

// TestFunctionsOfComplexNumbersAreAccurate has values that mpmath computed with 2400 bits (testdata/complex_functions.txt: operator,
// parts of the number, parts of the result), near and far from branch points, zeros and the limits of float64.
func TestFunctionsOfComplexNumbersAreAccurate(t *testing.T) {
	file, err := os.Open("testdata/complex_functions.txt")
	require.NoError(t, err)
	defer file.Close()
	rows := 0
	for lines := bufio.NewScanner(file); lines.Scan(); rows++ {
		words := strings.Fields(lines.Text())
		var numbers [4]float64
		for i := range numbers {
			numbers[i], err = strconv.ParseFloat(words[1+i], 64)
			require.NoError(t, err)
		}
		got, want := ofComplex(t, words[0], [2]float64{numbers[0], numbers[1]}), [2]float64{numbers[2], numbers[3]}
		largest := max(math.Abs(want[0]), math.Abs(want[1]))
		cancels := strings.HasPrefix(words[0], "log") || words[0] == "expm1" // where the real part is near zero
		for part, w := range want {
			units := math.Abs(got[part]-w) / spacing(w)
			require.LessOrEqual(t, math.Abs(got[part]-w)/spacing(largest), 3.0, "%s: got %v", lines.Text(), got)
			require.True(t, cancels && part == 0 || units <= 4, "%s: part %d is off by %v units, %v", lines.Text(), part, units, got)
		}
	}
	require.Greater(t, rows, 500)
}

// spacing is the distance of floats around v.
func spacing(v float64) float64 {
	_, exponent := math.Frexp(v)
	return math.Ldexp(1, max(exponent-53, -1074))
}

// TestComplex64IsComplex128RoundedOnce compares the functions of single precision with those of double precision.
func TestComplex64IsComplex128RoundedOnce(t *testing.T) {
	r := randomAt(3)
	for name := range inners {
		operator, isSingle := strings.CutSuffix(name, "/complex64")
		if !isSingle || inners[name].parts != nil || inners[name].sizes[0] != 8 || len(inners[name].sizes) != 2 || operator == "square" || strings.Contains(operator, "/") {
			continue
		}
		for range 100 {
			x := [2]float32{float32(r.NormFloat64()), float32(math.Ldexp(r.NormFloat64(), r.IntN(20)-10))}
			wide := ofComplex(t, operator, [2]float64{float64(x[0]), float64(x[1])})
			require.Equal(t, [2]float32{float32(wide[0]), float32(wide[1])}, ofComplex(t, operator, x), "%s of %v", operator, x)
		}
	}
}

// TestQuotientsOfComplexNumbersDoNotOverflowOnTheirWay has those of Baudin and Smith, "A robust complex division in Scilab",
// 2012, and others, with the results that mpmath has.
func TestQuotientsOfComplexNumbersDoNotOverflowOnTheirWay(t *testing.T) {
	for _, c := range [][6]float64{
		{0x1p0, 0x1p0, 0x1p0, 0x1p1023, 0x0.8000000000000p-1022, -0x0.8000000000000p-1022},
		{0x1p0, 0x1p0, 0x0.8000000000000p-1022, 0x0.8000000000000p-1022, 0x1p1023, 0x0.0p0},
		{0x1p1023, 0x0.8000000000000p-1022, 0x1p677, 0x1p-677, 0x1p346, -0x1p-1008},
		{0x1p1023, 0x1p1023, 0x1p0, 0x1p0, 0x1p1023, 0x0.0p0},
		{0x1p1020, 0x1p-844, 0x1p656, 0x1p-780, 0x1p364, -0x0.0000000000004p-1022},
		{0x1p-71, 0x1p1021, 0x1p1001, 0x1p-323, 0x0.0000000000004p-1022, 0x1p20},
		{0x1p-347, 0x1p-54, 0x0.0002000000000p-1022, 0x0.0000000010000p-1022, 0x1.ffffffffff800p961, 0x1.ffffffffff800p982},
		{0x0.0000000000001p-1022, 0x0.0000000000001p-1022, 0x0.0000000000002p-1022, 0x0.0000000000001p-1022, 0x1.3333333333333p-1, 0x1.999999999999ap-3},
		{0x0.03739a252b281p-1022, 0x0.049a22dc398acp-1022, 0x0.03739a252b281p-1022, 0x0.049a22dc398acp-1022, 0x1p0, 0x0.0p0},
		{0x1.0000002000000p0, 0x1.0000004000000p0, 0x1.0000004000000p0, -0x1.0000002000000p0, 0x0.0p0, 0x1p0},
		{0x1.1ccf385ebc8a0p1023, 0x1.1ccf385ebc8a0p1023, -0x1.1ccf385ebc8a0p1023, 0x1.55c576d815726p1021, -0x1.48ceadcc548cfp-1, -0x1.315233ab73152p0},
		{0x1.8000000000000p1, 0x1p2, 0x1.56e1fc2f8f359p-997, -0x1.56e1fc2f8f359p-996, -0x1.7e43c8800759bp996, 0x1.7e43c8800759bp997},
	} {
		got := ofComplex(t, "div", [2]float64{c[0], c[1]}, [2]float64{c[2], c[3]})
		off := 2.5 * spacing(max(math.Abs(c[4]), math.Abs(c[5])))
		require.InDelta(t, c[4], got[0], off, "%v", c)
		require.InDelta(t, c[5], got[1], off, "%v", c)
	}
}

// TestComplexGrowthPastTheRangeOfExp has imaginary parts that are finite where the exponential function of the real part is not, by mpmath.
func TestComplexGrowthPastTheRangeOfExp(t *testing.T) {
	const tiny = 0x1p-1074
	infinite := math.Inf(1)
	for _, c := range []struct {
		operator string
		of, want [2]float64
	}{
		{"cosh", [2]float64{1000, tiny}, [2]float64{infinite, 0x1.9e72379aed73bp+367}},
		{"sinh", [2]float64{-1000, tiny}, [2]float64{-infinite, 0x1.9e72379aed73bp+367}},
		{"cos", [2]float64{tiny, 1000}, [2]float64{infinite, -0x1.9e72379aed73bp+367}},
		{"exp", [2]float64{1450, tiny}, [2]float64{infinite, 0x1.e04e460d5f564p+1017}},
		{"sinh", [2]float64{1400.1, 2.5e-300}, [2]float64{infinite, 0x1.94bba06eabb47p+1023}},
		{"exp", [2]float64{65504, tiny}, [2]float64{infinite, infinite}},
		{"cosh", [2]float64{65504, -tiny}, [2]float64{infinite, -infinite}},
		{"exp", [2]float64{-65504, 2}, [2]float64{math.Copysign(0, -1), 0}},
		{"exp", [2]float64{-720, 1}, [2]float64{0x0.000052ca9a4c3p-1022, 0x0.000080f0a3544p-1022}},
		{"cosh", [2]float64{710.4, 1e-3}, [2]float64{0x1.da9897a9e25a7p+1023, 0x1.e5fc8d581550fp+1013}},
	} {
		got := ofComplex(t, c.operator, c.of)
		for part, want := range c.want {
			if want == 0 || math.IsInf(want, 0) {
				require.Equal(t, math.Float64bits(want), math.Float64bits(got[part]), "%s of %v is %v", c.operator, c.of, got)
			} else {
				require.InDelta(t, want, got[part], 3*spacing(want), "%s of %v is %v", c.operator, c.of, got)
			}
		}
	}
}

// TestSignsOfZerosDoNotComeFromNaN has results whose sign the standard leaves open, where that of NaN depends on the processor.
func TestSignsOfZerosDoNotComeFromNaN(t *testing.T) {
	for _, nan := range []float64{math.NaN(), math.Copysign(math.NaN(), -1)} {
		require.Equal(t, "[0 0]", fmt.Sprint(ofComplex(t, "exp", [2]float64{math.Inf(-1), nan})))
		require.Equal(t, "[1 0]", fmt.Sprint(ofComplex(t, "tanh", [2]float64{math.Inf(1), nan})))
	}
	require.Equal(t, "[0 0]", fmt.Sprint(ofComplex(t, "pow", [2]float64{0.5, 0}, [2]float64{math.Inf(1), 0})))
}

// TestSpecialValuesOfComplexFunctions has the rows of ISO/IEC 9899:2018, annex G.6, for imaginary parts that are not negative, which
// are those of the array API standard, and their mirror images: all functions commute with conjugation, and some are odd. A zero
// counts with its sign unless it is written 0±, an infinity likewise.
func TestSpecialValuesOfComplexFunctions(t *testing.T) {
	const rows = `
exp: -0 0 1 0; 0 0 1 0; 1 inf nan nan; 1 nan nan nan; inf 0 inf 0; -inf 1 0 0; -inf 2 -0 0; inf 1 inf inf; inf 2 -inf inf; -inf inf 0± 0±
exp: inf inf inf± nan; -inf nan 0± 0±; inf nan inf± nan; nan 0 nan 0; nan 1 nan nan; nan inf nan nan; nan nan nan nan
expm1: 0 0 0 0; -0 0 -0 0; 1 inf nan nan; 1 nan nan nan; inf 0 inf 0; -inf 1 -1 0; inf 1 inf inf; -inf inf -1 0±; inf inf inf± nan; -inf nan -1 0±
expm1: inf nan inf± nan; nan 0 nan 0; nan 1 nan nan; nan nan nan nan
log: -0 0 -inf pi; 0 0 -inf 0; 1 inf inf pi/2; 1 nan nan nan; -inf 1 inf pi; inf 1 inf 0; -inf inf inf 3pi/4; inf inf inf pi/4; inf nan inf nan; -inf nan inf nan
log: nan 1 nan nan; nan inf inf nan; nan nan nan nan; -1 0 0 pi
log1p: -1 0 -inf 0; 1 inf inf pi/2; 1 nan nan nan; -inf 1 inf pi; inf 1 inf 0; -inf inf inf 3pi/4; inf inf inf pi/4; inf nan inf nan; nan 1 nan nan; nan inf inf nan; nan nan nan nan
sqrt: 0 0 0 0; -0 0 0 0; 1 inf inf inf; nan inf inf inf; -inf inf inf inf; 1 nan nan nan; -inf 1 0 inf; inf 1 inf 0; -inf nan nan inf±; inf nan inf nan; nan 1 nan nan; nan nan nan nan; -4 0 0 2
sinh: 0 0 0 0; 0 inf 0± nan; 0 nan 0± nan; 1 inf nan nan; 1 nan nan nan; inf 0 inf 0; inf 1 inf inf; inf 2 -inf inf; inf inf inf± nan; inf nan inf± nan; nan 0 nan 0; nan 1 nan nan; nan nan nan nan
cosh: 0 0 1 0; 0 inf nan 0±; 0 nan nan 0±; 1 inf nan nan; 1 nan nan nan; inf 0 inf 0; inf 1 inf inf; inf 2 -inf inf; inf inf inf nan; inf nan inf nan; nan 0 nan 0±; nan 1 nan nan; nan nan nan nan
tanh: 0 0 0 0; 0 inf 0 nan; 1 inf nan nan; 0 nan 0 nan; 1 nan nan nan; inf 1 1 0; inf 2 1 -0; inf inf 1 0±; inf nan 1 0±; nan 0 nan 0; nan 1 nan nan; nan nan nan nan
asinh: 0 0 0 0; 1 inf inf pi/2; 1 nan nan nan; inf 1 inf 0; inf inf inf pi/4; inf nan inf nan; nan 0 nan 0; nan 1 nan nan; nan inf inf± nan; nan nan nan nan; 0 2 1.3169578969248167 pi/2; -0 2 -1.3169578969248167 pi/2
acosh: 0 0 0 pi/2; -0 0 0 pi/2; 1 inf inf pi/2; 0 nan nan pi/2±; 1 nan nan nan; -inf 1 inf pi; inf 1 inf 0; -inf inf inf 3pi/4; inf inf inf pi/4; inf nan inf nan; -inf nan inf nan; nan 1 nan nan; nan inf inf nan; nan nan nan nan
acos: 0 0 pi/2 -0; -0 0 pi/2 -0; 0 nan pi/2 nan; 1 inf pi/2 -inf; 1 nan nan nan; -inf 1 pi -inf; inf 1 0 -inf; -inf inf 3pi/4 -inf; inf inf pi/4 -inf; inf nan nan inf±; nan 1 nan nan; nan inf nan -inf; nan nan nan nan; 2 0 0 -1.3169578969248167
atanh: 0 0 0 0; 0 nan 0 nan; 1 0 inf 0; 1 inf 0 pi/2; 1 nan nan nan; inf 1 0 pi/2; inf inf 0 pi/2; inf nan 0 nan; nan 1 nan nan; nan inf 0± pi/2; nan nan nan nan; 2 0 0.5493061443340549 pi/2
sign: 0 0 0± 0±; nan 1 nan nan; inf 1 1 0; -3 4 -0.6 0.8
reciprocal: inf 0 0 0±; inf inf 0 -0; 1 nan nan nan`
	odd := map[string]bool{"sinh": true, "tanh": true, "asinh": true, "atanh": true, "sin": true, "tan": true, "asin": true, "atan": true}
	for _, row := range strings.Split(strings.TrimSpace(rows), "\n") {
		operator, cases, _ := strings.Cut(row, ": ")
		for _, c := range strings.Split(cases, "; ") {
			words := strings.Fields(c)
			z := [2]float64{special(words[0]), special(words[1])}
			for mirror := range 4 {
				sign := [2]float64{1, 1}
				if mirror&1 == 1 {
					sign[1] = -1
				}
				if mirror&2 == 2 {
					if !odd[operator] {
						continue
					}
					sign[0], sign[1] = -1, -sign[1]
				}
				x := [2]float64{sign[0] * z[0], sign[1] * z[1]}
				for part, got := range ofComplex(t, operator, x) {
					want := sign[part] * special(strings.TrimSuffix(words[2+part], "±"))
					if strings.HasSuffix(words[2+part], "±") {
						got, want = math.Abs(got), math.Abs(want)
					}
					same := got == want && math.Signbit(got) == math.Signbit(want) || got != got && want != want || want != 0 && math.Abs(got-want) <= 1e-15
					require.True(t, same, "%s of %v, of the row %s: part %d is %v, want %v", operator, x, c, part, got, want)
				}
			}
		}
	}
	for _, c := range []struct{ of, like string }{{"sin", "sinh"}, {"tan", "tanh"}, {"asin", "asinh"}, {"atan", "atanh"}} { // f(x + iy) is −i·g(i·(x + iy))
		for _, x := range []string{"0", "-0", "1", "2", "inf", "-inf", "nan"} {
			for _, y := range []string{"0", "-0", "1", "-3", "inf", "-inf", "nan"} {
				got := ofComplex(t, c.of, [2]float64{special(x), special(y)})
				want := ofComplex(t, c.like, [2]float64{-special(y), special(x)})
				require.Equal(t, fmt.Sprint(want[1], math.Abs(want[0])), fmt.Sprint(got[0], math.Abs(got[1])), "%s of %s %s", c.of, x, y)
			}
		}
	}
}

// special returns the number that a word of a table names.
func special(word string) float64 {
	switch word {
	case "pi":
		return math.Pi
	case "pi/2":
		return math.Pi / 2
	case "pi/4":
		return math.Pi / 4
	case "3pi/4":
		return 3 * math.Pi / 4
	}
	v, err := strconv.ParseFloat(word, 64)
	if err != nil {
		panic(err)
	}
	return v
}

// TestRepeatedComplexOperandsOfLongLoops has more elements than are expanded at a time.
func TestRepeatedComplexOperandsOfLongLoops(t *testing.T) {
	for _, count := range []int{1, 511, 513, 1000, 1025, 70000} {
		x, result := make([]complex64, count), make([]complex64, count)
		for i := range x {
			x[i] = complex(float32(i), float32(-i))
		}
		one := [1]complex64{2 - 1i}
		kernel, _ := Lookup("sub/complex64")
		view := func(first *complex64, stride int) device.View {
			return device.View{Pointer: device.Pointer{Host: unsafe.Pointer(first)}, DType: dtype.Complex64, Shape: []int{count}, Strides: []int{stride}}
		}
		for _, operands := range [][]device.View{{view(&x[0], 1), view(&one[0], 0)}, {view(&one[0], 0), view(&x[0], 1)}} {
			require.NoError(t, kernel(pools[2].Thread(), &device.Arguments{Outputs: []device.View{view(&result[0], 1)}, Inputs: operands}))
			sign := float32(1)
			if operands[0].Strides[0] == 0 {
				sign = -1
			}
			for i, v := range result {
				require.Equal(t, complex(sign*(float32(i)-2), sign*(float32(-i)+1)), v, "element %d of %d", i, count)
			}
		}
	}
}

// TestQuotientsHaveEqualBitsAtAllLevels divides ordinary numbers among which are some that vectors leave to Go, in place, too.
func TestQuotientsHaveEqualBitsAtAllLevels(t *testing.T) {
	requireEqualQuotients[float32](t, dtype.Complex64)
	requireEqualQuotients[float64](t, dtype.Complex128)
}

func requireEqualQuotients[T dtype.Float](t *testing.T, d dtype.DType) {
	r := random()
	for count := range 300 {
		x, y := awkward(r, d, count+1), awkward(r, d, count+1)
		numerators, divisors := slice[[2]T](unsafe.Pointer(&x[0]), count), slice[[2]T](unsafe.Pointer(&y[0]), count)
		for i := range numerators {
			if count%2 == 0 && r.IntN(20) > 0 {
				numerators[i], divisors[i] = [2]T{T(r.NormFloat64()), T(r.NormFloat64())}, [2]T{T(r.NormFloat64()), T(r.NormFloat64())}
			}
		}
		want, reciprocals := make([][2]T, count), make([][2]T, count)
		for i := range want {
			want[i], reciprocals[i] = quotient2(numerators[i], divisors[i]), quotient2([2]T{1, 0}, divisors[i])
		}
		memory := func(x [][2]T) []byte {
			return quiet(d, slices.Clone(slice[byte](unsafe.Pointer(unsafe.SliceData(x)), len(x)*d.Size())))
		}
		features.Each(func(level features.Level) {
			got := slices.Clone(numerators)
			divComplex(got, got, divisors)
			require.Equal(t, memory(want), memory(got), "%v, %v, %d", d, level, count)
			reciprocalComplex(got, divisors)
			require.Equal(t, memory(reciprocals), memory(got), "reciprocals of %v, %v, %d", d, level, count)
		})
	}
}

// TestSignsHaveEqualBitsAtAllLevels takes signs of ordinary numbers among which are some that vectors leave to Go, and of zeros.
func TestSignsHaveEqualBitsAtAllLevels(t *testing.T) {
	requireEqualSigns[float32](t, dtype.Complex64)
	requireEqualSigns[float64](t, dtype.Complex128)
}

func requireEqualSigns[T dtype.Float](t *testing.T, d dtype.DType) {
	r := random()
	for count := range 300 {
		memory := awkward(r, d, count+1)
		numbers := slice[[2]T](unsafe.Pointer(&memory[0]), count)
		for i := range numbers {
			if count%2 == 0 && r.IntN(30) > 0 {
				numbers[i] = [2]T{T(r.NormFloat64()), T(r.NormFloat64() * math.Ldexp(1, r.IntN(300)-150))}
			}
			if r.IntN(10) == 0 {
				numbers[i] = [2]T{T(math.Copysign(0, r.NormFloat64())), T(math.Copysign(0, r.NormFloat64()))}
			}
		}
		want := make([][2]T, count)
		for i, z := range numbers {
			re, im := signComplex(float64(z[0]), float64(z[1]))
			want[i] = [2]T{T(re), T(im)}
		}
		bits := func(x [][2]T) []byte {
			return quiet(d, slices.Clone(slice[byte](unsafe.Pointer(unsafe.SliceData(x)), len(x)*d.Size())))
		}
		features.Each(func(level features.Level) {
			got := slices.Clone(numbers)
			signs(got, got)
			require.Equal(t, bits(want), bits(got), "%v, %v, %d", d, level, count)
		})
	}
}

// TestMagnitudesAreRoundedAlikeAtAllLevels has magnitudes in the middle of two numbers and beside it, where estimates are not certain.
func TestMagnitudesAreRoundedAlikeAtAllLevels(t *testing.T) {
	requireEqualMagnitudes(t, 24, func(x, up float32) float32 { return math.Nextafter32(x, up) })
	requireEqualMagnitudes(t, 53, math.Nextafter)
}

func requireEqualMagnitudes[T dtype.Float](t *testing.T, digits int, next func(x, up T) T) {
	r := random()
	numbers := [][2]T{}
	for range 2000 {
		x := T(math.Ldexp(1+r.Float64(), r.IntN(80)-40))
		unit := float64(next(x, 2*x) - x)
		above := (float64(r.IntN(4)) + 0.5) * unit
		y := T(math.Sqrt(above*2*float64(x) + above*above))
		for _, near := range []T{next(y, 0), y, next(y, 2*y)} {
			numbers = append(numbers, [2]T{x, -near}, [2]T{near, x})
		}
		k := T(int64(1)<<digits/5 + 2*r.Int64N(1<<(digits-5)) + 1) // 5k has one digit more than there are
		numbers = append(numbers, [2]T{3 * k, 4 * k}, [2]T{-4 * k, 3 * k})
	}
	want := make([]T, len(numbers))
	for i, z := range numbers {
		want[i] = magnitudeOf(z)
	}
	features.Each(func(level features.Level) {
		got := make([]T, len(numbers))
		inners["abs/"+complexOf[T]().String()].runner().run(len(numbers), pointers{unsafe.Pointer(&got[0]), unsafe.Pointer(&numbers[0])}, 0)
		for i, z := range numbers {
			require.Equal(t, want[i], got[i], "%v at level %v", z, level)
		}
	})
}

func TestTotalsOfComplexNumbersFollowTheDocumentedTreeAtAllLevels(t *testing.T) {
	requireDocumentedTrees(t, func(re, im float64) complex64 { return complex(float32(re), float32(im)) }, timesComplex[complex64, float32])
	requireDocumentedTrees(t, func(re, im float64) complex128 { return complex(re, im) }, timesComplex[complex128, float64])
}

func requireDocumentedTrees[C dtype.Complex](t *testing.T, number func(re, im float64) C, times func(a, b C) C) {
	r := random()
	for _, shape := range [][]int{{40, 3}, {9, 50}, {100, 16}, {33, 255}, {1000, 2}, {5, 257}, {3, 1000}, {2, 4096}, {4, 4097}, {1, 70_001}} {
		for _, style := range []layout{rowMajor, scattered} {
			x := newView(r, dtype.Of[C](), shape, style)
			values := make([]C, x.Count())
			for i := range values {
				values[i] = number(0.7*r.NormFloat64(), math.Copysign(math.Exp(r.NormFloat64())-1, float64(r.IntN(2))-0.5))
				if i/shape[1]%3 == 0 { // a row of zeros with any signs
					values[i] = number(math.Copysign(0, float64(r.IntN(20))-0.5), math.Copysign(0, float64(r.IntN(20))-0.5))
				}
			}
			assign(x, values)
			for operator, join := range map[string]func(a, b C) C{"sum": func(a, b C) C { return a + b }, "prod": times} {
				want := make([]C, shape[0])
				for i := range want {
					want[i] = slowTree(values[i*shape[1]:(i+1)*shape[1]], join)
				}
				features.Each(func(level features.Level) {
					dst := newView(r, x.DType, shape[:1], scattered)
					run(t, operator+"/"+x.DType.String(), &device.Arguments{Outputs: views(dst), Inputs: views(x), Integers: []int64{1}})
					got := elements[C](dst)
					bits := func(x []C) []byte {
						return quiet(dst.DType, slices.Clone(slice[byte](unsafe.Pointer(&x[0]), len(x)*dst.DType.Size())))
					}
					require.Equal(t, bits(want), bits(got), "%s of %v at level %v", operator, shape, level)
				})
			}
		}
	}
}
