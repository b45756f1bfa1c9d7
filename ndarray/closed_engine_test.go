package ndarray_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

func TestResultsOutlastTheirEngine(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"naive", "pooled", "perdevice"} {
		t.Run(name, func(t *testing.T) {
			e, err := engine.New(name)
			require.NoError(t, err)
			env := ops.NewEnv(e)
			small := nd.FromSliceIn(env, []float32{1, 2, 3, 4, 5, 6}, 2, 3).AddScalar(1)
			large := nd.OnesIn(env, dtype.Float64, 300, 200).MulScalar(3)
			zeros, adopted := nd.ZerosIn(env, dtype.Float64, 2), nd.AdoptIn(env, []float64{7, 8}, 2)
			failed := small.Take(nd.FromSliceIn(env, []int64{9}), 0)
			require.NoError(t, e.Close(ctx)) // nothing was waited for before

			for range 2 {
				require.Equal(t, []float32{2, 3, 4, 5, 6, 7}, values[float32](t, small))
				require.Equal(t, []float32{7, 4, 6, 3, 5, 2}, values[float32](t, small.Flip(0, 1).T()))
				require.Equal(t, []float32{4, 7}, values[float32](t, small.Index(nd.Whole, 2)))
				require.Empty(t, values[float32](t, small.Index(nd.Span(1, 1))))
				require.Equal(t, []float64{0, 0}, values[float64](t, zeros))
				require.Equal(t, []float64{7, 8}, values[float64](t, adopted))
				v, err := nd.At[float64](large, 299, -1)
				require.NoError(t, err)
				require.Equal(t, 3.0, v)
				converted, err := nd.ValuesAs[int64](small.T())
				require.NoError(t, err)
				require.Equal(t, []int64{2, 5, 3, 6, 4, 7}, converted)
				require.Equal(t, "[[2. 3. 4.]\n [5. 6. 7.]]", fmt.Sprint(small))
				sum := 0.0
				require.NoError(t, nd.Read(ctx, large, func(elements []float64) error {
					for _, v := range elements {
						sum += v
					}
					return nil
				}))
				require.Equal(t, 180000.0, sum)
				var file bytes.Buffer
				require.NoError(t, nd.WriteNPY(&file, small.T()))
				back, err := nd.ReadNPY(&file)
				require.NoError(t, err)
				require.Equal(t, []float32{2, 5, 3, 6, 4, 7}, values[float32](t, back))
				_, err = nd.Values[float32](failed)
				require.ErrorContains(t, err, "index 9 is out of range")
			}

			require.ErrorIs(t, small.AddScalar(1).Wait(ctx), fault.ErrClosed)
			nd.AddInto(large, large, large)
			_, err = nd.Values[float64](large)
			require.ErrorIs(t, err, fault.ErrClosed, "what was to be written after the end")
			small.Release()
			require.Panics(t, func() { _, _ = nd.Values[float32](small) })
		})
	}
}

func TestResultsOnDevicesOutlastTheirEngineOnceTheyAreOnTheHost(t *testing.T) {
	e := engine.NewPerDevice()
	env := ops.NewEnv(e).WithDevice(device.Sim(0))
	read, unread := nd.OnesIn(env, dtype.Float32, 3).Exp(), nd.OnesIn(env, dtype.Float32, 3).Exp()
	want := values[float32](t, read)
	require.NoError(t, unread.Wait(t.Context()))
	require.NoError(t, e.Close(t.Context()))
	require.Equal(t, want, values[float32](t, read))
	_, err := nd.Values[float32](unread)
	require.ErrorIs(t, err, fault.ErrClosed)
}

func TestReadersOfAClosedEngineAndReleasesDoNotRace(t *testing.T) {
	e := engine.NewPerDevice()
	arrays := make([]*nd.Array, 50)
	for i := range arrays {
		arrays[i] = nd.FullIn(ops.NewEnv(e), dtype.Float64, float64(i), 4000)
	}
	require.NoError(t, e.Close(t.Context()))
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for i, a := range arrays {
				err := nd.Try(func() {
					if v, err := nd.Values[float64](a); err == nil && (v[0] != float64(i) || v[3999] != float64(i)) {
						t.Errorf("array %d has %v", i, v[0])
					}
				})
				if err != nil {
					require.ErrorIs(t, err, fault.ErrReleased)
				}
			}
		})
	}
	for _, a := range arrays {
		a.Release()
	}
	wait.Wait()
}
