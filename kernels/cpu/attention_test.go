package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// attentionResults calls attention, then its gradient, on operands of the given layout and with a mask, if there is one.
func attentionResults[T gemm.Float](t *testing.T, workers int, how layout, operands, masks []device.View, heads, times, others, size, width int) (all []T) {
	name := dtype.Of[T]().String()
	placed := []device.View{}
	for _, x := range operands {
		v := newView(random(), x.DType, x.Shape, how)
		assign(v, elements[T](x))
		placed = append(placed, v)
	}
	made := func(shape ...int) device.View { return newView(random(), dtype.Of[T](), shape, how) }
	y, logs := made(heads, times, width), made(heads, times)
	require.NoError(t, call(t, pools[workers].Thread(), "attention/"+name, &device.Arguments{
		Outputs: views(y, logs), Inputs: slices.Concat(placed[:3], masks),
	}))
	slopes := views(made(heads, times, size), made(heads, others, size), made(heads, others, width))
	require.NoError(t, call(t, pools[workers].Thread(), "attention_gradient/"+name, &device.Arguments{
		Outputs: slopes, Inputs: slices.Concat(placed[:3], views(y, logs, placed[3]), masks),
	}))
	for _, v := range append(slopes, y, logs) {
		all = append(all, elements[T](v)...)
	}
	return all
}

func checkAttentionDependsOnShapesAlone[T gemm.Float](t *testing.T) {
	r := random()
	normal := func(r *rand.Rand) T { return T(r.NormFloat64()) }
	for _, s := range []struct{ heads, times, others, size, width int }{
		{1, 150, 190, 16, 8}, {3, 40, 33, 5, 7}, {5, 3, 70, 64, 64}, {2, 33, 1, 1, 1}, {2, 0, 4, 3, 3}, {2, 3, 0, 4, 2}, {2, 9, 4, 0, 2}, {2, 9, 4, 2, 0},
	} {
		operands := views(newFilled(r, []int{s.heads, s.times, s.size}, rowMajor, normal), newFilled(r, []int{s.heads, s.others, s.size}, rowMajor, normal),
			newFilled(r, []int{s.heads, s.others, s.width}, rowMajor, normal), newFilled(r, []int{s.heads, s.times, s.width}, rowMajor, normal))
		seen := make([]bool, s.heads*s.times*s.others)
		addends := make([]T, len(seen))
		for i := range seen {
			seen[i] = r.IntN(3) > 0 && i >= s.others // The first time sees nothing.
			if !seen[i] {
				addends[i] = T(math.Inf(-1))
			}
		}
		bools, numbers := fromSlice(seen, s.heads, s.times, s.others), fromSlice(addends, s.heads, s.times, s.others)
		apart := newView(r, dtype.Bool, bools.Shape, scattered)
		assign(apart, seen)
		var want, wantMasked []T
		features.Each(func(level features.Level) {
			for _, workers := range []int{1, 2, 8} {
				for _, how := range []layout{rowMajor, scattered} {
					about := fmt.Sprint(s, level, workers, how)
					got := func(masks ...device.View) []T {
						return attentionResults[T](t, workers, how, operands, masks, s.heads, s.times, s.others, s.size, s.width)
					}
					if want == nil {
						want, wantMasked = got(), got(bools)
					}
					require.Equal(t, want, got(), about)
					for _, mask := range views(bools, apart, numbers) {
						require.Equal(t, wantMasked, got(mask), about)
					}
				}
			}
		})
		for i := range s.width * min(1, s.times) {
			require.Zero(t, wantMasked[len(wantMasked)-s.heads*s.times*(s.width+1)+i], "the first time sees nothing")
		}
	}
}

func TestAttentionDependsOnShapesAlone(t *testing.T) {
	t.Run("float32", checkAttentionDependsOnShapesAlone[float32])
	t.Run("float64", checkAttentionDependsOnShapesAlone[float64])
}

func TestMasksOfOneElementForAllOthers(t *testing.T) {
	r := random()
	normal := func(r *rand.Rand) float32 { return float32(r.NormFloat64()) }
	operands := views(newFilled(r, []int{2, 40, 3}, rowMajor, normal), newFilled(r, []int{2, 50, 3}, rowMajor, normal),
		newFilled(r, []int{2, 50, 4}, rowMajor, normal), newFilled(r, []int{2, 40, 4}, rowMajor, normal))
	repeated := func(v device.View) device.View {
		v.Shape, v.Strides = []int{2, 40, 50}, []int{40, 1, 0}
		return v
	}
	bools, numbers, sums := make([]bool, 80), make([]float32, 80), make([]float32, 4000)
	for i := range bools {
		bools[i], numbers[i] = i%3 > 0, normal(r)
		for j := range 50 {
			sums[50*i+j] = numbers[i]
		}
	}
	want := attentionResults[float32](t, 2, rowMajor, operands, views(fromSlice(sums, 2, 40, 50)), 2, 40, 50, 3, 4)
	require.Equal(t, want, attentionResults[float32](t, 2, rowMajor, operands, views(repeated(fromSlice(numbers, 80))), 2, 40, 50, 3, 4))

	for i := range bools {
		for j := range 50 {
			if sums[50*i+j] = 0; !bools[i] {
				sums[50*i+j] = float32(math.Inf(-1))
			}
		}
	}
	want = attentionResults[float32](t, 2, rowMajor, operands, views(fromSlice(sums, 2, 40, 50)), 2, 40, 50, 3, 4)
	require.Equal(t, want, attentionResults[float32](t, 2, rowMajor, operands, views(repeated(fromSlice(bools, 80))), 2, 40, 50, 3, 4))
}
