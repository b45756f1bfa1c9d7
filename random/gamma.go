package random

import (
	"slices"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// Gamma returns an array of independent numbers of the gamma distribution of concentration a, which others call its shape:
//
//	density x^(a−1) exp(−x/scale) / (Γ(a) scale^a),  x > 0
//
// Its mean is a·scale, its variance a·scale². It panics with *nd.Error unless d is a floating-point type, concentration is
// finite and above 0, scale is finite and at least 0, and no size is negative.
//
// The method is that of Marsaglia and Tsang ("A simple method for generating gamma variables", ACM TOMS 26(3), 2000), at
// any size of the concentration. Below 1 the logarithms of numbers are drawn, so that a number is 0 only where it is beyond
// the range of d.
func Gamma(env *nd.Env, d dtype.DType, concentration, scale float64, shape ...int) *nd.Array {
	return concentrated("Gamma", env, d, ops.Gamma, concentration, scale, shape)
}

// ChiSquare returns an array of independent numbers of the chi-square distribution: with k degrees of freedom, which need
// not be whole,
//
//	density x^(k/2−1) exp(−x/2) / (Γ(k/2) 2^(k/2)),  x > 0
//
// Its mean is k, its variance 2k. It panics with *nd.Error unless d is a floating-point type, freedom is finite and above
// 0, and no size is negative. The numbers are those of Gamma.
func ChiSquare(env *nd.Env, d dtype.DType, freedom float64, shape ...int) *nd.Array {
	return free("ChiSquare", env, d, ops.ChiSquare, freedom, shape)
}

// StudentT returns an array of independent numbers of Student's t distribution: with k degrees of freedom, which need not
// be whole,
//
//	density Γ((k+1)/2) / (√(kπ) Γ(k/2)) · (1 + x²/k)^(−(k+1)/2)
//
// It has a mean, 0, for k above 1 and a variance, k/(k−2), for k above 2. It panics with *nd.Error unless d is a
// floating-point type, freedom is finite and above 0, and no size is negative. A number is a normal one over the root of a
// gamma one; numbers beyond the range of d, which few degrees of freedom bring, are infinite.
func StudentT(env *nd.Env, d dtype.DType, freedom float64, shape ...int) *nd.Array {
	return free("StudentT", env, d, ops.StudentT, freedom, shape)
}

func free(function string, env *nd.Env, d dtype.DType, op *ops.Operator, freedom float64, shape []int) *nd.Array {
	return continuous(function, env, d, op, func(d dtype.DType) any {
		return ops.FreedomParams{Shape: slices.Clone(shape), DType: d, Freedom: freedom}
	})
}

// Beta returns an array of independent numbers of the beta distribution:
//
//	density x^(alpha−1) (1−x)^(beta−1) Γ(alpha+beta) / (Γ(alpha) Γ(beta)),  0 < x < 1
//
// Its mean is alpha/(alpha+beta). It panics with *nd.Error unless d is a floating-point type, alpha and beta are finite and
// above 0, and no size is negative. A number g/(g+h) is made of two of the gamma distribution, or of their logarithms where
// one of alpha and beta is below 1: it is never NaN, and 0 and 1 come by rounding alone.
func Beta(env *nd.Env, d dtype.DType, alpha, beta float64, shape ...int) *nd.Array {
	return continuous("Beta", env, d, ops.Beta, func(d dtype.DType) any {
		return ops.BetaParams{Shape: slices.Clone(shape), DType: d, Alpha: alpha, Beta: beta}
	})
}

// Dirichlet returns independent vectors of the Dirichlet distribution along the last axis of an array whose shape is shape
// followed by that of concentrations, each row of which has its own distribution: with the concentrations a1, a2, … of the
// row,
//
//	density x1^(a1−1) x2^(a2−1) … · Γ(a1+a2+…) / (Γ(a1) Γ(a2) …),  x1 + x2 + … = 1
//
// The element type is that of concentrations, float64 for integers. It draws from the generator of the Env of
// concentrations. It panics with *nd.Error if these have no axes or no elements along the last, or if a size is negative. A
// concentration that is not finite and above 0 is an error of the result, with the cause fault.ErrParameter.
//
// Vectors are gamma numbers divided by their sum, which is one up to rounding, also where they underflow. No gradient flows to the
// concentrations.
func Dirichlet(concentrations *nd.Array, shape ...int) *nd.Array {
	x := callOf("Dirichlet", ops.Dirichlet, ops.DirichletParams{Shape: slices.Clone(shape)}, widened(concentrations))
	return narrow(x, concentrations.DType())
}
