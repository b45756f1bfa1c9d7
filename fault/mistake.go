package fault

import "github.com/weft-nd/weft/dtype"

// Operand is what errors need to know of an operand.
type Operand interface {
	Shape() []int
	DType() dtype.DType
}

// Mistake returns the error of a mistaken call of an operator or function on the given operands, none of which is nil.
func Mistake[O Operand](site *Site, operator string, reason error, detail string, operands ...O) *Error {
	e := &Error{Operator: operator, Detail: detail, Cause: reason, Site: site}
	for _, o := range operands {
		e.Shapes, e.DTypes = append(e.Shapes, o.Shape()), append(e.DTypes, o.DType())
	}
	return e
}
