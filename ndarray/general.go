package ndarray

import (
	"context"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// General is satisfied by gonum's matrices for the BLAS, which are row-major, with rows Stride elements apart. RawMatrix
// returns that of a *mat.Dense.
type General interface {
	blas32.General | blas64.General
}

// AdoptGeneral returns an array of shape (rows, columns) on the data of m, without a copy; it is a strided view if there are
// gaps between rows. See Adopt for when the caller may touch the data. It panics with *Error if m has fewer data than its sizes
// need, or a stride below its columns.
func AdoptGeneral[M General](m M) *Array {
	switch g := any(m).(type) {
	case blas32.General:
		return adoptRows(g.Data, g.Rows, g.Cols, g.Stride)
	case blas64.General:
		return adoptRows(g.Data, g.Rows, g.Cols, g.Stride)
	}
	panic("unreachable: General has two types")
}

func adoptRows[T dtype.Float](data []T, rows, columns, stride int) *Array {
	checkShape("AdoptGeneral", dtype.Of[T](), []int{rows, columns})
	if rows == 0 || columns == 0 {
		return Adopt[T](nil, rows, columns)
	}
	if stride < columns || len(data) < columns || (len(data)-columns)/stride < rows-1 {
		fail("AdoptGeneral", fault.ErrShape, "the matrix has fewer data than its rows, columns and stride need")
	}
	view := Adopt(data[:(rows-1)*stride+columns]).tensor().View()
	view.Shape, view.Strides = []int{rows, columns}, []int{stride, 1}
	return (*Array)(ops.NewTensor(view, DefaultEnv()))
}

// ReadGeneral calls f with the elements of a, which has two axes, as a matrix of gonum: without a copy if the elements of each
// row are adjacent, as in a part of a matrix, otherwise with a copy. See Read for what f may do, for waiting and for errors;
// the matrix is valid until f returns. It panics with *Error unless a has two axes and the dtype of M.
func ReadGeneral[M General](ctx context.Context, a *Array, f func(m M) error) error {
	checkGeneral[M]("ReadGeneral", a)
	if !hasRows(a) {
		a = a.reading().Copy()
	}
	return borrowGeneral(ctx, a, engine.Read, f)
}

// WriteGeneral is ReadGeneral for changing the elements; see Write. It panics with *Error, too, if the elements of a row do not lie side
// by side, or a tape watches a or has saved its memory.
func WriteGeneral[M General](ctx context.Context, a *Array, f func(m M) error) error {
	checkGeneral[M]("WriteGeneral", a)
	if !hasRows(a) {
		fail("WriteGeneral", fault.ErrMisuse, "the elements of a row do not lie side by side", a)
	}
	if a.Detach() != a {
		fail("WriteGeneral", fault.ErrMisuse, "the array is watched by a tape", a)
	}
	return borrowGeneral(ctx, a, engine.Update, f)
}

func checkGeneral[M General](operator string, a *Array) {
	checkNotNil(operator, a)
	var m M
	if _, single := any(m).(blas32.General); single {
		checkElement[float32](operator, a)
	} else {
		checkElement[float64](operator, a)
	}
	if a.Rank() != 2 {
		fail(operator, fault.ErrShape, "a matrix has two axes", a)
	}
}

// hasRows reports whether a is what the BLAS takes: rows of neighbours that do not overlap.
func hasRows(a *Array) bool {
	view := a.tensor().View()
	rows, columns := view.Shape[0], view.Shape[1]
	return view.Count() == 0 || (columns == 1 || view.Strides[1] == 1) && (rows == 1 || view.Strides[0] >= columns)
}

// borrowGeneral calls f with a, which has rows: with all from the first to the last element.
func borrowGeneral[M General](ctx context.Context, a *Array, mode engine.Mode, f func(m M) error) error {
	view := a.tensor().View()
	rows, columns, stride := view.Shape[0], view.Shape[1], max(view.Shape[1], 1)
	if view.Count() > 0 {
		if rows > 1 {
			stride = view.Strides[0]
		}
		view.Shape, view.Strides = []int{(rows-1)*stride + columns}, []int{1}
	} else {
		view.Shape, view.Strides = []int{0}, []int{1}
	}
	span := (*Array)(ops.NewTensor(view, a.Env()))
	return span.visit(ctx, mode, true, func(data []byte) error {
		var m M
		switch g := any(&m).(type) {
		case *blas32.General:
			*g = blas32.General{Rows: rows, Cols: columns, Stride: stride, Data: elementsOf[float32](data)}
		case *blas64.General:
			*g = blas64.General{Rows: rows, Cols: columns, Stride: stride, Data: elementsOf[float64](data)}
		}
		return f(m)
	})
}
