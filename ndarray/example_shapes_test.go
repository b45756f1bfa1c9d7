package ndarray_test

import (
	"context"
	"fmt"

	nd "github.com/weft-nd/weft/ndarray"
)

func ExampleZeros() {
	fmt.Println(nd.Zeros[float32](2, 3))
	fmt.Println(nd.Full(7.5, 2), nd.Arange[int64](0, 10, 3), nd.Linspace(0.0, 1, 5))
	// Output:
	// [[0. 0. 0.]
	//  [0. 0. 0.]]
	// [7.5 7.5] [0 3 6 9] [0.   0.25 0.5  0.75 1.  ]
}

func ExampleFromNested() {
	fmt.Println(nd.FromNested([][]int32{{1, 2}, {3, 4}}))
	// Output:
	// [[1 2]
	//  [3 4]]
}

func ExampleBroadcastShapes() {
	fmt.Println(nd.BroadcastShapes([]int{3, 1}, []int{4}))
	fmt.Println(nd.ResultType(nd.Zeros[int16](2), nd.Zeros[float32](2)))
	// Output:
	// [3 4]
	// float32
}

func ExampleMeshgrid() {
	grid := nd.Meshgrid(nd.FromSlice([]float64{0, 1, 2}), nd.FromSlice([]float64{10, 20}))
	x, y := grid[0], grid[1]
	fmt.Println(x.Add(y))
	// Output:
	// [[10. 11. 12.]
	//  [20. 21. 22.]]
}

func ExampleArray_Reshape() {
	x := nd.Arange[int64](0, 6, 1)
	matrix := x.Reshape(2, -1) // a view
	fmt.Println(matrix.T(), matrix.T().Shape())
	nd.Set[int64](matrix, 9, 0, 0)
	fmt.Println(x)
	// Output:
	// [[0 3]
	//  [1 4]
	//  [2 5]] [3 2]
	// [9 1 2 3 4 5]
}

func ExampleStack() {
	x, y := nd.FromSlice([]int64{1, 2}), nd.FromSlice([]int64{3, 4})
	fmt.Println(nd.Stack(1, x, y))
	fmt.Println(nd.Concat(0, x, y), x.Flip(), x.Tile(2), x.Repeat(2, 0))
	// Output:
	// [[1 3]
	//  [2 4]]
	// [1 2 3 4] [2 1] [1 2 1 2] [1 1 2 2]
}

func ExampleEmbedding() {
	table := nd.Arange[float32](0, 6, 1).Reshape(3, 2)
	fmt.Println(nd.Embedding(table, nd.FromSlice([]int64{2, 0})))
	fmt.Println(nd.Zeros[float32](3).ScatterAdd(nd.FromSlice([]int64{1, 1}), nd.Weak(1.0), 0))
	// Output:
	// [[4. 5.]
	//  [0. 1.]]
	// [0. 2. 0.]
}

func ExampleArray_SlidingWindows() {
	x := nd.FromSlice([]float32{1, 5, 3, 4, 8})
	fmt.Println(x.SlidingWindows(3, 1, 0).Mean(-1)) // a moving average
	fmt.Println(x.SlidingWindows(2, 2, 0))
	// Output:
	// [3. 4. 5.]
	// [[1. 5.]
	//  [3. 4.]]
}

func ExampleArray_ScatterReduce() {
	best, team := nd.Zeros[float32](3), nd.FromSlice([]int64{1, 0, 1})
	fmt.Println(best.ScatterReduce(nd.ReduceMax, team, nd.FromSlice([]float32{5, 2, 8}), 0))
	best.ReduceSlice(nd.ReduceMax, nd.Weak(3.0), []int{2, 2}) // in place
	fmt.Println(best)
	// Output:
	// [2. 8. 0.]
	// [0. 0. 3.]
}

func ExampleMaskSelect() {
	x := nd.FromSlice([]float32{-1, 2, -3, 4})
	positive, err := nd.MaskSelect(context.Background(), x, x.GreaterScalar(0)) // waits: the mask decides about the shape
	fmt.Println(positive, err)
	// Output: [2. 4.] <nil>
}

func ExampleUnique() {
	found, err := nd.Unique(context.Background(), nd.FromSlice([]int64{3, 1, 3, 2}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(found.Values, found.Counts)
	// Output: [1 2 3] [1 1 2]
}

func ExampleArray_Sort() {
	x := nd.FromSlice([]float32{3, 1, 2})
	largest, places := x.TopK(2, 0)
	fmt.Println(x.Sort(0), x.ArgSort(0), largest, places)
	// Output: [1. 2. 3.] [1 2 0] [3. 2.] [0 2]
}

func ExampleArray_Text() {
	x := nd.Linspace(0.0, 1, 4)
	fmt.Println(x.Text(nd.PrintOptions{Precision: 2}))
	// Output: [0.   0.33 0.67 1.  ] <nil>
}
