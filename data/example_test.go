package data_test

import (
	"context"
	"fmt"

	"github.com/weft-nd/weft/data"
	nd "github.com/weft-nd/weft/ndarray"
)

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
