package main

import (
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// shifter moves images at random, so that a network learns digits wherever they stand.
type shifter struct {
	env    *nd.Env
	most   int       // pixels, up, down, left and right
	corner *nd.Array // (1, pixels): where the pixels of an image lie that is cut from the corner of a padded one
}

func newShifter(env *nd.Env, most int) *shifter {
	corner := make([]int64, 0, pixels)
	for row := range side {
		for column := range side {
			corner = append(corner, int64(row*(side+2*most)+column))
		}
	}
	return &shifter{env, most, nd.FromSliceIn(env, corner, 1, pixels)}
}

// shift moves each of so many images, rows of pixels, by a distance of its own, drawn from the generator; what comes in is black.
func (s *shifter) shift(images *nd.Array, count int) *nd.Array {
	if s.most == 0 {
		return images
	}
	around := []int{0, s.most, s.most}
	padded := images.Reshape(count, side, side).Pad(0, around, around).Reshape(count, -1)
	down := random.Integers(s.env, int64(0), int64(2*s.most), count, 1)
	right := random.Integers(s.env, int64(0), int64(2*s.most), count, 1)
	return padded.TakeAlongAxis(s.corner.Add(down.MulScalar(float64(side+2*s.most)).Add(right)), 1)
}
