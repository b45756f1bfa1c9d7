package random

import (
	"slices"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// Exponential returns an array of independent numbers of the exponential distribution of the given mean, the scale:
//
//	density exp(−x/scale) / scale,  x > 0
//
// It panics with *nd.Error unless d is a floating-point type, scale is finite and at least 0, and no size is negative. The
// distribution is inverted, with full precision both near 0 and far out.
func Exponential(env *nd.Env, d dtype.DType, scale float64, shape ...int) *nd.Array {
	return continuous("Exponential", env, d, ops.Exponential, func(d dtype.DType) any {
		return ops.ExponentialParams{Shape: slices.Clone(shape), DType: d, Scale: scale}
	})
}

// Laplace returns an array of independent numbers of the Laplace distribution:
//
//	density exp(−|x−location|/scale) / (2 scale)
//
// Its mean is location, its deviation √2 scale. It panics with *nd.Error unless d is a floating-point type, location is
// finite, scale is finite and at least 0, and no size is negative. The distribution is inverted.
func Laplace(env *nd.Env, d dtype.DType, location, scale float64, shape ...int) *nd.Array {
	return placed("Laplace", env, d, ops.Laplace, location, scale, shape)
}

// Gumbel returns an array of independent numbers of the Gumbel distribution of maxima: with z = (x−location)/scale,
//
//	density exp(−z − exp(−z)) / scale
//
// Its mean is location + 0.5772… scale, its deviation π/√6 scale. The index of the largest of logits + Gumbel(env, d, 0, 1,
// n) is a draw from their softmax. It panics with *nd.Error unless d is a floating-point type, location is finite, scale is
// finite and at least 0, and no size is negative. The distribution is inverted.
func Gumbel(env *nd.Env, d dtype.DType, location, scale float64, shape ...int) *nd.Array {
	return placed("Gumbel", env, d, ops.Gumbel, location, scale, shape)
}

// Logistic returns an array of independent numbers of the logistic distribution: with z = (x−location)/scale,
//
//	density exp(−z) / (scale (1+exp(−z))²)
//
// Its mean is location, its deviation π/√3 scale. It panics with *nd.Error unless d is a floating-point type, location is
// finite, scale is finite and at least 0, and no size is negative. The distribution is inverted.
func Logistic(env *nd.Env, d dtype.DType, location, scale float64, shape ...int) *nd.Array {
	return placed("Logistic", env, d, ops.Logistic, location, scale, shape)
}

// Cauchy returns an array of independent numbers of the Cauchy distribution: with z = (x−location)/scale,
//
//	density 1 / (π scale (1+z²))
//
// It has neither mean nor deviation. It panics with *nd.Error unless d is a floating-point type, location is finite, scale
// is finite and at least 0, and no size is negative. The numbers are the tangents of even angles.
func Cauchy(env *nd.Env, d dtype.DType, location, scale float64, shape ...int) *nd.Array {
	return placed("Cauchy", env, d, ops.Cauchy, location, scale, shape)
}

// Weibull returns an array of independent numbers of the Weibull distribution of concentration k: with z = x/scale,
//
//	density (k/scale) z^(k−1) exp(−z^k),  x ≥ 0
//
// Its mean is scale·Γ(1+1/k). It panics with *nd.Error unless d is a floating-point type, concentration is finite and above
// 0, scale is finite and at least 0, and no size is negative. The distribution is inverted; a number beyond the range of d
// is 0 or infinite.
func Weibull(env *nd.Env, d dtype.DType, concentration, scale float64, shape ...int) *nd.Array {
	return concentrated("Weibull", env, d, ops.Weibull, concentration, scale, shape)
}

func placed(function string, env *nd.Env, d dtype.DType, op *ops.Operator, location, scale float64, shape []int) *nd.Array {
	return continuous(function, env, d, op, func(d dtype.DType) any {
		return ops.LocationScaleParams{Shape: slices.Clone(shape), DType: d, Location: location, Scale: scale}
	})
}

func concentrated(function string, env *nd.Env, d dtype.DType, op *ops.Operator, concentration, scale float64, shape []int) *nd.Array {
	return continuous(function, env, d, op, func(d dtype.DType) any {
		return ops.ConcentrationScaleParams{Shape: slices.Clone(shape), DType: d, Concentration: concentration, Scale: scale}
	})
}
