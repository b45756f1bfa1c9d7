package parallel_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/parallel/paralleltest"
)

// TestLayers runs the suite on every layer, and on a work queue whose workers park at once, for several numbers of processors.
func TestLayers(t *testing.T) {
	for _, layer := range []parallel.Layer{parallel.LayerWorkqueue, parallel.LayerGoroutine, parallel.LayerSerial} {
		for _, impatient := range []bool{false, true} {
			name := string(layer)
			if impatient {
				if layer != parallel.LayerWorkqueue {
					continue
				}
				name += ", impatient"
			}
			for _, processors := range []int{1, 2, 8} {
				if testing.Short() && processors != 2 {
					continue
				}
				t.Run(fmt.Sprintf("%s, %d processors", name, processors), func(t *testing.T) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
					paralleltest.RunAll(t, func(workers int) *parallel.Pool {
						pool := parallel.New(workers, parallel.WithLayer(layer))
						require.Equal(t, layer, pool.Layer())
						if impatient {
							parallel.Impatient(pool)
						}
						return pool
					})
				})
			}
		}
	}
}
