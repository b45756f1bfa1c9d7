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
	Value   float64     `doc:"value of floats" default:"0"`
	Integer int         `doc:"value of integers and bool" default:"0"`
}

// UniformParams are the parameters of uniform. Key and Sequence come from a generator: the same pair gives the same numbers,
// on every device.
type UniformParams struct {
	Shape    []int       `doc:"shape of the result"`
	DType    dtype.DType `doc:"element type of the result" default:"float32"`
	Low      float64     `doc:"lower bound, included" default:"0"`
	High     float64     `doc:"upper bound, not included" default:"1"`
	Key      uint64      `doc:"key of the stream of random numbers" default:"0"`
	Sequence uint64      `doc:"number of the operator in the stream" default:"0"`
}

// NormalParams are the parameters of normal.
type NormalParams struct {
	Shape     []int       `doc:"shape of the result"`
	DType     dtype.DType `doc:"element type of the result" default:"float32"`
	Mean      float64     `doc:"mean" default:"0"`
	Deviation float64     `doc:"standard deviation" default:"1" min:"0"`
	Key       uint64      `doc:"key of the stream of random numbers" default:"0"`
	Sequence  uint64      `doc:"number of the operator in the stream" default:"0"`
}

// PermutationParams are the parameters of permutation.
type PermutationParams struct {
	Count    int    `doc:"number of elements" min:"0"`
	Key      uint64 `doc:"key of the stream of random numbers" default:"0"`
	Sequence uint64 `doc:"number of the operator in the stream" default:"0"`
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

	Uniform = Register(&Operator{
		Name: "uniform", Doc: "random numbers, equally likely anywhere from low up to but not including high", Params: UniformParams{},
		Infer: func(c *Call) {
			p := c.Params.(UniformParams)
			if width := p.High - p.Low; !(width >= 0 && width <= math.MaxFloat64) {
				c.Fail(fault.ErrParameter, fmt.Sprintf("low is %v and high is %v (legal: low at most high, and a finite distance)", p.Low, p.High))
			}
			c.createdFloat(p.DType, p.Shape)
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(UniformParams)
			l.Integers, l.Scalars = []int64{int64(p.Key), int64(p.Sequence)}, []float64{p.Low, p.High}
		},
		Samples: []Sample{
			{Params: UniformParams{Shape: []int{10, 100}, DType: dtype.Float32, Low: -1, High: 2, Key: 7}},
			{Params: UniformParams{Shape: []int{1000}, DType: dtype.Float64, High: 1, Sequence: 3}},
			{Params: UniformParams{Shape: []int{}, DType: dtype.Float32, High: 1}}, {Params: UniformParams{Shape: []int{0}, DType: dtype.Float32, High: 1}},
		},
	})

	Normal = Register(&Operator{
		Name: "normal", Doc: "random numbers of the normal distribution", Params: NormalParams{},
		Infer: func(c *Call) {
			p := c.Params.(NormalParams)
			c.createdFloat(p.DType, p.Shape)
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(NormalParams)
			l.Integers, l.Scalars = []int64{int64(p.Key), int64(p.Sequence)}, []float64{p.Mean, p.Deviation}
		},
		Samples: []Sample{
			{Params: NormalParams{Shape: []int{10, 100}, DType: dtype.Float32, Mean: 1, Deviation: 2, Key: 7}},
			{Params: NormalParams{Shape: []int{1000}, DType: dtype.Float64, Deviation: 1, Sequence: 3}},
			{Params: NormalParams{Shape: []int{}, DType: dtype.Float32, Deviation: 1}}, {Params: NormalParams{Shape: []int{0}, DType: dtype.Float32}},
		},
	})

	Permutation = Register(&Operator{
		Name: "permutation", Doc: "the int64 numbers from 0 up to count in random order", Params: PermutationParams{},
		Infer: func(c *Call) { c.Output(dtype.Int64, []int{c.Params.(PermutationParams).Count}) },
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(PermutationParams)
			l.Integers = []int64{int64(p.Key), int64(p.Sequence)}
		},
		Samples: []Sample{
			{Params: PermutationParams{Count: 100, Key: 5}}, {Params: PermutationParams{Count: 0}}, {Params: PermutationParams{Count: 1}},
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

func (c *Call) createdFloat(d dtype.DType, shape []int) {
	if !slices.Contains(floats, d) {
		c.Fail(fault.ErrDType, fmt.Sprintf("no random numbers of %v (accepted: %v)", d, floats))
	}
	c.created(d, shape)
}
