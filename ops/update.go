package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// update is the entry of one step of an optimiser on all weights of a model at once, so that either all weights and
// states change or none: when a gradient is in error the step is skipped, and its error is that of the result, a 0-d
// bool that is true after a step. Operands are, for each array of weights, those and its states, and then the
// gradients. All have one element type, but states of float16 and bfloat16 may be float32: means that move by parts
// below the precision of the others would stand still. Coefficients appends the numbers of the kernel for one array,
// whose learning rate and weight decay are given.
type update struct {
	name, doc    string
	states       []string
	params       updateParams
	coefficients func(numbers []float64, params any, rate, decay float64) []float64
	samples      []Sample
}

// updateParams are the parameters of an update: the learning rates and weight decays of the arrays, of which one is that of all.
type updateParams interface {
	each() (rates, decays []float64)
}

func (u update) register() *Operator {
	count := 1 + len(u.states) // of operands beside the gradient
	return Register(&Operator{
		Name: u.name, Doc: u.doc, Inputs: []string{"tensors..."}, Params: u.params, Accepts: floating, KeepOnSkip: true,
		Mutates: func(c *Call, i int) bool { return i < len(c.Inputs)/(count+1)*count },
		Infer:   u.infer,
		Lower: func(c *Call, l *Lowered) {
			n := len(c.Inputs) / (count + 1)
			rates, decays := c.Params.(updateParams).each()
			for i := range n {
				l.Scalars = u.coefficients(l.Scalars, c.Params, ofEach(rates, i), ofEach(decays, i))
			}
			l.Integers = []int64{int64(len(l.Scalars) / n)}
		},
		Samples: u.samples,
	})
}

// ofEach returns the value of array i: of several, of one for all, or 0 where there is none.
func ofEach(values []float64, i int) float64 {
	switch len(values) {
	case 0:
		return 0
	case 1:
		return values[0]
	}
	return values[i]
}

func (u update) infer(c *Call) {
	count := 1 + len(u.states)
	n := len(c.Inputs) / (count + 1)
	if len(c.Inputs) == 0 || len(c.Inputs)%(count+1) != 0 {
		c.Fail(fault.ErrMisuse, fmt.Sprintf("%d operands are not weights, their states %v, and gradients", len(c.Inputs), u.states))
	}
	rates, decays := c.Params.(updateParams).each()
	c.checkRates("learning_rates", rates, n)
	c.checkRates("weight_decays", decays, n)
	for i := range n {
		weight, gradient := c.Inputs[i*count], c.Inputs[n*count+i]
		for j := range count {
			other, name := gradient, "gradient"
			if j < len(u.states) {
				other, name = c.Inputs[i*count+1+j], u.states[j]
			}
			if !slices.Equal(weight.Shape, other.Shape) {
				c.Fail(fault.ErrShape, fmt.Sprintf("weight %d has shape %s, its %s %s", i, fault.FormatShape(weight.Shape), name, fault.FormatShape(other.Shape)))
			}
			d := c.Inputs[0].DType
			if fits := other.DType == d || j < len(u.states) && other.DType == singleOf(d); weight.DType != d || !fits {
				c.Fail(fault.ErrDType, fmt.Sprintf("weight %d is %v and its %s %v, want %v as of weight 0", i, weight.DType, name, other.DType, d))
			}
		}
	}
	c.Output(dtype.Bool, nil)
}

// checkRates fails unless values, of the parameter with the given name, are one or n, and legal.
func (c *Call) checkRates(name string, values []float64, n int) {
	if len(values) > 1 && len(values) != n {
		c.Fail(fault.ErrParameter, fmt.Sprintf("%d %s given for %d arrays", len(values), name, n))
	}
	for _, value := range values {
		if !(value >= 0) || math.IsInf(value, 1) {
			c.Fail(fault.ErrParameter, fmt.Sprintf("%s has %v (legal: at least 0 and finite)", name, value))
		}
	}
}

// SGDParams are the parameters of sgd.
type SGDParams struct {
	LearningRates []float64 `doc:"steps along the velocities, of each array or of all"`
	WeightDecays  []float64 `doc:"parts of the weights that are added to their gradients, of each array or of all"`
	Momentum      float64   `doc:"part of the velocity that stays" default:"0" min:"0" max:"1"`
	Nesterov      bool      `doc:"look ahead along the velocity"`
}

func (p SGDParams) each() (rates, decays []float64) { return p.LearningRates, p.WeightDecays }

// SGD is a step of stochastic gradient descent with momentum: g is the gradient plus decay·w; v = momentum·v + g; then
// w = w − rate·v, or w − rate·(g + momentum·v) with Nesterov (Sutskever et al., "On the importance of initialization and momentum
// in deep learning", 2013).
var SGD = update{
	name: "sgd", doc: "one step of gradient descent with momentum, in place; operands are weight and velocity pairs, then the gradients",
	states: []string{"velocity"}, params: SGDParams{},
	coefficients: func(numbers []float64, params any, rate, decay float64) []float64 {
		if p := params.(SGDParams); p.Nesterov {
			return append(numbers, decay, p.Momentum, rate*p.Momentum, rate)
		}
		return append(numbers, decay, params.(SGDParams).Momentum, rate, 0)
	},
	samples: []Sample{
		{Shapes: [][]int{{2, 3}, {2, 3}, {4}, {4}, {2, 3}, {4}}, Params: SGDParams{LearningRates: []float64{0.1}, Momentum: 0.9, WeightDecays: []float64{0.01, 0.02}}},
		{Shapes: [][]int{{5}, {5}, {5}}, Params: SGDParams{LearningRates: []float64{0.1}, Momentum: 0.9, Nesterov: true}},
		{Shapes: [][]int{{}, {}, {}}, Params: SGDParams{LearningRates: []float64{1}}}, {Shapes: [][]int{{0}, {0}, {0}}, Params: SGDParams{}},
	},
}.register()

