package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestShiftedImagesAreTheImageMovedByUpToSoManyPixels(t *testing.T) {
	const count, most = 300, 2
	env := nd.DefaultEnv().WithSeed(1)
	image := make([]float32, pixels)
	for i := range image {
		image[i] = float32(i + 1)
	}
	var images []float32
	for range count {
		images = append(images, image...)
	}
	shifted, err := nd.Values[float32](newShifter(env, most).shift(nd.FromSliceIn(env, images, count, pixels), count))
	require.NoError(t, err)
	seen := map[[2]int]bool{}
	for i := range count {
		got := shifted[i*pixels:][:pixels]
		// A pixel of the middle tells how far the image was moved; all others must have moved with it.
		middle := int(got[14*side+14]) - 1
		down, right := middle/side-14, middle%side-14
		seen[[2]int{down, right}] = true
		for row := range side {
			for column := range side {
				var want float32
				if r, c := row+down, column+right; r >= 0 && r < side && c >= 0 && c < side {
					want = image[r*side+c]
				}
				require.Equal(t, want, got[row*side+column], "image %d, row %d, column %d", i, row, column)
			}
		}
		require.LessOrEqual(t, max(down, -down, right, -right), most)
	}
	require.Len(t, seen, (2*most+1)*(2*most+1), "every distance comes")
}

func TestShiftOfNoPixelsDrawsNothing(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(1)
	images := nd.FromSliceIn(env, make([]float32, pixels), 1, pixels)
	before := env.Generator().State()
	require.Same(t, images, newShifter(env, 0).shift(images, 1))
	require.Equal(t, before, env.Generator().State())
}
