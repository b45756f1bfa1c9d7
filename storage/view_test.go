package storage_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/storage"
)

// offsets returns where the elements of v are, in row-major order of their indices.
func offsets(v storage.View) []int {
	all := []int{}
	for _, index := range indices(v.Shape) {
		offset := v.Offset
		for axis, i := range index {
			offset += i * v.Strides[axis]
		}
		all = append(all, offset)
	}
	return all
}

// indices returns every index of an array of the given shape, last axis fastest.
func indices(shape []int) [][]int {
	all := [][]int{{}}
	for _, n := range shape {
		var longer [][]int
		for _, index := range all {
			for i := range n {
				longer = append(longer, append(slices.Clone(index), i))
			}
		}
		all = longer
	}
	return all
}

// array is a view, and the offsets that it must have.
type array struct {
	view storage.View
	want []int
}

// at returns the offset of the element of a at index.
func (a array) at(index []int) int {
	place := 0
	for axis, i := range index {
		place = place*a.view.Shape[axis] + i
	}
	return a.want[place]
}

// gather returns the array whose element at index is that of a at pick(index).
func (a array) gather(view storage.View, pick func(index []int) []int) array {
	want := []int{}
	for _, index := range indices(view.Shape) {
		want = append(want, a.at(pick(index)))
	}
	return array{view, want}
}

func fresh(shape []int) array {
	count := storage.Count(shape)
	want := make([]int, count)
	for i := range want {
		want[i] = i
	}
	synced := storage.NewSynced(engine.NewNaive(), count*dtype.Float32.Size())
	return array{storage.View{Synced: synced, DType: dtype.Float32, Shape: shape, Strides: storage.RowMajor(shape)}, want}
}

func randomShape(random *rand.Rand, longest int) []int {
	shape := make([]int, random.IntN(4))
	for axis := range shape {
		shape[axis] = random.IntN(longest + 1)
		if shape[axis] == 0 && random.IntN(3) > 0 {
			shape[axis] = 1
		}
	}
	return shape
}

func slice(random *rand.Rand, a array) array {
	spans := make([]storage.Span, len(a.view.Shape))
	for axis, n := range a.view.Shape {
		span := storage.Span{Start: random.IntN(n + 1), Step: random.IntN(7) - 3}
		for last := span.Start; last >= 0 && last < n && span.Count < 5 && random.IntN(8) > 0; last += span.Step {
			span.Count++
		}
		spans[axis] = span
	}
	return a.gather(a.view.Slice(spans), func(index []int) []int {
		picked := make([]int, len(index))
		for axis, i := range index {
			picked[axis] = spans[axis].Start + i*spans[axis].Step
		}
		return picked
	})
}

func permute(random *rand.Rand, a array) array {
	axes := random.Perm(len(a.view.Shape))
	return a.gather(a.view.Permute(axes), func(index []int) []int {
		picked := make([]int, len(index))
		for i, axis := range axes {
			picked[axis] = index[i]
		}
		return picked
	})
}

func broadcast(random *rand.Rand, a array) array {
	shape := slices.Clone(a.view.Shape)
	for axis, n := range shape {
		if n == 1 {
			shape[axis] = random.IntN(4)
		}
	}
	for len(shape) < 4 && random.IntN(2) == 0 {
		shape = slices.Insert(shape, 0, random.IntN(3))
	}
	lead := len(shape) - len(a.view.Shape)
	return a.gather(a.view.Broadcast(shape), func(index []int) []int {
		picked := slices.Clone(index[lead:])
		for axis, n := range a.view.Shape {
			if n == 1 {
				picked[axis] = 0
			}
		}
		return picked
	})
}

func reshape(t *testing.T, random *rand.Rand, a array) array {
	shapes := shapesOf(a.view.Count(), 4)
	shape := shapes[random.IntN(len(shapes))]
	reshaped, ok := a.view.Reshape(shape)
	require.Equal(t, expressible(shape, a.want), ok, "%v of %v with strides %v", shape, a.view.Shape, a.view.Strides)
	if !ok {
		return a
	}
	require.Equal(t, shape, reshaped.Shape)
	return array{reshaped, a.want}
}

// shapesOf returns the shapes with count elements and at most rank axes.
func shapesOf(count, rank int) [][]int {
	if rank == 0 {
		if count == 1 {
			return [][]int{{}}
		}
		return nil
	}
	shapes := shapesOf(count, rank-1)
	for n := range max(count, 3) + 1 {
		if n == 0 && count == 0 {
			for _, rest := range shapesOf(6, rank-1) {
				shapes = append(shapes, append([]int{0}, rest...))
			}
		}
		if n > 0 && count%n == 0 {
			for _, rest := range shapesOf(count/n, rank-1) {
				shapes = append(shapes, append([]int{n}, rest...))
			}
		}
	}
	return shapes
}

