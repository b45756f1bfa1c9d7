package cpu

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu/factor"
	"github.com/weft-nd/weft/parallel"
)

// matrixBatch is the matrices in the last two axes of a view, in row-major order.
type matrixBatch struct {
	batch         []int
	count         int
	rows, columns int
}

func matricesOf(view device.View) matrixBatch {
	split := len(view.Shape) - 2
	m := matrixBatch{batch: view.Shape[:split], count: 1, rows: view.Shape[split], columns: view.Shape[split+1]}
	for _, n := range m.batch {
		m.count *= n
	}
	return m
}

// size is how many elements a matrix has.
func (m matrixBatch) size() int { return m.rows * m.columns }

// number returns which matrix of m belongs to a matrix of a batch that m broadcasts to.
func (m matrixBatch) number(of int, batch []int) int {
	number, step := 0, 1
	for i := range m.batch {
		axis, own := len(batch)-1-i, m.batch[len(m.batch)-1-i]
		if own > 1 {
			number += of % batch[axis] * step
		}
		of, step = of/batch[axis], step*own
	}
	return number
}

// fail returns the error of a matrix, which it names.
func (m matrixBatch) fail(number int, format string, values ...any) error {
	text := fmt.Sprintf(format, values...)
	if len(m.batch) == 0 {
		return dataErrorf(fault.ErrParameter, "the matrix %s", text)
	}
	index := make([]string, len(m.batch))
	for axis := len(m.batch) - 1; axis >= 0; axis-- {
		index[axis] = fmt.Sprint(number % m.batch[axis])
		number /= m.batch[axis]
	}
	return dataErrorf(fault.ErrParameter, "matrix (%s) of the batch %s", strings.Join(index, ","), text)
}

// faults are where factorisations end, for each matrix; -1 where they do not.
type faults []int

// each calls body, which returns where the factorisation of a matrix ends; see eachLine. It takes so many nanoseconds.
func (m matrixBatch) each(t *parallel.Thread, nanoseconds float64, body func(t *parallel.Thread, number int) (fault int)) faults {
	ends := make(faults, m.count)
	eachLine(t, m.count, nanoseconds, func(t *parallel.Thread, number int) { ends[number] = body(t, number) })
	return ends
}

// first returns the first matrix with a fault.
func (f faults) first() (number int, found bool) {
	for number, end := range f {
		if end >= 0 {
			return number, true
		}
	}
	return 0, false
}

// sound is the fault of a matrix that has none.
const sound = -1

// cube is about how many nanoseconds so many operations for each cube of a size take.
func cube(size int, operations float64) float64 {
	n := float64(size)
	return float64(0.1*operations*n*n*n) + float64(20*n)
}

// copiedLines returns memory for the elements of dst in row-major order, as writeLines does, with a copy of src, of the same shape.
func copiedLines[T any](t *parallel.Thread, s *scratch, dst, src device.View) (elements []T, finish func()) {
	if first, whole := inLines(dst); whole {
		copyView(t, dst, src)
		return slice[T](first, dst.Count()), func() {}
	}
	copied := linesAt(s.take(dst.Count()*dst.DType.Size()), dst)
	copyView(t, copied, src)
	return slice[T](copied.Pointer.Host, dst.Count()), func() { copyView(t, dst, copied) }
}

// temporaryLines returns a copy of view in row-major order.
func temporaryLines[T any](t *parallel.Thread, s *scratch, view device.View) []T {
	copied := linesAt(s.take(view.Count()*view.DType.Size()), view)
	copyView(t, copied, view)
	return slice[T](copied.Pointer.Host, view.Count())
}

// partsOfElement returns the parts of v, which are v and 0 if it is real.
func partsOfElement[E factor.Element](v E) [2]float64 {
	switch v := any(v).(type) {
	case float32:
		return [2]float64{float64(v), 0}
	case complex64:
		return [2]float64{float64(real(v)), float64(imag(v))}
	case complex128:
		return [2]float64{real(v), imag(v)}
	}
	return [2]float64{any(v).(float64), 0}
}

// elementOf returns v as an element, of a real one the real part.
func elementOf[E factor.Element](v complex128) (element E) {
	switch e := any(&element).(type) {
	case *float32:
		*e = float32(real(v))
	case *float64:
		*e = real(v)
	case *complex64:
		*e = complex64(v)
	case *complex128:
		*e = v
	}
	return element
}

// scatterAll writes all elements of view, of which there are some, given in row-major order.
func scatterAll[T any](view device.View, elements []T) {
	newOrderedNest(view).scatter(unsafe.Pointer(&elements[0]), 0, 0, len(elements))
}
