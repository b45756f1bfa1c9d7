package data_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// pictures is so many pictures of channels×height×width whose elements are all different, from 1.
func pictures(count, channels, height, width int) *nd.Array {
	values := make([]float32, count*channels*height*width)
	for i := range values {
		values[i] = float32(i + 1)
	}
	return nd.FromSlice(values, count, channels, height, width)
}

// transformed returns the inputs of all batches of one iteration.
func transformed(t *testing.T, inputs *nd.Array, size int, seed uint64, options []data.LoaderOption, transforms ...data.Transform) (all []float32) {
	t.Helper()
	options = append(options, data.Transformed(nd.DefaultEnv().WithSeed(seed), transforms...))
	for b, err := range data.NewLoader(data.Arrays(inputs, nil), size, options...).Batches(context.Background()) {
		require.NoError(t, err)
		values, err := nd.Values[float32](b.Inputs)
		require.NoError(t, err)
		all = append(all, values...)
	}
	return all
}

func TestFixedTransformsComputeWhatTheySay(t *testing.T) {
	x := nd.FromSlice([]uint8{0, 255, 51, 102}, 2, 2)
	require.Equal(t, []float32{0, 1, 0.2, 0.4}, transformed(t, x, 2, 1, nil, data.ToFloat(255)))
	centred := transformed(t, x, 1, 1, nil, data.ToFloat(255), data.Normalise([]float64{0.5}, []float64{0.5}))
	require.InDeltaSlice(t, []float32{-1, 1, -0.6, -0.2}, centred, 1e-6)
	channels := transformed(t, pictures(1, 2, 1, 2), 1, 1, nil, data.Normalise([]float64{1, 3}, []float64{1, 2}))
	require.Equal(t, []float32{0, 1, 0, 0.5}, channels)
	l := data.NewLoader(data.Arrays(x, nd.FromSlice([]int64{2, 0})), 2, data.Transformed(nd.DefaultEnv(), data.OneHot(3)))
	for b, err := range l.Batches(context.Background()) {
		require.NoError(t, err)
		require.Equal(t, dtype.Float32, b.Labels.DType())
		values, err := nd.Values[float32](b.Labels)
		require.NoError(t, err)
		require.Equal(t, []float32{0, 0, 1, 1, 0, 0}, values)
	}
}

func TestShiftedSamplesAreTheSampleMovedWithZerosComingIn(t *testing.T) {
	const count, channels, height, width, most = 300, 2, 4, 5, 2
	x := pictures(count, channels, height, width)
	want, err := nd.Values[float32](x)
	require.NoError(t, err)
	got := transformed(t, x, 64, 7, nil, data.RandomShift(most))
	size := channels * height * width
	seen := map[[2]int]bool{}
	for i := range count {
		picture, moved := want[i*size:][:size], got[i*size:][:size]
		at := func(down, right int) []float32 {
			values := make([]float32, size)
			for c := range channels {
				for r := range height {
					for k := range width {
						if y, x := r-down, k-right; y >= 0 && y < height && x >= 0 && x < width {
							values[(c*height+r)*width+k] = picture[(c*height+y)*width+x]
						}
					}
				}
			}
			return values
		}
		found := 0
		for down := -most; down <= most; down++ {
			for right := -most; right <= most; right++ {
				if slices.Equal(moved, at(down, right)) {
					seen[[2]int{down, right}] = true
					found++
				}
			}
		}
		require.Equal(t, 1, found, "sample %d", i)
	}
	require.Len(t, seen, (2*most+1)*(2*most+1), "every distance comes")
}

func TestCropsAndFlipsArePartsOfTheSample(t *testing.T) {
	x := pictures(200, 1, 3, 3)
	crops, corners := transformed(t, x, 50, 1, nil, data.RandomCrop(2, 2, 0)), map[int]bool{}
	for i := range 200 {
		corner := int(crops[i*4]) - 1 - i*9
		corners[corner] = true
		require.Equal(t, []float32{crops[i*4], crops[i*4] + 1, crops[i*4] + 3, crops[i*4] + 4}, crops[i*4:][:4])
	}
	require.Equal(t, map[int]bool{0: true, 1: true, 3: true, 4: true}, corners)
	wide, places := transformed(t, pictures(100, 1, 2, 6), 50, 1, nil, data.RandomCrop(2, 3, 0)), map[int]bool{} // which moves across alone
	for i := range 100 {
		place := int(wide[i*6]) - 1 - i*12
		places[place] = true
		require.Equal(t, []float32{0, 1, 2, 6, 7, 8}, minus(wide[i*6], wide[i*6:][:6]))
	}
	require.Equal(t, map[int]bool{0: true, 1: true, 2: true, 3: true}, places)
	flips, flipped := transformed(t, x, 50, 1, nil, data.RandomFlip(0.3)), 0
	for i := range 200 {
		first := float32(i*9 + 1)
		if flips[i*9] == first+2 {
			flipped++
			require.Equal(t, []float32{first + 2, first + 1, first}, flips[i*9:][:3])
		} else {
			require.Equal(t, []float32{first, first + 1, first + 2}, flips[i*9:][:3])
		}
	}
	require.InDelta(t, 60, flipped, 33)
}

