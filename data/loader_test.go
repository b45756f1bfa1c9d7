package data_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// numbers is a data set whose sample i is the number i; asking for sample broken is an error.
type numbers struct{ count, broken int }

var errBroken = errors.New("broken sample")

func (n numbers) Len() int { return n.count }

func (n numbers) Batch(indices []int) (data.Batch, error) {
	values := make([]int64, len(indices))
	for i, index := range indices {
		if index == n.broken {
			return data.Batch{}, errBroken
		}
		values[i] = int64(index)
	}
	labels := nd.FromSlice(values)
	return data.Batch{Inputs: labels, Labels: labels, Count: len(indices)}, nil
}

// once goes through a loader and returns the samples of each batch.
func once(t *testing.T, l *data.Loader) (batches [][]int64) {
	for batch, err := range l.Batches(context.Background()) {
		require.NoError(t, err)
		values, err := nd.Values[int64](batch.Labels)
		require.NoError(t, err)
		require.Len(t, values, batch.Count)
		batches = append(batches, values)
	}
	return batches
}

func TestBatchesCoverTheDataInOrder(t *testing.T) {
	cases := []struct {
		count, batch, want, last int
		options                  []data.LoaderOption
	}{
		{10, 3, 4, 1, nil}, {9, 3, 3, 3, nil}, {2, 5, 1, 2, nil}, {0, 5, 0, 0, nil},
		{10, 3, 3, 3, []data.LoaderOption{data.DropLast()}}, {10, 3, 4, 1, []data.LoaderOption{data.Prefetch(100)}},
		{10, math.MaxInt, 1, 10, nil}, {10, math.MaxInt - 9, 1, 10, nil}, {10, math.MaxInt, 0, 0, []data.LoaderOption{data.DropLast()}},
		{10, 3, 4, 1, []data.LoaderOption{data.Prefetch(math.MaxInt), data.Workers(math.MaxInt)}},
	}
	for _, c := range cases {
		l := data.NewLoader(numbers{c.count, -1}, c.batch, c.options...)
		batches := once(t, l)
		require.Equal(t, c.want, l.Len())
		require.Len(t, batches, c.want)
		next := int64(0)
		for _, batch := range batches {
			for _, v := range batch {
				require.Equal(t, next, v)
				next++
			}
		}
		if c.want > 0 {
			require.Len(t, batches[c.want-1], c.last)
		}
	}
}

func TestShuffleIsAPermutationThatDependsOnTheSeed(t *testing.T) {
	run := func(seed uint64) [][]int64 {
		l := data.NewLoader(numbers{100, -1}, 7, data.Shuffle(nd.DefaultEnv().WithSeed(seed)))
		return [][]int64{slices.Concat(once(t, l)...), slices.Concat(once(t, l)...)}
	}
	a, b, c := run(1), run(1), run(2)
	require.Equal(t, a, b)
	require.NotEqual(t, a[0], a[1], "every iteration has another order")
	require.NotEqual(t, a[0], c[0])
	sorted := slices.Sorted(slices.Values(a[0]))
	for i, v := range sorted {
		require.Equal(t, int64(i), v)
	}
}

func TestErrorOfABatchEndsTheIteration(t *testing.T) {
	l := data.NewLoader(numbers{10, 7}, 2)
	good, failures := 0, 0
	for _, err := range l.Batches(context.Background()) {
		if err != nil {
			require.ErrorIs(t, err, errBroken)
			failures++
			continue
		}
		good++
	}
	require.Equal(t, 3, good)
	require.Equal(t, 1, failures)
}

func TestCancelledContextEndsTheIteration(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	batches, failures := 0, 0
	for _, err := range data.NewLoader(numbers{1000, -1}, 1).Batches(ctx) {
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
			failures++
			continue
		}
		if batches++; batches == 3 {
			cancel()
		}
	}
	require.Equal(t, 1, failures)
	require.Less(t, batches, 1000)
}

func TestLeavingTheLoopEarlyIsHarmless(t *testing.T) {
	l := data.NewLoader(numbers{1000, -1}, 1)
	for range 100 {
		for range l.Batches(context.Background()) {
			break
		}
	}
	require.Len(t, once(t, l), 1000)
}

