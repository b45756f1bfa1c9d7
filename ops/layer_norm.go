package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/storage"
)

// LayerNormParams are the parameters of layer_norm and rms_norm.
type LayerNormParams struct {
	Axis    int     `doc:"first of the axes that are normalised together with all behind it" default:"-1"`
	Epsilon float64 `doc:"what is added to the variance" default:"1e-5" min:"0"`
}

// Normalisation of each sample by itself. Sums are made in the element type of eight elements at a time, and in float64
// of what these give, where that is precise; else wholly in float64, also of float32 elements; those over rows, for the
// gradients of scale and bias, in the element type: over 64 rows at a time one after the other, and pairwise over what
// these give.
var (
	// Ba, Kiros and Hinton, "Layer normalization", 2016, arXiv:1607.06450.
	LayerNorm = rowNorm("layer_norm", "(x − mean) / √(variance + ε) · scale + bias, mean and variance over the axes from the given one on", true)
	// Zhang and Sennrich, "Root mean square layer normalization", NeurIPS 2019, arXiv:1910.07467.
	RMSNorm = rowNorm("rms_norm", "x / √(mean of x² + ε) · scale, the mean over the axes from the given one on", false)

	LayerNormGradient = rowNormGradient("layer_norm_gradient", "gradients of layer_norm with respect to x, scale and bias", true)
	RMSNormGradient   = rowNormGradient("rms_norm_gradient", "gradients of rms_norm with respect to x and scale", false)
)

// rowShapes are those of the samples of row normalisations.
var rowShapes = []struct {
	x, scale []int
	params   LayerNormParams
}{
	{[]int{3, 4}, []int{4}, LayerNormParams{-1, 1e-5}}, {[]int{2, 3, 4}, []int{3, 4}, LayerNormParams{1, 1e-3}}, {[]int{5}, []int{5}, LayerNormParams{0, 0.1}},
	{[]int{0, 4}, []int{4}, LayerNormParams{-1, 1e-5}}, {[]int{3, 0}, []int{0}, LayerNormParams{-1, 1e-5}}, {[]int{70, 33}, []int{33}, LayerNormParams{1, 1e-5}},
}

func rowNorm(name, doc string, centred bool) *Operator {
	op := &Operator{
		Name: name, Doc: doc, Inputs: []string{"x", "scale"}, Params: LayerNormParams{}, Accepts: floating, Convert: toCommonFloat, Saves: SaveInput(0) | SaveInput(1),
		Infer: func(c *Call) {
			axis := checkRowNorm(c)
			if centred {
				c.checkShape(2, c.Inputs[0].Shape[axis:])
			}
			c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
		},
		Lower: lowerRowNorm, Work: perOperandElement,
		Gradient: func(r *Rule) {
			for i, g := range r.ApplyAll(name+"_gradient", r.Params(), r.Input(0), r.Input(1), r.Upstream()) {
				r.Set(i, g)
			}
		},
	}
	if centred {
		op.Inputs = append(op.Inputs, "bias")
	}
	for _, s := range rowShapes {
		shapes := [][]int{s.x, s.scale, s.scale}
		op.Samples = append(op.Samples, Sample{shapes[:len(op.Inputs)], s.params})
	}
	return Register(op)
}

func rowNormGradient(name, doc string, centred bool) *Operator {
	op := &Operator{
		Name: name, Doc: doc, Inputs: []string{"x", "scale", "upstream"}, Params: LayerNormParams{}, Accepts: floating, Convert: toCommonFloat, Saves: SaveInputs,
		Infer: func(c *Call) {
			axis := checkRowNorm(c)
			c.checkShape(2, c.Inputs[0].Shape)
			c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
			c.Output(c.Inputs[0].DType, slices.Clone(c.Inputs[0].Shape[axis:]))
			if centred {
				c.Output(c.Inputs[0].DType, slices.Clone(c.Inputs[0].Shape[axis:]))
			}
		},
		Lower: func(c *Call, l *Lowered) {
			lowerRowNorm(c, l)
			shape, axes := c.Inputs[0].Shape, int(l.Integers[0])
			split := len(shape) - axes
			l.Scratch = cpu.LayerNormScratch(storage.Count(shape[:split]), storage.Count(shape[split:]))
		},
		Work: perOperandElement,
		Gradient: func(r *Rule) {
			p, rank := r.Params().(LayerNormParams), len(r.Shape(0))
			axes := []int{}
			for axis := (p.Axis + rank) % rank; axis < rank; axis++ {
				axes = append(axes, axis)
			}
			r.normalised(r.Shape(0), r.Shape(1), axes, centred, p.Epsilon)
		},
	}
	for _, s := range rowShapes {
		op.Samples = append(op.Samples, Sample{[][]int{s.x, s.scale, s.x}, s.params})
	}
	return Register(op)
}

// checkRowNorm returns the first axis that is normalised. It fails unless scale has the shape of those from there on.
func checkRowNorm(c *Call) (axis int) {
	shape := c.Inputs[0].Shape
	axis = c.Axis(c.Params.(LayerNormParams).Axis, len(shape))
	c.checkShape(1, shape[axis:])
	return axis
}

func lowerRowNorm(c *Call, l *Lowered) {
	p, rank := c.Params.(LayerNormParams), len(c.Inputs[0].Shape)
	l.Integers, l.Scalars = []int64{int64(rank - c.Axis(p.Axis, rank))}, []float64{p.Epsilon}
}

// checkShape fails unless operand i has the given shape.
func (c *Call) checkShape(i int, want []int) {
	if got := c.Inputs[i].Shape; !slices.Equal(got, want) {
		c.Fail(fault.ErrShape, fmt.Sprintf("%s has shape %s, want %s", c.Operator.Inputs[i], fault.FormatShape(got), fault.FormatShape(want)))
	}
}
