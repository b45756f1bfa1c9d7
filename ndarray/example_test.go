package ndarray_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

func Example() {
	x := nd.FromSlice([]float32{1, 2, 3, 4}, 2, 2) // dtype follows the slice; the slice is copied
	y := x.MatMul(x.T()).AddScalar(1).Tanh()       // returns at once; runs in the background
	v, err := nd.Values[float32](y)                // waits for y alone; run-time failures come back here
	fmt.Println(v, err)
	// Output: [0.9999877 1 1 1] <nil>
}

func ExampleFromSlice() {
	x := nd.FromSlice([]int64{1, 2, 3, 4, 5, 6}, 2, 3)
	fmt.Println(x.Shape(), x.DType())
	fmt.Println(x)
	// Output:
	// [2 3] int64
	// [[1 2 3]
	//  [4 5 6]]
}

func ExampleArray_Index() {
	x := nd.Arange[int64](0, 12, 1).Reshape(3, 4)
	fmt.Println(x.Index(1))
	fmt.Println(x.Index(nd.Whole, -1))
	fmt.Println(x.Index(nd.Span(0, 2), nd.SpanBy(nd.Open, nd.Open, -2)))
	fmt.Println(x.Index(nd.Rest, 0, nd.NewAxis).Shape())
	// Output:
	// [4 5 6 7]
	// [ 3  7 11]
	// [[3 1]
	//  [7 5]]
	// [3 1]
}

func ExampleArray_SetSlice() {
	x := nd.Zeros[float32](2, 3)
	x.SetSlice(nd.FromSlice([]float32{1, 2, 3}), 0)
	x.T().SetSlice(nd.Weak(9.0), -1) // through a view
	fmt.Println(x)
	// Output:
	// [[1. 2. 9.]
	//  [0. 0. 9.]]
}

func ExampleTry() {
	x, y := nd.Zeros[float32](3, 2), nd.Zeros[float32](4, 2)
	err := nd.Try(func() { x.Add(y) })
	fmt.Println(errors.Is(err, fault.ErrShape))
	// Output: true
}

func ExampleArray_Format() {
	x := nd.FromSlice([]float32{1, 0.5, 0.25, 100}, 2, 2)
	fmt.Println(x)
	fmt.Printf("%.1f\n", x)
	fmt.Printf("%+v\n", x.Index(0))
	// Output:
	// [[  1.     0.5 ]
	//  [  0.25 100.  ]]
	// [[  1.0   0.5]
	//  [  0.2 100.0]]
	// [1.  0.5] float32 (2,) cpu(0)
}

func ExampleRead() {
	x := nd.FromSlice([]float64{1, 2, 3})
	sum := 0.0
	err := nd.Read(context.Background(), x, func(elements []float64) error {
		for _, v := range elements {
			sum += v
		}
		return nil
	})
	fmt.Println(sum, err)
	// Output: 6 <nil>
}

func ExampleIter() {
	x := nd.FromSlice([]int64{1, 2})
	elements, err := nd.Iter[int64](context.Background(), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, v := range elements {
		fmt.Println(i, v)
	}
	// Output:
	// 0 1
	// 1 2
}

func ExampleAdopt() {
	data := []float32{1, 2, 3}
	x := nd.Adopt(data)
	nd.SquareInto(x, x)
	err := x.Wait(context.Background())
	fmt.Println(data, err)
	// Output: [1 4 9] <nil>
}

func ExampleWhere() {
	x := nd.FromSlice([]float32{-1, 2, -3})
	fmt.Println(nd.Where(x.GreaterScalar(0), x, nd.Weak(int64(0))))
	// Output: [0. 2. 0.]
}

func ExampleWeak() {
	x := nd.FromSlice([]float32{1, 2})
	fmt.Println(nd.Weak(int64(1)).Sub(x), nd.Weak(int64(1)).Sub(x).DType())
	// Output: [ 0. -1.] float32
}

func ExampleArray_Sum() {
	x := nd.Ones[float64](2, 3)
	fmt.Println(x.Sum(), x.Sum(0), x.SumKeepDims(1).Shape())
	// Output: 6.0 [2. 2. 2.] [2 1]
}

func ExampleValuesAs() {
	x := nd.FromSlice([]float32{1.9, -1.9})
	fmt.Println(nd.ValuesAs[int64](x))
	// Output: [1 -1] <nil>
}

func ExampleArray_In() {
	x := nd.FromSlice([]float32{1, 2})
	fmt.Println(x.Device(), x.In(nd.DefaultEnv().WithSeed(1)).Cast(dtype.Int64))
	// Output: cpu(0) [1 2]
}

func ExampleWriteNPZ() {
	var file bytes.Buffer
	if err := nd.WriteNPZ(&file, map[string]*nd.Array{"weight": nd.Eye[float32](2), "bias": nd.Zeros[float32](2)}); err != nil {
		fmt.Println(err)
		return
	}
	arrays, err := nd.ReadNPZ(bytes.NewReader(file.Bytes()), int64(file.Len()))
	fmt.Println(arrays["weight"], arrays["bias"], err)
	// Output:
	// [[1. 0.]
	//  [0. 1.]] [0. 0.] <nil>
}
