package ndarray

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// Error is the error of an operator: a mistake in its call, or a failure while it ran.
type Error = fault.Error

// Try calls f and returns the *Error that it panics with, or nil. Any other panic goes on. It panics with *Error if f is nil.
func Try(f func()) (err error) {
	if f == nil {
		fail("Try", fault.ErrMisuse, "the function is nil")
	}
	defer func() {
		if reason := recover(); reason != nil {
			mistake, ok := reason.(*Error)
			if !ok {
				panic(reason)
			}
			err = mistake
		}
	}()
	f()
	return nil
}

// fail panics with the error of a mistaken call on the given operands.
func fail(operator string, reason error, detail string, operands ...*Array) {
	panic(fault.Mistake(fault.Here(1), operator, reason, detail, tensors(operands)...))
}

// named is deferred by a function that is made of operators: it gives a mistake that one of them finds the name and the
// operands of the function.
func named(function string, operands ...*Array) {
	switch reason := recover().(type) {
	case nil:
	case *Error:
		renamed, own := *reason, fault.Mistake(nil, function, reason.Cause, reason.Detail, tensors(operands)...)
		renamed.Operator, renamed.Shapes, renamed.DTypes = function, own.Shapes, own.DTypes
		panic(&renamed)
	default:
		panic(reason)
	}
}

// failAt is fail for a mistake in text, behind column bytes of it.
func failAt(operator string, reason error, detail, text string, column int, operands ...*Array) {
	defer func() {
		mistake := recover().(*Error)
		mistake.Text, mistake.Column = text, column
		panic(mistake)
	}()
	fail(operator, reason, detail, operands...)
}

// checkElement fails unless a holds elements of Go type T, and is not nil.
func checkElement[T dtype.Element](operator string, a *Array) {
	checkNotNil(operator, a)
	if want := dtype.Of[T](); a.DType() != want {
		fail(operator, fault.ErrDType, "the array holds "+a.DType().String()+", not "+want.String(), a)
	}
}

// checkNotNil fails if an array is nil, or was not made by this package.
func checkNotNil(operator string, arrays ...*Array) {
	for i, a := range arrays {
		if a == nil || a.tensor().Env() == nil {
			which := "the array"
			if len(arrays) > 1 {
				which = fmt.Sprintf("array %d of %d", i, len(arrays))
			}
			fail(operator, fault.ErrMisuse, which+" is nil")
		}
	}
}

func checkContext(operator string, ctx context.Context) {
	if ctx == nil {
		fail(operator, fault.ErrMisuse, "the context is nil")
	}
}

func checkEnv(operator string, env *Env) {
	if env == nil {
		fail(operator, fault.ErrMisuse, "the Env is nil")
	}
}

// ErrFormat is the reason of errors about files that are not what they should be.
var ErrFormat = errors.New("malformed file")
