package ndarray_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// eachEngine calls test for every kind of engine, with an Env of it.
func eachEngine(t *testing.T, test func(t *testing.T, env *nd.Env)) {
	for _, kind := range []string{"naive", "pooled", "perdevice", "shuffled"} {
		t.Run(kind, func(t *testing.T) {
			e, err := engine.New(kind)
			require.NoError(t, err)
			test(t, ops.NewEnv(e))
			require.NoError(t, e.Close(context.Background()))
		})
	}
}

func TestArraysAreReadyWhenWhatWritesThemHasEnded(t *testing.T) {
	eachEngine(t, func(t *testing.T, env *nd.Env) {
		x := nd.ZerosIn(env, dtype.Float32, 3)
		require.NoError(t, x.Wait(t.Context()))
		require.True(t, x.Ready())
		require.NoError(t, nd.Write(t.Context(), x, func([]float32) error {
			if x.Ready() || x.Index(0).Ready() {
				return errors.New("ready while it is written")
			}
			return nil
		}))
		require.NoError(t, nd.Read(t.Context(), x, func([]float32) error {
			if !x.Ready() {
				return errors.New("readers do not change an array")
			}
			return nil
		}))
		y := x.AddScalar(1).Exp()
		require.NoError(t, y.Wait(t.Context()))
		require.True(t, y.Ready())
		failed := x.Take(nd.FromSliceIn(env, []int64{9}), 0)
		require.Error(t, failed.Wait(t.Context()))
		require.True(t, failed.Ready(), "an error is an end")
	})
}

func TestWaitToWriteWaitsForReaders(t *testing.T) {
	eachEngine(t, func(t *testing.T, env *nd.Env) {
		data := []float32{1, 2, 3}
		x := nd.AdoptIn(env, data)
		reading, release, read := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			read <- nd.Read(context.Background(), x, func([]float32) error {
				close(reading)
				<-release
				return nil
			})
		}()
		<-reading
		require.NoError(t, x.Wait(t.Context()), "readers do not keep from reading")
		cause := errors.New("no longer")
		ended, end := context.WithCancelCause(context.Background())
		waited := make(chan error)
		go func() { waited <- x.WaitToWrite(ended) }()
		end(cause)
		require.ErrorIs(t, <-waited, cause)
		go func() { waited <- x.WaitToWrite(context.Background()) }()
		close(release)
		require.NoError(t, <-waited)
		require.NoError(t, <-read)
		data[0] = 7 // nothing on it is pending
		require.Equal(t, []float32{7, 2, 3}, values[float32](t, x))
	})
}

func TestWaitToWriteTellsWhatSticksAndRefusesParts(t *testing.T) {
	failed := floats(3).Take(nd.FromSlice([]int64{9}), 0)
	for range 2 {
		require.ErrorIs(t, failed.WaitToWrite(t.Context()), fault.ErrIndex)
	}
	require.ErrorIs(t, mistake(t, func() { _ = floats(3, 2).T().WaitToWrite(t.Context()) }), fault.ErrMisuse)
}

func ExampleArray_Ready() {
	x := nd.FromSlice([]float32{1, 2, 3})
	y := x.Exp().Sum()
	for !y.Ready() {
		// something else meanwhile
	}
	fmt.Println(y.Wait(context.Background()), y.Ready())
	// Output: <nil> true
}

func ExampleArray_WaitToWrite() {
	pixels := []float32{1, 2, 3}
	image := nd.Adopt(pixels)
	brightness := image.Sum() // returns at once, and reads the pixels later
	if err := image.WaitToWrite(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	pixels[0] = 100 // nothing reads them any more
	fmt.Println(brightness, image)
	// Output: 6.0 [100.   2.   3.]
}
