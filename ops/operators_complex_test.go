package ops

import (
	"maps"
	"math"
	"math/cmplx"

	"github.com/weft-nd/weft/dtype"
)

func toRealPart(d dtype.DType) dtype.DType { return d.RealPart() }

// ofOne is the row of a function of one complex number.
func ofOne(f func(x complex128) complex128, ulps float64) complexRow {
	return complexRow{ulps: ulps, reference: complexPointwise(func(x ...complex128) complex128 { return f(x[0]) })}
}

func ofTwo(f func(x, y complex128) complex128, ulps float64) complexRow {
	return complexRow{ulps: ulps, reference: complexPointwise(func(x ...complex128) complex128 { return f(x[0], x[1]) })}
}

// tellsOf is the row of an operator that tells something about complex numbers.
func tellsOf(f func(x ...complex128) bool) complexRow {
	return complexRow{reference: complexTelling(toBool, func(x ...complex128) float64 {
		if f(x...) {
			return 1
		}
		return 0
	})}
}

// loose is what functions of package math/cmplx may be off in numbers of moderate size. TestFunctionsOfComplexNumbersAreAccurate of
// the kernels counts the places that ours are right to.
const loose = 512

// complexOperators has a row for each operator that does not treat the parts of complex numbers alike.
var complexOperators map[string]complexRow

func init() {
	itself := pointwise(func(x ...float64) float64 { return x[0] })
	maps.Copy(operators, map[string]row{
		"complex": {
			reference: func(in []array, params any) []array {
				re := itself(in, params)[0]
				re.dtype = dtype.Promote(re.dtype, dtype.Complex64)
				return []array{re}
			}, bad: unbroadcastable,
		},
		"real":  {reference: itself, dtypes: someNumbers},
		"imag":  {reference: itself},
		"conj":  {reference: itself, dtypes: someNumbers, integer: func(x ...int64) int64 { return x[0] }},
		"angle": {flat: true, reference: pointwise(func(x ...float64) float64 { return math.Atan2(0, x[0]) })},
	})
	add1 := func(f func(complex128) complex128) func(complex128) complex128 {
		return func(x complex128) complex128 { return f(1 + x) }
	}
	complexOperators = map[string]complexRow{
		"mul":        ofTwo(func(x, y complex128) complex128 { return x * y }, 2),
		"div":        ofTwo(func(x, y complex128) complex128 { return x / y }, 4),
		"pow":        ofTwo(cmplx.Pow, 16),
		"square":     ofOne(func(x complex128) complex128 { return x * x }, 2),
		"reciprocal": ofOne(func(x complex128) complex128 { return 1 / x }, 4),
		"sign":       ofOne(func(x complex128) complex128 { return x / complex(cmplx.Abs(x), 0) }, 4),
		"conj":       ofOne(cmplx.Conj, 0),
		"exp":        ofOne(cmplx.Exp, 4),
		"expm1":      ofOne(func(x complex128) complex128 { return cmplx.Exp(x) - 1 }, 16),
		"log":        ofOne(cmplx.Log, loose),
		"log2":       ofOne(func(x complex128) complex128 { return cmplx.Log(x) / math.Ln2 }, loose),
		"log10":      ofOne(func(x complex128) complex128 { return cmplx.Log(x) / math.Ln10 }, loose),
		"log1p":      ofOne(add1(cmplx.Log), loose),
		"sqrt":       ofOne(cmplx.Sqrt, 4),
		"sin":        ofOne(cmplx.Sin, 4),
		"cos":        ofOne(cmplx.Cos, 4),
		"tan":        ofOne(cmplx.Tan, loose),
		"asin":       ofOne(cmplx.Asin, loose),
		"acos":       ofOne(cmplx.Acos, loose),
		"atan":       ofOne(cmplx.Atan, loose),
		"sinh":       ofOne(cmplx.Sinh, 4),
		"cosh":       ofOne(cmplx.Cosh, 4),
		"tanh":       ofOne(cmplx.Tanh, loose),
		"asinh":      ofOne(cmplx.Asinh, loose),
		"acosh":      ofOne(cmplx.Acosh, loose),
		"atanh":      ofOne(cmplx.Atanh, loose),

		"abs":   {ulps: 1, reference: complexTelling(toRealPart, func(x ...complex128) float64 { return cmplx.Abs(x[0]) })},
		"angle": {ulps: 2, reference: complexTelling(toRealPart, func(x ...complex128) float64 { return cmplx.Phase(x[0]) })},
		"real":  {reference: complexTelling(toRealPart, func(x ...complex128) float64 { return real(x[0]) })},
		"imag":  {reference: complexTelling(toRealPart, func(x ...complex128) float64 { return imag(x[0]) })},

		"equal":     tellsOf(func(x ...complex128) bool { return x[0] == x[1] }),
		"not_equal": tellsOf(func(x ...complex128) bool { return x[0] != x[1] }),
		"isnan":     tellsOf(func(x ...complex128) bool { return cmplx.IsNaN(x[0]) }),
		"isinf":     tellsOf(func(x ...complex128) bool { return cmplx.IsInf(x[0]) }),
		"isfinite":  tellsOf(func(x ...complex128) bool { return !cmplx.IsNaN(x[0]) && !cmplx.IsInf(x[0]) }),

		"any": ofMagnitudes("any", toBool), "all": ofMagnitudes("all", toBool), "count_nonzero": ofMagnitudes("count_nonzero", toIndex),
		"nonzero": ofMagnitudes("nonzero", toIndex), "norm": ofMagnitudes("norm", toRealPart),
		"prod": {ulps: 90, reference: complexProduct}, "cumprod": {ulps: 90, reference: complexCumProd},
		"recurrence": {ulps: 40, reference: complexRecurrence},
		"matmul":     {ulps: 180, reference: complexMatmul},

		"complex": {reference: func(in []array, _ map[int][]float64, params any) ([]array, [][]float64) {
			re, im := operators["complex"].reference(in, params)[0], operators["complex"].reference([]array{in[1], in[0]}, params)[0]
			return []array{re}, [][]float64{im.values}
		}},
		"where": {dtypes: complexes},
		"cast":  {dtypes: []dtype.DType{}}, // TestCastsOfComplexNumbers has them
	}
}