// expressible reports whether some offset and strides put the elements of an array of the given shape at want. The
// strides can only be the differences between the first two elements along each axis.
func expressible(shape, want []int) bool {
	if len(want) == 0 {
		return true
	}
	v := storage.View{Offset: want[0], Shape: shape, Strides: make([]int, len(shape))}
	step := 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		if shape[axis] > 1 {
			v.Strides[axis] = want[step] - want[0]
		}
		step *= shape[axis]
	}
	return slices.Equal(want, offsets(v))
}

func requireView(t *testing.T, a array) {
	v, size := a.view, a.view.DType.Size()
	require.Equal(t, a.want, offsets(v))
	require.Equal(t, len(a.want), v.Count())

	contiguous := true
	for i, offset := range a.want {
		contiguous = contiguous && offset == a.want[0]+i
	}
	require.Equal(t, contiguous, v.IsContiguous(), "%v %v", v.Shape, v.Strides)

	lo, hi := v.Extent()
	distinct := slices.Compact(slices.Sorted(slices.Values(a.want)))
	if len(distinct) == 0 {
		require.Zero(t, hi-lo)
	} else {
		require.Equal(t, distinct[0]*size, lo)
		require.Equal(t, (distinct[len(distinct)-1]+1)*size, hi)
		require.GreaterOrEqual(t, lo, 0)
		require.LessOrEqual(t, hi, v.Synced.Bytes())
	}
	covers := len(distinct) == len(a.want) && len(distinct)*size == v.Synced.Bytes()
	require.Equal(t, covers, v.CoversAll(), "%v %v", v.Shape, v.Strides)
}

func TestViewsSeeTheElementsThatASlowIndexerFinds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		a := fresh(randomShape(random, 6))
		requireView(t, a)
		for range random.IntN(5) {
			before := a.view
			shape, strides := slices.Clone(before.Shape), slices.Clone(before.Strides)
			switch random.IntN(4) {
			case 0:
				a = slice(random, a)
			case 1:
				a = permute(random, a)
			case 2:
				if len(a.want) < 200 {
					a = broadcast(random, a)
				}
			case 3:
				if len(a.want) < 200 {
					a = reshape(t, random, a)
				}
			}
			requireView(t, a)
			require.Equal(t, shape, before.Shape, "views are values")
			require.Equal(t, strides, before.Strides, "views are values")
		}
	}
}

// Every shape of a few elements is tried with every small stride.
func TestReshapeSucceedsExactlyWhereStridesCanExpressIt(t *testing.T) {
	tried, succeeded := 0, 0
	for _, count := range []int{0, 1, 2, 4, 6, 8, 12} {
		shapes := shapesOf(count, 3)
		for _, shape := range shapes {
			for _, code := range indices(slices.Repeat([]int{8}, len(shape))) {
				strides := make([]int, len(shape))
				for axis, c := range code {
					strides[axis] = []int{0, 1, 2, 3, 4, 6, -1, -2}[c]
				}
				v := storage.View{Offset: 100, Shape: shape, Strides: strides, DType: dtype.Float32}
				want := offsets(v)
				to := shapes[tried%len(shapes)]
				tried++
				reshaped, ok := v.Reshape(to)
				if ok != expressible(to, want) {
					t.Fatalf("%v with strides %v to %v: %v", shape, strides, to, ok)
				}
				if ok {
					succeeded++
					require.Equal(t, want, offsets(reshaped))
				}
			}
		}
	}
	require.Greater(t, succeeded, 1000)
	require.Greater(t, tried-succeeded, 1000)
}

func TestCoversAllSeesGapsAndRepeats(t *testing.T) {
	cases := []struct {
		shape, strides []int
		covers         bool
	}{
		{[]int{2, 3}, []int{3, 1}, true},
		{[]int{3, 2}, []int{1, 3}, true},
		{[]int{2, 3}, []int{-3, -1}, true},
		{[]int{6}, []int{1}, true},
		{[]int{2, 3}, []int{0, 1}, false},
		{[]int{2, 3}, []int{1, 1}, false},
		{[]int{2, 3}, []int{5, 0}, false},
		{[]int{3, 2}, []int{2, 2}, false},
		{[]int{5}, []int{1}, false},
		{[]int{2, 1, 3}, []int{3, 7, 1}, true},
	}
	synced := storage.NewSynced(engine.NewNaive(), 24)
	for _, c := range cases {
		v := storage.View{Synced: synced, DType: dtype.Float32, Shape: c.shape, Strides: c.strides}
		require.Equal(t, c.covers, v.CoversAll(), "%v %v", c.shape, c.strides)
	}
}