// AdamParams are the parameters of adam.
type AdamParams struct {
	LearningRates []float64 `doc:"lengths of the step, of each array or of all"`
	WeightDecays  []float64 `doc:"parts of the weights that are added to their gradients, or with Decoupled taken from them at the learning rate"`
	Momentum      float64   `doc:"β₁, the part of the average gradient that stays" default:"0.9" min:"0" max:"1"`
	Smoothing     float64   `doc:"β₂, the part of the mean square that stays" default:"0.999" min:"0" max:"1"`
	Epsilon       float64   `doc:"added to the root of the mean square" default:"1e-8" min:"0"`
	Step          int       `doc:"number of this step, the first being 1" default:"1" min:"1"`
	Decoupled     bool      `doc:"weight decay beside the gradient"`
}

func (p AdamParams) each() (rates, decays []float64) { return p.LearningRates, p.WeightDecays }

// Adam is a step of Adam (Kingma and Ba, "Adam: a method for stochastic optimization", 2015): m = β₁·m + (1−β₁)·g and
// s = β₂·s + (1−β₂)·g², then w = w − rate·m̂ / (√ŝ + ε), where m̂ = m / (1−β₁ᵗ) and ŝ = s / (1−β₂ᵗ) in step t. Decoupled
// makes it AdamW, which decays the weights beside the gradient: w = (1 − rate·decay)·w first (Loshchilov and Hutter, "Decoupled
// weight decay regularization", 2019).
var Adam = update{
	name: "adam", doc: "one step of Adam or AdamW, in place; operands are triples of weight, first and second moment, then the gradients",
	states: []string{"first_moment", "second_moment"}, params: AdamParams{},
	coefficients: func(numbers []float64, params any, rate, decay float64) []float64 {
		p := params.(AdamParams)
		shrink := 1.0
		if p.Decoupled {
			shrink, decay = 1-float64(rate*decay), 0 // not fused on any processor
		}
		t := float64(p.Step)
		return append(numbers,
			decay, p.Momentum, 1-p.Momentum, p.Smoothing, 1-p.Smoothing,
			rate/(1-math.Pow(p.Momentum, t)), 1/math.Sqrt(1-math.Pow(p.Smoothing, t)), p.Epsilon, shrink,
		)
	},
	samples: []Sample{
		{Shapes: [][]int{{2, 3}, {2, 3}, {2, 3}, {4}, {4}, {4}, {2, 3}, {4}}, Params: AdamParams{LearningRates: []float64{0.1, 0.2}, Momentum: 0.9, Smoothing: 0.99, Epsilon: 1e-3, Step: 2, WeightDecays: []float64{0.1}}},
		{Shapes: [][]int{{3}, {3}, {3}, {3}}, Params: AdamParams{LearningRates: []float64{0.1}, Momentum: 0.5, Smoothing: 0.9, Epsilon: 1e-2, Step: 7, WeightDecays: []float64{0.1}, Decoupled: true}},
		{Shapes: [][]int{{0}, {0}, {0}, {0}}, Params: AdamParams{Step: 1}},
	},
}.register()

// RMSPropParams are the parameters of rmsprop.
type RMSPropParams struct {
	LearningRates []float64 `doc:"steps along the velocities, of each array or of all"`
	WeightDecays  []float64 `doc:"parts of the weights that are added to their gradients, of each array or of all"`
	Smoothing     float64   `doc:"part of the mean square that stays" default:"0.99" min:"0" max:"1"`
	Epsilon       float64   `doc:"added to the root of the mean square" default:"1e-8" min:"0"`
	Momentum      float64   `doc:"part of the velocity that stays" default:"0" min:"0" max:"1"`
}

func (p RMSPropParams) each() (rates, decays []float64) { return p.LearningRates, p.WeightDecays }

// RMSProp is a step of RMSProp (Tieleman and Hinton, "Lecture 6.5", 2012): s = smoothing·s + (1−smoothing)·g², then
// v = momentum·v + g / (√s + ε), and w = w − rate·v.
var RMSProp = update{
	name: "rmsprop", doc: "one step of RMSProp, in place; operands are triples of weight, second moment and velocity, then the gradients",
	states: []string{"second_moment", "velocity"}, params: RMSPropParams{},
	coefficients: func(numbers []float64, params any, rate, decay float64) []float64 {
		p := params.(RMSPropParams)
		return append(numbers, decay, p.Smoothing, 1-p.Smoothing, p.Epsilon, p.Momentum, rate)
	},
	samples: []Sample{
		{Shapes: [][]int{{2, 3}, {2, 3}, {2, 3}, {4}, {4}, {4}, {2, 3}, {4}}, Params: RMSPropParams{LearningRates: []float64{0.1}, Smoothing: 0.9, Epsilon: 1e-2, Momentum: 0.5, WeightDecays: []float64{0.1}}},
		{Shapes: [][]int{{0}, {0}, {0}, {0}}, Params: RMSPropParams{}},
	},
}.register()
