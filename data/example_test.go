package data_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/weft-nd/weft/data"
	nd "github.com/weft-nd/weft/ndarray"
)

// three are three pictures of one pixel.
var three = &data.Digits{Images: &data.Images{Count: 3, Rows: 1, Columns: 1, Pixels: []byte{0, 51, 255}}, Labels: []byte{4, 1, 7}}

func ExampleNewLoader() {
	loader := data.NewLoader(three.Dataset(nd.DefaultEnv()), 2)
	for batch, err := range loader.Batches(context.Background()) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(batch.Inputs.T(), batch.Labels)
	}
	// Output:
	// [[0.  0.2]] [4 1]
	// [[1.]] [7]
}

func ExampleLoader_State() {
	dataset := three.Dataset(nd.DefaultEnv())
	loader := data.NewLoader(dataset, 1)
	for range loader.Batches(context.Background()) {
		break // after one of three batches
	}
	again := data.NewLoader(dataset, 1)
	err := again.SetState(loader.State())
	left := 0
	for range again.Batches(context.Background()) {
		left++
	}
	fmt.Println(left, err)
	// Output: 2 <nil>
}

func ExampleDigits_Dataset() {
	dataset := three.Dataset(nd.DefaultEnv())
	batch, err := dataset.Batch([]int{2, 0})
	fmt.Println(dataset.Len(), batch.Inputs.T(), batch.Labels, err)
	// Output: 3 [[1. 0.]] [7 4] <nil>
}

func ExampleReadIDXImages() {
	var file bytes.Buffer
	if err := data.WriteIDXImages(&file, three.Images); err != nil {
		fmt.Println(err)
		return
	}
	images, err := data.ReadIDXImages(&file)
	fmt.Println(images.Count, images.Pixels, err)
	// Output: 3 [0 51 255] <nil>
}
