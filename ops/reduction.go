package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/storage"
)

// ReduceParams are the parameters of reductions.
type ReduceParams struct {
	Axes     []int `doc:"axes to reduce, negative ones counted from the end; none means all"`
	KeepDims bool  `doc:"whether reduced axes stay, with one element"`
}

// reducible are the element types of reductions and scans: bool, and all real numbers.
var reducible = []dtype.DType{
	dtype.Bool, dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64,
	dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64,
}

// Reductions over axes. Sums and products of integers have 64 bits and wrap round; those of float16 and bfloat16 are
// accumulated in float32.
var (
	Sum = reduction("sum", "sum over axes, pairwise, 0 if there are no elements; bool counts, integers have 64 bits in the result", 0, toWide, func(r *Rule) {
		r.Set(0, r.spread(r.Upstream()))
	})

	// The gradient needs no division, so that it is right for any number of zeros.
	Prod = reduction("prod", "product over axes, pairwise, 1 if there are no elements; integers have 64 bits in the result", SaveInputs, toWide, func(r *Rule) {
		x, restore := r.inFront()
		others := r.Mul(r.Apply("cumprod", ScanParams{Exclusive: true}, x), r.Apply("cumprod", ScanParams{Reverse: true, Exclusive: true}, x))
		r.Set(0, r.Mul(r.spread(r.Upstream()), restore(others)))
	})

	Mean = reduction("mean", "arithmetic mean over axes, NaN if there are no elements; that of integers is float64", 0, floatOf, func(r *Rule) {
		n := countAlong(r.Shape(0), r.axes())
		r.Set(0, r.spread(r.Scale(r.Upstream(), 1/float64(max(n, 1)))))
	})

	// The gradient is shared equally by all elements that are the largest.
	Max = reduction("max", "largest element over axes; NaN if any is; 0 is larger than −0", SaveInputs|SaveOutputs, nil, (*Rule).shareAmongEqual)

	// The gradient is shared equally by all elements that are the smallest.
	Min = reduction("min", "smallest element over axes; NaN if any is; −0 is smaller than 0", SaveInputs|SaveOutputs, nil, (*Rule).shareAmongEqual)

	// The gradient at zero is zero.
	Asum = reduction("asum", "sum of the magnitudes over axes, pairwise; bool and integers have 64 bits in the result", SaveInputs, toWide, func(r *Rule) {
		r.Set(0, r.Mul(r.spread(r.Upstream()), r.signOf(r.Input(0))))
	})

	Sumsq = reduction("sumsq", "sum of the squares over axes, pairwise; bool and integers have 64 bits in the result", SaveInputs, toWide, func(r *Rule) {
		r.Set(0, r.Mul(r.spread(r.Upstream()), r.Scale(r.Input(0), 2)))
	})

	ArgMax = indexing("argmax", "int64 index of the first largest element over axes, row-major among them; of the first NaN if there is one")

	ArgMin = indexing("argmin", "int64 index of the first smallest element over axes, row-major among them; of the first NaN if there is one")

	AnyTrue = reduction("any", "whether any element over axes is not zero, false if there are no elements; NaN is not zero", 0, toBool, nil)

	AllTrue = reduction("all", "whether all elements over axes are not zero, true if there are no elements; NaN is not zero", 0, toBool, nil)

	CountNonzero = reduction("count_nonzero", "int64 number of elements over axes that are not zero; NaN is not", 0, func(dtype.DType) dtype.DType { return dtype.Int64 }, nil)
)

// reduction registers an operator that turns the elements along some axes into one, of the type that result gives for that of
// the elements; nil is the same type, and that there has to be an element.
func reduction(name, doc string, saves Saved, result func(dtype.DType) dtype.DType, gradient func(r *Rule)) *Operator {
	op := &Operator{
		Name: name, Doc: doc, Form: FormReduction, Inputs: []string{"x"}, Params: ReduceParams{}, Accepts: reducible,
		Saves: saves, Lower: lowerReduction, Work: perOperandElement, Gradient: gradient, reduces: true,
	}
	op.Infer = func(c *Call) {
		d := c.Inputs[0].DType
		if result != nil {
			d = result(d)
		}
		inferReduction(c, d, c.Params.(ReduceParams), result == nil)
	}
	op.Samples = nonEmptyReductionSamples
	if result != nil {
		op.Samples = append(slices.Clone(nonEmptyReductionSamples), Sample{Shapes: [][]int{{0, 3}}, Params: ReduceParams{Axes: []int{0}}})
	}
	return Register(op)
}

