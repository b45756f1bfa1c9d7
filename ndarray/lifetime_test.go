package ndarray_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	nd "github.com/weft-nd/weft/ndarray"
)

// reuse makes the collector free what nobody holds, and others use its memory.
func reuse(t *testing.T, bytes int) {
	for range 3 {
		runtime.GC()
		require.NoError(t, nd.Full(-1.0, bytes/8).Wait(context.Background()))
	}
}

func TestWhatIsHandedOutOutlivesTheArray(t *testing.T) {
	for _, count := range []int{4, 4 << 10, 256 << 10} { // in the object itself, of Go's heap, mapped
		made := func() *nd.Array { return nd.Arange[float64](0, float64(count), 1).AddScalar(1) }
		check := func(elements []float64) {
			t.Helper()
			require.Len(t, elements, count)
			for i, v := range elements {
				if v != float64(i+1) {
					require.Equal(t, float64(i+1), v, "element %d of %d", i, count)
				}
			}
		}
		copied := values[float64](t, made())
		all, err := nd.Iter[float64](t.Context(), made())
		require.NoError(t, err)
		part := made().Index(nd.SpanBy(nd.Open, nd.Open, -1))
		matrix, err := nd.AsMatrix(made().Reshape(2, -1))
		require.NoError(t, err)
		reuse(t, 8*count)
		check(copied)
		iterated := []float64{}
		for i, v := range all {
			if i == count/2 {
				reuse(t, 8*count)
			}
			iterated = append(iterated, v)
		}
		check(iterated)
		check(values[float64](t, part.Index(nd.SpanBy(nd.Open, nd.Open, -1))))
		require.EqualValues(t, count, matrix.At(1, count/2-1))

		// What a callback is shown stays for as long as it runs, although nobody else has the array.
		require.NoError(t, nd.Read(t.Context(), made(), func(elements []float64) error {
			reuse(t, 8*count)
			check(elements)
			return nil
		}))
		var view *nd.Array
		func() {
			whole := made()
			view = whole.Reshape(2, -1)
			require.NoError(t, nd.Write(t.Context(), whole, func(elements []float64) error {
				reuse(t, 8*count)
				check(elements)
				elements[0] = 7
				return nil
			}))
		}()
		reuse(t, 8*count)
		v, err := nd.At[float64](view, 0, 0)
		require.NoError(t, err)
		require.Equal(t, 7.0, v)

		adopted := func() *nd.Array {
			slice := make([]float64, count)
			for i := range slice {
				slice[i] = float64(i + 1)
			}
			return nd.Adopt(slice, count)
		}()
		reuse(t, 8*count)
		check(values[float64](t, adopted))
	}
}
