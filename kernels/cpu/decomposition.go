package cpu

import (
	"math"

	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/factor"
	"github.com/weft-nd/weft/parallel"
)

// lapackGonum computes in float64, for float32 too.
var lapackGonum gonum.Implementation

// decomposed is a matrix and what is made of it, in float64 and in row-major order; a complex number is two.
type decomposed struct {
	thread        *parallel.Thread
	rows, columns int
	isComplex     bool
	a             []float64 // a copy, which may be changed
	scalars       []float64
	unit          float64     // the distance of the numbers of the element type around 1
	results       [][]float64 // of each result what belongs to the matrix, zeros at first
}

// small is the smaller one of the sizes.
func (d *decomposed) small() int { return min(d.rows, d.columns) }

// decomposition returns a kernel that calls body for each matrix of Inputs[0] that has elements; see decompose.
func decomposition[E factor.Element](operations float64, body func(d *decomposed) (problem string)) entry {
	return decompositionOf[E](operations, false, body)
}

// decompositionOf is decomposition of matrices of which the lower triangle alone may count.
func decompositionOf[E factor.Element](operations float64, lower bool, body func(d *decomposed) (problem string)) entry {
	return entry{dtype.Of[E]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		results := make([][]float64, len(a.Outputs))
		for i, view := range a.Outputs {
			results[i] = make([]float64, view.Count()*partsOf(view.DType))
		}
		s := scratch{memory: a.Scratch}
		if err := decompose[E](t, &s, a, operations, lower, results, body); err != nil {
			return err
		}
		for i, view := range a.Outputs {
			storeAll(view, results[i])
		}
		return nil
	}}
}

// decompose calls body for each matrix of Inputs[0] that has elements, with its part of the results. Body returns what
// is wrong with the matrix, if anything is. About so many operations are done for each cube of the size. Elements that
// are not finite are an error: LAPACK may not end with them.
func decompose[E factor.Element](t *parallel.Thread, s *scratch, a *device.Arguments, operations float64, lower bool, results [][]float64, body func(d *decomposed) (problem string)) error {
	m := matricesOf(a.Inputs[0])
	if m.count == 0 {
		return nil
	}
	elements := readLines[E](t, s, a.Inputs[0])
	problems := make([]string, m.count)
	of := dtype.Of[E]()
	limits, _ := of.RealPart().FloatLimits()
	nanoseconds := cube(m.rows, operations*float64(m.columns)/float64(max(1, m.rows)))
	eachLine(t, m.count, nanoseconds, func(t *parallel.Thread, number int) {
		d := &decomposed{thread: t, rows: m.rows, columns: m.columns, isComplex: of.IsComplex(), scalars: a.Scalars, unit: limits.Epsilon}
		d.a = wide(lot(elements, number, m.count))
		for _, result := range results {
			d.results = append(d.results, lot(result, number, m.count))
		}
		if lower {
			d.mirror()
		}
		problems[number] = d.run(body)
	})
	for number, problem := range problems {
		if problem != "" {
			return m.fail(number, "%s", problem)
		}
	}
	return nil
}

// mirror replaces what is above the diagonal, and imaginary parts on it.
func (d *decomposed) mirror() {
	if d.isComplex {
		d.mirrorComplex()
		return
	}
	for i := range d.rows {
		for j := range i {
			d.a[j*d.columns+i] = d.a[i*d.columns+j]
		}
	}
}

func (d *decomposed) run(body func(d *decomposed) (problem string)) (problem string) {
	switch {
	case len(d.a) == 0:
		return ""
	case !allFinite(d.a):
		return "has elements that are NaN or infinite"
	}
	return body(d)
}

// lot returns the part of elements that belongs to one of count matrices.
func lot[T any](elements []T, number, count int) []T {
	length := len(elements) / count
	return elements[number*length:][:length]
}

// wide returns the elements, or their parts, in float64.
func wide[E factor.Element](x []E) []float64 {
	parts := partsOf(dtype.Of[E]())
	y := make([]float64, 0, parts*len(x))
	for _, v := range x {
		numbers := partsOfElement(v)
		y = append(y, numbers[:parts]...)
	}
	return y
}

func allFinite[E factor.Element](x []E) bool {
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}

// partsOf returns how many numbers an element is.
func partsOf(d dtype.DType) int {
	if d.IsComplex() {
		return 2
	}
	return 1
}

// storeAll writes all elements of view, rounded to its type.
func storeAll(view device.View, values []float64) {
	if len(values) == 0 {
		return
	}
	switch view.DType {
	case dtype.Float32:
		scatterAll(view, converted[float32](values))
	case dtype.Float64:
		scatterAll(view, values)
	case dtype.Int64:
		scatterAll(view, converted[int64](values))
	case dtype.Complex64:
		scatterAll(view, paired(values, func(re, im float64) complex64 { return complex(float32(re), float32(im)) }))
	case dtype.Complex128:
		scatterAll(view, paired(values, func(re, im float64) complex128 { return complex(re, im) }))
	}
}

func converted[T float32 | int64](values []float64) []T {
	x := make([]T, len(values))
	for i, v := range values {
		x[i] = T(v)
	}
	return x
}

func paired[T any](values []float64, join func(re, im float64) T) []T {
	x := make([]T, len(values)/2)
	for i := range x {
		x[i] = join(values[2*i], values[2*i+1])
	}
	return x
}

// working calls a function of LAPACK with the work space that it asks for.
func working(call func(work []float64, length int)) {
	need := make([]float64, 1)
	call(need, -1)
	work := make([]float64, max(1, int(need[0])))
	call(work, len(work))
}

// leading returns the number of the first of count elements whose size is the largest but for rounding: of equal ones it would decide.
func (d *decomposed) leading(count int, size func(i int) float64) int {
	largest := 0.0
	for i := range count {
		largest = max(largest, size(i))
	}
	largest *= 1 - float64(64*d.unit)
	for i := range count {
		if size(i) >= largest {
			return i
		}
	}
	return 0
}

// leadingIsNegative reports whether the leading one of count elements, step apart, is negative.
func (d *decomposed) leadingIsNegative(line []float64, count, step int) bool {
	return line[step*d.leading(count, func(i int) float64 { return math.Abs(line[i*step]) })] < 0
}

func negate(line []float64, count, step int) {
	for i := range count {
		line[i*step] = -line[i*step]
	}
}
