package ops

import (
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/storage"
)

// NonzeroParams are the parameters of nonzero.
type NonzeroParams struct {
	Room int `doc:"for the indices of how many elements there is room, those of further ones being left out; 0 is for all" default:"0" min:"0"`
}

// BincountParams are the parameters of bincount.
type BincountParams struct {
	Length int `doc:"how many numbers are counted, those from 0 on" min:"0"`
}

var uniqueSamples = []Sample{{Shapes: [][]int{{20}}}, {Shapes: [][]int{{3, 4, 5}}}, {Shapes: [][]int{{}}}, {Shapes: [][]int{{0, 4}}}, {Shapes: [][]int{{1000}}}}

func areContiguous(views []storage.View) bool {
	for i := range views {
		if !views[i].IsContiguous() {
			return false
		}
	}
	return true
}

// Operators that find out how often elements are there.
var (
	// How many different elements there are is known when the operator has run: the first three results have room for all
	// elements of x, and are zero behind the different ones.
	Unique = Register(&Operator{
		Name: "unique", Doc: "the different elements of x, ascending; where the first of each is in row-major order; how often each is there; " +
			"the place of each element of x among them; and how many there are. Each NaN differs from all others",
		Inputs: []string{"x"}, Accepts: sortable,
		Infer: func(c *Call) {
			x := c.Inputs[0]
			n := storage.Count(x.Shape)
			c.Output(x.DType, []int{n})
			c.Output(dtype.Int64, []int{n})
			c.Output(dtype.Int64, []int{n})
			c.Output(dtype.Int64, x.Shape)
			c.Output(dtype.Int64, []int{})
		},
		Lower: func(c *Call, l *Lowered) {
			x := l.Inputs[0]
			l.Scratch = cpu.UniqueScratch(x.Count(), x.DType.Size(), x.IsContiguous(), areContiguous(l.Outputs))
		},
		Samples: uniqueSamples,
	})

	// It takes a part of the time of unique: the elements themselves are sorted, not their numbers.
	UniqueCounts = Register(&Operator{
		Name: "unique_counts", Doc: "the different elements of x, ascending; how often each is there; and how many there are. Each NaN differs from all others",
		Inputs: []string{"x"}, Accepts: sortable,
		Infer: func(c *Call) {
			x := c.Inputs[0]
			n := storage.Count(x.Shape)
			c.Output(x.DType, []int{n})
			c.Output(dtype.Int64, []int{n})
			c.Output(dtype.Int64, []int{})
		},
		Lower: func(c *Call, l *Lowered) {
			x := l.Inputs[0]
			l.Scratch = cpu.UniqueCountsScratch(x.Count(), x.DType.Size(), x.IsContiguous(), areContiguous(l.Outputs))
		},
		Samples: uniqueSamples,
	})

	// A number out of range is an error of the result, found while the operator runs.
	Bincount = Register(&Operator{
		Name: "bincount", Doc: "int64 counts of how often each number from 0 on is in x", Inputs: []string{"x"}, Params: BincountParams{},
		Convert: indicesAt(0),
		Infer:   func(c *Call) { c.Output(dtype.Int64, []int{c.Params.(BincountParams).Length}) },
		Lower: func(c *Call, l *Lowered) {
			x := l.Inputs[0]
			l.Scratch = cpu.BincountScratch(x.Count(), l.Outputs[0].Count(), x.IsContiguous(), l.Outputs[0].IsContiguous())
		},
		Samples: []Sample{
			{Shapes: [][]int{{30}}, Params: BincountParams{6}}, {Shapes: [][]int{{2, 3, 4}}, Params: BincountParams{30}}, {Shapes: [][]int{{}}, Params: BincountParams{1}},
			{Shapes: [][]int{{0}}, Params: BincountParams{0}}, {Shapes: [][]int{{0, 2}}, Params: BincountParams{3}}, {Shapes: [][]int{{1000}}, Params: BincountParams{7}},
		},
	})

	// How many there are is known when the operator has run: the first result has a column for every element of x, or as many as there is
	// room for, and is zero behind those of the elements found. What finds no room is left out.
	Nonzero = Register(&Operator{
		Name: "nonzero", Doc: "the int64 indices of the elements of x that are not zero, in row-major order, each a column with a row for each axis; and how many there are",
		Inputs: []string{"x"}, Params: NonzeroParams{},
		Infer: func(c *Call) {
			x, room := c.Inputs[0], c.Params.(NonzeroParams).Room
			columns := storage.Count(x.Shape)
			if room > 0 {
				columns = min(columns, room)
			}
			c.Output(dtype.Int64, []int{len(x.Shape), columns})
			c.Output(dtype.Int64, []int{})
		},
		Samples: []Sample{
			{Shapes: [][]int{{9}}, Params: NonzeroParams{}}, {Shapes: [][]int{{3, 4, 5}}, Params: NonzeroParams{7}}, {Shapes: [][]int{{}}, Params: NonzeroParams{1}},
			{Shapes: [][]int{{0, 4}}, Params: NonzeroParams{}}, {Shapes: [][]int{{600}}, Params: NonzeroParams{1000}},
		},
	})
)
