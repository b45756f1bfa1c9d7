package random_test

import (
	"fmt"

	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// Both bounds are included: these are throws of a die.
func ExampleIntegers() {
	env := nd.DefaultEnv().WithSeed(1)
	fmt.Println(random.Integers[uint8](env, 1, 6, 10))
	// Output: [1 5 2 3 4 4 4 5 1 1]
}

func ExampleBernoulli() {
	env := nd.DefaultEnv().WithSeed(1)
	fmt.Println(random.Bernoulli(env, 0.5, 4))
	fmt.Printf("%.2f\n", random.Bernoulli(env, 0.25, 100000).Mean())
	// Output:
	// [ True False  True  True]
	// 0.25
}

func ExamplePoisson() {
	env := nd.DefaultEnv().WithSeed(1)
	fmt.Println(random.Poisson(env, 4, 10))
	// Output: [1 2 4 4 1 3 4 8 2 2]
}

// Each element has a rate of its own; BroadcastTo draws several numbers for each rate.
func ExamplePoissonOf() {
	rates := nd.FromSliceIn(nd.DefaultEnv().WithSeed(1), []float64{0.1, 10, 1000})
	fmt.Println(random.PoissonOf(rates.BroadcastTo(2, 3)))
	// Output:
	// [[   0    7 1007]
	//  [   0   13  991]]
}

func ExampleBinomial() {
	env := nd.DefaultEnv().WithSeed(1)
	x := random.Binomial(env, 100, 0.3, 100000)
	fmt.Printf("%.1f\n", x.Mean())
	// Output: 30.0
}

// How often the first six came third or later among throws of a die: (5/6)².
func ExampleGeometric() {
	env := nd.DefaultEnv().WithSeed(1)
	throws := random.Geometric(env, 1.0/6, 100000)
	fmt.Printf("%.3f\n", throws.GreaterScalar(2).Mean())
	// Output: 0.694
}

// Two rows of weights, and three draws from each.
func ExampleCategorical() {
	weights := nd.FromSliceIn(nd.DefaultEnv().WithSeed(1), []float32{1, 1, 0, 0, 0, 2, 3, 4}, 2, 4)
	fmt.Println(random.Categorical(weights, 3))
	// Output:
	// [[0 0 1]
	//  [2 1 2]]
}

func ExampleMultinomial() {
	weights := nd.FromSliceIn(nd.DefaultEnv().WithSeed(1), []float64{1, 2, 7})
	counts := random.Multinomial(weights, 1000, 2)
	fmt.Println(counts)
	fmt.Println(counts.Sum(-1))
	// Output:
	// [[116 184 700]
	//  [101 211 688]]
	// [1000 1000]
}

func ExampleChoice() {
	names := nd.FromSliceIn(nd.DefaultEnv().WithSeed(1), []int{10, 20, 30, 40})
	fmt.Println(random.Choice(names, 6))
	fmt.Println(random.Choice(names, 3, random.WithoutReplacement()))
	weights := nd.FromSlice([]float64{0, 1, 0, 3})
	fmt.Println(random.Choice(names, 6, random.Weighted(weights)))
	// Output:
	// [10 10 30 30 10 20]
	// [20 10 30]
	// [40 20 20 20 40 40]
}

// A sample of a population that no memory is taken for.
func ExampleChoose() {
	env := nd.DefaultEnv().WithSeed(1)
	fmt.Println(random.Choose(env, 1e15, 3))
	// Output: [ 37697978481736 189926642770471 580016283925853]
}

// Rows in random order; an array and its labels are shuffled alike by Take.
func ExamplePermutation() {
	env := nd.DefaultEnv().WithSeed(1)
	order := random.Permutation(env, 3)
	x, labels := nd.FromSlice([]float32{0, 1, 10, 11, 20, 21}, 3, 2), nd.FromSlice([]int{0, 1, 2})
	fmt.Println(x.Take(order, 0))
	fmt.Println(labels.Take(order, 0))
	// Output:
	// [[20. 21.]
	//  [ 0.  1.]
	//  [10. 11.]]
	// [2 0 1]
}

func ExampleShuffled() {
	x := nd.Arange(0, 6, 1).In(nd.DefaultEnv().WithSeed(1)).Reshape(2, 3)
	fmt.Println(random.Shuffled(x, 1))
	// Output:
	// [[2 0 1]
	//  [5 3 4]]
}
