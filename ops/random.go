package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// UniformParams are the parameters of uniform.
type UniformParams struct {
	Shape []int       `doc:"shape of the result"`
	DType dtype.DType `doc:"element type of the result" default:"float32"`
	Low   float64     `doc:"lower bound, included" default:"0"`
	High  float64     `doc:"upper bound, not included" default:"1"`
}

// NormalParams are the parameters of normal.
type NormalParams struct {
	Shape     []int       `doc:"shape of the result"`
	DType     dtype.DType `doc:"element type of the result" default:"float32"`
	Mean      float64     `doc:"mean" default:"0"`
	Deviation float64     `doc:"standard deviation" default:"1" min:"0"`
}

// PermutationParams are the parameters of permutation.
type PermutationParams struct {
	Count int `doc:"number of elements" min:"0"`
}

// Operators that draw random numbers.
var (
	Uniform = Register(&Operator{
		Name: "uniform", Doc: "random numbers, equally likely anywhere from low up to but not including high", Params: UniformParams{}, Draws: true,
		Infer: func(c *Call) {
			p := c.Params.(UniformParams)
			if width := p.High - p.Low; !(width >= 0 && width <= math.MaxFloat64) {
				c.Fail(fault.ErrParameter, fmt.Sprintf("low is %v and high is %v (legal: low at most high, and a finite distance)", p.Low, p.High))
			}
			c.createdFloat(p.DType, p.Shape)
			if p.DType == dtype.Float32 && max(-p.Low, p.High) > math.MaxFloat32 {
				c.Fail(fault.ErrParameter, fmt.Sprintf("low is %v and high is %v (legal: numbers of float32)", p.Low, p.High))
			}
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(UniformParams)
			l.Scalars = []float64{p.Low, p.High}
		},
		Samples: []Sample{
			{Params: UniformParams{Shape: []int{10, 100}, DType: dtype.Float32, Low: -1, High: 2}},
			{Params: UniformParams{Shape: []int{1000}, DType: dtype.Float64, High: 1}},
			{Params: UniformParams{Shape: []int{}, DType: dtype.Float32, High: 1}}, {Params: UniformParams{Shape: []int{0}, DType: dtype.Float32, High: 1}},
		},
	})

	Normal = Register(&Operator{
		Name: "normal", Doc: "random numbers of the normal distribution", Params: NormalParams{}, Draws: true,
		Infer: func(c *Call) {
			p := c.Params.(NormalParams)
			c.checkFinite("the mean", p.Mean)
			c.checkNotNegative("the deviation", p.Deviation)
			c.createdFloat(p.DType, p.Shape)
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(NormalParams)
			l.Scalars = []float64{p.Mean, p.Deviation}
		},
		Samples: []Sample{
			{Params: NormalParams{Shape: []int{10, 100}, DType: dtype.Float32, Mean: 1, Deviation: 2}},
			{Params: NormalParams{Shape: []int{1000}, DType: dtype.Float64, Deviation: 1}},
			{Params: NormalParams{Shape: []int{}, DType: dtype.Float32, Deviation: 1}}, {Params: NormalParams{Shape: []int{0}, DType: dtype.Float32}},
		},
	})

	Permutation = Register(&Operator{
		Name: "permutation", Doc: "the int64 numbers from 0 up to count in random order", Params: PermutationParams{}, Draws: true,
		Infer: func(c *Call) { c.Output(dtype.Int64, []int{c.Params.(PermutationParams).Count}) },
		Samples: []Sample{
			{Params: PermutationParams{Count: 100}}, {Params: PermutationParams{Count: 0}}, {Params: PermutationParams{Count: 1}},
		},
	})
)

// createdFloat adds a result of random floats.
func (c *Call) createdFloat(d dtype.DType, shape []int) {
	if !slices.Contains(floats, d) {
		c.Fail(fault.ErrDType, fmt.Sprintf("no random numbers of %v (accepted: %v)", d, floats))
	}
	c.created(d, shape)
}
