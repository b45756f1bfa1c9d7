package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu/distribution"
)

// RandintParams are the parameters of randint. For uint64 a bound is the number with the same 64 bits.
type RandintParams struct {
	Shape []int       `doc:"shape of the result"`
	DType dtype.DType `doc:"element type of the result, an integer type" default:"int64"`
	Low   int         `doc:"smallest number, included" default:"0"`
	High  int         `doc:"largest number, included"`
}

// BernoulliParams are the parameters of bernoulli.
type BernoulliParams struct {
	Shape       []int   `doc:"shape of the result"`
	Probability float64 `doc:"probability of true" default:"0.5" min:"0" max:"1"`
}

// PoissonParams are the parameters of poisson.
type PoissonParams struct {
	Shape []int   `doc:"shape of the result"`
	Rate  float64 `doc:"mean, from 0 to 9.2e18" default:"1"`
}

// BinomialParams are the parameters of binomial.
type BinomialParams struct {
	Shape       []int   `doc:"shape of the result"`
	Trials      int     `doc:"number of trials, at most 2^53" default:"1" min:"0"`
	Probability float64 `doc:"probability of success" default:"0.5" min:"0" max:"1"`
}

// GeometricParams are the parameters of geometric.
type GeometricParams struct {
	Shape       []int   `doc:"shape of the result"`
	Probability float64 `doc:"probability of success, above 0" default:"0.5" max:"1"`
}

// NegativeBinomialParams are the parameters of negative_binomial.
type NegativeBinomialParams struct {
	Shape       []int   `doc:"shape of the result"`
	Successes   float64 `doc:"number of successes, above 0 and finite; it need not be whole" default:"1"`
	Probability float64 `doc:"probability of success, above 0" default:"0.5" max:"1"`
}

