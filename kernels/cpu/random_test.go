package cpu

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/philox"
	"github.com/weft-nd/weft/parallel"
)

func drawn[T dtype.Element](t *testing.T, operator string, shape []int, how layout, key, sequence int64, scalars ...float64) []T {
	dst := newView(random(), dtype.Of[T](), shape, how)
	run(t, name[T](operator), &device.Arguments{Outputs: views(dst), Integers: []int64{key, sequence}, Scalars: scalars})
	return elements[T](dst)
}

func TestUniformIsTheDocumentedFunctionOfKeyAndElement(t *testing.T) {
	const key, sequence = -5, 1 << 40
	for _, how := range outputLayouts {
		for e, got := range drawn[float32](t, "uniform", []int{7, 333}, how, key, sequence, -1, 3) {
			block := philox.Block(uint64(1<<64+key), philox.Counter(sequence, uint64(e/4), 0))
			require.Equal(t, float32(-1+4*(float64(block[e%4]>>8)/(1<<24))), got)
		}
		for e, got := range drawn[float64](t, "uniform", []int{7, 333}, how, key, sequence, -1, 3) {
			block := philox.Block(uint64(1<<64+key), philox.Counter(sequence, uint64(e/2), 0))
			bits := uint64(block[2*(e%2)])<<32 | uint64(block[2*(e%2)+1])
			require.Equal(t, -1+4*(float64(bits>>11)/(1<<53)), got)
		}
	}
}

func TestUniformStaysBelowHigh(t *testing.T) {
	low, high := float64(float32(1)), float64(math.Nextafter32(1, 2))
	for _, v := range drawn[float32](t, "uniform", []int{10000}, rowMajor, 1, 2, low, high) {
		require.Equal(t, float32(1), v)
	}
	for _, v := range drawn[float32](t, "uniform", []int{10000}, rowMajor, 1, 2, 0, 0.1) {
		require.Less(t, float64(v), 0.1)
	}
	require.Equal(t, []float64{2, 2, 2}, drawn[float64](t, "uniform", []int{3}, rowMajor, 1, 2, 2, 2))
}

func TestRandomDoesNotDependOnWorkersOrLayout(t *testing.T) {
	for _, operator := range []string{"uniform", "normal"} {
		requireOneResult[float32](t, operator)
		requireOneResult[float64](t, operator)
	}
}

func requireOneResult[T dtype.Float](t *testing.T, operator string) {
	draw := func(how layout) []T {
		return sameBits[T](t, func(thread *parallel.Thread) device.View {
			dst := newView(random(), dtype.Of[T](), []int{300, 401}, how)
			require.NoError(t, call(t, thread, name[T](operator), &device.Arguments{
				Outputs: views(dst), Integers: []int64{1, 2}, Scalars: []float64{0, 1},
			}))
			return dst
		})
	}
	require.Equal(t, draw(rowMajor), draw(scattered))
}

func TestKeysAndSequencesAreDifferentStreams(t *testing.T) {
	base := drawn[float32](t, "uniform", []int{1000}, rowMajor, 1, 1, 0, 1)
	for _, other := range [][]float32{
		drawn[float32](t, "uniform", []int{1000}, rowMajor, 2, 1, 0, 1), drawn[float32](t, "uniform", []int{1000}, rowMajor, 1, 2, 0, 1),
	} {
		equal := 0
		for i := range base {
			if base[i] == other[i] {
				equal++
			}
		}
		require.Less(t, equal, 3)
	}
}

func TestRandomNumbersOfNoElementsAreDrawn(t *testing.T) {
	require.Empty(t, drawn[float32](t, "uniform", []int{3, 0}, rowMajor, 1, 1, 0, 1))
	require.Empty(t, drawn[float64](t, "normal", []int{0}, rowMajor, 1, 1, 0, 1))
	require.Empty(t, drawn[int64](t, "permutation", []int{0}, rowMajor, 1, 1))
	require.Len(t, drawn[float32](t, "uniform", []int{}, rowMajor, 1, 1, 0, 1), 1)
}

func TestThePlaceOfAPermutationDoesNotMatter(t *testing.T) {
	require.Equal(t, drawn[int64](t, "permutation", []int{5000}, rowMajor, 1, 1), drawn[int64](t, "permutation", []int{5000}, scattered, 1, 1))
}
