package autograd_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/autograd"
	nd "github.com/weft-nd/weft/ndarray"
)

// indexed are functions of x, which is (3,4), that read or write parts of arrays by all kinds of index values, linear in x.
func indexed(t *testing.T) map[string]func(x *nd.Array) *nd.Array {
	columns := nd.FromSlice([]int8{3, -4, 3})
	rows := nd.FromSlice([]int64{0, 2, 0})
	mask := nd.FromSlice([]bool{true, false, true, true})
	both := nd.FromSlice([]bool{true, false, false, true, false, false, true, true, false, false, false, true}, 3, 4)
	selected := func(x *nd.Array, index ...any) *nd.Array {
		part, err := nd.MaskSelect(context.Background(), x, index...)
		require.NoError(t, err)
		return part
	}
	zeros := nd.Zeros[float64](3, 4)
	return map[string]func(x *nd.Array) *nd.Array{
		"number and range":     func(x *nd.Array) *nd.Array { return x.Index("1, ::-2") },
		"new axis":             func(x *nd.Array) *nd.Array { return x.Index(nd.NewAxis, nd.Rest, 1) },
		"array":                func(x *nd.Array) *nd.Array { return x.Index(nd.Whole, columns) },
		"array in front":       func(x *nd.Array) *nd.Array { return x.Index(0, nd.NewAxis, columns) },
		"points":               func(x *nd.Array) *nd.Array { return x.Index(rows, columns) },
		"lists that broadcast": func(x *nd.Array) *nd.Array { return x.Index("[[0], [2]], [1, 1, 3]") },
		"mask in a list":       func(x *nd.Array) *nd.Array { return x.Index([]bool{true, false, true}, columns.Index(nd.Span(0, 2))) },
		"mask":                 func(x *nd.Array) *nd.Array { return selected(x, nd.Whole, mask) },
		"mask of all":          func(x *nd.Array) *nd.Array { return selected(x, both) },
		"mask behind a number": func(x *nd.Array) *nd.Array { return selected(x, -1, nd.NewAxis, mask) },
		"mask beside an array": func(x *nd.Array) *nd.Array { return selected(x, rows, mask) },
		"masked twice":         func(x *nd.Array) *nd.Array { return selected(selected(x, nd.Whole, mask), 1) },
		"set":                  func(x *nd.Array) *nd.Array { return x.WithSlice(x.Index(0), 1) },
		"set points": func(x *nd.Array) *nd.Array {
			return x.WithSlice(x.Index("0, :3"), nd.FromSlice([]int64{1, 1, 0}), columns)
		},
		"set in front": func(x *nd.Array) *nd.Array {
			return x.WithSlice(x.Index("0, :3").ExpandDims(-1), 0, nd.NewAxis, columns)
		},
		"set masked":       func(x *nd.Array) *nd.Array { return x.WithSlice(x.Index("..., 1:").MulScalar(3), nd.Whole, mask) },
		"set masked alike": func(x *nd.Array) *nd.Array { return x.WithSlice(x.Index("0, 0"), both) },
		"set part masked":  func(x *nd.Array) *nd.Array { return zeros.WithSlice(x.Index("1:, :3"), nd.Span(0, 2), mask) },
		"set of part":      func(x *nd.Array) *nd.Array { return zeros.WithSlice(x.Index("0, :2"), "::-2, [1, 2]") },
		"add":              func(x *nd.Array) *nd.Array { return x.WithSliceAdded(x.Index(0), 1) },
		"add points":       func(x *nd.Array) *nd.Array { return x.WithSliceAdded(x.Index("0, :3"), rows, columns) },
		"add masked":       func(x *nd.Array) *nd.Array { return x.WithSliceAdded(x.Index("..., 1:"), nd.Whole, mask) },
		"add part":         func(x *nd.Array) *nd.Array { return zeros.WithSliceAdded(x.Index("1:, 1:3"), "::2, [1, 1]") },
		"diagonal":         func(x *nd.Array) *nd.Array { return x.Diagonal(1, 0, 1) },
		"sum over the diagonal": func(x *nd.Array) *nd.Array {
			return nd.Einsum("ii,j->j", x.Index("..., :3"), nd.Arange[float64](0, 3, 1))
		},
	}
}

