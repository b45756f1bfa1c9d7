package random

import (
	"slices"

	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// Categorical draws numbers of categories, which are counted along the last axis of weights: an int64 array of the shape of
// weights without that axis, followed by shape. A category has the probability of its weight divided by the sum of its row.
// Weights of integers count as float64. It draws from the generator of the Env of weights.
//
// A row with a weight that is negative, infinite or NaN, with none that is positive, or with a sum beyond float64, is an error of
// the result with the cause fault.ErrParameter. Weights without axes and negative sizes panic with *nd.Error.
func Categorical(weights *nd.Array, shape ...int) *nd.Array {
	return callOf("Categorical", ops.Categorical, ops.CategoricalParams{Shape: slices.Clone(shape)}, weights)
}

// CategoricalLogits is Categorical with the weights exp(logits), computed without overflow. A logit of -Inf is a weight of zero;
// NaN and +Inf are errors of the result.
func CategoricalLogits(logits *nd.Array, shape ...int) *nd.Array {
	return callOf("CategoricalLogits", ops.Categorical, ops.CategoricalParams{Shape: slices.Clone(shape), Logarithmic: true}, logits)
}

// Multinomial returns how often each category came in trials draws: an int64 array of the shape of weights, with shape put in front
// of the last axis, along which the counts sum to trials. Counts k1, k2, … have the probability
//
//	trials! / (k1! k2! …) · p1^k1 · p2^k2 · …
//
// where p are the weights divided by the sum of their row. Each count is a binomial number of the trials that are left. Weights are
// legal as those of Categorical; it panics with *nd.Error unless trials is from 0 to 2^53.
func Multinomial(weights *nd.Array, trials int, shape ...int) *nd.Array {
	return callOf("Multinomial", ops.Multinomial, ops.MultinomialParams{Shape: slices.Clone(shape), Trials: trials}, weights)
}

// Choose returns count different int64 numbers below population in random order: every ordered choice is equally likely, and a
// shorter choice with the same ticket is the beginning of a longer one. Memory is proportional to count. It panics with *nd.Error
// unless count is from 0 to population.
func Choose(env *nd.Env, population, count int) *nd.Array {
	return call("Choose", env, ops.Choose, ops.ChooseParams{Population: population, Count: count})
}

// ChooseWeighted returns count different numbers of categories for each row of weights: an int64 array of the shape of
// weights with the last axis of length count. They are as if drawn one after the other, each with the weights of the categories that
// are left; a weight of zero is never drawn. The method is that of Efraimidis and Spirakis ("Weighted random sampling with a
// reservoir", Information Processing Letters 97(5), 2006). It draws from the generator of the Env of weights.
//
// A row with an illegal weight (see Categorical), or with fewer than count positive ones, is an error of the result. It panics with
// *nd.Error unless count is from 0 to the number of categories.
func ChooseWeighted(weights *nd.Array, count int) *nd.Array {
	return callOf("ChooseWeighted", ops.ChooseWeighted, ops.ChooseWeightedParams{Count: count}, weights)
}
