package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// FillParams are the parameters of fill.
type FillParams struct {
	Shape   []int       `doc:"shape of the result"`
	DType   dtype.DType `doc:"element type of the result" default:"float32"`
	Value   float64     `doc:"value of floats, and of complex numbers, whose imaginary part is 0" default:"0"`
	Integer int         `doc:"value of integers and bool" default:"0"`
}

// Operators that make arrays of nothing.
var (
	Fill = Register(&Operator{
		Name: "fill", Doc: "every element has the same value", Params: FillParams{},
		Infer: func(c *Call) {
			p := c.Params.(FillParams)
			c.created(p.DType, p.Shape)
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(FillParams)
			l.Integers, l.Scalars = []int64{int64(p.Integer)}, []float64{p.Value}
		},
		Samples: []Sample{
			{Params: FillParams{Shape: []int{2, 3}, DType: dtype.Float32, Value: 1.5}}, {Params: FillParams{DType: dtype.Float64, Value: math.Inf(-1)}},
			{Params: FillParams{Shape: []int{4}, DType: dtype.Int64, Integer: math.MaxInt64}}, {Params: FillParams{Shape: []int{0}, DType: dtype.Bool, Integer: 1}},
			{Params: FillParams{Shape: []int{3}, DType: dtype.Bool, Integer: 1}},
		},
	})
)

// created adds a result that is made of nothing.
func (c *Call) created(d dtype.DType, shape []int) {
	if !slices.Contains(castable, d) {
		c.Fail(fault.ErrDType, fmt.Sprintf("no array of %v is made (accepted: %v)", d, castable))
	}
	c.Output(d, slices.Clone(shape))
}
