package cpu

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// TestOperandsThatLieAlongAnotherAxisAreThoseOfCopies computes from operands with turned axes what the same operators make of their copies.
func TestOperandsThatLieAlongAnotherAxisAreThoseOfCopies(t *testing.T) {
	r := random()
	for _, c := range []struct {
		operator string
		operands []dtype.DType
		turned   int // operands: 1 for the first, 2 for the second, 4 for the third
	}{
		{"add", []dtype.DType{dtype.Float32, dtype.Float32}, 2}, {"sub", []dtype.DType{dtype.Float64, dtype.Float64}, 1}, {"mul", []dtype.DType{dtype.Float16, dtype.Float16}, 3},
		{"add", []dtype.DType{dtype.Int8, dtype.Int8}, 2}, {"maximum", []dtype.DType{dtype.BFloat16, dtype.BFloat16}, 2}, {"add", []dtype.DType{dtype.Complex64, dtype.Complex64}, 2},
		{"where", []dtype.DType{dtype.Bool, dtype.Float64, dtype.Float64}, 3}, {"where", []dtype.DType{dtype.Bool, dtype.Float32, dtype.Float32}, 5},
		{"exp", []dtype.DType{dtype.Float32}, 1}, {"less", []dtype.DType{dtype.Int64, dtype.Int64}, 2}, {"remainder", []dtype.DType{dtype.Int32, dtype.Int32}, 1},
	} {
		for _, shape := range [][]int{{130, 75}, {16, 400}, {3, 150, 70}, {90, 3, 80}, {17, 16, 40}} {
			last := len(shape) - 1
			for axis := range last {
				var apart, copied []device.View
				for i, d := range c.operands {
					x := newView(r, d, exchanged(shape, axis, last), rowMajor)
					copy(slice[byte](x.Pointer.Host, x.Count()*d.Size()), awkward(r, d, x.Count()))
					x.Shape, x.Strides = shape, exchanged(x.Strides, axis, last)
					whole := newView(r, d, shape, rowMajor)
					run(t, device.KernelName("copy", d), &device.Arguments{Outputs: views(whole), Inputs: views(x)})
					if c.turned>>i&1 == 0 {
						x = whole
					}
					apart, copied = append(apart, x), append(copied, whole)
				}
				result := c.operands[len(c.operands)-1]
				kernel := device.KernelName(c.operator, result)
				if c.operator == "less" {
					result = dtype.Bool
				}
				features.Each(func(level features.Level) {
					var found [2][]byte
					for i, operands := range [][]device.View{copied, apart} {
						dst := newView(r, result, shape, rowMajor)
						run(t, kernel, &device.Arguments{Outputs: views(dst), Inputs: operands})
						found[i] = quiet(result, slice[byte](dst.Pointer.Host, dst.Count()*result.Size()))
					}
					require.True(t, bytes.Equal(found[0], found[1]), "%s of %v by axis %d of %v at %v", c.operator, c.operands, axis, shape, level)
				})
			}
		}
	}
}

// exchanged returns x with two elements exchanged.
func exchanged(x []int, i, j int) []int {
	x = append([]int{}, x...)
	x[i], x[j] = x[j], x[i]
	return x
}
