package ops

import (
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// ScanParams are the parameters of cumulative operators.
type ScanParams struct {
	Axis      int  `doc:"axis along which elements are accumulated" default:"0"`
	Reverse   bool `doc:"whether to begin at the end"`
	Exclusive bool `doc:"whether each result leaves out its own element; the first is then the result of none"`
}

// Cumulative operators along an axis, which must have room for all partial results: integers have 64 bits as in sum. The
// order of additions depends on the length of the axis alone.
var (
	CumSum = scanning("cumsum", "sum of the elements up to each along an axis; bool counts, integers have 64 bits in the result", 0, toWide, func(r *Rule, p ScanParams) {
		p.Reverse = !p.Reverse
		r.Set(0, r.Apply("cumsum", p, r.Upstream()))
	})

	// The gradient needs no division, so that it is right for any number of zeros.
	CumProd = scanning("cumprod", "product of the elements up to each along an axis; integers have 64 bits in the result", SaveInputs, toWide, func(r *Rule, p ScanParams) {
		before := r.Apply("cumprod", ScanParams{p.Axis, p.Reverse, true}, r.Input(0))
		r.Set(0, r.Mul(before, r.carried(r.Input(0), r.Upstream(), p)))
	})

	// The gradient goes to the first of equal elements.
	CumMax = scanning("cummax", "largest of the elements up to each along an axis; NaN from the first on", SaveInputs, nil, func(r *Rule, p ScanParams) { r.toRecords("cummax", p) })

	// The gradient goes to the first of equal elements.
	CumMin = scanning("cummin", "smallest of the elements up to each along an axis; NaN from the first on", SaveInputs, nil, func(r *Rule, p ScanParams) { r.toRecords("cummin", p) })

	Recurrence = Register(&Operator{
		Name: "recurrence", Doc: "y with y[i] = factors[i] · y[i−1] + x[i] along an axis, beginning from 0", Inputs: []string{"factors", "x"},
		Params: ScanParams{}, Accepts: floats, Convert: toCommonFloat, Saves: SaveInputs,
		Infer: func(c *Call) {
			p := c.Params.(ScanParams)
			factors, x := c.Inputs[0].Shape, c.Inputs[1].Shape
			if !slices.Equal(factors, x) {
				c.Fail(fault.ErrShape, "factors have shape "+fault.FormatShape(factors)+" and x "+fault.FormatShape(x))
			}
			c.Axis(p.Axis, len(x))
			c.Output(c.Inputs[1].DType, x)
		},
		Lower: lowerScan, Work: func(c *Call) int64 { return 2 * perElement(c) },
		Gradient: func(r *Rule) {
			p := r.Params().(ScanParams)
			slope := r.carried(r.Input(0), r.Upstream(), p)
			r.Set(1, slope)
			if r.Wants(0) {
				p.Exclusive = true
				r.Set(0, r.Mul(slope, r.Apply("recurrence", p, r.Input(0), r.Input(1))))
			}
		},
		Samples: []Sample{
			{Shapes: [][]int{{5}, {5}}, Params: ScanParams{}}, {Shapes: [][]int{{2, 3, 4}, {2, 3, 4}}, Params: ScanParams{Axis: -2, Reverse: true}},
			{Shapes: [][]int{{3, 4}, {3, 4}}, Params: ScanParams{Exclusive: true}}, {Shapes: [][]int{{0, 3}, {0, 3}}, Params: ScanParams{Exclusive: true}},
			{Shapes: [][]int{{3, 0}, {3, 0}}, Params: ScanParams{Axis: 1}},
		},
	})
)

// carried returns what each element of a recurrence with the given factors adds to results with the given gradient. That of float16 and
// bfloat16 is carried in float32.
func (r *Rule) carried(factors, upstream Value, p ScanParams) Value {
	back, d := ScanParams{p.Axis, !p.Reverse, true}, upstream.DType()
	factors, upstream = r.cast(factors, singleOf(d)), r.cast(upstream, singleOf(d))
	if p.Exclusive {
		return r.cast(r.Apply("recurrence", back, factors, upstream), d)
	}
	return r.cast(r.Add(upstream, r.Apply("recurrence", back, factors, r.Mul(factors, upstream))), d)
}

// toRecords gives the gradients of results to the elements that are beyond all before them.
func (r *Rule) toRecords(name string, p ScanParams) {
	x := r.Input(0)
	before := r.Apply(name, ScanParams{p.Axis, p.Reverse, true}, x)
	beyond := r.Apply("greater", nil, x, before)
	if name == "cummin" {
		beyond = r.Apply("greater", nil, before, x)
	}
	isRecord := r.as(beyond)
	r.Set(0, r.Mul(isRecord, r.carried(r.Sub(r.Constant(1, isRecord), isRecord), r.Upstream(), p)))
}

// scanning registers a cumulative operator with results of the type that result gives; nil is the same type.
func scanning(name, doc string, saves Saved, result func(dtype.DType) dtype.DType, gradient func(r *Rule, p ScanParams)) *Operator {
	samples := inclusiveSamples
	if result != nil {
		samples = slices.Concat(samples, exclusiveSamples)
	}
	return Register(&Operator{
		Name: name, Doc: doc, Inputs: []string{"x"}, Params: ScanParams{}, Accepts: reducible, Saves: saves,
		Infer: func(c *Call) {
			d := c.Inputs[0].DType
			c.Axis(c.Params.(ScanParams).Axis, len(c.Inputs[0].Shape))
			if result != nil {
				d = result(d)
			}
			c.Output(d, c.Inputs[0].Shape)
		},
		Lower: lowerScan, Work: perElement,
		Gradient: func(r *Rule) { gradient(r, r.Params().(ScanParams)) },
		Samples:  samples,
	})
}

// The results that no elements have are infinities where result is nil, of which gradients cannot be checked.
var (
	inclusiveSamples = []Sample{
		{Shapes: [][]int{{5}}, Params: ScanParams{}}, {Shapes: [][]int{{2, 3, 4}}, Params: ScanParams{Axis: -2, Reverse: true}},
		{Shapes: [][]int{{3, 0}}, Params: ScanParams{Axis: 1, Reverse: true}}, {Shapes: [][]int{{30, 20}}, Params: ScanParams{}},
	}
	exclusiveSamples = []Sample{
		{Shapes: [][]int{{3, 4}}, Params: ScanParams{Axis: 1, Exclusive: true}}, {Shapes: [][]int{{4, 3}}, Params: ScanParams{Reverse: true, Exclusive: true}},
		{Shapes: [][]int{{0, 3}}, Params: ScanParams{Exclusive: true}},
	}
)

// lowerScan moves the axis behind the others, turns it round, and leaves out the last element; the kernel gets the place of the
// first result as another one.
func lowerScan(c *Call, l *Lowered) {
	p := c.Params.(ScanParams)
	axis := c.Axis(p.Axis, len(c.Outputs[0].Shape))
	part := func(v storage.View, start, count int) storage.View {
		v = lastAxis(v, axis)
		last := len(v.Shape) - 1
		spans := wholeSpans(v.Shape)
		spans[last] = storage.Span{Start: start, Count: count, Step: 1}
		if p.Reverse {
			spans[last] = storage.Span{Start: max(v.Shape[last]-1-start, 0), Count: count, Step: -1}
		}
		return v.Slice(spans)
	}
	length := c.Outputs[0].Shape[axis]
	whole, own := l.Outputs[0], 0
	if p.Exclusive && length > 0 {
		own = 1
		l.Outputs = append(l.Outputs, part(whole, 0, 1))
	}
	l.Outputs[0] = part(whole, own, length-own)
	for i, in := range l.Inputs {
		l.Inputs[i] = part(in, 0, length-own)
	}
}
