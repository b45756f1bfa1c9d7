package fault

import (
	"fmt"

	"github.com/weft-nd/weft/dtype"
)

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

// Variable returns the error of an environment variable that is set to value, which is none of what is legal.
func Variable(name, value, legal string) *Error {
	return &Error{Operator: name, Detail: fmt.Sprintf("the environment variable is %q (legal: %s)", value, legal), Cause: ErrParameter}
}
