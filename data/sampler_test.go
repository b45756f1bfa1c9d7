package data_test

import (
	"context"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

func TestLastBatchIsKeptDiscardedPaddedOrRolledOver(t *testing.T) {
	for name, c := range map[string]struct {
		last    data.LastBatch
		count   int
		want    [][][]int64 // of three iterations
		padding []int       // of the last batch of each
	}{
		"keep":        {data.Keep, 5, [][][]int64{{{0, 1}, {2, 3}, {4}}, {{0, 1}, {2, 3}, {4}}, {{0, 1}, {2, 3}, {4}}}, []int{0, 0, 0}},
		"discard":     {data.Discard, 5, [][][]int64{{{0, 1}, {2, 3}}, {{0, 1}, {2, 3}}, {{0, 1}, {2, 3}}}, []int{0, 0, 0}},
		"pad":         {data.Pad, 5, [][][]int64{{{0, 1}, {2, 3}, {4, 0}}, {{0, 1}, {2, 3}, {4, 0}}, {{0, 1}, {2, 3}, {4, 0}}}, []int{1, 1, 1}},
		"roll over":   {data.RollOver, 5, [][][]int64{{{0, 1}, {2, 3}}, {{4, 0}, {1, 2}, {3, 4}}, {{0, 1}, {2, 3}}}, []int{0, 0, 0}},
		"pad little":  {data.Pad, 1, [][][]int64{{{0, 0}}, {{0, 0}}, {{0, 0}}}, []int{1, 1, 1}},
		"roll little": {data.RollOver, 1, [][][]int64{nil, {{0, 0}}, nil}, []int{0, 0, 0}},
		"pad nothing": {data.Pad, 0, [][][]int64{nil, nil, nil}, []int{0, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			l := data.NewLoader(numbers{c.count, -1}, 2, data.Last(c.last))
			for i, want := range c.want {
				require.Equal(t, len(want), l.Len())
				var got [][]int64
				padding := 0
				for b, err := range l.Batches(context.Background()) {
					require.NoError(t, err)
					values, err := nd.Values[int64](b.Inputs)
					require.NoError(t, err)
					got, padding = append(got, values), b.Padding
				}
				require.Equal(t, want, got)
				require.Equal(t, c.padding[i], padding)
			}
		})
	}
}

func TestWeightedDrawsFollowTheWeights(t *testing.T) {
	const draws = 20000
	weights := []float64{1, 0, 3, 6}
	l := data.NewLoader(numbers{4, -1}, 100, data.Sampled(nd.DefaultEnv().WithSeed(3), data.Weighted(weights, draws)))
	require.Equal(t, draws/100, l.Len())
	counts := make([]float64, 4)
	first, second := slices.Concat(once(t, l)...), slices.Concat(once(t, l)...)
	require.NotEqual(t, first, second)
	for _, i := range first {
		counts[i]++
	}
	for i, w := range weights {
		p := w / 10
		require.InDelta(t, p*draws, counts[i], 5*math.Sqrt(draws*p*(1-p)), i)
	}
}

// backwards is a sampler that is made by hand.
type backwards int

func (b backwards) Len() int { return int(b) }

func (b backwards) Order(context.Context, *nd.Env) (order []int, err error) {
	for i := range int(b) {
		order = append(order, int(b)-1-i)
	}
	return order, nil
}

// failing is a sampler that calls a function that does not return.
type failing struct {
	backwards
	fail func()
}

func (f failing) Order(context.Context, *nd.Env) ([]int, error) {
	f.fail()
	return nil, nil
}

func TestSamplersThatDoNotReturnAreErrorsOfTheIteration(t *testing.T) {
	for text, fail := range map[string]func(){
		"panic of the sampler: no order":         func() { panic("no order") },
		"panic: the sampler ended its goroutine": runtime.Goexit,
	} {
		for _, workers := range []int{1, 4} {
			var failures []error
			l := data.NewLoader(numbers{3, -1}, 1, data.Sampled(nd.DefaultEnv(), failing{3, fail}), data.Workers(workers), data.Prefetch(workers))
			for _, err := range l.Batches(context.Background()) {
				failures = append(failures, err)
			}
			require.Len(t, failures, 1, text)
			require.ErrorIs(t, failures[0], fault.ErrPanic)
			require.ErrorContains(t, failures[0], text)
		}
	}
}

// choosy is a sampler that draws several times, and keeps what it drew.
type choosy struct {
	backwards
	drawn *[][]float64
}

func (c choosy) Order(ctx context.Context, env *nd.Env) ([]int, error) {
	for range 3 {
		*c.drawn = append(*c.drawn, uniform(env))
	}
	return c.backwards.Order(ctx, env)
}

// uniform returns the numbers of one draw.
func uniform(env *nd.Env) []float64 {
	values, err := nd.Values[float64](random.Uniform(env, dtype.Float64, 0, 1, 4))
	if err != nil {
		panic(err)
	}
	return values
}

func TestNobodyDrawsTheNumbersOfASamplerAgain(t *testing.T) {
	run := func() (drawn [][]float64) {
		env := nd.DefaultEnv().WithSeed(5)
		l := data.NewLoader(numbers{6, -1}, 6, data.Sampled(env, choosy{6, &drawn}))
		for range 3 {
			once(t, l)
			for range 4 {
				drawn = append(drawn, uniform(env))
			}
			drawn = append(drawn, uniform(env.WithGenerator(env.Generator().Split())))
		}
		return drawn
	}
	drawn := run()
	require.Len(t, drawn, 3*(3+4+1))
	for i, numbers := range drawn {
		for _, others := range drawn[:i] {
			require.NotEqual(t, others, numbers)
		}
	}
	require.Equal(t, drawn, run())
}

func TestASeedGivesTheseOrders(t *testing.T) {
	for name, c := range map[string]struct {
		option func(*nd.Env) data.LoaderOption
		want   [][]int64
	}{
		"shuffled": {data.Shuffle, [][]int64{{2, 1, 3, 5, 0, 4}, {2, 0, 4, 3, 1, 5}}},
		"random":   {func(e *nd.Env) data.LoaderOption { return data.Sampled(e, data.Random(6)) }, [][]int64{{2, 1, 3, 5, 0, 4}, {2, 0, 4, 3, 1, 5}}},
		"weighted": {func(e *nd.Env) data.LoaderOption {
			return data.Sampled(e, data.Weighted([]float64{1, 2, 3, 4, 5, 6}, 6))
		},
			[][]int64{{5, 4, 3, 1, 2, 5}, {4, 1, 3, 5, 3, 5}}},
	} {
		env := nd.DefaultEnv().WithSeed(5)
		l := data.NewLoader(numbers{6, -1}, 6, c.option(env))
		require.Equal(t, c.want, append(once(t, l), once(t, l)...), name)
	}
}

func TestSamplersAreUserCode(t *testing.T) {
	env := nd.DefaultEnv()
	require.Equal(t, [][]int64{{2, 1}, {0}}, once(t, data.NewLoader(numbers{3, -1}, 2, data.Sampled(env, backwards(3)))))
	for _, err := range data.NewLoader(data.Arrays(counting(0, 3), nil), 2, data.Sampled(env, backwards(4))).Batches(context.Background()) {
		require.ErrorContains(t, err, "batch 1 of 2: sample 3 is out of range for 3 samples")
		break
	}
}

func TestMoreSamplesThanMemoryHasNumbersForAreAnError(t *testing.T) {
	endless := data.Samples(1<<50, func(int) (input, label *nd.Array, err error) { return nd.Zeros[float32](1), nil, nil })
	for _, options := range [][]data.LoaderOption{nil, {data.Shuffle(nd.DefaultEnv())}} {
		for _, err := range data.NewLoader(endless, 2, options...).Batches(context.Background()) {
			require.ErrorIs(t, err, fault.ErrOutOfMemory)
		}
	}
}
