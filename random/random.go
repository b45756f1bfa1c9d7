package random

import (
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/resource"
)

// Uniform returns an array of independent numbers, equally likely anywhere from low up to but not including high, of
// element type d, float32 or float64. It panics with *nd.Error on another dtype, a negative size, or low above high.
func Uniform(env *nd.Env, d dtype.DType, low, high float64, shape ...int) *nd.Array {
	ticket := draw("Uniform", env)
	return made(ops.InvokeIn(env, ops.Uniform, ops.UniformParams{
		Shape: slices.Clone(shape), DType: d, Low: low, High: high, Key: ticket.Key, Sequence: ticket.Sequence,
	}))
}

// Normal returns an array of independent numbers of the normal distribution with the given mean and standard deviation, of
// element type d, float32 or float64. It panics with *nd.Error on another dtype, a negative size or a negative deviation.
func Normal(env *nd.Env, d dtype.DType, mean, deviation float64, shape ...int) *nd.Array {
	ticket := draw("Normal", env)
	return made(ops.InvokeIn(env, ops.Normal, ops.NormalParams{
		Shape: slices.Clone(shape), DType: d, Mean: mean, Deviation: deviation, Key: ticket.Key, Sequence: ticket.Sequence,
	}))
}

// Permutation returns the int64 numbers from 0 up to but not including n in random order, every order being equally
// likely. It panics with *nd.Error if n is negative.
func Permutation(env *nd.Env, n int) *nd.Array {
	ticket := draw("Permutation", env)
	return made(ops.InvokeIn(env, ops.Permutation, ops.PermutationParams{Count: n, Key: ticket.Key, Sequence: ticket.Sequence}))
}

// draw returns the next ticket of the generator of env.
func draw(function string, env *nd.Env) resource.Ticket {
	if env == nil {
		panic(&nd.Error{Operator: "random." + function, Detail: "the Env is nil", Cause: fault.ErrMisuse, Site: fault.Here(2)})
	}
	return env.Generator().Next()
}

func made(results []*ops.Tensor) *nd.Array { return (*nd.Array)(results[0]) }