// Operators that draw integers. Those of parameters given by arrays find illegal ones while they run: these are errors of the
// result.
var (
	Randint = Register(&Operator{
		Name: "randint", Doc: "random integers, equally likely from low to high, both included", Params: RandintParams{}, Draws: true,
		Infer: func(c *Call) {
			p := c.Params.(RandintParams)
			c.checkInterval(p)
			c.Output(p.DType, slices.Clone(p.Shape))
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(RandintParams)
			l.Integers = []int64{int64(p.Low), int64(p.High)}
		},
		Samples: []Sample{
			{Params: RandintParams{Shape: []int{10, 100}, DType: dtype.Int64, Low: -3, High: 1 << 40}},
			{Params: RandintParams{Shape: []int{1001}, DType: dtype.Int32, Low: math.MinInt32, High: math.MaxInt32}},
			{Params: RandintParams{Shape: []int{77}, DType: dtype.Uint8, High: 255}}, {Params: RandintParams{Shape: []int{77}, DType: dtype.Int8, Low: -128, High: 127}},
			{Params: RandintParams{Shape: []int{9}, DType: dtype.Uint16, Low: 5, High: 65535}}, {Params: RandintParams{Shape: []int{9}, DType: dtype.Int16, Low: -32768}},
			{Params: RandintParams{Shape: []int{600}, DType: dtype.Uint32, High: 3 << 30}}, {Params: RandintParams{Shape: []int{}, DType: dtype.Uint64, High: 1 << 50}},
			{Params: RandintParams{Shape: []int{0}, DType: dtype.Int64}},
		},
	})

	Bernoulli = Register(&Operator{
		Name: "bernoulli", Doc: "true with the same probability everywhere", Params: BernoulliParams{}, Draws: true,
		Infer: func(c *Call) { c.Output(dtype.Bool, slices.Clone(c.Params.(BernoulliParams).Shape)) },
		Lower: func(c *Call, l *Lowered) { l.Scalars = []float64{c.Params.(BernoulliParams).Probability} },
		Samples: []Sample{
			{Params: BernoulliParams{Shape: []int{10, 111}, Probability: 0.3}}, {Params: BernoulliParams{Shape: []int{5}, Probability: 1}},
			{Params: BernoulliParams{Shape: []int{5}}}, {Params: BernoulliParams{Shape: []int{}, Probability: 0.5}}, {Params: BernoulliParams{Shape: []int{3, 0}}},
		},
	})

	BernoulliOf = Register(&Operator{
		Name: "bernoulli_of", Doc: "true with the probabilities p", Inputs: []string{"p"}, Draws: true, Accepts: floats,
		Infer:   func(c *Call) { c.Output(dtype.Bool, c.Inputs[0].Shape) },
		Samples: []Sample{{Shapes: [][]int{{10, 111}}}, {Shapes: [][]int{{}}}, {Shapes: [][]int{{0, 4}}}},
	})

	Poisson = Register(&Operator{
		Name: "poisson", Doc: "random int64 numbers of the Poisson distribution", Params: PoissonParams{}, Draws: true,
		Infer: func(c *Call) {
			p := c.Params.(PoissonParams)
			if !(p.Rate >= 0 && p.Rate <= distribution.MaxRate) {
				c.Fail(fault.ErrParameter, fmt.Sprintf("rate is %v (legal: from 0 to 9.2e18)", p.Rate))
			}
			c.Output(dtype.Int64, slices.Clone(p.Shape))
		},
		Lower: func(c *Call, l *Lowered) { l.Scalars = []float64{c.Params.(PoissonParams).Rate} },
		Samples: []Sample{
			{Params: PoissonParams{Shape: []int{10, 111}, Rate: 3.5}}, {Params: PoissonParams{Shape: []int{1001}, Rate: 40}}, {Params: PoissonParams{Shape: []int{6}}},
			{Params: PoissonParams{Shape: []int{600}, Rate: 1e6}}, {Params: PoissonParams{Shape: []int{}, Rate: 1}}, {Params: PoissonParams{Shape: []int{0}, Rate: 1}},
		},
	})

	PoissonOf = Register(&Operator{
		Name: "poisson_of", Doc: "random int64 numbers of the Poisson distribution with the means rates", Inputs: []string{"rates"}, Draws: true,
		Accepts: floats, Convert: toFloat,
		Infer:   func(c *Call) { c.Output(dtype.Int64, c.Inputs[0].Shape) },
		Samples: []Sample{{Shapes: [][]int{{10, 111}}}, {Shapes: [][]int{{}}}, {Shapes: [][]int{{0, 4}}}},
	})

	Binomial = Register(&Operator{
		Name: "binomial", Doc: "random int64 numbers of successes among trials", Params: BinomialParams{}, Draws: true,
		Infer: func(c *Call) {
			p := c.Params.(BinomialParams)
			c.checkTrials(p.Trials)
			c.Output(dtype.Int64, slices.Clone(p.Shape))
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(BinomialParams)
			l.Integers, l.Scalars = []int64{int64(p.Trials)}, []float64{p.Probability}
		},
		Samples: []Sample{
			{Params: BinomialParams{Shape: []int{10, 111}, Trials: 20, Probability: 0.3}}, {Params: BinomialParams{Shape: []int{1001}, Trials: 100, Probability: 0.7}},
			{Params: BinomialParams{Shape: []int{600}, Trials: 1 << 20, Probability: 0.25}}, {Params: BinomialParams{Shape: []int{}, Trials: 5, Probability: 1}},
			{Params: BinomialParams{Shape: []int{0}}},
		},
	})

	BinomialOf = Register(&Operator{
		Name: "binomial_of", Doc: "random int64 numbers of successes among trials with the probabilities p", Inputs: []string{"trials", "p"}, Draws: true,
		Convert: func(c *Call) []dtype.DType {
			if !c.Inputs[0].DType.IsInteger() {
				c.Fail(fault.ErrDType, fmt.Sprintf("trials of %v, want integers", c.Inputs[0].DType))
			}
			if p := c.Inputs[1].DType; !slices.Contains(floats, p) {
				c.Fail(fault.ErrDType, fmt.Sprintf("probabilities of %v (accepted: %v)", p, floats))
			}
			return []dtype.DType{dtype.Int64, dtype.Invalid}
		},
		Infer:     func(c *Call) { c.Output(dtype.Int64, c.Broadcast(c.Inputs...)) },
		Signature: func(c *Call) []dtype.DType { return []dtype.DType{dtype.Int64, c.Inputs[1].DType} },
		Lower:     lowerBroadcast,
		Samples:   broadcastSamples,
	})

	Geometric = Register(&Operator{
		Name: "geometric", Doc: "random int64 numbers of trials up to and with the first success", Params: GeometricParams{}, Draws: true,
		Infer: func(c *Call) {
			p := c.Params.(GeometricParams)
			c.checkPossible(p.Probability)
			c.Output(dtype.Int64, slices.Clone(p.Shape))
		},
		Lower: func(c *Call, l *Lowered) { l.Scalars = []float64{c.Params.(GeometricParams).Probability} },
		Samples: []Sample{
			{Params: GeometricParams{Shape: []int{10, 111}, Probability: 0.3}}, {Params: GeometricParams{Shape: []int{600}, Probability: 1e-7}},
			{Params: GeometricParams{Shape: []int{}, Probability: 1}}, {Params: GeometricParams{Shape: []int{0}, Probability: 1}},
		},
	})

	NegativeBinomial = Register(&Operator{
		Name: "negative_binomial", Doc: "random int64 numbers of failures before a number of successes", Params: NegativeBinomialParams{}, Draws: true,
		Infer: func(c *Call) {
			p := c.Params.(NegativeBinomialParams)
			c.checkPossible(p.Probability)
			if !(p.Successes > 0 && p.Successes <= math.MaxFloat64) {
				c.Fail(fault.ErrParameter, fmt.Sprintf("successes is %v (legal: above 0, finite)", p.Successes))
			}
			c.Output(dtype.Int64, slices.Clone(p.Shape))
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(NegativeBinomialParams)
			l.Scalars = []float64{p.Successes, p.Probability}
		},
		Samples: []Sample{
			{Params: NegativeBinomialParams{Shape: []int{10, 111}, Successes: 2.5, Probability: 0.3}}, {Params: NegativeBinomialParams{Shape: []int{6}, Successes: 0.5, Probability: 0.01}},
			{Params: NegativeBinomialParams{Shape: []int{}, Successes: 3, Probability: 1}}, {Params: NegativeBinomialParams{Shape: []int{0}, Successes: 1, Probability: 1}},
		},
	})
)

