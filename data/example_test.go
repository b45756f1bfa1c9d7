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

func ExampleLoader() {
	env := nd.DefaultEnv().WithSeed(1)
	set := data.Arrays(nd.Arange[float32](0, 10, 1).Reshape(5, 2), nd.FromSlice([]int64{0, 1, 0, 1, 0}))
	noisy := data.Transformed(env, data.Normalise([]float64{4.5}, []float64{3}), data.RandomFlip(0.5))
	l := data.NewLoader(set, 2, data.Shuffle(env), noisy, data.Last(data.Pad))
	for batch, err := range l.Batches(context.Background()) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(batch.Inputs.Shape(), batch.Count-batch.Padding)
	}
	// Output:
	// [2 2] 2
	// [2 2] 2
	// [2 2] 1
}

// five are five samples of one number, with labels.
var five = data.Arrays(nd.Arange[float32](0, 5, 1).Reshape(5, 1), nd.FromSlice([]int64{0, 1, 0, 1, 0}))

func ExampleArrays() {
	batch, err := five.Batch([]int{4, 1})
	fmt.Println(batch.Inputs.T(), batch.Labels, err)
	// Output: [[4. 1.]] [0 1] <nil>
}

func ExampleSubset() {
	odd := data.Subset(five, 1, 3)
	batch, err := data.Concat(odd, five).Batch([]int{0, 1, 2})
	fmt.Println(odd.Len(), batch.Inputs.T(), err)
	// Output: 2 [[1. 3. 0.]] <nil>
}

func ExampleLast() {
	for _, last := range []data.LastBatch{data.Keep, data.Discard, data.Pad} {
		for batch, err := range data.NewLoader(five, 3, data.Last(last)).Batches(context.Background()) {
			fmt.Println(batch.Count, batch.Padding, err)
		}
	}
	// Output:
	// 3 0 <nil>
	// 2 0 <nil>
	// 3 0 <nil>
	// 3 0 <nil>
	// 3 1 <nil>
}

func ExampleSampled() {
	env := nd.DefaultEnv().WithSeed(1)
	often := data.NewLoader(five, 4, data.Sampled(env, data.Weighted([]float64{0, 0, 0, 1, 0}, 4)))
	for batch, err := range often.Batches(context.Background()) {
		fmt.Println(batch.Inputs.T(), err)
	}
	// Output: [[3. 3. 3. 3.]] <nil>
}

func ExampleWeighted() {
	order, err := data.Weighted([]float64{1, 0}, 3).Order(context.Background(), nd.DefaultEnv())
	fmt.Println(order, err)
	// Output: [0 0 0] <nil>
}

func ExampleOneHot() {
	loader := data.NewLoader(five, 2, data.Transformed(nd.DefaultEnv(), data.OneHot(2)), data.DropLast())
	for batch, err := range loader.Batches(context.Background()) {
		fmt.Println(batch.Labels.Shape(), err)
	}
	// Output:
	// [2 2] <nil>
	// [2 2] <nil>
}

// Every sample is moved by an integer of its own, whatever batch it is in.
func ExampleDraws_Integers() {
	moved := func(b data.Batch, d *data.Draws) (data.Batch, error) {
		for _, by := range d.Integers(7, 7) {
			b.Inputs = b.Inputs.AddScalar(float64(by))
		}
		return b, nil
	}
	loader := data.NewLoader(five, 1, data.Transformed(nd.DefaultEnv(), moved))
	for batch, err := range loader.Batches(context.Background()) {
		fmt.Println(batch.Inputs.T(), err)
	}
	// Output:
	// [[7.]] <nil>
	// [[8.]] <nil>
	// [[9.]] <nil>
	// [[10.]] <nil>
	// [[11.]] <nil>
}
