package autograd_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	nd "github.com/weft-nd/weft/ndarray"
)

// The 31 properties of MXNet's tests/python/unittest/test_higher_order_grad.py: those of functions of one array, by their names there
// and here; dropout is in TestDropoutTwiceDifferentiatedKeepsItsMask, and the two of dense layers are in TestDenseTwiceDifferentiated.
var mxnetSmooths = map[string]string{
	"sin": "sin", "cos": "cos", "tan": "tan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
	"arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "radians": "radians", "relu": "relu", "log": "log", "log2": "log2", "log10": "log10",
	"square": "square", "expm1": "expm1", "log1p": "log1p", "reciprocal": "reciprocal", "abs": "abs", "clip": "clip", "sigmoid": "sigmoid",
	"sqrt": "sqrt", "cbrt": "cbrt", "rsqrt": "rsqrt", "rcbrt": "rcbrt",
}

// normal returns random numbers around zero.
func normal(r *rand.Rand, shape ...int) *nd.Array {
	return drawn(r.NormFloat64, shape...)
}

func drawn(draw func() float64, shape ...int) *nd.Array {
	count := 1
	for _, n := range shape {
		count *= n
	}
	elements := make([]float64, count)
	for i := range elements {
		elements[i] = draw()
	}
	return nd.FromSlice(elements, shape...)
}

// against returns the gradient of f with the given upstream.
func against(f function, upstream *nd.Array) function {
	return func(x *nd.Array) *nd.Array {
		return slope(func(x *nd.Array) *nd.Array { return f(x).Mul(upstream) }, x)
	}
}

// TestDerivativesOfHigherOrderAreMultipliedByEveryUpstream takes random arrays of one to four axes, and a random upstream gradient for each
// order: the derivative is the closed form times all of them.
func TestDerivativesOfHigherOrderAreMultipliedByEveryUpstream(t *testing.T) {
	require.Len(t, mxnetSmooths, 31-3)
	r := rand.New(rand.NewPCG(2, 7))
	for theirs, ours := range mxnetSmooths {
		c, found := smooths[ours]
		require.True(t, found, theirs)
		low, high := slices.Min(c.at), slices.Max(c.at)
		for _, shape := range [][]int{{7}, {2, 3}, {4, 5, 2}, {3, 1, 4, 5}} {
			t.Run(fmt.Sprint(theirs, shape), func(t *testing.T) {
				x := drawn(func() float64 { return low + (high-low)*r.Float64() }, shape...)
				at := values(t, x)
				product, derivative := slices.Repeat([]float64{1}, len(at)), c.f
				for order, closed := range c.derivatives {
					upstream := normal(r, shape...)
					derivative = against(derivative, upstream)
					want, factors := make([]float64, len(at)), values(t, upstream)
					for i, v := range at {
						product[i] *= factors[i]
						want[i] = closed(v) * product[i]
					}
					requireNear(t, want, values(t, derivative(x)), 1e-11, "order %d", order+1)
				}
			})
		}
	}
}

// TestDenseTwiceDifferentiated takes y = x·w with given upstream u, whose gradients are u·wᵀ and xᵀ·u, and the gradients of these with
// upstream a and b: each term is linear in one of them.
func TestDenseTwiceDifferentiated(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 7))
	const units = 5
	for _, c := range []struct {
		name    string
		shape   []int
		flatten bool
	}{
		{"flatten", []int{4, 3}, true}, {"flatten", []int{2, 3, 4}, true}, {"flatten", []int{3, 1, 2, 2}, true},
		{"no flatten", []int{4, 3}, false}, {"no flatten", []int{2, 3, 4}, false}, {"no flatten", []int{3, 1, 2, 2}, false},
	} {
		t.Run(fmt.Sprint(c.name, c.shape), func(t *testing.T) {
			rows, columns := c.shape[0], 1
			for _, n := range c.shape[1:] {
				columns *= n
			}
			if last := c.shape[len(c.shape)-1]; !c.flatten {
				rows, columns = rows*columns/last, last
			}
			flat := func(x *nd.Array) *nd.Array { return x.Reshape(rows, columns) }
			out := append(slices.Clone(c.shape[:len(c.shape)-1]), units)
			if c.flatten {
				out = []int{rows, units}
			}
			x, w, u := normal(r, c.shape...), normal(r, columns, units), normal(r, out...)
			bias := normal(r, units)
			a, b, e := normal(r, c.shape...), normal(r, columns, units), normal(r, units)

			inner, outer := autograd.NewTape(), autograd.NewTape()
			watched := []*nd.Array{}
			for _, v := range []*nd.Array{x, w, bias} {
				watched = append(watched, inner.Watch(outer.Watch(v)))
			}
			upstream := outer.Watch(u)
			in := watched[0]
			if c.flatten {
				in = flat(in)
			}
			first := inner.GradientWith(in.Linear(watched[1], nd.NoActivation, watched[2]), upstream, watched...)
			u2 := u.Reshape(rows, units)
			requireNear(t, values(t, u2.MatMul(w.T())), values(t, first[0]), 1e-13, "x")
			requireNear(t, values(t, flat(x).T().MatMul(u2)), values(t, first[1]), 1e-13, "w")
			requireNear(t, values(t, u2.Sum(0)), values(t, first[2]), 1e-13, "bias")

			sum := first[0].Mul(a).Sum().Add(first[1].Mul(b).Sum()).Add(first[2].Mul(e).Sum())
			second := outer.Gradient(sum, x, w, upstream, bias)
			requireNear(t, values(t, u2.MatMul(b.T())), values(t, second[0]), 1e-13, "x")
			requireNear(t, values(t, flat(a).T().MatMul(u2)), values(t, second[1]), 1e-13, "w")
			requireNear(t, values(t, flat(a).MatMul(w).Add(flat(x).MatMul(b)).Add(e)), values(t, second[2]), 1e-13, "upstream")
			requireNear(t, make([]float64, units), values(t, second[3]), 0, "bias")
		})
	}
}
