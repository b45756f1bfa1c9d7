package ndarray_test

import (
	"fmt"
	"math"

	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

func ExampleArray_WithoutNaN() {
	x := nd.FromNested([][]float64{{1, math.NaN(), 3}, {2, 5, math.NaN()}})
	fmt.Println(x.WithoutNaN().Mean(1), x.WithoutNaN().Max(0), x.WithoutNaN().Count())
	fmt.Println(x.Masked(x.LessScalar(4)).Prod(1), x.Masked(x.LessScalar(4)).ArgMax(1))
	// Output:
	// [2.  3.5] [2. 5. 3.] 4
	// [3. 2.] [2 0]
}

func ExampleMasked_Quantiles() {
	x := nd.FromSlice([]float64{7, math.NaN(), 1, 3})
	fmt.Println(x.WithoutNaN().Quantiles([]float64{0, 0.25, 0.5}, 0), x.WithoutNaN().Median(0))
	// Output: [1. 2. 3.] 3.0
}

func ExampleComplex() {
	z := nd.Complex(nd.FromSlice([]float64{3, 0}), nd.FromSlice([]float64{4, -1}))
	fmt.Println(z, z.Abs(), z.Conj().Imag())
	// Output: [3.+4.j 0.-1.j] [5. 1.] [-4.  1.]
}

func ExampleArray_Var() {
	x := nd.FromSlice([]float64{1, 2, 3, 4}, 2, 2)
	fmt.Println(x.Var(1), x.Std(0, 0), x.Norm(2, 1))
	// Output: 1.6666666666666667 [1. 1.] [2.23606798 5.        ]
}

func ExampleArray_Median() {
	x := nd.FromSlice([]float64{5, 1, 4, 2})
	fmt.Println(x.Median(0), x.Quantile(0.25, 0), x.Histogram(nd.FromSlice([]float64{0, 3, 6})))
	// Output: 3.0 1.75 [2 2]
}

func ExampleArray_Quantiles() {
	x := nd.FromSlice([]float64{5, 1, 4, 2})
	fmt.Println(x.Quantiles([]float64{0.25, 0.5, 1}, 0), x.Histogram(x.HistogramEdges(2)))
	// Output: [1.75 3.   5.  ] [2 2]
}

func ExampleArray_IsClose() {
	x, y := nd.FromSlice([]float64{1, 2, 3}), nd.FromSlice([]float64{1 + 1e-9, 2.1, 3})
	fmt.Println(x.IsClose(y, 1e-5, 1e-8), x.IsClose(y, 0.1, 0).AllTrue())
	// Output: [ True False  True] True
}

func ExampleArray_IsIn() {
	x := nd.FromSlice([]int64{5, 1, 4, 1})
	fmt.Println(x.IsIn(nd.FromSlice([]int64{1, 2, 5})))
	// Output: [ True  True False  True]
}

func ExampleArray_Covariance() {
	x := nd.FromNested([][]float64{{1, 2, 3}, {6, 4, 2}})
	fmt.Println(x.Covariance(1))
	fmt.Println(x.Correlation())
	// Output:
	// [[ 1. -2.]
	//  [-2.  4.]]
	// [[ 1. -1.]
	//  [-1.  1.]]
}

func ExampleEinsum() {
	x := nd.Arange(0.0, 6, 1).Reshape(2, 3)
	fmt.Println(nd.Einsum("ij,kj->ik", x, x))
	fmt.Println(nd.Try(func() { nd.Einsum("ij,jk->il", x, x.T()) }) != nil)
	// Output:
	// [[ 5. 14.]
	//  [14. 50.]]
	// true
}

func ExampleArray_TensorDot() {
	x := nd.Arange(0.0, 6, 1).Reshape(2, 3)
	fmt.Println(x.TensorDot(x, 2), x.VecDot(x, 1))
	// Output: 55.0 [ 5. 50.]
}

func ExampleArray_Linear() {
	x, weight, bias := nd.Ones[float32](1, 3), nd.Full[float32](-1, 3, 2), nd.FromSlice([]float32{2, 4})
	fmt.Println(x.Linear(weight, nd.ReluActivation, bias))
	// Output: [[0. 1.]]
}

func ExampleArray_LayerNorm() {
	x := nd.FromSlice([]float32{1, 3})
	fmt.Printf("%.3f %.3f\n", x.LayerNorm(nd.Ones[float32](2), nd.Zeros[float32](2), -1, 1e-6), x.Softmax(-1))
	// Output: [-1.000  1.000] [0.119 0.881]
}

func ExampleArray_Conv() {
	image := nd.Arange[float32](0, 9, 1).Reshape(1, 1, 3, 3)
	edges := nd.FromSlice([]float32{-1, 1}, 1, 1, 1, 2)
	fmt.Println(image.Conv(edges, nil, nd.ConvParams{}).Index(0, 0))
	// Output:
	// [[1. 1.]
	//  [1. 1.]
	//  [1. 1.]]
}

func ExampleArray_MaxPool() {
	image := nd.Arange[float32](0, 16, 1).Reshape(1, 1, 4, 4)
	fmt.Println(image.MaxPool(nd.PoolParams{Kernel: []int{2, 2}}).Index(0, 0), image.GlobalAveragePool())
	// Output:
	// [[ 5.  7.]
	//  [13. 15.]] [[[[7.5]]]]
}

func ExampleNewBlob() {
	b := nd.NewBlob[float32](2, 2)
	b.Data().SetSlice(nd.Weak(3.0))
	b.Diff().SetSlice(nd.Weak(1.0))
	b.Update() // data − diff
	fmt.Println(b.ShapeString(), b.Data(), b.AsumData())
	// Output:
	// 2 2 (4) [[2. 2.]
	//  [2. 2.]] 8.0
}

func ExampleBlob_AsumData() {
	b := nd.NewBlob[float32](3)
	b.Data().SetSlice(nd.FromSlice([]float32{1, -2, 2}))
	fmt.Println(b.AsumData(), b.SumsqData())
	// Output: 5.0 9.0
}

func ExampleBlob_Offset() {
	b := nd.NewBlob[float32](2, 3, 4)
	fmt.Println(b.Axes(), b.Count(), b.Offset(1, 2, 3))
	// Output: 3 24 23
}

func ExampleArray_SelfAttention() {
	packed := nd.FromSlice([]float32{1, 0, 5, 0, 1, 7}, 1, 2, 3) // query, key and value of two times
	y, _ := packed.SelfAttention(1, true)
	fmt.Printf("%.2f\n", y.Squeeze())
	// Output: [5.00 6.00]
}

func ExampleInvoke() {
	a := nd.FromSlice([]float64{2, 0, 0, 3}, 2, 2)
	signAndLog := nd.Invoke(ops.SignLogDeterminant, nil, a)
	fmt.Println(signAndLog[0], signAndLog[1].Exp())
	// Output: 1.0 6.0
}

// Labels that are rare weigh more.
func ExampleSigmoidCrossEntropy() {
	logits, targets := nd.FromSlice([]float64{2, -1, 0}), nd.FromSlice([]float64{1, 0, 1})
	weights := targets.MulScalar(3).AddScalar(1)
	fmt.Printf("%.3f\n", nd.SigmoidCrossEntropy(logits, targets))
	fmt.Printf("%.3f\n", nd.SigmoidCrossEntropy(logits, targets).Mul(weights).Mean())
	// Output:
	// [0.127 0.313 0.693]
	// 1.198
}