// exploding is a data set whose batches call a function that does not return.
type exploding struct{ explode func() }

func (exploding) Len() int { return 3 }

func (e exploding) Batch([]int) (data.Batch, error) {
	e.explode()
	return data.Batch{}, nil
}

func TestPanicOfADataSetIsAnErrorOfTheIteration(t *testing.T) {
	cases := map[string]struct {
		explode func()
		reason  error
		text    string
	}{
		"text":            {func() { panic("out of luck") }, fault.ErrPanic, "out of luck"},
		"mistaken call":   {func() { nd.FromSlice([]float32{1}, 2) }, fault.ErrShape, "loader_test.go"},
		"end of a thread": {runtime.Goexit, fault.ErrPanic, "ended its goroutine"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var failures []error
			for _, err := range data.NewLoader(exploding{c.explode}, 1).Batches(context.Background()) {
				failures = append(failures, err)
			}
			require.Len(t, failures, 1)
			require.ErrorIs(t, failures[0], c.reason)
			require.ErrorContains(t, failures[0], c.text)
		})
	}
}

// unknown is a data set that cannot tell its length.
type unknown struct{ numbers }

func (unknown) Len() int { panic("no length") }

func TestPanicOfALengthIsAnErrorOfTheIteration(t *testing.T) {
	var failures []error
	for _, err := range data.NewLoader(unknown{}, 1, data.Prefetch(3)).Batches(context.Background()) {
		failures = append(failures, err)
	}
	require.Len(t, failures, 1)
	require.ErrorIs(t, failures[0], fault.ErrPanic)
	require.ErrorContains(t, failures[0], "no length")
}

func TestMistakesAreRefusedAtTheCall(t *testing.T) {
	images := &data.Images{Count: 2, Rows: 1, Columns: 1, Pixels: []byte{1, 2}}
	env := nd.DefaultEnv()
	cases := map[string]struct {
		call   func()
		reason error
	}{
		"batch size":      {func() { data.NewLoader(numbers{1, -1}, 0) }, fault.ErrParameter},
		"no data set":     {func() { data.NewLoader(nil, 1) }, fault.ErrMisuse},
		"missing label":   {func() { (&data.Digits{Images: images, Labels: []byte{1}}).Dataset(env) }, fault.ErrMisuse},
		"no images":       {func() { (&data.Digits{}).Dataset(env) }, fault.ErrMisuse},
		"no environment":  {func() { (&data.Digits{Images: images, Labels: []byte{1, 2}}).Dataset(nil) }, fault.ErrMisuse},
		"nil option":      {func() { data.NewLoader(numbers{1, -1}, 1, nil) }, fault.ErrMisuse},
		"nil context":     {func() { var none context.Context; data.NewLoader(numbers{1, -1}, 1).Batches(none) }, fault.ErrMisuse},
		"shuffled by nil": {func() { data.NewLoader(numbers{1, -1}, 1, data.Shuffle(nil)) }, fault.ErrMisuse},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := nd.Try(c.call)
			require.ErrorIs(t, err, c.reason)
			require.ErrorContains(t, err, "loader_test.go")
		})
	}
}

func TestDigitsAreRowsOfPixelsFromZeroToOne(t *testing.T) {
	digits := &data.Digits{Images: &data.Images{Count: 2, Rows: 1, Columns: 2, Pixels: []byte{0, 255, 51, 102}}, Labels: []byte{3, 9}}
	batch, err := digits.Dataset(nd.DefaultEnv()).Batch([]int{1, 0})
	require.NoError(t, err)
	pixels, err := nd.Values[float32](batch.Inputs)
	require.NoError(t, err)
	require.Equal(t, []float32{0.2, 0.4, 0, 1}, pixels)
	labels, err := nd.Values[int64](batch.Labels)
	require.NoError(t, err)
	require.Equal(t, []int64{9, 3}, labels)
	_, err = digits.Dataset(nd.DefaultEnv()).Batch([]int{2})
	require.ErrorContains(t, err, "sample 2 is out of range for 2 samples")
}
