package convolution

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
)

// thinned returns a sparse gradient of count elements in a plane, some of them zero, nowhere, or in the same place, and makes the
// result of x the dense one.
func thinned[T Float](x *trial[T], r *rand.Rand, count int) *Sparse[T] {
	results := x.results()
	elements, places := [][]T{}, [][]int32{}
	x.result.fill(func() T { return 0 })
	for plane := range x.Batch * x.Groups * x.Filters {
		of, at := make([]T, count), make([]int32, count)
		for i := range of {
			of[i], at[i] = T(2*r.Float64()-1), int32(r.IntN(results+1)-1)
			if r.IntN(4) == 0 {
				of[i] = 0
			}
			if at[i] >= 0 {
				rows, columns, place := x.Axes[1].Result, x.Axes[2].Result, int(at[i])
				*x.result.at([5]int{plane / (x.Groups * x.Filters), plane % (x.Groups * x.Filters), place / columns / rows, place / columns % rows, place % columns}) += of[i]
			}
		}
		elements, places = append(elements, of), append(places, at)
	}
	return &Sparse[T]{func() func(plane int) ([]T, []int32) {
		return func(plane int) ([]T, []int32) { return elements[plane], places[plane] }
	}, count}
}

// sparseDirections are the gradients from a sparse one.
func sparseDirections[T Float](sparse *Sparse[T], failed error) []direction[T] {
	all := directions[T]()[1:]
	all[0].scratch = func(s *Shape, o *Operands, workers int) int { return SparseDataScratch[T](s, o, sparse.Count, workers) }
	all[0].run = func(x *trial[T], t *parallel.Thread, workers int, temporary unsafe.Pointer) {
		if SparseData(t, &x.Shape, x.operands(), sparse, workers, temporary) != failed {
			panic("an error where there is none, or none where there is")
		}
	}
	all[1].scratch = func(s *Shape, o *Operands, workers int) int {
		return SparseWeightsScratch[T](s, o, sparse.Count, workers)
	}
	all[1].run = func(x *trial[T], t *parallel.Thread, workers int, temporary unsafe.Pointer) {
		if SparseWeights(t, &x.Shape, x.operands(), sparse, workers, temporary) != failed {
			panic("an error where there is none, or none where there is")
		}
	}
	return all
}

func checkSparse[T Float](t *testing.T, r *rand.Rand, s Shape, count int) {
	t.Helper()
	x := newTrial(s, anyLayouts(r), uniform[T](r))
	all := sparseDirections(thinned(x, r, count), nil)
	x.check(t, all)

	// With the weights comes the gradient of the bias.
	want := make([]float64, s.Groups*s.Filters)
	each(x.result.shape, func(index [5]int) { want[index[1]] += float64(*x.result.at(index)) })
	x.run(t, all[1], 2)
	for filter, v := range want {
		require.InDelta(t, v, float64(*x.bias.at([5]int{filter})), 1e-4, "%v", s)
	}
	x.bias.requireGuarded(t, "bias")
}

// Gradients that are multiplied sparse: of small and large patches, with strides, padding and dilation.
func TestSparseGradientsEqualTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	for i, s := range []Shape{
		{3, 1, 20, 50, [3]Axis{NoAxis, axis(12, 5, 1, 1, 0, 0), axis(12, 5, 1, 1, 0, 0)}},
		{18, 1, 1, 20, [3]Axis{NoAxis, axis(28, 5, 1, 1, 0, 0), axis(28, 5, 1, 1, 0, 0)}},
		{2, 1, 3, 7, [3]Axis{NoAxis, axis(9, 3, 2, 1, 1, 2), axis(30, 4, 3, 2, 5, 7)}},
		{1, 1, 16, 5, [3]Axis{NoAxis, axis(6, 3, 1, 1, 4, 0), axis(7, 3, 1, 1, 1, 5)}},
		{2, 1, 1, 2, [3]Axis{NoAxis, NoAxis, axis(40, 17, 1, 2, 3, 3)}},
		{2, 1, 9, 3, [3]Axis{NoAxis, axis(13, 2, 3, 1, 1, 3), axis(11, 2, 2, 9, 0, 0)}},
		{0, 1, 3, 7, [3]Axis{NoAxis, axis(9, 3, 1, 1, 1, 1), axis(9, 3, 1, 1, 1, 1)}},
	} {
		if testing.Short() && i%3 != 0 {
			continue
		}
		count := s.results() / 4
		require.True(t, s.isSparse(count, 4), "%v", s)
		checkSparse[float32](t, r, s, count)
		checkSparse[float64](t, r, s, count)
	}
	for chunks := 1; chunks <= 44; chunks++ { // every kernel, and several of them
		s := Shape{1, 1, 4 * chunks, 2, [3]Axis{NoAxis, axis(3, 1, 1, 1, 0, 0), axis(6, 4, 1, 1, 0, 0)}}
		if !testing.Short() || chunks%7 == 0 {
			checkSparse[float32](t, r, s, 2)
			checkSparse[float64](t, r, s, 2)
		}
	}
}

// Gradients that are made dense before: too many elements, groups, three axes, dilated rows.
func TestSparseGradientsThatAreMadeDenseEqualTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	for count, s := range map[int]Shape{
		20: {2, 1, 3, 5, [3]Axis{NoAxis, axis(7, 3, 1, 1, 1, 1), axis(6, 3, 1, 1, 0, 0)}},
		3:  {2, 3, 2, 2, [3]Axis{NoAxis, axis(7, 3, 1, 1, 1, 1), axis(6, 3, 1, 1, 0, 0)}},
		4:  {2, 1, 3, 5, [3]Axis{axis(3, 2, 1, 1, 1, 0), axis(5, 3, 1, 1, 1, 1), axis(6, 3, 1, 1, 0, 0)}},
		2:  {1, 1, 3, 5, [3]Axis{NoAxis, axis(7, 3, 1, 2, 1, 1), axis(6, 3, 1, 1, 0, 0)}},
		1:  {2, 1, 2, 3, [3]Axis{NoAxis, NoAxis, axis(12, 3, 1, 1, 0, 0)}},
		0:  {2, 1, 2, 3, [3]Axis{NoAxis, NoAxis, axis(12, 3, 1, 1, 0, 0)}},
	} {
		require.False(t, s.isSparse(count, 4), "%v", s)
		checkSparse[float32](t, r, s, count)
	}
}

func TestPlacesBesideThePlaneAreAnError(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	for _, channels := range []int{2, 3} { // made dense, and not
		for _, wrong := range []int32{-2, 16} {
			s := Shape{2, 1, channels, 3, [3]Axis{NoAxis, axis(6, 3, 1, 1, 0, 0), axis(6, 3, 1, 1, 0, 0)}}
			x := newTrial(s, [4]layout{}, uniform[float32](r))
			sparse := &Sparse[float32]{func() func(int) ([]float32, []int32) {
				return func(int) ([]float32, []int32) { return []float32{1, 2}, []int32{3, wrong} }
			}, 2}
			if channels == 2 {
				sparse.Count = 9
			}
			for _, d := range sparseDirections(sparse, ErrPlace) {
				x.run(t, d, 2)
			}
		}
	}
}