// minus returns the differences of all elements from one.
func minus(one float32, all []float32) (differences []float32) {
	for _, v := range all {
		differences = append(differences, v-one)
	}
	return differences
}

func TestRandomTransformsFollowFromSeedIterationAndSampleAlone(t *testing.T) {
	x := pictures(40, 1, 6, 6)
	chain := []data.Transform{data.RandomShift(2), data.RandomFlip(0.5), data.RandomCrop(5, 5, 1)}
	want := transformed(t, x, 8, 1, nil, chain...)
	for name, options := range map[string][]data.LoaderOption{
		"workers":    {data.Workers(4), data.Prefetch(6)},
		"far ahead":  {data.Prefetch(20)},
		"many alike": {data.Workers(8), data.Prefetch(8)},
	} {
		require.Equal(t, want, transformed(t, x, 8, 1, options, chain...), name)
	}
	require.Equal(t, want, transformed(t, x, 7, 1, nil, chain...), "the size of batches changes no sample")
	require.NotEqual(t, want, transformed(t, x, 8, 2, nil, chain...))
	l := data.NewLoader(data.Arrays(x, nil), 40, data.Transformed(nd.DefaultEnv().WithSeed(1), chain...))
	var epochs [][]float32
	for range 2 {
		for b, err := range l.Batches(context.Background()) {
			require.NoError(t, err)
			values, err := nd.Values[float32](b.Inputs)
			require.NoError(t, err)
			epochs = append(epochs, values)
		}
	}
	require.Equal(t, want, epochs[0])
	require.NotEqual(t, want, epochs[1], "every iteration draws anew")
}

func TestNormaliseRefusesInputsThatAreNoFloats(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Uint8, dtype.Int64, dtype.Bool} {
		l := data.NewLoader(data.Arrays(nd.Ones[float32](4, 3).Cast(d), nil), 3, data.Transformed(nd.DefaultEnv(), data.Normalise([]float64{33.3}, []float64{57.9})))
		failures := 0
		for _, err := range l.Batches(context.Background()) {
			require.ErrorIs(t, err, fault.ErrDType)
			require.ErrorContains(t, err, "batch 1 of 2: transform 0: weft: data.Normalise: inputs of "+d.String()+" (3,3), want floating point: put ToFloat before it")
			failures++
		}
		require.Equal(t, 1, failures)
	}
}

func TestTransformsThatDoNotFitAreErrorsOfTheirBatch(t *testing.T) {
	for text, transform := range map[string]data.Transform{
		"batch 1 of 2: transform 0: inputs (3,2) have no two axes": data.RandomShift(1),
		"inputs (3,) have no axis behind the samples":              data.RandomFlip(1),
		"a window of 9 by 9 does not fit":                          nil,
		"there are no labels":                                      data.OneHot(2),
		"2 means for inputs (3,3)":                                 data.Normalise([]float64{1, 2}, []float64{1, 2}),
		"the inputs have the shape (1,6)":                          data.Inputs(func(x *nd.Array) *nd.Array { return x.Reshape(1, -1) }),
	} {
		x := nd.Ones[float32](5, 2)
		switch {
		case transform == nil:
			x, transform = nd.Ones[float32](5, 2, 2), data.RandomCrop(9, 9, 1)
		case text[0] == '2':
			x = nd.Ones[float32](5, 3)
		case strings.Contains(text, "no axis"):
			x = nd.Ones[float32](5)
		}
		failures := 0
		for _, err := range data.NewLoader(data.Arrays(x, nil), 3, data.Transformed(nd.DefaultEnv(), transform)).Batches(context.Background()) {
			require.ErrorContains(t, err, text)
			failures++
		}
		require.Equal(t, 1, failures)
	}
}
