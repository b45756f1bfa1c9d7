package ndarray_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

var (
	signedTypes   = []dtype.DType{dtype.Int64, dtype.Int32, dtype.Int16, dtype.Int8}
	unsignedTypes = append([]dtype.DType{dtype.Uint64, dtype.Uint32, dtype.Uint16, dtype.Uint8}, signedTypes...)
)

// FuzzIndexing reads and writes a random view of a random view through random index values, and compares what is read, and what has
// become of the memory, with the reference.
func FuzzIndexing(f *testing.F) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		f.Add(randomBytes(random))
	}
	f.Fuzz(func(t *testing.T, data []byte) { indexingCase(t, &decisions{data}) })
}

func TestIndexingEqualsTheReference(t *testing.T) {
	random, cases := rand.New(rand.NewPCG(5, 6)), 6000
	if testing.Short() {
		cases = 600
	}
	for range cases {
		indexingCase(t, &decisions{randomBytes(random)})
	}
}

func randomBytes(random *rand.Rand) []byte {
	data := make([]byte, 120)
	for i := range data {
		data[i] = byte(random.UintN(256))
	}
	return data
}

func indexingCase(t *testing.T, d *decisions) {
	switch d.of(10) {
	case 0:
		checkIndexing(t, d, func(i int) bool { return i%3 == 0 }, nil)
	case 1:
		checkIndexing(t, d, func(i int) int8 { return int8(i % 50) }, added)
	case 2:
		checkIndexing(t, d, func(i int) uint16 { return uint16(i) }, added)
	case 3:
		checkIndexing(t, d, func(i int) int64 { return int64(i) - 5 }, added)
	case 4:
		checkIndexing(t, d, func(i int) uint64 { return uint64(i) }, added)
	case 5:
		checkIndexing(t, d, func(i int) dtype.F16 { return dtype.ToF16(float32(i % 100)) }, nil)
	case 6, 7:
		checkIndexing(t, d, func(i int) float64 { return float64(i) / 2 }, added)
	default:
		checkIndexing(t, d, func(i int) float32 { return float32(i) }, added)
	}
}

func added[T dtype.Real](a, b T) T { return a + b }

// indexing is an array, which is a view of memory, with the reference for it.
type indexing[T dtype.Element] struct {
	memory []T
	base   *nd.Array // all of memory
	view   *nd.Array
	truth  reference
	story  string
}

// checkIndexing reads or writes one random part of one random view. Sum is nil if elements are not to be added.
func checkIndexing[T dtype.Element](t *testing.T, d *decisions, element func(i int) T, sum func(a, b T) T) {
	x := newIndexing(d, element)
	index := d.index(x.truth.shape)
	given := d.given(index)
	picked, basic, problem := x.truth.selected(index)
	x.story += fmt.Sprintf(" %v given as %v", index, given)
	action := d.of(6)
	if action == 0 {
		x.checkRead(t, given, picked, problem)
		return
	}
	values := d.values(picked.shape, problem)
	value, cells := x.value(d, values, picked.shape, element)
	if action == 1 {
		x.checkWith(t, index, given, value, cells, problem)
		return
	}
	adds := action == 2 && sum != nil
	x.story += fmt.Sprintf(" set to %v, adds %v", values, adds)
	slices.Sort(basic.places)
	repeats := len(slices.Compact(basic.places)) < len(basic.places)
	want := slices.Clone(x.memory)
	for i, place := range picked.places {
		if adds {
			want[place] = sum(want[place], cells[i])
		} else {
			want[place] = cells[i]
		}
	}
	err := nd.Try(func() {
		resolved := x.resolvedMasks(t, given)
		if adds {
			x.view.AddSlice(value, resolved...)
		} else {
			x.view.SetSlice(value, resolved...)
		}
	})
	if err == nil {
		var seen []T
		if seen, err = nd.Values[T](x.base); err == nil && problem == nil {
			require.False(t, repeats, x.story)
			require.Equal(t, want, seen, x.story)
			return
		}
	}
	x.checkMistake(t, err, problem, repeats)
}

func newIndexing[T dtype.Element](d *decisions, element func(i int) T) *indexing[T] {
	shape := d.shape(d.of(5), 4)
	x := &indexing[T]{memory: []T{}, story: fmt.Sprint(shape)}
	x.truth.shape, x.truth.places = shape, []int{}
	each(shape, func([]int) {
		x.truth.places = append(x.truth.places, len(x.memory))
		x.memory = append(x.memory, element(len(x.memory)))
	})
	x.base = nd.FromSlice(x.memory, shape...)
	x.view = x.base
	for range d.of(4) {
		x.step(d)
	}
	return x
}

