package ndarray

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/storage"
)

// Zeros returns an array of zeros of the given shape, of the dtype of T; without a shape it has no axes. Its memory is
// allocated when it is first used. It panics with *Error if a size is negative, as all functions do that take a shape.
func Zeros[T dtype.Element](shape ...int) *Array {
	return zeros("Zeros", DefaultEnv(), dtype.Of[T](), shape)
}

// ZerosIn is Zeros for an array of element type d in env.
func ZerosIn(env *Env, d dtype.DType, shape ...int) *Array { return zeros("ZerosIn", env, d, shape) }

func zeros(operator string, env *Env, d dtype.DType, shape []int) *Array {
	checkEnv(operator, env)
	count := checkShape(operator, d, shape)
	if env.Captures() { // each time anew
		return (*Array)(ops.InvokeIn(env, ops.Fill, ops.FillParams{Shape: shape, DType: d})[0])
	}
	return onAll(env, storage.NewSynced(env.Engine(), count*d.Size()), d, shape)
}

// Ones returns an array of ones of the given shape, of the dtype of T: true for bool.
func Ones[T dtype.Element](shape ...int) *Array {
	return full("Ones", ops.Scalar(DefaultEnv(), 1, dtype.Of[T]()), shape)
}

// OnesIn is Ones for an array of element type d in env.
func OnesIn(env *Env, d dtype.DType, shape ...int) *Array {
	checkEnv("OnesIn", env)
	checkShape("OnesIn", d, shape)
	return full("OnesIn", ops.Scalar(env, 1, d), shape)
}

// Full returns an array of the given shape whose elements are all v, of the dtype of T.
func Full[T dtype.Element](v T, shape ...int) *Array {
	return full("Full", FromSlice([]T{v}, []int{}...).tensor(), shape)
}

// FullIn is Full for an array of element type d in env; complex elements have no imaginary part. It panics with *Error
// if d cannot hold v: see Array.AddScalar.
func FullIn(env *Env, d dtype.DType, v float64, shape ...int) *Array {
	checkEnv("FullIn", env)
	checkShape("FullIn", d, shape)
	if problem := ops.Unfit(v, d); problem != "" {
		fail("FullIn", fault.ErrParameter, problem)
	}
	return full("FullIn", ops.Scalar(env, v, d), shape)
}

// full returns value, which has one element, repeated to shape in memory of its own.
func full(operator string, value *ops.Tensor, shape []int) *Array {
	checkShape(operator, value.DType(), shape)
	defer named(operator)
	return call(ops.Copy.CalledBy(operator), nil, (*Array)(value).BroadcastTo(shape...))
}

// ZerosLike returns zeros of the shape and dtype of a, in its Env.
func ZerosLike(a *Array) *Array {
	checkNotNil("ZerosLike", a)
	return ZerosIn(a.Env(), a.DType(), a.Shape()...)
}

// OnesLike returns ones of the shape and dtype of a, in its Env.
func OnesLike(a *Array) *Array {
	checkNotNil("OnesLike", a)
	return OnesIn(a.Env(), a.DType(), a.Shape()...)
}

// FullLike returns an array of the shape and dtype of a, in its Env, whose elements are all v. It panics with *Error if the dtype
// cannot hold v.
func FullLike(a *Array, v float64) *Array {
	checkNotNil("FullLike", a)
	return FullIn(a.Env(), a.DType(), v, a.Shape()...)
}

// Eye returns the identity matrix of n rows, of the dtype of T. It panics with *Error if n is negative.
func Eye[T dtype.Number](n int) *Array { return eye[T]("Eye", n, n, 0) }

// EyeDiagonal returns a matrix of zeros, of the dtype of T, with ones on the given diagonal: 0 is the main one, 1 the one
// above. It panics with *Error if rows or columns is negative.
func EyeDiagonal[T dtype.Number](rows, columns, diagonal int) *Array {
	return eye[T]("EyeDiagonal", rows, columns, diagonal)
}

