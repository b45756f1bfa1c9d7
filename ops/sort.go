package ops

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/storage"
)

// SortParams are the parameters of sort and argsort.
type SortParams struct {
	Axis       int  `doc:"axis along which elements are sorted" default:"-1"`
	Descending bool `doc:"whether the largest comes first" default:"false"`
}

// ArgTopKParams are the parameters of argtopk.
type ArgTopKParams struct {
	K        int  `doc:"how many elements are chosen, at most those along the axis" min:"0"`
	Axis     int  `doc:"axis along which elements are chosen" default:"-1"`
	Smallest bool `doc:"whether the smallest are chosen instead of the largest" default:"false"`
}

// SearchSortedParams are the parameters of searchsorted.
type SearchSortedParams struct {
	Right   bool `doc:"whether the place is behind equal elements, not before them" default:"false"`
	Checked bool `doc:"whether a line that does not ascend, or has NaN, is an error of the result" default:"false"`
}

// sortable are the element types that have an order.
var sortable = []dtype.DType{
	dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16, dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64,
	dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64, dtype.Bool,
}

// Operators of the order of elements. NaN is above all numbers, so it comes last where the order ascends and first where it
// descends. Sort tells apart what compares equal, so that its result is the same whatever the method: −0 comes before 0, and
// NaN with a sign after others. The other operators take them for equal, and of equal elements the first first.
var (
	Sort = Register(&Operator{
		Name: "sort", Doc: "the elements along an axis in ascending or descending order; NaN is above all numbers, and −0 below 0",
		Inputs: []string{"x"}, Params: SortParams{}, Accepts: sortable, Saves: SaveInputs,
		Infer: func(c *Call) {
			c.Axis(c.Params.(SortParams).Axis, len(c.Inputs[0].Shape))
			c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(SortParams)
			lowerLines(c, l, p.Axis)
			l.Integers = []int64{flag(p.Descending)}
			l.Scratch = cpu.SortScratch(l.Inputs[0].Count(), l.Inputs[0].DType.Size(), l.Outputs[0].IsContiguous())
		},
		Brief: isSortBrief,
		Gradient: func(r *Rule) {
			p := r.Params().(SortParams)
			order := r.Apply("argsort", p, r.Input(0))
			r.Set(0, r.Apply("put_along_axis", PutAlongAxisParams{p.Axis, "raise", ReduceNone}, r.zeros(r.Shape(0)), order, r.Upstream()))
		},
		Samples: sortSamples,
	})

	ArgSort = Register(&Operator{
		Name: "argsort", Doc: "int64 indices that sort x along an axis, the first of equal elements first; NaN is above all numbers",
		Inputs: []string{"x"}, Params: SortParams{}, Accepts: sortable,
		Infer: func(c *Call) {
			c.Axis(c.Params.(SortParams).Axis, len(c.Inputs[0].Shape))
			c.Output(dtype.Int64, c.Inputs[0].Shape)
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(SortParams)
			lowerLines(c, l, p.Axis)
			lowerArgSort(l, p.Descending)
		},
		Brief:   isSortBrief,
		Samples: sortSamples,
	})

	ArgTopK = Register(&Operator{
		Name: "argtopk", Doc: "int64 indices of the k largest elements along an axis, the largest first, of equal ones the first; NaN is above all numbers",
		Inputs: []string{"x"}, Params: ArgTopKParams{}, Accepts: sortable,
		Infer: func(c *Call) {
			p := c.Params.(ArgTopKParams)
			shape := slices.Clone(c.Inputs[0].Shape)
			axis := c.Axis(p.Axis, len(shape))
			if p.K > shape[axis] {
				c.Fail(fault.ErrParameter, fmt.Sprintf("k is %d (legal: from 0 to the %d elements along axis %d)", p.K, shape[axis], axis))
			}
			shape[axis] = p.K
			c.Output(dtype.Int64, shape)
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(ArgTopKParams)
			lowerLines(c, l, p.Axis)
			lowerArgSort(l, !p.Smallest)
		},
		Brief: isSortBrief,
		Samples: []Sample{
			{Shapes: [][]int{{20}}, Params: ArgTopKParams{K: 5, Axis: 0}}, {Shapes: [][]int{{3, 7}}, Params: ArgTopKParams{K: 3, Axis: -1, Smallest: true}},
			{Shapes: [][]int{{5, 2, 3}}, Params: ArgTopKParams{K: 5, Axis: 0}}, {Shapes: [][]int{{4}}, Params: ArgTopKParams{Axis: 0}},
			{Shapes: [][]int{{0, 4}}, Params: ArgTopKParams{K: 2, Axis: 1}}, {Shapes: [][]int{{2, 1200}}, Params: ArgTopKParams{K: 9, Axis: 1}},
			{Shapes: [][]int{{1200, 2}}, Params: ArgTopKParams{K: 9, Smallest: true}},
		},
	})

	SearchSorted = Register(&Operator{
		Name: "searchsorted", Doc: "int64 places where values belong in a sorted line so that it stays sorted; NaN is above all numbers",
		Inputs: []string{"sorted", "values"}, Params: SearchSortedParams{}, Accepts: sortable, Convert: toCommon,
		Infer: func(c *Call) {
			if len(c.Inputs[0].Shape) != 1 {
				c.Fail(fault.ErrShape, fmt.Sprintf("sorted has %d axes, want one", len(c.Inputs[0].Shape)))
			}
			c.Output(dtype.Int64, c.Inputs[1].Shape)
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(SearchSortedParams)
			l.Integers = []int64{flag(p.Right), flag(p.Checked)}
			line, values := l.Inputs[0], l.Inputs[1]
			l.Scratch = cpu.SearchScratch(line.Count(), values.Count(), line.DType.Size(),
				line.IsContiguous(), values.IsContiguous(), l.Outputs[0].IsContiguous())
		},
		Brief: func(c *Call) bool {
			steps := bits.Len64(uint64(c.Inputs[0].elements())) // of each value, of some nanoseconds
			return c.areFew(0) && c.Outputs[0].elements()*int64(steps) <= fewElements
		},
		Samples: []Sample{
			{Shapes: [][]int{{5}, {4}}, Params: SearchSortedParams{}}, {Shapes: [][]int{{30}, {3, 7}}, Params: SearchSortedParams{Right: true}},
			{Shapes: [][]int{{3}, {}}, Params: SearchSortedParams{}}, {Shapes: [][]int{{0}, {3}}, Params: SearchSortedParams{}},
			{Shapes: [][]int{{3}, {0, 2}}, Params: SearchSortedParams{}}, {Shapes: [][]int{{100}, {300}}, Params: SearchSortedParams{}},
			{Shapes: [][]int{{9}, {0}}, Params: SearchSortedParams{Checked: true}}, {Shapes: [][]int{{0}, {2}}, Params: SearchSortedParams{Checked: true}},
		},
	})
)