// numbersOf returns a with the row-major numbers of its elements in place of these.
func numbersOf(a array) array {
	return array{dtype: dtype.Float64, shape: a.shape, values: made(a.dtype, []int{len(a.values)}, func(index []int) float64 { return float64(index[0]) }).values}
}

// productsOf returns the products of the elements with the given numbers, of all up to each.
func productsOf(re, im []float64, numbers []float64) []complex128 {
	product, all := complex(1, 0), []complex128{}
	for _, i := range numbers {
		product *= complex(re[int(i)], im[int(i)])
		all = append(all, product)
	}
	return all
}

func complexProduct(in []array, imaginary map[int][]float64, params any) ([]array, [][]float64) {
	part := func(of func(complex128) float64) array {
		return reducedBy(numbersOf(in[0]), params.(ReduceParams), toSame, func(x []float64) (value, scale float64) {
			if len(x) == 0 {
				return of(1), 0
			}
			return of(productsOf(in[0].values, imaginary[0], x)[len(x)-1]), 0
		})[0]
	}
	return bothParts(in[0].dtype, part)
}

func complexCumProd(in []array, imaginary map[int][]float64, params any) ([]array, [][]float64) {
	part := func(of func(complex128) float64) array {
		return alongLine(params.(ScanParams), []array{numbersOf(in[0])}, dtype.Float64, of(1), func(lines [][]float64, _ []float64) []float64 {
			values := []float64{}
			for _, z := range productsOf(in[0].values, imaginary[0], lines[0]) {
				values = append(values, of(z))
			}
			return values
		})[0]
	}
	return bothParts(in[0].dtype, part)
}

func complexRecurrence(in []array, imaginary map[int][]float64, params any) ([]array, [][]float64) {
	number := func(operand int, at float64) complex128 {
		return complex(in[operand].values[int(at)], imaginary[operand][int(at)])
	}
	part := func(of func(complex128) float64) array {
		return alongLine(params.(ScanParams), []array{numbersOf(in[0])}, dtype.Float64, 0, func(lines [][]float64, scale []float64) []float64 {
			values, y, size := []float64{}, complex128(0), 0.0
			for i, at := range lines[0] {
				y = number(0, at)*y + number(1, at)
				size = cmplx.Abs(number(0, at))*size + cmplx.Abs(number(1, at))
				values, scale[i] = append(values, of(y)), size
			}
			return values
		})[0]
	}
	return bothParts(in[0].dtype, part)
}

func bothParts(d dtype.DType, part func(of func(complex128) float64) array) ([]array, [][]float64) {
	re, im := part(func(z complex128) float64 { return real(z) }), part(func(z complex128) float64 { return imag(z) })
	re.dtype = d
	return []array{re}, [][]float64{im.values}
}

// complexMatmul makes the product of those of the parts.
func complexMatmul(in []array, imaginary map[int][]float64, params any) ([]array, [][]float64) {
	of := func(a, b []float64) array {
		x, y := in[0], in[1]
		x.values, y.values = a, b
		return referenceMatmul([]array{x, y}, params)[0]
	}
	re, im := of(in[0].values, in[1].values), of(in[0].values, imaginary[1])
	re2, im2 := of(imaginary[0], imaginary[1]), of(imaginary[0], in[1].values)
	for i := range re.values {
		re.values[i] -= re2.values[i]
		im.values[i] += im2.values[i]
		re.scale[i] += re2.scale[i] + im.scale[i]
	}
	return []array{re}, [][]float64{im.values}
}
