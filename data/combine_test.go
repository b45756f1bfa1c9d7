package data_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// inputsOf returns the inputs of a batch of int64 samples.
func inputsOf(t *testing.T, d data.Dataset, indices ...int) []int64 {
	t.Helper()
	batch, err := d.Batch(indices)
	require.NoError(t, err)
	require.Equal(t, len(indices), batch.Count)
	values, err := nd.Values[int64](batch.Inputs)
	require.NoError(t, err)
	labels, err := nd.Values[int64](batch.Labels)
	require.NoError(t, err)
	require.Equal(t, values, labels, "labels go with their inputs")
	return values
}

func counting(from, count int) *nd.Array {
	values := make([]int64, count)
	for i := range values {
		values[i] = int64(from + i)
	}
	return nd.FromSlice(values)
}

func TestDataSetsAreMadeOfOthers(t *testing.T) {
	tens := data.Arrays(counting(10, 5), counting(10, 5))
	single := data.Samples(3, func(i int) (*nd.Array, *nd.Array, error) {
		return nd.FromSlice([]int64{int64(i)}, []int{}...), nd.FromSlice([]int64{int64(i)}, []int{}...), nil
	})
	both := data.Concat(single, data.Subset(tens), tens)
	doubled := data.Map(both, func(b data.Batch) (data.Batch, error) {
		b.Inputs, b.Labels = b.Inputs.MulScalar(2), b.Labels.MulScalar(2)
		return b, nil
	})
	for name, c := range map[string]struct {
		set     data.Dataset
		count   int
		indices []int
		want    []int64
	}{
		"arrays":              {tens, 5, []int{4, 0, 4}, []int64{14, 10, 14}},
		"samples":             {single, 3, []int{2, 1}, []int64{2, 1}},
		"subset":              {data.Subset(tens, 3, 1, 1), 3, []int{0, 1, 2}, []int64{13, 11, 11}},
		"subset of a subset":  {data.Subset(data.Subset(tens, 3, 1, 2), 2, 0), 2, []int{0, 1}, []int64{12, 13}},
		"chain, in order":     {both, 8, []int{0, 1, 2, 3, 7}, []int64{0, 1, 2, 10, 14}},
		"chain, mixed":        {both, 8, []int{7, 0, 3, 2, 0}, []int64{14, 0, 10, 2, 0}},
		"chain, of one":       {both, 8, []int{5, 4}, []int64{12, 11}},
		"mapped":              {doubled, 8, []int{7, 1}, []int64{28, 2}},
		"subset of a mapping": {data.Subset(doubled, 7), 1, []int{0}, []int64{28}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.count, c.set.Len())
			require.Equal(t, c.want, inputsOf(t, c.set, c.indices...))
			for _, wrong := range []int{-1, c.count} {
				_, err := c.set.Batch([]int{wrong})
				require.ErrorContains(t, err, "out of range")
			}
		})
	}
	require.Zero(t, data.Concat().Len())
}

func TestErrorsTellWhichSampleOrSetTheyAreOf(t *testing.T) {
	lost := errors.New("lost")
	failing := data.Samples(5, func(i int) (*nd.Array, *nd.Array, error) {
		if i == 3 {
			return nil, nil, lost
		}
		return nd.Ones[float32](2), nil, nil
	})
	_, err := data.Concat(failing, failing).Batch([]int{0, 8})
	require.ErrorIs(t, err, lost)
	require.ErrorContains(t, err, "data set 1: sample 3: lost")
	_, err = failing.Batch(nil)
	require.ErrorContains(t, err, "no samples")
	half := data.Samples(2, func(i int) (*nd.Array, *nd.Array, error) {
		return nd.Ones[float32](2), map[int]*nd.Array{1: nd.Ones[float32](1)}[i], nil
	})
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		_, err = half.Batch(order)
		require.ErrorContains(t, err, "label or none")
	}
	_, err = data.Concat(data.Arrays(counting(0, 2), nil), data.Arrays(counting(0, 2), counting(0, 2))).Batch([]int{0, 2})
	require.ErrorContains(t, err, "some have none")
}

func TestDataSetsThatCannotBeAreRefused(t *testing.T) {
	tens := data.Arrays(counting(10, 5), nil)
	for name, c := range map[string]struct {
		call   func()
		reason error
	}{
		"no inputs":        {func() { data.Arrays(nil, nil) }, fault.ErrMisuse},
		"other labels":     {func() { data.Arrays(counting(0, 5), counting(0, 4)) }, fault.ErrShape},
		"no axes":          {func() { data.Arrays(nd.Ones[float32](), nil) }, fault.ErrShape},
		"no function":      {func() { data.Samples(3, nil) }, fault.ErrMisuse},
		"subset of what":   {func() { data.Subset(nil) }, fault.ErrMisuse},
		"subset with what": {func() { data.Subset(tens, 5) }, fault.ErrIndex},
		"nothing in chain": {func() { data.Concat(tens, nil) }, fault.ErrMisuse},
		"no mapping":       {func() { data.Map(tens, nil) }, fault.ErrMisuse},
		"weights":          {func() { data.Weighted([]float64{0, 0}, 1) }, fault.ErrParameter},
		"negative weight":  {func() { data.Weighted([]float64{1, -1}, 1) }, fault.ErrParameter},
		"nil sampler":      {func() { data.Sampled(nd.DefaultEnv(), nil) }, fault.ErrMisuse},
		"nil transform":    {func() { data.Transformed(nd.DefaultEnv(), nil) }, fault.ErrMisuse},
		"last batch":       {func() { data.Last(9) }, fault.ErrMisuse},
		"deviation":        {func() { data.Normalise([]float64{0}, []float64{0}) }, fault.ErrMisuse},
		"window":           {func() { data.RandomCrop(0, 1, 0) }, fault.ErrMisuse},
	} {
		err := nd.Try(c.call)
		require.ErrorIs(t, err, c.reason, name)
		require.ErrorContains(t, err, "combine_test.go", name)
	}
}
