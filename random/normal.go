package random

import (
	"slices"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// Normal returns an array of independent numbers of the normal distribution with the given mean and standard deviation:
//
//	density exp(−((x−mean)/deviation)²/2) / (√(2π) deviation)
//
// It panics with *nd.Error unless d is a floating-point type, mean is finite, deviation is finite and at least 0, and no
// size is negative.
func Normal(env *nd.Env, d dtype.DType, mean, deviation float64, shape ...int) *nd.Array {
	return continuous("Normal", env, d, ops.Normal, func(d dtype.DType) any {
		return ops.NormalParams{Shape: slices.Clone(shape), DType: d, Mean: mean, Deviation: deviation}
	})
}

// LogNormal returns an array of e to the power of independent normal numbers, whose mean and standard deviation are given:
//
//	density exp(−((log(x)−mean)/deviation)²/2) / (√(2π) deviation x),  x > 0
//
// Its mean is exp(mean + deviation²/2). It panics with *nd.Error unless d is a floating-point type, mean is finite,
// deviation is finite and at least 0, and no size is negative. Numbers beyond the range of d are 0 or infinite.
func LogNormal(env *nd.Env, d dtype.DType, mean, deviation float64, shape ...int) *nd.Array {
	return continuous("LogNormal", env, d, ops.LogNormal, func(d dtype.DType) any {
		return ops.LogNormalParams{Shape: slices.Clone(shape), DType: d, Mean: mean, Deviation: deviation}
	})
}

// TruncatedNormal returns an array of independent numbers of the normal distribution with the given mean and standard
// deviation, under the condition that they lie from low to high, either of which may be infinite. The bounds may be far
// from the mean: the numbers follow the distribution exactly there, too (Robert, "Simulation of truncated normal
// variables", Statistics and Computing 5, 1995). A deviation of 0 puts all numbers at the place between the bounds that is
// nearest to the mean.
//
// Results are from low to high after rounding to d, too; where no number of d lies between, they are the nearest to low. It
// panics with *nd.Error unless d is a floating-point type, mean is finite, deviation is finite and at least 0, low is at
// most high, low is below +Inf and high above −Inf, and no size is negative.
func TruncatedNormal(env *nd.Env, d dtype.DType, mean, deviation, low, high float64, shape ...int) *nd.Array {
	x := drawWide("TruncatedNormal", env, d, ops.TruncatedNormal, func(d dtype.DType) any {
		return ops.TruncatedNormalParams{Shape: slices.Clone(shape), DType: d, Mean: mean, Deviation: deviation, Low: low, High: high}
	})
	if isHalf(d) {
		least, most := halfFrom(d, low), halfUpTo(d, high)
		if least > most {
			least, most = low, low
		}
		limit(x, least, most)
	}
	return narrow(x, d)
}

// MultivariateNormal returns independent vectors of n elements of the normal distribution with the given mean, of shape
// (n,), and covariance C, of shape (n,n), along the last axis of an array of shape (shape..., n):
//
//	density exp(−(x−mean)ᵀ C⁻¹ (x−mean)/2) / √((2π)^n det C)
//
// The covariance may be singular: the vectors lie in a subspace then. The element type is that in which mean and covariance
// meet. It draws from the generator of the Env of mean. It panics with *nd.Error if shapes do not fit or a size is negative.
// A covariance that has an element that is no number, is not symmetric, or is not positive semidefinite, up to rounding, is
// an error of the result that tells where, with the cause fault.ErrParameter.
//
// A vector is mean + F·z with standard normal numbers z and F·Fᵀ = C; see CovarianceFactor, which saves the factoring when
// many calls have the same covariance. Gradients flow back to mean, but not to covariance; see MultivariateNormalFactored.
func MultivariateNormal(mean, covariance *nd.Array, shape ...int) *nd.Array {
	given := nd.InOneCapture(mean, covariance)
	const function = "MultivariateNormal"
	return vectors(function, given[0], given[1], factored(function, given[1]), shape)
}

// MultivariateNormalFactored is MultivariateNormal for the covariance F·Fᵀ with F the given factor, of shape (n,m): the sum of
// its columns times independent standard normal numbers, and mean. Gradients flow back to both: they are those of the vectors
// with the normal numbers left as they are. An element that is infinite or NaN makes the elements NaN or infinite that it
// counts in.
func MultivariateNormalFactored(mean, factor *nd.Array, shape ...int) *nd.Array {
	given := nd.InOneCapture(mean, factor)
	return vectors("MultivariateNormalFactored", given[0], given[1], widened(given[1]), shape)
}

// vectors draws vectors with a factor of float32 where that given, or the covariance given, is of a half type.
func vectors(function string, mean, given, factor *nd.Array, shape []int) *nd.Array {
	x := callOf(function, ops.MultivariateNormal, ops.MultivariateNormalParams{Shape: slices.Clone(shape)}, widened(mean), factor)
	if mean.DType() == given.DType() {
		return narrow(x, mean.DType())
	}
	return x
}

// CovarianceFactor returns a matrix F of shape (n,n) with F·Fᵀ equal to covariance, a symmetric positive semidefinite matrix
// of that shape; columns from its rank on are zero. It is Cholesky's method with pivoting (Higham, "Analysis of the Cholesky
// decomposition of a semi-definite matrix", 1990), so F is a triangular matrix with its rows exchanged. It panics with
// *nd.Error on another shape; for errors of the contents see MultivariateNormal.
func CovarianceFactor(covariance *nd.Array) *nd.Array {
	factor := factored("CovarianceFactor", covariance)
	return narrow(factor, covariance.DType())
}

// factored is CovarianceFactor with a result of float32 for a half type, whose rounding is tolerated.
func factored(function string, covariance *nd.Array) *nd.Array {
	params := ops.CovarianceFactorParams{}
	if covariance != nil && isHalf(covariance.DType()) && covariance.Rank() > 0 {
		params.Tolerance = 4 * float64(covariance.Shape()[0]) * halfEpsilon(covariance.DType())
	}
	return callOf(function, ops.CovarianceFactor, params, widened(covariance))
}

// widened returns a with elements of float32 if they are of a half type.
func widened(a *nd.Array) *nd.Array {
	if a != nil && isHalf(a.DType()) {
		return a.Cast(dtype.Float32)
	}
	return a
}
