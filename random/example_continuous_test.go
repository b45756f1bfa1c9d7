package random_test

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

func ExampleUniform() {
	env := nd.DefaultEnv().WithSeed(1)
	fmt.Printf("%.3f\n", random.Uniform(env, dtype.Float32, -1, 1, 2, 3))
	// Output:
	// [[-0.925  0.409 -0.620]
	//  [-0.324  0.160  0.218]]
}

func ExampleNormal() {
	env := nd.DefaultEnv().WithSeed(1)
	x := random.Normal(env, dtype.Float64, 10, 2, 100000)
	far := x.SubScalar(10).Square().GreaterScalar(2 * 2) // more than one deviation from the mean
	fmt.Printf("%.2f %.2f\n", x.Mean(), far.Mean())
	// Output: 10.00 0.32
}

func ExampleTruncatedNormal() {
	env := nd.DefaultEnv().WithSeed(1)
	x, err := nd.Values[float64](random.TruncatedNormal(env, dtype.Float64, 0, 1, 10, 11, 1000))
	fmt.Println(slices.Min(x) >= 10, slices.Max(x) <= 11, err)
	// Output: true true <nil>
}

// Waiting times of which one in e lasts longer than their mean.
func ExampleExponential() {
	env := nd.DefaultEnv().WithSeed(1)
	seconds := random.Exponential(env, dtype.Float64, 3, 100000)
	fmt.Printf("%.2f %.2f\n", seconds.Mean(), seconds.GreaterScalar(3).Mean())
	// Output: 3.00 0.37
}

// The index of the largest of logits and Gumbel numbers is a draw from the softmax of the logits.
func ExampleGumbel() {
	env := nd.DefaultEnv().WithSeed(1)
	logits := nd.FromSliceIn(env, []float64{0.1, 0.2, 0.7}).Log()
	drawn := logits.Add(random.Gumbel(env, dtype.Float64, 0, 1, 100000, 3)).ArgMax(-1)
	fmt.Printf("%.2f\n", drawn.OneHot(3, dtype.Float64).Mean(0))
	// Output: [0.10 0.20 0.70]
}

// The concentration is what NumPy calls the shape.
func ExampleGamma() {
	env := nd.DefaultEnv().WithSeed(1)
	x := random.Gamma(env, dtype.Float64, 8, 0.5, 100000)
	variance := x.Sub(x.Mean()).Square().Mean()
	fmt.Printf("%.1f %.1f\n", x.Mean(), variance)
	// Output: 4.0 2.0
}

func ExampleBeta() {
	env := nd.DefaultEnv().WithSeed(1)
	fmt.Printf("%.2f\n", random.Beta(env, dtype.Float64, 2, 6, 100000).Mean())
	// Output: 0.25
}

// Student's t distribution has more numbers far out than the normal one.
func ExampleStudentT() {
	env := nd.DefaultEnv().WithSeed(1)
	for _, freedom := range []float64{1, 3, 1e6} {
		fmt.Printf("%.2f\n", random.StudentT(env, dtype.Float64, freedom, 100000).GreaterScalar(3).Mean())
	}
	// Output:
	// 0.10
	// 0.03
	// 0.00
}

func ExampleMultivariateNormal() {
	env := nd.DefaultEnv().WithSeed(1)
	mean := nd.FromSliceIn(env, []float64{0, 10})
	covariance := nd.FromSliceIn(env, []float64{1, 0.9, 0.9, 1}, 2, 2)
	x := random.MultivariateNormal(mean, covariance, 100000)
	centred := x.Sub(x.Mean(0))
	fmt.Println(x.Shape(), x.DType())
	fmt.Printf("%.1f\n", centred.T().MatMul(centred).DivScalar(100000))
	// Output:
	// [100000 2] float64
	// [[1.0 0.9]
	//  [0.9 1.0]]
}

func ExampleDirichlet() {
	concentrations := nd.FromSliceIn(nd.DefaultEnv().WithSeed(1), []float64{1, 1, 8})
	x := random.Dirichlet(concentrations, 2, 5)
	fmt.Println(x.Shape())
	fmt.Printf("%.3f\n", x.Sum(-1))
	// Output:
	// [2 5 3]
	// [[1.000 1.000 1.000 1.000 1.000]
	//  [1.000 1.000 1.000 1.000 1.000]]
}
