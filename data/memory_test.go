package data_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	_ "github.com/weft-nd/weft/kernels/sim"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/storage"
)

// large is a data set whose batches take batchBytes on a device of their own.
type large struct{ env *nd.Env }

const batchBytes = 1 << 18

func (large) Len() int { return 40 }

func (l large) Batch(indices []int) (data.Batch, error) {
	inputs := nd.FullIn(l.env, dtype.Float64, float64(indices[0]), len(indices), batchBytes/8)
	return data.Batch{Inputs: inputs, Count: len(indices)}, inputs.Wait(context.Background())
}

// TestNoMoreBatchesAreInMemoryThanPrefetchTells gives the workers all the time that they want before each batch is asked for, and counts the
// bytes of the device when the collector has freed what it can: those of the batch of the loop, and those that are prepared.
func TestNoMoreBatchesAreInMemoryThanPrefetchTells(t *testing.T) {
	place := device.Sim(1)
	held := func() int64 { return storage.Usage()[place.String()].InUse }
	for _, c := range []struct{ prefetch, workers int }{{1, 1}, {2, 1}, {3, 3}, {5, 2}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			set := large{nd.DefaultEnv().WithDevice(place)}
			loader := data.NewLoader(set, 1, data.Prefetch(c.prefetch), data.Workers(c.workers))
			most, given := int64(0), 0
			for b, err := range loader.Batches(context.Background()) {
				require.NoError(t, err)
				given++
				full := int64(1+min(c.prefetch, set.Len()-given)) * batchBytes
				for range 1000 { // until the workers rest
					if runtime.GC(); held() == full {
						break
					}
				}
				require.Equal(t, full, held(), "batch %d", given)
				most = max(most, held())
				first, err := nd.At[float64](b.Inputs, 0, 0)
				require.NoError(t, err)
				require.EqualValues(t, given-1, first)
			}
			require.Equal(t, set.Len(), given)
			require.Equal(t, int64(c.prefetch+1)*batchBytes, most)
		})
	}
}