var sortSamples = []Sample{
	{Shapes: [][]int{{7}}, Params: SortParams{Axis: 0}}, {Shapes: [][]int{{3, 5}}, Params: SortParams{Axis: -1, Descending: true}},
	{Shapes: [][]int{{4, 3, 2}}, Params: SortParams{Axis: 1}}, {Shapes: [][]int{{5, 3}}, Params: SortParams{Axis: 0, Descending: true}},
	{Shapes: [][]int{{0, 3}}, Params: SortParams{Axis: -1}}, {Shapes: [][]int{{3, 0}}, Params: SortParams{Axis: -1}},
	{Shapes: [][]int{{2, 300}}, Params: SortParams{Axis: 1}}, {Shapes: [][]int{{700}}, Params: SortParams{Axis: 0}},
}

// isSortBrief reports whether elements are sorted before a worker would begin with them.
func isSortBrief(c *Call) bool { return c.Inputs[0].elements() <= 1024 }

// lowerLines moves an axis behind all others.
func lowerLines(c *Call, l *Lowered, axis int) {
	axis = c.Axis(axis, len(c.Inputs[0].Shape))
	for i, v := range l.Inputs {
		l.Inputs[i] = lastAxis(v, axis)
	}
	l.Outputs[0] = lastAxis(l.Outputs[0], axis)
}

func lowerArgSort(l *Lowered, descending bool) {
	l.Integers = []int64{flag(descending)}
	in, out := l.Inputs[0], l.Outputs[0]
	last := len(in.Shape) - 1
	l.Scratch = cpu.ArgsortScratch(storage.Count(in.Shape[:last]), in.Shape[last], in.DType.Size(), out.Shape[last], in.IsContiguous(), out.IsContiguous())
}
