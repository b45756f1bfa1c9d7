package random

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// Uniform returns an array of independent numbers, equally likely anywhere from low up to but not including high: the
// bounds are rounded to d, and a number that would be rounded to high is the greatest below; where the bounds are equal, all
// numbers are low. It panics with *nd.Error unless d is a floating-point type, low is at most high, both are in the range of d, their
// distance is finite, and no size is negative.
func Uniform(env *nd.Env, d dtype.DType, low, high float64, shape ...int) *nd.Array {
	x := drawWide("Uniform", env, d, ops.Uniform, func(d dtype.DType) any {
		return ops.UniformParams{Shape: slices.Clone(shape), DType: d, Low: low, High: high}
	})
	if isHalf(d) {
		if widest := halfUpTo(d, math.MaxFloat32); max(-low, high) > widest {
			panic(&nd.Error{
				Operator: "random.Uniform", Detail: fmt.Sprintf("low is %v and high is %v (legal: numbers of %v, up to %v)", low, high, d, widest),
				Cause: fault.ErrParameter, Site: fault.Here(1),
			})
		}
		limit(x, math.Inf(-1), max(halfBelow(d, high), low))
	}
	return narrow(x, d)
}

// Permutation returns the int64 numbers from 0 up to but not including n in random order, every order being equally
// likely. It panics with *nd.Error if n is negative.
func Permutation(env *nd.Env, n int) *nd.Array {
	return call("Permutation", env, ops.Permutation, ops.PermutationParams{Count: n})
}

// call draws from the generator of env. Errors name the function of this package.
func call(function string, env *nd.Env, op *ops.Operator, params any) *nd.Array {
	if env == nil {
		panic(&nd.Error{Operator: "random." + function, Detail: "the Env is nil", Cause: fault.ErrMisuse, Site: fault.Here(2)})
	}
	return (*nd.Array)(ops.InvokeIn(env, op.CalledBy("random."+function), params)[0])
}
