package cpu

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// checkClamp compares clamping between two numbers with package builtin's min and max, for all pairs of special bounds and special elements.
func checkClamp[T dtype.Float](t *testing.T) {
	numbers := []T{T(math.NaN()), T(math.Inf(-1)), -2, T(math.Copysign(0, -1)), 0, math.SmallestNonzeroFloat32, 1, 6, T(math.Inf(1))}
	x := make([]T, 0, 61)
	for i := range cap(x) {
		x = append(x, numbers[i*5%len(numbers)])
	}
	bits := func(v T) uint64 {
		if v != v {
			return math.MaxUint64
		}
		return math.Float64bits(float64(v))
	}
	for _, low := range numbers {
		for _, high := range numbers {
			features.Each(func(level features.Level) {
				bound := func(v T) device.View {
					one := fromSlice([]T{v}, 1)
					one.Shape, one.Strides = []int{len(x)}, []int{0}
					return one
				}
				got := fromSlice(make([]T, len(x)), len(x))
				run(t, name[T]("clamp"), &device.Arguments{Outputs: views(got), Inputs: views(fromSlice(x, len(x)), bound(low), bound(high))})
				for i, v := range elements[T](got) {
					require.Equal(t, bits(min(max(x[i], low), high)), bits(v), "%v between %v and %v at %v: got %v", x[i], low, high, level, v)
				}
			})
		}
	}
}

func TestClampingBetweenNumbersIsMinAndMax(t *testing.T) {
	t.Run("float32", checkClamp[float32])
	t.Run("float64", checkClamp[float64])
}
