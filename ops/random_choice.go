package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/storage"
)

// CategoricalParams are the parameters of categorical.
type CategoricalParams struct {
	Shape       []int `doc:"shape of what is drawn for each row of weights"`
	Logarithmic bool  `doc:"the operand has logarithms of weights" default:"false"`
}

// MultinomialParams are the parameters of multinomial.
type MultinomialParams struct {
	Shape  []int `doc:"shape of the draws for each row of weights"`
	Trials int   `doc:"number of trials in each draw, at most 2^53" min:"0"`
}

// ChooseParams are the parameters of choose.
type ChooseParams struct {
	Population int `doc:"the numbers are below" min:"0"`
	Count      int `doc:"how many are chosen, at most the population" min:"0"`
}

// ChooseWeightedParams are the parameters of choose_weighted.
type ChooseWeightedParams struct {
	Count       int  `doc:"how many are chosen" min:"0"`
	Logarithmic bool `doc:"the operand has logarithms of weights" default:"false"`
}

// Operators that choose among categories, which are numbered along the last axis of the weights. Weights need not sum to one. A
// row with a weight that is negative, infinite or NaN, or with too few positive ones, is found while the operator runs and is
// an error of the result.
var (
	Categorical = Register(&Operator{
		Name: "categorical", Doc: "int64 numbers of categories, drawn with the weights in the last axis", Inputs: []string{"weights"},
		Params: CategoricalParams{}, Draws: true, Accepts: floats, Convert: toFloat,
		Infer: func(c *Call) {
			p := c.Params.(CategoricalParams)
			rows, _ := c.categories()
			c.Output(dtype.Int64, slices.Concat(rows, p.Shape))
		},
		Lower: func(c *Call, l *Lowered) {
			l.Integers = []int64{flag(c.Params.(CategoricalParams).Logarithmic)}
			l.Scratch = cpu.CategoricalScratch(storage.Count(c.Inputs[0].Shape))
		},
		Samples: []Sample{
			{Shapes: [][]int{{3, 4}}, Params: CategoricalParams{Shape: []int{200}}}, {Shapes: [][]int{{5}}, Params: CategoricalParams{Shape: []int{7, 9}, Logarithmic: true}},
			{Shapes: [][]int{{2, 3, 70}}, Params: CategoricalParams{Shape: []int{}}}, {Shapes: [][]int{{1}}, Params: CategoricalParams{Shape: []int{}}},
			{Shapes: [][]int{{3, 4}}, Params: CategoricalParams{Shape: []int{0}}}, {Shapes: [][]int{{0, 4}}, Params: CategoricalParams{Shape: []int{2}}},
		},
	})

	Multinomial = Register(&Operator{
		Name: "multinomial", Doc: "int64 counts of the categories among trials, drawn with the weights in the last axis", Inputs: []string{"weights"},
		Params: MultinomialParams{}, Draws: true, Accepts: floats, Convert: toFloat,
		Infer: func(c *Call) {
			p := c.Params.(MultinomialParams)
			c.checkTrials(p.Trials)
			rows, categories := c.categories()
			c.Output(dtype.Int64, append(slices.Concat(rows, p.Shape), categories))
		},
		Lower: func(c *Call, l *Lowered) { l.Integers = []int64{int64(c.Params.(MultinomialParams).Trials)} },
		Samples: []Sample{
			{Shapes: [][]int{{3, 4}}, Params: MultinomialParams{Shape: []int{6}, Trials: 1000}}, {Shapes: [][]int{{50}}, Params: MultinomialParams{Shape: []int{}, Trials: 20}},
			{Shapes: [][]int{{2, 3, 2}}, Params: MultinomialParams{Shape: []int{2, 2}, Trials: 1 << 20}}, {Shapes: [][]int{{3}}, Params: MultinomialParams{Shape: []int{}}},
			{Shapes: [][]int{{0, 4}}, Params: MultinomialParams{Shape: []int{2}, Trials: 5}},
		},
	})

	Choose = Register(&Operator{
		Name: "choose", Doc: "different int64 numbers below the population in random order, every choice equally likely", Params: ChooseParams{}, Draws: true,
		Infer: func(c *Call) {
			p := c.Params.(ChooseParams)
			if p.Count > p.Population {
				c.Fail(fault.ErrParameter, fmt.Sprintf("count is %d (legal: from 0 to the population %d)", p.Count, p.Population))
			}
			c.Output(dtype.Int64, []int{p.Count})
		},
		Lower: func(c *Call, l *Lowered) { l.Integers = []int64{int64(c.Params.(ChooseParams).Population)} },
		Samples: []Sample{
			{Params: ChooseParams{Population: 100, Count: 30}}, {Params: ChooseParams{Population: 1 << 50, Count: 300}}, {Params: ChooseParams{Population: 50, Count: 50}},
			{Params: ChooseParams{Population: 7}}, {Params: ChooseParams{}},
		},
	})

	ChooseWeighted = Register(&Operator{
		Name: "choose_weighted", Doc: "different int64 numbers of categories, each drawn with the weights in the last axis from those that are left",
		Inputs: []string{"weights"}, Params: ChooseWeightedParams{}, Draws: true, Accepts: floats, Convert: toFloat,
		Infer: func(c *Call) {
			p := c.Params.(ChooseWeightedParams)
			rows, categories := c.categories()
			if p.Count > categories {
				c.Fail(fault.ErrParameter, fmt.Sprintf("count is %d (legal: from 0 to the %d categories)", p.Count, categories))
			}
			c.Output(dtype.Int64, append(slices.Clone(rows), p.Count))
		},
		Lower: func(c *Call, l *Lowered) {
			l.Integers = []int64{flag(c.Params.(ChooseWeightedParams).Logarithmic)}
		},
		Samples: []Sample{
			{Shapes: [][]int{{3, 5}}, Params: ChooseWeightedParams{Count: 2}}, {Shapes: [][]int{{2, 2, 7}}, Params: ChooseWeightedParams{Count: 7, Logarithmic: true}},
			{Shapes: [][]int{{2000}}, Params: ChooseWeightedParams{Count: 9}}, {Shapes: [][]int{{3, 5}}, Params: ChooseWeightedParams{}},
			{Shapes: [][]int{{0, 5}}, Params: ChooseWeightedParams{Count: 3}},
		},
	})
)

// categories returns the shape of the rows of weights and how many categories they have. It fails if there is no such axis.
func (c *Call) categories() (rows []int, count int) {
	shape := c.Inputs[0].Shape
	if len(shape) == 0 {
		c.Fail(fault.ErrShape, "weights without axes: the last axis has the categories")
	}
	last := len(shape) - 1
	return shape[:last], shape[last]
}

// flag returns 1 for true and 0 for false.
func flag(set bool) int64 {
	if set {
		return 1
	}
	return 0
}
