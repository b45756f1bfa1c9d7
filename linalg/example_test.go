package linalg_test

import (
	"context"
	"fmt"
	"math"

	"github.com/weft-nd/weft/linalg"
	nd "github.com/weft-nd/weft/ndarray"
)

func ExampleSolve() {
	a := nd.FromNested([][]float64{{2, 1}, {1, 3}})
	fmt.Println(linalg.Solve(a, nd.FromSlice([]float64{4, 7})))
	// Output: [1. 2.]
}

// A singular matrix is found when the equations are solved, and waits in the result.
func ExampleSolve_singular() {
	a := nd.FromNested([][]float64{{1, 2}, {2, 4}})
	x := linalg.Solve(a, nd.Ones[float64](2))
	fmt.Println(x.Wait(context.Background()) != nil)
	// Output: true
}

func ExampleSolveTriangular() {
	a := nd.FromNested([][]float64{{2, 9}, {1, 4}})
	fmt.Println(linalg.SolveTriangular(a, nd.FromSlice([]float64{2, 9})))
	fmt.Println(linalg.SolveTriangular(a, nd.FromSlice([]float64{22, 8}), linalg.Upper()))
	// Output:
	// [1. 2.]
	// [2. 2.]
}

func ExampleDeterminant() {
	fmt.Println(linalg.Determinant(nd.FromNested([][]float64{{4, 1}, {2, 3}})))
	// Output: 10.0
}

func ExampleCholesky() {
	fmt.Println(linalg.Cholesky(nd.FromNested([][]float64{{4, 2}, {2, 10}})))
	// Output:
	// [[2. 0.]
	//  [1. 3.]]
}

func ExampleEigen() {
	values, _ := linalg.Eigen(nd.FromNested([][]float64{{0, -1}, {1, 0}}))
	fmt.Println(values)
	// Output: [0.-1.j 0.+1.j]
}

// A line through three points.
func ExampleLeastSquares() {
	a := nd.FromNested([][]float64{{0, 1}, {1, 1}, {2, 1}})
	x, rank, _ := linalg.LeastSquares(a, nd.FromSlice([]float64{1, 3, 5}), 0)
	text, _ := x.Text(nd.PrintOptions{Precision: 6})
	fmt.Println(text, rank)
	// Output: [2. 1.] 2
}

func ExampleNorm() {
	a := nd.FromNested([][]float64{{1, -7}, {2, 3}})
	fmt.Println(linalg.Norm(a, linalg.MaxColumns), linalg.Norm(a, linalg.MaxRows))
	// Output: 10.0 8.0
}

func ExampleKron() {
	fmt.Println(linalg.Kron(nd.Eye[int64](2), nd.FromNested([][]int64{{1, 2}})))
	// Output:
	// [[1 2 0 0]
	//  [0 0 1 2]]
}

// A quarter of a turn, of which a is the speed.
func ExampleMatrixExponential() {
	a := nd.FromNested([][]float64{{0, -1}, {1, 0}})
	turn, err := linalg.MatrixExponential(context.Background(), a.MulScalar(math.Pi/2))
	if err != nil {
		fmt.Println(err)
	}
	text, _ := turn.MatMul(nd.FromSlice([]float64{3, 4})).Text(nd.PrintOptions{Precision: 6})
	fmt.Println(text)
	// Output: [-4.  3.]
}