// step looks at the view in another way.
func (x *indexing[T]) step(d *decisions) {
	shape := x.truth.shape
	switch d.of(3) {
	case 0:
		order := d.permutation(len(shape))
		permuted := make([]int, len(order))
		for i, axis := range order {
			permuted[i] = shape[axis]
		}
		x.view = x.view.Transpose(order...)
		x.truth = x.truth.picked(permuted, func(at []int) []int {
			from := make([]int, len(order))
			for i, axis := range order {
				from[axis] = at[i]
			}
			return from
		})
		x.story += fmt.Sprint(" transposed ", order)
	case 1:
		index := []any{}
		for _, n := range shape {
			if s := d.span(n); s.step != 0 {
				index = append(index, s)
			} else {
				index = append(index, nd.Whole)
			}
		}
		x.view = x.view.Index(d.given(index)...)
		x.truth, _, _ = x.truth.selected(index)
		x.story += fmt.Sprint(" part ", index)
	default:
		if axis := slices.Index(shape, 1); axis >= 0 && d.oneIn(2) {
			wider := slices.Clone(shape)
			wider[axis] = 3
			x.view = x.view.BroadcastTo(wider...)
			x.truth = x.truth.picked(wider, func(at []int) []int {
				from := slices.Clone(at)
				from[axis] = 0
				return from
			})
			x.story += fmt.Sprint(" broadcast ", wider)
		}
	}
}

// values decides about the shape of a value that broadcasts to the given one.
func (d *decisions) values(shape []int, problem error) []int {
	if problem != nil || d.oneIn(4) {
		return []int{}
	}
	values := slices.Clone(shape[d.of(len(shape)+1)/2:])
	for axis := range values {
		if d.oneIn(6) {
			values[axis] = 1
		}
	}
	return values
}

// value returns a value of the given shape, and its elements for each of a part of another shape, to which it broadcasts. If the
// decisions are so, and it fits, it shares memory with the view.
func (x *indexing[T]) value(d *decisions, shape, part []int, element func(i int) T) (value *nd.Array, cells []T) {
	own := []T{}
	each(shape, func([]int) { own = append(own, element(100+len(own))) })
	value = d.stored(nd.FromSlice(own, shape...))
	if slices.Equal(shape, x.truth.shape) && d.oneIn(2) {
		own = []T{}
		for _, place := range x.truth.places {
			own = append(own, x.memory[place])
		}
		value = x.view
		x.story += " with a value that is the view"
	}
	if !slices.ContainsFunc(part, func(n int) bool { return n < 0 }) {
		each(part, func(at []int) { cells = append(cells, own[numberOf(shape, at)]) })
	}
	return value, cells
}

// resolvedMasks returns given, in which masks in arrays are replaced if there is more than one thing that picks elements.
func (x *indexing[T]) resolvedMasks(t *testing.T, given []any) []any {
	masks, others := 0, 0
	for _, value := range given {
		switch v := value.(type) {
		case *nd.Array:
			if v.DType() == dtype.Bool {
				masks++
			} else {
				others++
			}
		case []int, []bool, bool, string:
			others++
		}
	}
	if masks == 0 || masks == 1 && others == 0 {
		return given
	}
	resolved, err := nd.MaskIndices(context.Background(), x.view, given...)
	require.NoError(t, err)
	return resolved
}

func (x *indexing[T]) checkRead(t *testing.T, given []any, picked reference, problem error) {
	var seen *nd.Array
	var elements []T
	err := nd.Try(func() {
		var err error
		if seen, err = nd.MaskSelect(context.Background(), x.view, given...); err != nil {
			panic(err)
		}
	})
	if err == nil {
		elements, err = nd.Values[T](seen)
	}
	if err != nil || problem != nil {
		x.checkMistake(t, err, problem, false)
		return
	}
	want := []T{}
	for _, place := range picked.places {
		want = append(want, x.memory[place])
	}
	require.Equal(t, append([]int{}, picked.shape...), seen.Shape(), x.story)
	require.Equal(t, want, append([]T{}, elements...), x.story)
}

// checkWith checks the form that leaves the array alone.
func (x *indexing[T]) checkWith(t *testing.T, index, given []any, value *nd.Array, cells []T, problem error) {
	var seen []T
	err := nd.Try(func() {
		var err error
		if seen, err = nd.Values[T](x.view.WithSlice(value, x.resolvedMasks(t, given)...)); err != nil {
			panic(err)
		}
	})
	if err != nil || problem != nil {
		x.checkMistake(t, err, problem, false)
		return
	}
	want := make([]T, len(x.truth.places))
	own := reference{x.truth.shape, make([]int, len(want))}
	for i, place := range x.truth.places {
		want[i], own.places[i] = x.memory[place], i
	}
	picked, _, _ := own.selected(index) // the copy has memory of its own, also where the view repeats elements
	for i, place := range picked.places {
		want[place] = cells[i]
	}
	require.Equal(t, want, append([]T{}, seen...), x.story)
	untouched, err := nd.Values[T](x.base)
	require.NoError(t, err, x.story)
	require.Equal(t, x.memory, append(x.memory[:0:0], untouched...), x.story)
}

// checkMistake checks that there is an error if there should be one, and that it is of the expected kind.
func (x *indexing[T]) checkMistake(t *testing.T, err, problem error, repeats bool) {
	var typed *nd.Error
	require.ErrorAs(t, err, &typed, "%s: want %v, repeats %v", x.story, problem, repeats)
	switch {
	case errors.Is(problem, fault.ErrIndex) && !repeats:
		require.ErrorIs(t, err, fault.ErrIndex, x.story)
	case problem != nil:
		require.True(t, slices.ContainsFunc([]error{fault.ErrIndex, fault.ErrShape, fault.ErrMisuse}, func(e error) bool { return errors.Is(err, e) }), "%s: %v", x.story, err)
	default:
		require.True(t, repeats, "%s: %v", x.story, err)
		require.ErrorIs(t, err, fault.ErrMisuse, x.story)
	}
}
