package storage

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOverlapsEqualsCountingPlaces has small views with any strides.
func TestOverlapsEqualsCountingPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	overlapping := 0
	for range 20_000 {
		v := View{}
		for range r.IntN(5) {
			v.Shape, v.Strides = append(v.Shape, r.IntN(5)), append(v.Strides, r.IntN(25)-12)
		}
		places, want := map[int]bool{}, false
		var visit func(axis, place int)
		visit = func(axis, place int) {
			if axis == len(v.Shape) {
				want = want || places[place]
				places[place] = true
				return
			}
			for i := range v.Shape[axis] {
				visit(axis+1, place+i*v.Strides[axis])
			}
		}
		visit(0, 0)
		require.Equal(t, want, v.Overlaps(), "shape %v, strides %v", v.Shape, v.Strides)
		if want {
			overlapping++
		}
	}
	require.Greater(t, overlapping, 2_000)
	require.Less(t, overlapping, 18_000)
}

func TestOverlapsOfLargeViewsAreFoundAtOnce(t *testing.T) {
	const n = 1 << 40
	for _, c := range []struct {
		shape, strides []int
		want           bool
	}{
		{[]int{n, 8}, []int{1, 1}, true}, {[]int{n, 8}, []int{8, 1}, false}, {[]int{n, 8}, []int{7, 1}, true}, {[]int{8, n}, []int{-1, 8}, false},
		{[]int{n, 1001}, []int{1001, 2}, false}, {[]int{n, 1002}, []int{1001, 2}, true}, {[]int{500, 500}, []int{1000, 999}, false}, {[]int{1000, 1001}, []int{1000, 999}, true}, {[]int{n, 3}, []int{0, 1}, true},
		{[]int{n, 1, 3}, []int{3, 0, 1}, false}, {[]int{1 << 20, 1 << 20, 3, 3}, []int{1 << 20, 1, 1 << 20, 1}, true},
	} {
		v := View{Shape: c.shape, Strides: c.strides}
		require.Equal(t, c.want, v.Overlaps(), "shape %v, strides %v", c.shape, c.strides)
	}
}
