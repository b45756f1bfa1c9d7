package ndarray

import (
	"context"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// Read calls f with the elements of a themselves, row-major, without a copy. Operators that write a wait until f has returned;
// those that read it do not. F must not change the slice, keep it, or wait for a write of a, which would never come. Read
// blocks until f has returned, and returns the error that sticks to a, without calling f, or that of f. If ctx ends before f is
// called, f is not called and the cause of ctx is returned. It panics with *Error if a is not contiguous (see Array.Copy), or
// its dtype is not that of T.
func Read[T dtype.Element](ctx context.Context, a *Array, f func(elements []T) error) error {
	return borrow("Read", ctx, a, engine.Read, f)
}

// Write calls f with the elements of a themselves, row-major, for f to change. Operators on a wait until f has returned. F must
// not keep the slice, or use a. Write blocks until f has returned; an error or panic of f sticks to a. Views of a see the
// change. Write fails and panics as Read does, and also panics if a tape watches a or has saved its memory.
func Write[T dtype.Element](ctx context.Context, a *Array, f func(elements []T) error) error {
	return borrow("Write", ctx, a, engine.Update, f)
}

func borrow[T dtype.Element](operator string, ctx context.Context, a *Array, mode engine.Mode, f func([]T) error) error {
	checkElement[T](operator, a)
	checkContext(operator, ctx)
	if f == nil {
		fail(operator, fault.ErrMisuse, "the function is nil", a)
	}
	checkVisit(operator, a, mode)
	return a.visit(ctx, mode, true, func(data []byte) error { return f(elementsOf[T](data)) })
}

// checkVisit fails if the elements of a cannot be shown as they are, or must not be changed.
func checkVisit(operator string, a *Array, mode engine.Mode) {
	if !a.IsContiguous() {
		fail(operator, fault.ErrMisuse, "the array is not contiguous", a)
	}
	if mode != engine.Read && a.Detach() != a {
		fail(operator, fault.ErrMisuse, "the array is watched by a tape", a)
	}
}
