package random

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// continuous draws floats of type d: those of the half types are float32 numbers, rounded.
func continuous(function string, env *nd.Env, d dtype.DType, op *ops.Operator, params func(d dtype.DType) any) *nd.Array {
	return narrow(drawWide(function, env, d, op, params), d)
}

// drawWide draws floats of type d, or float32 where that is a half type.
func drawWide(function string, env *nd.Env, d dtype.DType, op *ops.Operator, params func(d dtype.DType) any) *nd.Array {
	if !d.IsFloat() {
		panic(&nd.Error{
			Operator: "random." + function, Detail: fmt.Sprintf("no random numbers of %v (accepted: float16, bfloat16, float32, float64)", d),
			Cause: fault.ErrDType, Site: fault.Here(2),
		})
	}
	if isHalf(d) {
		return call(function, env, op, params(dtype.Float32))
	}
	return call(function, env, op, params(d))
}

// narrow returns x, or with elements of d if that is a half type.
func narrow(x *nd.Array, d dtype.DType) *nd.Array {
	if isHalf(d) {
		return x.Cast(d)
	}
	return x
}

// limit keeps the elements of x, which is new and of type float32, from least to most.
func limit(x *nd.Array, least, most float64) {
	t := (*ops.Tensor)(x)
	atLeast := func(v float64) {
		ops.InvokeInto(ops.Maximum, nil, []*ops.Tensor{t}, t, ops.Scalar(t.Env(), v, dtype.Float32))
	}
	negate := func() { ops.InvokeInto(ops.Neg, nil, []*ops.Tensor{t}, t) }
	if !math.IsInf(least, -1) {
		atLeast(least)
	}
	if !math.IsInf(most, 1) {
		negate()
		atLeast(-most)
		negate()
	}
}

func isHalf(d dtype.DType) bool { return d == dtype.Float16 || d == dtype.BFloat16 }

// halfBelow returns the greatest number of half type d below bound.
func halfBelow(d dtype.DType, bound float64) float64 {
	return halfUpTo(d, math.Nextafter(bound, math.Inf(-1)))
}

// halfUpTo returns the greatest number of half type d that is at most bound.
func halfUpTo(d dtype.DType, bound float64) float64 {
	bits := nearestHalf(d, bound)
	if valueOfHalf(d, bits) > bound {
		switch {
		case bits&0x7fff == 0: // below zeros of both signs
			bits = 0x8001
		case bits < 0x8000:
			bits--
		default:
			bits++
		}
	}
	return valueOfHalf(d, bits)
}

// halfFrom returns the least number of half type d that is at least bound.
func halfFrom(d dtype.DType, bound float64) float64 { return -halfUpTo(d, -bound) }

// nearestHalf returns the bits of one of the two numbers of half type d around v.
func nearestHalf(d dtype.DType, v float64) uint16 {
	if d == dtype.Float16 {
		return uint16(dtype.ToF16(float32(v)))
	}
	return uint16(dtype.ToBF16(float32(v)))
}

func valueOfHalf(d dtype.DType, bits uint16) float64 {
	if d == dtype.Float16 {
		return float64(dtype.F16(bits).Float32())
	}
	return float64(dtype.BF16(bits).Float32())
}

// halfEpsilon returns the distance of the numbers of half type d around 1.
func halfEpsilon(d dtype.DType) float64 { return valueOfHalf(d, nearestHalf(d, 1)+1) - 1 }
