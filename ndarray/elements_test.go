package ndarray_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

func TestElementsAreReadWhileOthersWriteAndFail(t *testing.T) {
	for _, name := range []string{"naive", "pooled", "perdevice"} {
		e, err := engine.New(name)
		require.NoError(t, err)
		env := ops.NewEnv(e)
		x := nd.FromSliceIn(env, []float64{0, 0, 0, 7}, 4)
		failed := x.Take(nd.FromSliceIn(env, []int64{9}), 0)
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				for range 200 {
					x.Index(0).SetSlice(x.Index(0).AddScalar(1))
					seen, err := nd.At[float64](x, 3)
					if err != nil || seen != 7 {
						t.Errorf("read %v, %v", seen, err)
					}
					if seen, err = nd.At[float64](x, 0); err != nil || seen < 1 {
						t.Errorf("read %v, %v", seen, err)
					}
					if _, err := nd.At[float64](failed, 0); err == nil {
						t.Error("no error of an array that failed")
					}
				}
			})
		}
		readers.Wait()
		_, err = nd.At[float64](failed, 0)
		require.ErrorIs(t, err, fault.ErrIndex)
		seen, err := nd.At[float64](x, 3)
		require.NoError(t, err)
		require.Equal(t, 7.0, seen)
	}
}