// checkPossible fails on a probability of success that is not legal where one is waited for.
func (c *Call) checkPossible(probability float64) {
	if !(probability > 0 && probability <= 1) {
		c.Fail(fault.ErrParameter, fmt.Sprintf("probability is %v (legal: above 0, at most 1)", probability))
	}
}

// checkInterval fails unless p is an interval of numbers of its element type.
func (c *Call) checkInterval(p RandintParams) {
	d := p.DType
	if !d.IsInteger() {
		c.Fail(fault.ErrDType, fmt.Sprintf("no random integers of %v (accepted: integer types)", d))
	}
	if d == dtype.Uint64 {
		if low, high := uint64(p.Low), uint64(p.High); low > high {
			c.Fail(fault.ErrParameter, fmt.Sprintf("low is %d and high is %d (legal: low at most high)", low, high))
		}
		return
	}
	smallest, largest := 0, 1<<(8*d.Size())-1
	if d.Kind() == dtype.KindSigned {
		smallest, largest = math.MinInt>>(64-8*d.Size()), math.MaxInt>>(64-8*d.Size())
	}
	if p.Low > p.High || p.Low < smallest || p.High > largest {
		c.Fail(fault.ErrParameter, fmt.Sprintf("low is %d and high is %d (legal: low at most high, both from %d to %d)", p.Low, p.High, smallest, largest))
	}
}

// checkTrials fails on a number of trials that is not legal.
func (c *Call) checkTrials(trials int) {
	if trials < 0 || trials > distribution.MaxTrials {
		c.Fail(fault.ErrParameter, fmt.Sprintf("trials is %d (legal: from 0 to 2^53)", trials))
	}
}
