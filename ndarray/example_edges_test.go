package ndarray_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

func ExampleAsMatrix() {
	x := nd.FromSlice([]float64{2, 1, 1, 3}, 2, 2)
	matrix, err := nd.AsMatrix(x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.0f\n", mat.Det(matrix)) // linalg.Determinant needs no copy
	fmt.Println(nd.FromMatrix(matrix.T()).Equal(x.T()).AllTrue())
	// Output:
	// 5
	// True
}

func ExampleAdoptGeneral() {
	m := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	x := nd.AdoptGeneral(m.RawMatrix()) // the same memory
	nd.MulInto(x, x, nd.Weak(2.0))
	err := nd.ReadGeneral(context.Background(), x, func(g blas64.General) error {
		fmt.Println(g.Data)
		return nil
	})
	fmt.Println(err)
	// Output:
	// [2 4 6 8]
	// <nil>
}

func ExampleFromImage() {
	picture := image.NewGray(image.Rect(0, 0, 3, 2))
	picture.SetGray(1, 0, color.Gray{Y: 200})
	x := nd.FromImage(picture)
	fmt.Println(x.Shape(), x.DType())
	back, err := nd.ToImage(x)
	fmt.Println(back.Bounds(), err)
	// Output:
	// [2 3 1] uint8
	// (0,0)-(3,2) <nil>
}

func ExampleSaveNPY() {
	folder, err := os.MkdirTemp("", "weft")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "x.npy")
	if err := nd.SaveNPY(path, nd.FromSlice([]int64{1, 2, 3})); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(nd.LoadNPY(path)) // as numpy.load does
	// Output: [1 2 3] <nil>
}

func ExampleWriteSafetensors() {
	var file bytes.Buffer
	weights := map[string]*nd.Array{"weight": nd.FromSlice([]float32{1, 2})}
	if err := nd.WriteSafetensors(&file, weights, map[string]string{"made by": "weft"}); err != nil {
		fmt.Println(err)
		return
	}
	arrays, metadata, err := nd.ReadSafetensors(&file)
	fmt.Println(arrays["weight"], metadata, err)
	// Output: [1. 2.] map[made by:weft] <nil>
}

// A parent that gives an array to a child: the child receives it by Parent and Receive.
func ExampleStartChild() {
	conn, err := nd.StartChild(exec.Command("worker"))
	if err != nil {
		return
	}
	defer conn.Close()
	if err := nd.Share(conn, nd.FromSlice([]float32{1, 2, 3})); err != nil {
		fmt.Println(err)
	}
}

func ExampleCopyAllInto() {
	a, b := nd.FromSlice([]float32{1, 2}), nd.FromSlice([]float32{3, 4})
	err := nd.CopyAllInto(context.Background(), []*nd.Array{a, b}, []*nd.Array{b, a}) // as if they had been copied first
	fmt.Println(a, b, err)
	missing := nd.Ones[float32](3).Take(nd.FromSlice([]int64{0, 9}), 0)
	err = nd.CopyAllInto(context.Background(), []*nd.Array{a, b}, []*nd.Array{b, missing})
	fmt.Println(a, b, errors.Is(err, fault.ErrIndex)) // nothing was changed
	// Output:
	// [3. 4.] [1. 2.] <nil>
	// [3. 4.] [1. 2.] true
}
