package ndarray_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestReadersNeverSeeHalfOfAWrite(t *testing.T) {
	const readers, rounds, length = 15, 50, 1000
	x := nd.Zeros[int64](length)
	var workers sync.WaitGroup
	for range readers {
		workers.Go(func() {
			for range rounds {
				err := nd.Read(context.Background(), x, func(elements []int64) error {
					if slices.Min(elements) != slices.Max(elements) {
						return errors.New("half of a write")
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	workers.Go(func() {
		for round := range rounds {
			if round%2 == 0 {
				nd.AddInto(x, x, nd.Ones[int64](length))
				continue
			}
			err := nd.Write(context.Background(), x, func(elements []int64) error {
				for i := range elements {
					elements[i]++
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	workers.Wait()
	require.Equal(t, slices.Repeat([]int64{rounds}, length), values[int64](t, x))
}

func TestReadSharesMemoryAndWriteGoesThroughViews(t *testing.T) {
	x := floats(3, 2)
	row := x.Index(1)
	require.NoError(t, nd.Write(context.Background(), row, func(elements []float32) error {
		require.Equal(t, []float32{2, 3}, elements)
		elements[0] = 7
		return nil
	}))
	require.Equal(t, []float32{0, 1, 7, 3, 4, 5}, values[float32](t, x))
	require.NoError(t, nd.Read(context.Background(), x.Index(nd.Span(1, 3)), func(elements []float32) error {
		require.Equal(t, []float32{7, 3, 4, 5}, elements)
		return nil
	}))
}

func TestErrorsOfACallbackComeBackAndThoseOfAWriteStick(t *testing.T) {
	cause := errors.New("the user's own")
	x := floats(2)
	require.ErrorIs(t, nd.Read(context.Background(), x, func([]float32) error { return cause }), cause)
	require.NoError(t, x.Wait(context.Background()))
	require.ErrorIs(t, nd.Read(context.Background(), x, func([]float32) error { panic("in a reader") }), fault.ErrPanic)
	require.NoError(t, x.Wait(context.Background()))
	require.ErrorIs(t, nd.Write(context.Background(), x, func([]float32) error { return cause }), cause)
	require.ErrorIs(t, x.Wait(context.Background()), cause)
}

func TestCallbacksMayUseOtherArrays(t *testing.T) {
	x, y := floats(2), floats(2)
	require.NoError(t, nd.Read(context.Background(), x, func(elements []float32) error {
		seen, err := nd.Values[float32](y.Add(x))
		require.Equal(t, []float32{0, 2}, seen)
		return err
	}))
}

func TestAnAbandonedCallbackIsOverOrNeverCalled(t *testing.T) {
	for range 200 {
		x := floats(1)
		ctx, end := context.WithCancel(context.Background())
		returned := false
		go end()
		err := nd.Write(ctx, x, func(elements []float32) error {
			if returned {
				t.Error("called after Write has returned")
			}
			elements[0] = 1
			return nil
		})
		returned = true
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
		}
	}
}

func TestAdoptSharesTheCallersSlice(t *testing.T) {
	data := []float64{1, 2, 3, 4}
	x := nd.Adopt(data, 2, 2)
	nd.AddInto(x, x, nd.Ones[float64](2, 2))
	require.NoError(t, x.Wait(context.Background()))
	require.Equal(t, []float64{2, 3, 4, 5}, data)
	nd.Set(x.T(), 9.0, 0, 1)
	require.NoError(t, x.Wait(context.Background()))
	require.Equal(t, []float64{2, 3, 9, 5}, data)
	require.Empty(t, values[float64](t, nd.Adopt([]float64{}, 3, 0)))
	require.Empty(t, values[float64](t, nd.Adopt[float64](nil)))
}

func TestFromSliceCopies(t *testing.T) {
	data := []float32{1, 2}
	x := nd.FromSlice(data)
	data[0] = 9
	require.Equal(t, []float32{1, 2}, values[float32](t, x))
	values[float32](t, x)[1] = 9
	require.Equal(t, []float32{1, 2}, values[float32](t, x))
}
