package optim

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// ClipValue limits every element of the gradients to between −most and most, in place; NaN stays. It panics with *nd.Error if most
// is not positive and finite, or a gradient is nil.
func ClipValue(gradients []*nd.Array, most float64) {
	checkClip("ClipValue", gradients, most)
	for _, g := range gradients {
		nd.MinimumInto(g, g, nd.WeakIn(g.Env(), most))
		nd.MaximumInto(g, g, nd.WeakIn(g.Env(), -most))
	}
}

// ClipNorm scales all gradients by the same factor, in place, where the Euclidean norm of all their elements together
// is larger than most: to that norm (Pascanu, Mikolov and Bengio, "On the difficulty of training recurrent neural
// networks", 2013). It returns the norm before, a float64 array without axes, which is not finite if an element is not;
// then no gradient is of use. The factor is rounded to the dtype of each gradient: in float16 it is coarse below 6e-5,
// and 0 below 3e-8. An array that is given twice counts once. It panics with *nd.Error if most is not positive and finite, or a gradient is nil.
func ClipNorm(gradients []*nd.Array, most float64) *nd.Array {
	checkClip("ClipNorm", gradients, most)
	if len(gradients) == 0 {
		return nd.Zeros[float64]()
	}
	parts := realParts(gradients)
	if areTogether(parts) {
		return clipped(most, parts...)
	}
	norms := make([]*nd.Array, len(parts))
	for i, g := range parts {
		norms[i] = clipped(math.MaxFloat64, g).To(gradients[0].Device())
	}
	norm := clipped(math.MaxFloat64, nd.Stack(0, norms...))
	factor := nd.FullIn(norm.Env(), dtype.Float64, most).Div(norm.MaximumScalar(most))
	type place struct {
		device device.Device
		dtype  dtype.DType
	}
	factors := map[place]*nd.Array{}
	for _, g := range parts {
		at := place{g.Device(), g.DType()}
		if factors[at] == nil {
			factors[at] = factor.To(at.device).Cast(at.dtype)
		}
		nd.MulInto(g, g, factors[at])
	}
	return norm
}

// realParts returns the gradients, each once, or views of their parts where they are complex.
func realParts(gradients []*nd.Array) []*nd.Array {
	parts, seen := make([]*nd.Array, 0, len(gradients)), map[*nd.Array]bool{}
	for _, g := range gradients {
		if seen[g] {
			continue
		}
		seen[g] = true
		if g.DType().IsComplex() {
			parts = append(parts, g.Real(), g.Imag())
		} else {
			parts = append(parts, g)
		}
	}
	return parts
}

// areTogether reports whether one operator takes all gradients: they are on one device.
func areTogether(gradients []*nd.Array) bool {
	return !slices.ContainsFunc(gradients, func(g *nd.Array) bool { return g.Device() != gradients[0].Device() })
}

// clipped returns the norm of all gradients together, which are scaled where it is larger than most.
func clipped(most float64, gradients ...*nd.Array) *nd.Array {
	return nd.Invoke(ops.ClipNorm.CalledBy("optim.ClipNorm"), ops.ClipNormParams{Most: most}, gradients...)[0]
}

func checkClip(operator string, gradients []*nd.Array, most float64) {
	if !(most > 0) || math.IsInf(most, 1) {
		fail(2, fault.ErrParameter, operator, fmt.Sprintf("the limit is %v (legal: positive and finite)", most))
	}
	for i, g := range gradients {
		if g == nil {
			fail(2, fault.ErrMisuse, operator, fmt.Sprintf("gradient %d is nil", i))
		}
	}
}
