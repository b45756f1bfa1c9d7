package cpu

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/kernels/cpu/internal/levelstest"
)

// TestPowersOfOneExponentAreThoseOfManyEqualOnes compares the kernels for one exponent of all elements with the general loops.
func TestPowersOfOneExponentAreThoseOfManyEqualOnes(t *testing.T) {
	special := levelstest.SpecialNumbers()
	numbers := func(d dtype.DType, values []float64) device.View {
		v := fromSlice(values, len(values))
		to := newView(random(), d, []int{len(values)}, rowMajor)
		run(t, "cast/float64/"+d.String(), &device.Arguments{Outputs: views(to), Inputs: views(v)})
		return to
	}
	for _, d := range []dtype.DType{
		dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64,
		dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64,
	} {
		r := random()
		x := make([]float64, 1500)
		for i := range x {
			switch {
			case d.IsInteger():
				x[i] = float64(r.IntN(100))
				if d.Kind() == dtype.KindSigned {
					x[i] -= 50
				}
			case i < len(special):
				x[i] = special[i]
			default:
				x[i] = 3 * r.NormFloat64()
			}
		}
		base := numbers(d, x)
		exponents := []float64{0, 1, 2, 3, 4, 5, 7, 12, 63, 100}
		if d.Kind() != dtype.KindUnsigned {
			exponents = append(exponents, -1, -2, -3)
		}
		if d.IsFloat() {
			exponents = append(exponents, 0.5, 1.5, -0.5)
		}
		for _, exponent := range exponents {
			one := numbers(d, []float64{exponent})
			features.Each(func(level features.Level) {
				for _, count := range []int{1, 7, 511, 512, 513, 1500} {
					some, repeated := base, one
					some.Shape, repeated.Shape, repeated.Strides = []int{count}, []int{count}, []int{0}
					many := newView(r, d, []int{count}, rowMajor)
					run(t, "cast/"+d.String()+"/"+d.String(), &device.Arguments{Outputs: views(many), Inputs: views(repeated)})
					want := newView(r, d, []int{count}, rowMajor)
					if many.Shape = []int{count}; count > 1 {
						run(t, device.KernelName("pow", d), &device.Arguments{Outputs: views(want), Inputs: views(some, many)})
					} else {
						two := newView(r, d, []int{2}, rowMajor) // so that the exponent is not one for all
						pair, both := some, numbers(d, []float64{exponent, exponent})
						pair.Shape = []int{2}
						run(t, device.KernelName("pow", d), &device.Arguments{Outputs: views(two), Inputs: views(pair, both)})
						want = two
						want.Shape = []int{1}
					}
					got := newView(r, d, []int{count}, rowMajor)
					run(t, device.KernelName("pow", d), &device.Arguments{Outputs: views(got), Inputs: views(some, repeated)})
					bits := func(v device.View) []byte { return quiet(d, slice[byte](v.Pointer.Host, count*d.Size())) }
					require.True(t, bytes.Equal(bits(want), bits(got)), "%v to the power of %v at %v, %d elements", d, exponent, level, count)
				}
			})
		}
	}
}

// TestCubesInPlaceAndApart writes results over their operand and with strides.
func TestCubesInPlaceAndApart(t *testing.T) {
	x := []float32{1, -2, 3, 0.5, -0.1, 7, 11, 13}
	want := make([]float32, len(x))
	for i, v := range x {
		want[i] = float32(float64(v) * float64(v) * float64(v))
	}
	three := fromSlice([]float32{3}, 1)
	three.Shape, three.Strides = []int{2, 4}, []int{0, 0}
	base := fromSlice(x, 2, 4)
	turned := newView(random(), dtype.Float32, []int{4, 2}, rowMajor)
	turned.Shape, turned.Strides = []int{2, 4}, []int{turned.Strides[1], turned.Strides[0]}
	run(t, "pow/float32", &device.Arguments{Outputs: views(turned), Inputs: views(base, three)})
	require.Equal(t, want, elements[float32](turned))
	run(t, "pow/float32", &device.Arguments{Outputs: views(base), Inputs: views(base, three)})
	require.Equal(t, want, elements[float32](base))
}
