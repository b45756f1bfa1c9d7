package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/kernels/cpu/fourier"
)

// FourierParams are the parameters of fft, rfft and irfft.
type FourierParams struct {
	Axes    []int  `doc:"axes along which numbers are transformed; none stands for all"`
	Lengths []int  `doc:"how many numbers are transformed along each of the axes, zeros where there are fewer; −1, or none, stands for as many as there are"`
	Inverse bool   `doc:"whether exponents are positive" default:"false"`
	Norm    string `doc:"what is divided by how many numbers are transformed: the inverse, or by the root of that both, or the other" enum:"backward,ortho,forward" default:"backward"`
}

// Discrete Fourier transforms, X[k] = Σ x[j]·exp(−2πi·jk/n) along each axis. Of the transform of n real numbers the
// first n/2+1 along the last of the axes stand for all: number n−k is conjugate to number k.
var (
	FFT = fourierTransform("fft", "discrete Fourier transform over axes", fourier.Complex)

	RFFT = fourierTransform("rfft", "discrete Fourier transform of real numbers over axes; of the last one of them the n/2+1 numbers that stand for all", fourier.FromReal)

	IRFFT = fourierTransform("irfft", "discrete Fourier transform whose results are real, over axes; along the last one of them x has n/2+1 numbers, which stand for n", fourier.ToReal)
)

func fourierTransform(name, doc string, form fourier.Form) *Operator {
	op := &Operator{
		Name: name, Doc: doc, Inputs: []string{"x"}, Params: FourierParams{}, Accepts: complexes,
		Convert: func(c *Call) []dtype.DType {
			return c.want(dtype.Promote(floatOf(c.Inputs[0].DType), dtype.Complex64))
		},
		Infer: func(c *Call) {
			g := c.fourier(form)
			c.Output(g.dtype, g.shape)
		},
		Lower: func(c *Call, l *Lowered) {
			g := c.fourier(form)
			l.Integers = append([]int64{flag(c.Params.(FourierParams).Inverse), int64(g.count)}, g.axes...)
			l.Scalars = []float64{g.factor}
			l.Scratch = cpu.FourierScratch(form, g.shape, g.axes, g.count, dtype.Promote(g.dtype, dtype.Complex64).Size())
		},
		Work: func(c *Call) int64 { return transformWork(c, form) },
		Brief: func(c *Call) bool {
			return c.Inputs[0].elements() <= briefTransform && c.Outputs[0].elements() <= briefTransform
		},
		Gradient: func(r *Rule) { r.transformBack(form) },
		Samples:  fourierSamples,
	}
	if form == fourier.FromReal {
		op.Accepts = floats
		op.Convert = func(c *Call) []dtype.DType {
			if d := c.Inputs[0].DType; !d.IsComplex() {
				return c.want(singleOf(floatOf(d)))
			}
			return nil
		}
	}
	return Register(op)
}

// briefTransform is how many numbers are transformed within some microseconds.
const briefTransform = 2048

// fourierCall is what a call of a transform comes to.
type fourierCall struct {
	dtype  dtype.DType // of the result
	shape  []int       // of the result
	axes   []int64
	count  int     // of numbers along the last of the axes, real ones where the transform has any
	all    float64 // how many numbers are transformed together
	factor float64 // of the results
}

// fourier checks the axes and lengths of a transform.
func (c *Call) fourier(form fourier.Form) fourierCall {
	p, in := c.Params.(FourierParams), c.Inputs[0]
	g := fourierCall{dtype: dtype.Promote(in.DType, dtype.Complex64), shape: slices.Clone(in.Shape), all: 1, factor: 1}
	axes := slices.Clip(p.Axes)
	if len(axes) == 0 {
		for axis := range in.Shape {
			axes = append(axes, axis)
		}
	}
	if len(axes) == 0 {
		c.Fail(fault.ErrShape, "x has no axes, want at least one")
	}
	if len(p.Lengths) > 0 && len(p.Lengths) != len(axes) {
		c.Fail(fault.ErrParameter, fmt.Sprintf("%d lengths for %d axes", len(p.Lengths), len(axes)))
	}
	for i, named := range axes {
		axis := c.Axis(named, len(in.Shape))
		if slices.Contains(g.axes, int64(axis)) {
			c.Fail(fault.ErrAxis, fmt.Sprintf("axis %d is named twice in %v", axis, axes))
		}
		g.axes = append(g.axes, int64(axis))
		isLast := i == len(axes)-1
		g.count = in.Shape[axis]
		if isLast && form == fourier.ToReal {
			g.count = 2 * (g.count - 1)
		}
		if len(p.Lengths) > 0 && p.Lengths[i] != -1 {
			g.count = p.Lengths[i]
		}
		if g.count < 1 {
			c.Fail(fault.ErrParameter, fmt.Sprintf("%d numbers to transform along axis %d (legal: at least 1)", g.count, axis))
		}
		g.all *= float64(g.count)
		g.shape[axis] = g.count
		if isLast && form == fourier.FromReal {
			g.shape[axis] = g.count/2 + 1
		}
	}
	if form == fourier.ToReal {
		g.dtype = g.dtype.RealPart()
	}
	switch {
	case p.Norm == "ortho":
		g.factor = 1 / math.Sqrt(g.all)
	case (p.Norm == "backward") == p.Inverse:
		g.factor = 1 / g.all
	}
	return g
}

// transformWork is about how many operations a transform takes.
func transformWork(c *Call, form fourier.Form) int64 {
	g := c.fourier(form)
	work := 5 * float64(c.Outputs[0].elements()) * math.Log2(g.all)
	if form == fourier.ToReal {
		work /= 2
	}
	return int64(work)
}

var fourierSamples = []Sample{
	{Shapes: [][]int{{1}}, Params: FourierParams{Lengths: []int{1}, Norm: "backward"}}, {Shapes: [][]int{{8}}, Params: FourierParams{Norm: "ortho"}},
	{Shapes: [][]int{{3, 5}}, Params: FourierParams{Axes: []int{-1}, Inverse: true, Norm: "backward"}},
	{Shapes: [][]int{{6, 4}}, Params: FourierParams{Axes: []int{0}, Lengths: []int{9}, Norm: "forward"}},
	{Shapes: [][]int{{7, 4}}, Params: FourierParams{Axes: []int{0}, Lengths: []int{4}, Inverse: true, Norm: "forward"}},
	{Shapes: [][]int{{4, 3, 6}}, Params: FourierParams{Axes: []int{2, 0}, Lengths: []int{-1, 5}, Norm: "backward"}},
	{Shapes: [][]int{{2, 3, 4}}, Params: FourierParams{Lengths: []int{3, 2, 7}, Inverse: true, Norm: "ortho"}},
	{Shapes: [][]int{{0, 3}}, Params: FourierParams{Axes: []int{1}, Norm: "backward"}},
	{Shapes: [][]int{{3, 0}}, Params: FourierParams{Axes: []int{0, 1}, Lengths: []int{3, 4}, Norm: "backward"}},
	{Shapes: [][]int{{2, 37}}, Params: FourierParams{Axes: []int{1}, Lengths: []int{37}, Norm: "backward"}},
	{Shapes: [][]int{{40, 3}}, Params: FourierParams{Axes: []int{0}, Lengths: []int{74}, Norm: "ortho"}},
}
