package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/fourier"
)

// Results are the same whether lines are shared by two threads or not, and in whatever layout, with the memory that is asked for.
func TestTransformsStayInTheMemoryTheyAskFor(t *testing.T) {
	r := random()
	for _, how := range []layout{rowMajor, scattered} {
		for _, c := range []struct {
			form   fourier.Form
			input  []int
			output []int
			axes   []int64
			count  int
			takes  bool
		}{
			{fourier.FromReal, []int{3, 64}, []int{3, 33}, []int64{1}, 64, false},
			{fourier.ToReal, []int{3, 33}, []int{3, 64}, []int64{1}, 64, false},
			{fourier.ToReal, []int{60, 33}, []int{60, 64}, []int64{0, 1}, 64, true},
			{fourier.ToReal, []int{50, 40}, []int{70, 55}, []int64{1, 0}, 70, true},
			{fourier.FromReal, []int{2, 1 << 17}, []int{2, 1<<16 + 1}, []int64{1}, 1 << 17, true},
			{fourier.FromReal, []int{40_000}, []int{20_012}, []int64{0}, 40_022, true},
			{fourier.ToReal, []int{1 << 15}, []int{99_999}, []int64{0}, 99_999, true},
			{fourier.ToReal, []int{2, 1 << 16}, []int{3, 1 << 17}, []int64{0, 1}, 1 << 17, true},
		} {
			name, out := "rfft/float32", dtype.Complex64
			input := newFilled(r, c.input, how, finite[float32])
			if c.form == fourier.ToReal {
				name, out = "irfft/complex64", dtype.Float32
				input = newFilled(r, c.input, how, func(r *rand.Rand) complex64 { return complex(finite[float32](r), finite[float32](r)) })
			}
			output := newView(r, out, c.output, how)
			a := device.Arguments{
				Outputs: []device.View{output}, Inputs: []device.View{input}, Scalars: []float64{0.5},
				Integers: append([]int64{1, int64(c.count)}, c.axes...),
			}
			taken := requireScratch(t, name, a, FourierScratch(c.form, c.output, c.axes, c.count, dtype.Complex64.Size()))
			require.Equal(t, c.takes, taken > 0, fmt.Sprint(c))
		}
	}
}
