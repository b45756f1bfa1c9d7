package data_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/resource"
)

// position is all that a program keeps to go on with a loader: its state, and that of the generator it draws orders from.
type position struct {
	Loader    data.LoaderState
	Generator resource.State
}

// kept returns a position that has been written and read again.
func kept(t *testing.T, p position) (again position) {
	t.Helper()
	text, err := json.Marshal(p)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &again))
	require.Equal(t, p, again)
	return again
}

func TestStateGoesOnAfterAnyBatchOfAnyIteration(t *testing.T) {
	const count, batch, iterations = 10, 3, 3
	for name, options := range map[string]func(*nd.Env) []data.LoaderOption{
		"in order":       func(*nd.Env) []data.LoaderOption { return nil },
		"shuffled":       func(e *nd.Env) []data.LoaderOption { return []data.LoaderOption{data.Shuffle(e)} },
		"shuffled, full": func(e *nd.Env) []data.LoaderOption { return []data.LoaderOption{data.Shuffle(e), data.DropLast()} },
		"rolled over": func(e *nd.Env) []data.LoaderOption {
			return []data.LoaderOption{data.Shuffle(e), data.Last(data.RollOver), data.Workers(3)}
		},
		"weighted, noisy": func(e *nd.Env) []data.LoaderOption {
			noise := func(b data.Batch, d *data.Draws) (data.Batch, error) {
				drawn := make([]int64, b.Count)
				for i, n := range d.Integers(0, 1000) {
					drawn[i] = int64(n) * 100
				}
				b.Labels = b.Labels.Add(nd.FromSlice(drawn))
				return b, nil
			}
			return []data.LoaderOption{data.Sampled(e, data.Weighted([]float64{1, 2, 3}, 11)), data.Transformed(e, noise), data.Workers(2)}
		},
		"shuffled, far off": func(e *nd.Env) []data.LoaderOption { return []data.LoaderOption{data.Shuffle(e), data.Prefetch(9)} },
	} {
		t.Run(name, func(t *testing.T) {
			env := nd.DefaultEnv().WithSeed(5)
			l := data.NewLoader(numbers{count, -1}, batch, options(env)...)
			var all [][]int64
			var positions []position // after each batch
			var iterationOf []int
			for iteration := range iterations {
				for b, err := range l.Batches(context.Background()) {
					require.NoError(t, err)
					values, err := nd.Values[int64](b.Labels)
					require.NoError(t, err)
					env.Generator().Next() // others draw from it too
					all, iterationOf = append(all, values), append(iterationOf, iteration)
					positions = append(positions, kept(t, position{l.State(), env.Generator().State()}))
				}
				require.Equal(t, data.LoaderState{Carried: l.State().Carried}, l.State())
			}
			for i, p := range positions {
				env := nd.DefaultEnv().WithSeed(99)
				l := data.NewLoader(numbers{count, -1}, batch, options(env)...)
				env.Generator().Restore(p.Generator)
				require.NoError(t, l.SetState(p.Loader))
				require.Equal(t, p.Loader, l.State())
				rest := [][]int64{}
				for iteration := iterationOf[i]; iteration < iterations; iteration++ {
					for b, err := range l.Batches(context.Background()) {
						require.NoError(t, err)
						values, err := nd.Values[int64](b.Labels)
						require.NoError(t, err)
						env.Generator().Next()
						rest = append(rest, values)
					}
				}
				require.Equal(t, all[i+1:], rest, "after batch %d", i)
			}
		})
	}
}

func TestStateOfAnIterationLeftEarlyIsKeptUntilAnotherBegins(t *testing.T) {
	l := data.NewLoader(numbers{10, -1}, 3, data.Shuffle(nd.DefaultEnv().WithSeed(1)))
	require.Zero(t, l.State())
	for range l.Batches(context.Background()) {
		break
	}
	left := l.State()
	require.Equal(t, 1, left.Given)
	for range l.Batches(context.Background()) {
		require.Equal(t, 1, l.State().Given, "without SetState an iteration is whole")
		require.NotEqual(t, left.Order, l.State().Order)
		break
	}
	require.NoError(t, l.SetState(left))
	require.Len(t, once(t, l), 3)
	require.Len(t, once(t, l), 4, "only one iteration goes on from the state")
}

func TestStateIsThatOfTheIterationThatBeganLast(t *testing.T) {
	l := data.NewLoader(numbers{10, -1}, 2)
	outer := 0
	for range l.Batches(context.Background()) {
		outer++
		inner := 0
		for range l.Batches(context.Background()) {
			inner++
			require.Equal(t, inner, l.State().Given)
		}
		require.Equal(t, 5, inner)
		require.Zero(t, l.State())
	}
	require.Equal(t, 5, outer)
}

func TestStateDoesNotCountABatchThatFailed(t *testing.T) {
	l := data.NewLoader(numbers{10, 7}, 2)
	for _, err := range l.Batches(context.Background()) {
		if err != nil {
			require.ErrorIs(t, err, errBroken)
		}
	}
	require.Equal(t, 3, l.State().Given)
}

func TestStateThatDoesNotFitIsRefused(t *testing.T) {
	l := data.NewLoader(numbers{10, -1}, 3)
	for text, state := range map[string]data.LoaderState{
		"-1 batches given of 4":            {Given: -1},
		"5 batches given of 4":             {Given: 5},
		"the loader has no RollOver":       {Carried: []int{1}},
		"sample 10 is carried over, of 10": {Carried: []int{1, 10}},
	} {
		err := l.SetState(state)
		require.ErrorIs(t, err, fault.ErrParameter)
		require.ErrorContains(t, err, text)
	}
	require.Len(t, once(t, l), 4)
}
