package ndarray

import (
	"errors"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// Error is the error of an operator: a mistake in its call, or a failure while it ran.
type Error = fault.Error

// Try calls f and returns the *Error that it panics with, or nil. Any other panic goes on.
func Try(f func()) (err error) {
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
	e := &Error{Operator: operator, Detail: detail, Cause: reason, Site: fault.Here(1)}
	for _, a := range operands {
		e.Shapes = append(e.Shapes, a.tensor().Shape())
		e.DTypes = append(e.DTypes, a.DType())
	}
	panic(e)
}

// checkElement fails unless a holds elements of Go type T, and is not nil.
func checkElement[T dtype.Element](operator string, a *Array) {
	checkNotNil(operator, a)
	if want := dtype.Of[T](); a.DType() != want {
		fail(operator, fault.ErrDType, "the array holds "+a.DType().String()+", not "+want.String(), a)
	}
}

func checkNotNil(operator string, arrays ...*Array) {
	for _, a := range arrays {
		if a == nil || a.Env() == nil {
			fail(operator, fault.ErrMisuse, "the array is nil")
		}
	}
}

func checkEnv(operator string, env *Env) {
	if env == nil {
		fail(operator, fault.ErrMisuse, "the Env is nil")
	}
}

// ErrFormat is the reason of errors about files that are not what they should be.
var ErrFormat = errors.New("malformed file")
