package random

import (
	"slices"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// Integers returns an array of independent integers from low to high, both included, so that every interval can be
// asked for: each of the n = high − low + 1 has the probability 1/n exactly (Lemire, "Fast random integer generation in
// an interval", ACM TOMACS 29(1), 2019). The element type is that of T; int is int64. It panics with *nd.Error if low
// is above high or a size is negative.
func Integers[T dtype.Integer](env *nd.Env, low, high T, shape ...int) *nd.Array {
	return call("Integers", env, ops.Randint, ops.RandintParams{
		Shape: slices.Clone(shape), DType: dtype.Of[T](), Low: int(low), High: int(high),
	})
}

// Bernoulli returns a bool array whose elements are true with probability p, independently: as often as the float64 p says, to
// the last bit. It panics with *nd.Error unless p is from 0 to 1, or if a size is negative.
func Bernoulli(env *nd.Env, p float64, shape ...int) *nd.Array {
	return call("Bernoulli", env, ops.Bernoulli, ops.BernoulliParams{Shape: slices.Clone(shape), Probability: p})
}

// BernoulliOf returns a bool array of the shape of p, a floating-point array, whose elements are true with the
// probabilities in p. It draws from the generator of p's Env. A probability that is not from 0 to 1 is an error of the
// result, with the cause fault.ErrParameter; another element type panics with *nd.Error.
func BernoulliOf(p *nd.Array) *nd.Array { return callOf("BernoulliOf", ops.BernoulliOf, nil, p) }

// Poisson returns an int64 array of independent numbers of the Poisson distribution: k with probability
//
//	rate^k exp(−rate) / k!,  k = 0, 1, 2, …
//
// The rate, which is mean and variance, is from 0 to 9.2e18; results above 2^53 are even. It panics with *nd.Error on another
// rate or a negative size. Rates below 10 are inverted; the others use PTRS of Hörmann ("The transformed rejection method for
// generating Poisson random variables", Insurance: Mathematics and Economics 12(1), 1993).
func Poisson(env *nd.Env, rate float64, shape ...int) *nd.Array {
	return call("Poisson", env, ops.Poisson, ops.PoissonParams{Shape: slices.Clone(shape), Rate: rate})
}

// PoissonOf is Poisson with the rate of each element given by an array, whose shape the result has. Integers count as float64.
// It draws from the generator of the Env of rates. A rate out of range is an error of the result, with the cause
// fault.ErrParameter.
func PoissonOf(rates *nd.Array) *nd.Array { return callOf("PoissonOf", ops.PoissonOf, nil, rates) }

// Binomial returns an int64 array of independent numbers of successes among trials, each with probability p: k with
// probability
//
//	trials! / (k! (trials−k)!) · p^k (1−p)^(trials−k),  k = 0, …, trials
//
// It panics with *nd.Error unless trials is from 0 to 2^53 and p from 0 to 1, or if a size is negative. Where fewer than ten
// successes or failures are expected, the distribution is inverted; else it is BTRS of Hörmann ("The generation of
// binomial random variates", Journal of Statistical Computation and Simulation 46, 1993).
func Binomial(env *nd.Env, trials int, p float64, shape ...int) *nd.Array {
	return call("Binomial", env, ops.Binomial, ops.BinomialParams{Shape: slices.Clone(shape), Trials: trials, Probability: p})
}

// BinomialOf is Binomial with the parameters of each element given by arrays, integers and floats, that are broadcast. It
// draws from the generator of the Env of trials. A parameter out of range is an error of the result, with the cause
// fault.ErrParameter.
func BinomialOf(trials, p *nd.Array) *nd.Array {
	return callOf("BinomialOf", ops.BinomialOf, nil, trials, p)
}

// Geometric returns an int64 array of independent numbers of trials up to and with the first success, which has probability
// p: k with probability
//
//	(1−p)^(k−1) p,  k = 1, 2, …
//
// by inversion; what is beyond int64 becomes its largest number. It panics with *nd.Error unless p is above 0 and at most 1,
// or if a size is negative.
func Geometric(env *nd.Env, p float64, shape ...int) *nd.Array {
	return call("Geometric", env, ops.Geometric, ops.GeometricParams{Shape: slices.Clone(shape), Probability: p})
}

// NegativeBinomial returns an int64 array of independent numbers of failures before a number of successes, each of which has
// probability p: k with probability
//
//	Γ(k+successes) / (k! Γ(successes)) · p^successes (1−p)^k,  k = 0, 1, 2, …
//
// A number of successes that is not whole is legal. Numbers are Poisson numbers whose rates are gamma numbers; what is
// beyond int64 becomes its largest number. It panics with *nd.Error unless successes is above 0 and finite and p is above 0 and
// at most 1, or if a size is negative.
func NegativeBinomial(env *nd.Env, successes, p float64, shape ...int) *nd.Array {
	return call("NegativeBinomial", env, ops.NegativeBinomial, ops.NegativeBinomialParams{
		Shape: slices.Clone(shape), Successes: successes, Probability: p,
	})
}

// callOf is call from the generator of the Env of the first operand. Operands of 16-bit floats are widened.
func callOf(function string, op *ops.Operator, params any, operands ...*nd.Array) *nd.Array {
	wide := nd.InOneCapture(operands...)
	for i, a := range wide {
		if a != nil && isHalf(a.DType()) {
			wide[i] = a.Cast(dtype.Float32)
		}
	}
	return nd.Invoke(op.CalledBy("random."+function), params, wide...)[0]
}