// indexing registers an operator that finds an element along some axes.
func indexing(name, doc string) *Operator {
	return Register(&Operator{
		Name: name, Doc: doc, Form: FormReduction, Inputs: []string{"x"}, Params: ReduceParams{}, Accepts: reducible, Work: perOperandElement,
		Infer: func(c *Call) { inferReduction(c, dtype.Int64, c.Params.(ReduceParams), true) },
		Lower: func(c *Call, l *Lowered) { c.lowerReduction(l, c.Params.(ReduceParams), cpu.ArgMaxPartial) }, Samples: nonEmptyReductionSamples, reduces: true,
	})
}

var nonEmptyReductionSamples = []Sample{
	{Shapes: [][]int{{2, 3}}, Params: ReduceParams{}},
	{Shapes: [][]int{{2, 3, 4}}, Params: ReduceParams{Axes: []int{1}}},
	{Shapes: [][]int{{2, 3, 4}}, Params: ReduceParams{Axes: []int{-1, 0}, KeepDims: true}},
	{Shapes: [][]int{{}}, Params: ReduceParams{}},
	{Shapes: [][]int{{3, 0}}, Params: ReduceParams{Axes: []int{0}}},
	{Shapes: [][]int{{40, 50}}, Params: ReduceParams{Axes: []int{0}}},
}

func inferReduction(c *Call, d dtype.DType, p ReduceParams, needsElements bool) {
	in := c.Inputs[0].Shape
	if len(p.Axes) == 0 && !p.KeepDims && (!needsElements || c.Inputs[0].elements() > 0) {
		c.Output(d, []int{})
		return
	}
	axes := c.Axes(p.Axes, len(in))
	shape := []int{}
	for axis, n := range in {
		reduced := slices.Contains(axes, axis)
		if reduced && n == 0 && needsElements {
			c.Fail(fault.ErrShape, fmt.Sprintf("axis %d has no elements to choose from", axis))
		}
		switch {
		case !reduced:
			shape = append(shape, n)
		case p.KeepDims:
			shape = append(shape, 1)
		}
	}
	c.Output(d, shape)
}

func lowerReduction(c *Call, l *Lowered) { c.lowerReduction(l, c.Params.(ReduceParams), 8) }

// lowerReduction moves the reduced axes behind the kept ones. The kernel is told how many there are. Its partial results have
// at most so many bytes.
func (c *Call) lowerReduction(l *Lowered, p ReduceParams, partial int) {
	reduced, kept := len(c.Inputs[0].Shape), []int{}
	if len(p.Axes) > 0 { // else all, which are in order
		axes := c.Axes(p.Axes, reduced)
		for axis := range c.Inputs[0].Shape {
			if !slices.Contains(axes, axis) {
				kept = append(kept, axis)
			}
		}
		l.Inputs[0], reduced = l.Inputs[0].Permute(append(slices.Clone(kept), axes...)), len(axes)
	}
	if p.KeepDims {
		l.Outputs[0] = l.Outputs[0].Permute(kept)
	}
	l.Integers = []int64{int64(reduced)}
	l.Scratch = cpu.ReductionScratch(storage.Count(c.Outputs[0].Shape), countAlong(c.Inputs[0].Shape, p.Axes), partial)
}

// toWide gives bool and signed integers, and unsigned ones, 64 bits.
func toWide(d dtype.DType) dtype.DType {
	if d.IsInteger() || d == dtype.Bool {
		return widest(d)
	}
	return d
}

func toBool(dtype.DType) dtype.DType { return dtype.Bool }
