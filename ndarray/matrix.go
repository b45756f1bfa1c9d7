package ndarray

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// AsMatrix returns a copy of a, which must have two axes and be of float32 or float64, for gonum. It waits for a, and
// returns the error that sticks to a. It panics with *Error on another shape or dtype. ReadGeneral shows a itself.
func AsMatrix(a *Array) (mat.Matrix, error) {
	checkNotNil("AsMatrix", a)
	if a.Rank() != 2 {
		fail("AsMatrix", fault.ErrShape, fmt.Sprintf("an array of %d axes is no matrix", a.Rank()), a)
	}
	if d := a.DType(); d != dtype.Float32 && d != dtype.Float64 {
		fail("AsMatrix", fault.ErrDType, fmt.Sprintf("no matrix of %v (accepted: float32, float64)", d), a)
	}
	if a.DType() == dtype.Float32 {
		a = a.reading().Cast(dtype.Float64)
	}
	elements, err := values[float64](context.Background(), a)
	if err != nil {
		return nil, err
	}
	rows, columns := a.tensor().Shape()[0], a.tensor().Shape()[1]
	if rows == 0 || columns == 0 {
		return emptyMatrix{rows, columns}, nil
	}
	return mat.NewDense(rows, columns, elements), nil
}

// FromMatrix returns a new float64 array with the elements of m, of shape (rows, columns). AdoptGeneral does so without a copy.
func FromMatrix(m mat.Matrix) *Array {
	if m == nil {
		fail("FromMatrix", fault.ErrMisuse, "the matrix is nil")
	}
	rows, columns := m.Dims()
	return made("FromMatrix", []int{rows, columns}, func(elements []float64) {
		if dense, ok := m.(mat.RawMatrixer); ok {
			raw := dense.RawMatrix()
			for i := range rows {
				copy(elements[i*columns:(i+1)*columns], raw.Data[i*raw.Stride:])
			}
			return
		}
		for i := range rows {
			for j := range columns {
				elements[i*columns+j] = m.At(i, j)
			}
		}
	})
}

// emptyMatrix is a matrix without elements, of which gonum's own types know only the one without rows and columns.
type emptyMatrix struct{ rows, columns int }

// Dims implements mat.Matrix.
func (m emptyMatrix) Dims() (rows, columns int) { return m.rows, m.columns }

// At implements mat.Matrix: there are no elements.
func (m emptyMatrix) At(i, j int) float64 { panic(mat.ErrIndexOutOfRange) }

// T implements mat.Matrix.
func (m emptyMatrix) T() mat.Matrix { return emptyMatrix{m.columns, m.rows} }
