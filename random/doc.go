// Package random makes arrays of random numbers.
//
//	env := nd.DefaultEnv().WithSeed(7)
//	x := random.Normal(env, dtype.Float32, 0, 1, 2, 3) // mean 0, deviation 1, shape (2,3)
//
// Arguments come in this order: the Env, the element type where it may be chosen, the parameters, the shape, which is that of a 0-d
// array if it is left out. Functions whose parameters are arrays, such as Categorical, PoissonOf and Shuffled, have no Env of their own.
//
// Every function draws one ticket from the generator of the Env it is given, or of that of its first array; the numbers follow
// from the ticket, the shape and the dtype alone, so they are the same for every number of workers. An Env made by WithSeed
// repeats its numbers, that of nd.DefaultEnv is seeded by chance.
//
// # Distributions
//
//   - Continuous: Uniform, Normal, TruncatedNormal, LogNormal, Exponential, Gamma, Beta, ChiSquare, StudentT, Laplace, Gumbel,
//     Logistic, Cauchy, Weibull.
//   - Vectors: MultivariateNormal, Dirichlet.
//   - Counts and integers: Integers, Bernoulli, Binomial, Poisson, Geometric, NegativeBinomial, Multinomial.
//   - Categories and order: Categorical, Choice, Choose, ChooseWeighted, Permutation, Shuffled.
//
// A mistaken call panics with *nd.Error, which names the parameter and what is legal. What is wrong in the contents of an array is
// an error of the result.
//
// # Element types
//
// Continuous distributions have float64 and float32 numbers, computed in float64 and rounded (Uniform and Normal of float32 are
// made of fewer bits). Those of float16 and bfloat16 are float32 numbers, rounded again; where a distribution has bounds
// that the numbers must keep, its function tells how. Other distributions tell their types.
//
// # Concurrency
//
// Every function may be called from any goroutine. Goroutines that share an Env draw their tickets in the order in which
// they come; give each its own generator where results must repeat.
//
// # What it does not do
//
// The numbers themselves come from Philox4x32-10 in package kernels/cpu and its twins on devices; there is no global
// generator here.
package random
