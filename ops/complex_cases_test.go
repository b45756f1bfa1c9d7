package ops

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
)

// complexRow is what the tests know of an operator on complex numbers beside its row.
type complexRow struct {
	// reference computes the results from the parts of the operands; nil of an operator that treats both parts alike, but for what
	// it makes of zeros: that is row.reference of each.
	reference func(in []array, imaginary map[int][]float64, params any) (results []array, parts [][]float64)
	// ulps is the largest distance of a result from the reference, in units in the last place of its magnitude, or of array.scale.
	ulps float64
	// prepare changes the imaginary parts of operands, after row.prepare.
	prepare func(in []array, imaginary map[int][]float64)
	// dtypes are those that the operator is tried in beside those of its row; nil stands for the complex ones in Operator.Accepts.
	dtypes []dtype.DType
}

// complexRowOf returns the row of an operator; without one it is that of an operator that treats both parts alike.
func complexRowOf(op *Operator) complexRow {
	if r, found := complexOperators[op.Name]; found {
		return r
	}
	return complexRow{ulps: operators[op.Name].ulps}
}

// complexTypesOf returns the complex element types that the operands of op can be given in.
func complexTypesOf(op *Operator) []dtype.DType {
	if d := complexOperators[op.Name].dtypes; d != nil {
		return d
	}
	return slices.DeleteFunc(slices.Clone(op.Accepts), func(d dtype.DType) bool { return !d.IsComplex() })
}

// imaginaryParts returns numbers for the elements of a.
func imaginaryParts(a array, r *rand.Rand, row row) []float64 {
	parts := distinct(r, len(a.values), -1.5, 1.5)
	for i := range parts {
		if row.ties {
			parts[i] = float64(r.IntN(2))
		}
		parts[i] = rounded(a.dtype, parts[i])
	}
	return parts
}

// reference returns the results and their imaginary parts, nil if no operand is complex and none made so.
func (c testCase) reference() (results []array, imaginary [][]float64) {
	if c.op != Complex && c.op != RFFT && !slices.ContainsFunc(c.in, func(a array) bool { return a.dtype.IsComplex() }) {
		return c.row.reference(c.in, c.sample.Params), nil
	}
	if reference := complexRowOf(c.op).reference; reference != nil {
		return reference(c.in, c.imag, c.sample.Params)
	}
	replaced := func(with func(i int) []float64) []array {
		in := slices.Clone(c.in)
		for i, a := range in {
			if a.dtype.IsComplex() {
				in[i].values = with(i)
			}
		}
		return c.row.reference(in, c.sample.Params)
	}
	results = c.row.reference(c.in, c.sample.Params)
	parts := replaced(func(i int) []float64 { return c.imag[i] })
	zeros := replaced(func(i int) []float64 { return make([]float64, len(c.imag[i])) }) // what it does to both parts
	for i, part := range parts {
		for j := range part.values {
			if zero := zeros[i].values[j]; zero == zero { // NaN, as a mean of nothing, has both parts
				part.values[j] -= zero
			}
			if part.scale != nil {
				results[i].scale[j] = math.Hypot(results[i].scale[j], part.scale[j])
			}
		}
		imaginary = append(imaginary, part.values)
		if !results[i].dtype.IsComplex() {
			imaginary[i] = nil
		}
	}
	return results, imaginary
}

// requireComplexClose is requireClose for results with imaginary parts, nil for those that are real.
func requireComplexClose(t testing.TB, want []array, imaginary [][]float64, got []*Tensor, ulps float64) {
	t.Helper()
	for i, w := range want {
		if imaginary[i] == nil {
			requireClose(t, w, got[i], ulps)
			continue
		}
		require.Equal(t, w.dtype, got[i].DType())
		require.True(t, slices.Equal(w.shape, got[i].Shape()), "shape %v, want %v", got[i].Shape(), w.shape)
		for j, z := range complexValues(t, got[i]) {
			re, im := rounded(w.dtype, w.values[j]), rounded(w.dtype, imaginary[i][j])
			scale := math.Hypot(re, im)
			if w.scale != nil {
				scale = max(scale, w.scale[j])
			}
			off := ulps * lastPlace(w.dtype, scale)
			require.True(t, near(real(z), re, off) && near(imag(z), im, off), "element %d of %v %v: got %v, want %v", j, w.dtype, w.shape, z, complex(re, im))
		}
	}
}

// near tells whether got is want, or off by no more than that.
func near(got, want, off float64) bool {
	return got == want || got != got && want != want || math.Abs(got-want) <= off
}

// complexValues waits for x and returns its elements.
func complexValues(t testing.TB, x *Tensor) []complex128 {
	t.Helper()
	data, part := mustBytes(t, x), x.DType().RealPart()
	values := make([]complex128, len(data)/x.DType().Size())
	for i := range values {
		at := unsafe.Pointer(&data[2*i*part.Size()])
		values[i] = complex(codecs[part].get(at), codecs[part].get(unsafe.Add(at, part.Size())))
	}
	return values
}

// complexPointwise is the reference of a function of complex numbers, whose operands broadcast.
func complexPointwise(f func(x ...complex128) complex128) func([]array, map[int][]float64, any) ([]array, [][]float64) {
	return func(in []array, imaginary map[int][]float64, _ any) ([]array, [][]float64) {
		shape := joint(in...)
		re, im := newArray(in[0].dtype, shape), newArray(in[0].dtype, shape)
		eachIndex(shape, func(number int, index []int) {
			operands := []complex128{}
			for i, a := range in {
				part := array{dtype: a.dtype, shape: a.shape, values: imaginary[i]}
				operands = append(operands, complex(a.broadcastAt(index), part.broadcastAt(index)))
			}
			result := f(operands...)
			re.values[number], im.values[number] = real(result), imag(result)
		})
		return []array{re}, [][]float64{im.values}
	}
}

// complexTelling is complexPointwise for results of another type, which are the real parts.
func complexTelling(result func(d dtype.DType) dtype.DType, f func(x ...complex128) float64) func([]array, map[int][]float64, any) ([]array, [][]float64) {
	return func(in []array, imaginary map[int][]float64, params any) ([]array, [][]float64) {
		results, _ := complexPointwise(func(x ...complex128) complex128 { return complex(f(x...), 0) })(in, imaginary, params)
		results[0].dtype = result(in[0].dtype)
		return results, [][]float64{nil}
	}
}

// ofMagnitudes is the reference of an operator that sees whether numbers are zero, or how large they are.
func ofMagnitudes(name string, result func(d dtype.DType) dtype.DType) complexRow {
	return complexRow{ulps: operators[name].ulps + 2, reference: func(in []array, imaginary map[int][]float64, params any) ([]array, [][]float64) {
		magnitudes := made(in[0].dtype.RealPart(), in[0].shape, func([]int) float64 { return 0 })
		for i, re := range in[0].values {
			magnitudes.values[i] = cmplx.Abs(complex(re, imaginary[0][i]))
		}
		results := operators[name].reference([]array{magnitudes}, params)
		results[0].dtype = result(in[0].dtype)
		return results, make([][]float64, len(results))
	}}
}