func eye[T dtype.Number](operator string, rows, columns, diagonal int) *Array {
	return made(operator, []int{rows, columns}, func(data []T) {
		clear(data)
		for row := max(0, -max(diagonal, -rows)); row < rows && diagonal < columns-row; row++ {
			data[row*columns+row+diagonal] = 1
		}
	})
}

// Arange returns the numbers start, start+step, … before stop, of the dtype of T. It panics with *Error if step is zero or
// a number is not finite.
func Arange[T dtype.Real](start, stop, step T) *Array {
	return made("Arange", []int{stepsTo(start, stop, step)}, func(data []T) {
		for i := range data {
			data[i] = start + T(T(i)*step) // rounded before the sum, as where there is no fused operation
		}
	})
}

// stepsTo returns how many steps lead from start to before stop.
func stepsTo[T dtype.Real](start, stop, step T) int {
	steps := uint64(0)
	up, down := step > 0 && start < stop, step < 0 && start > stop
	switch d := dtype.Of[T](); {
	case d.IsFloat():
		exact := math.Ceil((float64(stop) - float64(start)) / float64(step))
		if math.IsNaN(exact) || math.IsInf(exact, 0) || math.IsInf(float64(step), 0) {
			fail("Arange", fault.ErrParameter, fmt.Sprintf("no numbers from %v to %v by %v", start, stop, step))
		}
		if up || down {
			steps = uint64(exact)
		}
	case step == 0:
		fail("Arange", fault.ErrParameter, "the step is zero")
	case up: // differences of two's complements are right modulo 2⁶⁴ even where the type overflows
		steps = (uint64(stop)-uint64(start)-1)/uint64(step) + 1
	case down:
		steps = (uint64(start)-uint64(stop)-1)/-uint64(step) + 1
	}
	return checkShape("Arange", dtype.Of[T](), []int{int(min(steps, math.MaxInt))})
}

// Linspace returns n numbers at equal distances from start to stop, both included, of the dtype of T: complex ones on the line
// between them. It panics with *Error if n is negative.
func Linspace[T dtype.Float | dtype.Complex](start, stop T, n int) *Array {
	return linspace("Linspace", start, stop, n, n-1)
}

// LinspaceExclusive is Linspace without stop, which would be the number after the last.
func LinspaceExclusive[T dtype.Float | dtype.Complex](start, stop T, n int) *Array {
	return linspace("LinspaceExclusive", start, stop, n, n)
}

func linspace[T dtype.Float | dtype.Complex](operator string, start, stop T, n, steps int) *Array {
	from, to, count := wide(start), wide(stop), float64(max(steps, 1))
	return made(operator, []int{n}, func(data []T) {
		switch data := any(data).(type) {
		case []float32:
			fillSpaced(data, real(from), real(to), count)
		case []float64:
			fillSpaced(data, real(from), real(to), count)
		case []complex64:
			for i := range data {
				part := float64(i) / count
				data[i] = complex64(complex(between(real(from), real(to), part), between(imag(from), imag(to), part)))
			}
		case []complex128:
			for i := range data {
				part := float64(i) / count
				data[i] = complex(between(real(from), real(to), part), between(imag(from), imag(to), part))
			}
		}
	})
}

// fillSpaced writes numbers at equal distances, of which so many lead from one to the other.
func fillSpaced[T dtype.Float](data []T, from, to, count float64) {
	for i := range data {
		data[i] = T(between(from, to, float64(i)/count))
	}
}

// between returns the number that a part of the way leads to.
func between(from, to, part float64) float64 { return float64(from*(1-part)) + float64(to*part) }

// wide returns v as a complex128.
func wide[T dtype.Float | dtype.Complex](v T) complex128 {
	switch v := any(v).(type) {
	case float32:
		return complex(float64(v), 0)
	case float64:
		return complex(v, 0)
	case complex64:
		return complex128(v)
	}
	return any(v).(complex128)
}
