package cpu

import "github.com/weft-nd/weft/kernels/cpu/distribution"

// following registers an operator whose elements, of so many nanoseconds each, are those of a distribution with Scalars as parameters.
func following(operator string, of distribution.Continuous, nanoseconds32, nanoseconds64 float64) struct{} {
	return register(operator, generating(of.Float32, nanoseconds32), generating(of.Float64, nanoseconds64))
}

var (
	_ = following("uniform", distribution.Uniform, generated(0.3, 4), generated(0.6, 8))
	_ = following("normal", distribution.Normal, generated(0.7, 15), generated(1.5, 30))
	_ = following("truncated_normal", distribution.TruncatedNormal, 30, 30)
	_ = following("log_normal", distribution.LogNormal, 18, 18)
	_ = following("exponential", distribution.Exponential, 8, 8)
	_ = following("weibull", distribution.Weibull, 20, 20)
	_ = following("gumbel", distribution.Gumbel, 14, 14)
	_ = following("laplace", distribution.Laplace, 12, 12)
	_ = following("logistic", distribution.Logistic, 14, 14)
	_ = following("cauchy", distribution.Cauchy, 10, 10)
	_ = following("gamma", distribution.Gamma, 30, 30)
	_ = following("chi_square", distribution.ChiSquare, 30, 30)
	_ = following("student_t", distribution.StudentT, 45, 45)
	_ = following("beta", distribution.Beta, 60, 60)
	_ = following("normal_replay", distribution.StandardNormal, 12, 12)
)
