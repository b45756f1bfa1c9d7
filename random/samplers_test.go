package random_test

import (
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// Functions of two parameters, and of one, as samplers.
var (
	uniform   = two(random.Uniform)
	normal    = two(random.Normal)
	laplace   = two(random.Laplace)
	gumbel    = two(random.Gumbel)
	logistic  = two(random.Logistic)
	cauchy    = two(random.Cauchy)
	weibull   = two(random.Weibull)
	logNormal = two(random.LogNormal)
	gamma     = two(random.Gamma)
	beta      = two(random.Beta)

	exponential = one(random.Exponential)
	chiSquare   = one(random.ChiSquare)
	studentT    = one(random.StudentT)
)

func two(draw func(env *nd.Env, d dtype.DType, a, b float64, shape ...int) *nd.Array) func(a, b float64) sampler {
	return func(a, b float64) sampler {
		return func(env *nd.Env, d dtype.DType, n int) *nd.Array { return draw(env, d, a, b, n) }
	}
}

func one(draw func(env *nd.Env, d dtype.DType, a float64, shape ...int) *nd.Array) func(a float64) sampler {
	return func(a float64) sampler {
		return func(env *nd.Env, d dtype.DType, n int) *nd.Array { return draw(env, d, a, n) }
	}
}

func truncated(mean, deviation, low, high float64) sampler {
	return func(env *nd.Env, d dtype.DType, n int) *nd.Array {
		return random.TruncatedNormal(env, d, mean, deviation, low, high, n)
	}
}
