package main

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/data"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestRowsOfTheConfusionAreTrueDigits(t *testing.T) {
	var counts [classes][classes]int
	scores := nd.FromSlice([]float32{0, 1, 2, 0, 5, 4, 9, 1, 1, 0, 0, 3}, 4, 3) // taken for 2, 1, 0, 2
	require.NoError(t, count(context.Background(), &counts, scores, nd.FromSlice([]int64{2, 0, 0, 1})))
	want := [classes][classes]int{}
	want[2][2], want[0][1], want[0][0], want[1][2] = 1, 1, 1, 1
	require.Equal(t, want, counts)
	require.Equal(t, 0.5, accuracy(counts))
}

func TestTrainingImagesAreMovedByTheShift(t *testing.T) {
	digits, env := DrawDigits(40, 3), nd.DefaultEnv().WithSeed(1)
	for _, most := range []int{0, 2} {
		moved := 0
		for batch, err := range data.NewLoader(digits.Dataset(env), 40, shifted(env, most)).Batches(context.Background()) {
			require.NoError(t, err)
			require.Equal(t, []int{40, pixels}, batch.Inputs.Shape())
			got, err := nd.Values[float32](batch.Inputs)
			require.NoError(t, err)
			for i := range 40 {
				found, stays, image := false, false, got[i*pixels:][:pixels]
				for down := -most; down <= most; down++ {
					for right := -most; right <= most; right++ {
						if slices.Equal(image, at(digits.Images.Pixels[i*pixels:][:pixels], down, right)) {
							found, stays = true, stays || down == 0 && right == 0
						}
					}
				}
				require.True(t, found, "image %d is not one that was moved", i)
				if !stays {
					moved++
				}
			}
		}
		require.Equal(t, most > 0, moved > 20, "%d of 40 were moved", moved)
	}
}

// at returns an image that is moved, as numbers from 0 to 1.
func at(image []byte, down, right int) []float32 {
	moved := make([]float32, pixels)
	for row := range side {
		for column := range side {
			if from, across := row-down, column-right; from >= 0 && from < side && across >= 0 && across < side {
				moved[row*side+column] = float32(image[from*side+across]) / 255
			}
		}
	}
	return moved
}
