package autograd

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// ValueAndGradient returns f(xs...), an array of one real number, and its gradients with respect to xs, arrays of
// floats or complex numbers: each of the shape, dtype and device of its x, zeros where f does not depend on it, and one
// for each place where the same array is given twice. Tapes that watch xs, or what f refers to, record all of it:
// called in a function that is differentiated itself, it gives derivatives of higher order. A value of another size or
// of other numbers panics with *nd.Error; failures at run time travel in the results. The name and the order are those
// of JAX (value_and_grad).
func ValueAndGradient(f func(xs ...*nd.Array) *nd.Array, xs ...*nd.Array) (value *nd.Array, gradients []*nd.Array) {
	checkFunction("ValueAndGradient", f != nil)
	return valueAndGradient("ValueAndGradient", f, xs...)
}

func valueAndGradient(operator string, f func(xs ...*nd.Array) *nd.Array, xs ...*nd.Array) (value *nd.Array, gradients []*nd.Array) {
	checkNotNil(operator, xs...)
	tape, handles := NewTape(), make([]*nd.Array, len(xs))
	defer tape.Close()
	for i, x := range xs {
		handles[i] = tape.handle(operator, x)
	}
	value = f(handles...)
	checkValue(operator, value)
	if value.Count() != 1 {
		failValue(operator, value, fault.ErrShape, "the value of the function must have one element: sum it, or use Jacobian")
	}
	if tape.node(value) < 0 {
		return value, zeros(handles)
	}
	gradients = tape.Gradient(value, handles...)
	return unwatched(tape, value), gradients
}

// HessianVector returns the Hessian of f at x times v, which has the shape and dtype of x, without making the Hessian: the
// gradient of gradient·v (Pearlmutter, "Fast exact multiplication by the Hessian", Neural Computation 6, 1994). The value of f
// has one element. Errors are as those of ValueAndGradient.
func HessianVector(f func(x *nd.Array) *nd.Array, x, v *nd.Array) *nd.Array {
	checkFunction("HessianVector", f != nil)
	checkNotNil("HessianVector", x, v)
	checkReal("HessianVector", x)
	if !slices.Equal(x.Shape(), v.Shape()) || x.DType() != v.DType() {
		detail := fmt.Sprintf("the vector is not of the shape and dtype of x, %s %v", fault.FormatShape(x.Shape()), x.DType())
		failValue("HessianVector", v, fault.ErrShape, detail)
	}
	tape := NewTape()
	defer tape.Close()
	handle := tape.handle("HessianVector", x)
	gradient := gradientOf("HessianVector", f, handle)
	if tape.node(gradient) < 0 {
		return zeros([]*nd.Array{x})[0]
	}
	return tape.GradientWith(gradient, v, handle)[0]
}

// Jacobian returns the derivatives of all elements of f(x) with respect to all elements of x: an array of the shape of f(x)
// followed by that of x, of the dtype and on the device of x. Both are of floats. It goes back once for each element of
// f(x), so it is for small results. Errors and higher orders are as those of ValueAndGradient.
func Jacobian(f func(x *nd.Array) *nd.Array, x *nd.Array) *nd.Array {
	checkFunction("Jacobian", f != nil)
	return jacobian("Jacobian", f, x)
}

func jacobian(operator string, f func(x *nd.Array) *nd.Array, x *nd.Array) *nd.Array {
	checkNotNil(operator, x)
	checkReal(operator, x)
	tape := NewTape(Persistent())
	defer tape.Close()
	handle := tape.handle(operator, x)
	y := f(handle)
	checkValue(operator, y)
	shape, count := append(y.Shape(), x.Shape()...), y.Count()
	if count == 0 || tape.node(y) < 0 {
		return nd.ZerosIn(x.Env(), x.DType(), shape...)
	}
	rows := make([]*nd.Array, count)
	for i := range rows {
		unit := nd.FromSliceIn(y.Env(), []int64{int64(i)}).OneHot(count, y.DType()).Reshape(y.Shape()...)
		rows[i] = tape.GradientWith(y, unit, handle)[0]
	}
	return nd.Stack(0, rows...).Reshape(shape...)
}

// Hessian returns the second derivatives of f at x, the Jacobian of its gradient: an array of the shape of x followed by
// that of x. The value of f has one element. It goes back once for each element of x; HessianVector does without it. Errors
// are as those of ValueAndGradient.
func Hessian(f func(x *nd.Array) *nd.Array, x *nd.Array) *nd.Array {
	checkFunction("Hessian", f != nil)
	return jacobian("Hessian", func(x *nd.Array) *nd.Array { return gradientOf("Hessian", f, x) }, x)
}

func gradientOf(operator string, f func(x *nd.Array) *nd.Array, x *nd.Array) *nd.Array {
	_, gradients := valueAndGradient(operator, func(xs ...*nd.Array) *nd.Array { return f(xs[0]) }, x)
	return gradients[0]
}

// unwatched returns a handle on a that t does not watch, so that using it needs nothing of t.
func unwatched(t *Tape, a *nd.Array) *nd.Array { return (*nd.Array)((*ops.Tensor)(a).Unwatched(t)) }

func zeros(like []*nd.Array) []*nd.Array {
	all := make([]*nd.Array, len(like))
	for i, a := range like {
		all[i] = nd.ZerosIn(a.Env(), a.DType(), a.Shape()...)
	}
	return all
}

// checkReal fails if x is complex: the derivatives of a function of complex numbers are no array of complex numbers,
// unless it is holomorphic.
func checkReal(operator string, x *nd.Array) {
	if d := x.DType(); d.IsComplex() {
		failValue(operator, x, fault.ErrDType, "the operand must be of real floats, not "+d.String())
	}
}

// checkValue fails unless the value of a function can be differentiated.
func checkValue(operator string, value *nd.Array) {
	if value == nil {
		panic(&nd.Error{Operator: operator, Detail: "the function returned nil", Cause: fault.ErrMisuse, Site: fault.Here(2)})
	}
	if d := value.DType(); !d.IsFloat() {
		failValue(operator, value, fault.ErrDType, "the value of the function must be of real floats, not "+d.String())
	}
}

// failValue panics with the error of a value that does not fit.
func failValue(operator string, value *nd.Array, reason error, detail string) {
	panic(fault.Mistake(fault.Here(2), operator, reason, detail, value))
}