// TestGradientsOfIndexingEqualDifferences takes the gradients of sums of squares, of which differences of first and second order are exact.
func TestGradientsOfIndexingEqualDifferences(t *testing.T) {
	for name, of := range indexed(t) {
		square := func(x *nd.Array) *nd.Array {
			y := of(x)
			return y.Mul(y).Mul(nd.Arange(1, float64(y.Count())+1, 1).Reshape(y.Shape()...)).Sum()
		}
		checkGradients(t, name, square, nd.Arange[float64](0, 12, 1).Reshape(3, 4).MulScalar(0.5))
	}
}

// checkGradients compares the gradient of loss at x, and the gradient of its sum weighted with 1, 2, …, with central differences.
// Loss is a polynomial of degree two, so that these are exact but for rounding.
func checkGradients(t *testing.T, name string, loss func(x *nd.Array) *nd.Array, x *nd.Array) {
	weights := nd.Arange(1, float64(x.Count())+1, 1).Reshape(x.Shape()...)
	first := func(x *nd.Array) *nd.Array {
		tape := autograd.NewTape()
		watched := tape.Watch(x)
		return tape.Gradient(loss(watched), watched)[0]
	}
	slope := func(x *nd.Array) *nd.Array { return first(x).Mul(weights).Sum() }
	tape := autograd.NewTape()
	watched := tape.Watch(x)
	second := tape.Gradient(slope(watched), watched)[0]
	for order, c := range []struct {
		of       func(x *nd.Array) *nd.Array
		gradient []float64
	}{{loss, values(t, first(x))}, {slope, values(t, second)}} {
		for i, g := range c.gradient {
			moved := func(by float64) float64 {
				flat := x.Copy().Reshape(-1)
				flat.AddSlice(nd.Weak(by), i)
				return values(t, c.of(flat.Reshape(x.Shape()...)))[0]
			}
			difference := (moved(0.5) - moved(-0.5))
			require.InDelta(t, difference, g, 1e-6*(1+max(difference, -difference)), "%s, order %d, element %d", name, order+1, i)
		}
	}
}

func TestGradientsOfContractionsEqualDifferences(t *testing.T) {
	x := nd.Arange[float64](-6, 6, 1).Reshape(3, 4).MulScalar(0.25)
	y := nd.Arange[float64](0, 24, 1).Reshape(4, 2, 3).MulScalar(0.125)
	weighted := func(z *nd.Array) *nd.Array {
		return z.Mul(nd.Arange(1, float64(z.Count())+1, 1).Reshape(z.Shape()...)).Sum()
	}
	for equation, other := range map[string]*nd.Array{"ij,jkl->ikl": y, "ij,jki->": y, "i...,jk...->...kij": y.Index("..., :1"), "ij,k->k": y.Index(0, 1), "ij->ji": nil, "ij->": nil} {
		operands := []*nd.Array{x}
		if other != nil {
			operands = append(operands, other)
		}
		checkGradients(t, equation, func(x *nd.Array) *nd.Array {
			z := nd.Einsum(equation, append([]*nd.Array{x}, operands[1:]...)...)
			return weighted(z.Mul(z))
		}, x)
	}
	for name, of := range map[string]func(x *nd.Array) *nd.Array{
		"ij,kj->ik": func(x *nd.Array) *nd.Array { return nd.Einsum("ij,kj->ik", x, x) },
		"ij,ij->j":  func(x *nd.Array) *nd.Array { return nd.Einsum("ij,ij->j", x, x) },
		"tensordot": func(x *nd.Array) *nd.Array { return x.TensorDotAxes(x, []int{1}, []int{-1}) },
		"outer":     func(x *nd.Array) *nd.Array { return x.TensorDot(x, 0) },
		"vecdot":    func(x *nd.Array) *nd.Array { return x.VecDot(x, -2) },
	} {
		checkGradients(t, name, func(x *nd.Array) *nd.Array { return weighted(of(x)) }, x)
	}
}
