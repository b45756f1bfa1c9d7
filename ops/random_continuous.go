package ops

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// ExponentialParams are the parameters of exponential.
type ExponentialParams struct {
	Shape []int       `doc:"shape of the result"`
	DType dtype.DType `doc:"element type of the result" default:"float32"`
	Scale float64     `doc:"mean, at least 0" default:"1"`
}

// LocationScaleParams are the parameters of gumbel, laplace, logistic and cauchy.
type LocationScaleParams struct {
	Shape    []int       `doc:"shape of the result"`
	DType    dtype.DType `doc:"element type of the result" default:"float32"`
	Location float64     `doc:"where the density is largest" default:"0"`
	Scale    float64     `doc:"what distances from there are multiplied by, at least 0" default:"1"`
}

// LogNormalParams are the parameters of log_normal.
type LogNormalParams struct {
	Shape     []int       `doc:"shape of the result"`
	DType     dtype.DType `doc:"element type of the result" default:"float32"`
	Mean      float64     `doc:"mean of the logarithm" default:"0"`
	Deviation float64     `doc:"standard deviation of the logarithm, at least 0" default:"1"`
}

// TruncatedNormalParams are the parameters of truncated_normal.
type TruncatedNormalParams struct {
	Shape     []int       `doc:"shape of the result"`
	DType     dtype.DType `doc:"element type of the result" default:"float32"`
	Mean      float64     `doc:"mean before truncation" default:"0"`
	Deviation float64     `doc:"standard deviation before truncation, at least 0" default:"1"`
	Low       float64     `doc:"lower bound, which may be -Inf" default:"-2"`
	High      float64     `doc:"upper bound, which may be +Inf" default:"2"`
}

// ConcentrationScaleParams are the parameters of gamma and weibull.
type ConcentrationScaleParams struct {
	Shape         []int       `doc:"shape of the result"`
	DType         dtype.DType `doc:"element type of the result" default:"float32"`
	Concentration float64     `doc:"exponent of the density near 0 plus one, above 0" default:"1"`
	Scale         float64     `doc:"what the numbers are multiplied by, at least 0" default:"1"`
}

// BetaParams are the parameters of beta.
type BetaParams struct {
	Shape []int       `doc:"shape of the result"`
	DType dtype.DType `doc:"element type of the result" default:"float32"`
	Alpha float64     `doc:"exponent of the density near 0 plus one, above 0" default:"1"`
	Beta  float64     `doc:"exponent of the density near 1 plus one, above 0" default:"1"`
}

// FreedomParams are the parameters of chi_square and student_t.
type FreedomParams struct {
	Shape   []int       `doc:"shape of the result"`
	DType   dtype.DType `doc:"element type of the result" default:"float32"`
	Freedom float64     `doc:"degrees of freedom, above 0" default:"1"`
}

// Operators that draw independent numbers of continuous distributions. A scale or deviation of 0 is legal and puts all
// numbers in one place; a location, a scale and a concentration must be finite. Results are computed in float64 and rounded.
var (
	Exponential = continuous("exponential", "random numbers of the exponential distribution",
		func(c *Call, p ExponentialParams) (dtype.DType, []int, []float64) {
			c.checkNotNegative("scale", p.Scale)
			return p.DType, p.Shape, []float64{p.Scale}
		},
		ExponentialParams{[]int{10, 100}, dtype.Float32, 2}, ExponentialParams{[]int{999}, dtype.Float64, 1}, ExponentialParams{[]int{0}, dtype.Float32, 1},
	)

	Gumbel   = locationScale("gumbel", "random numbers of the Gumbel distribution of maxima")
	Laplace  = locationScale("laplace", "random numbers of the Laplace distribution")
	Logistic = locationScale("logistic", "random numbers of the logistic distribution")
	Cauchy   = locationScale("cauchy", "random numbers of the Cauchy distribution")

	LogNormal = continuous("log_normal", "e to the power of random numbers of the normal distribution",
		func(c *Call, p LogNormalParams) (dtype.DType, []int, []float64) {
			c.checkFinite("the mean", p.Mean)
			c.checkNotNegative("the deviation", p.Deviation)
			return p.DType, p.Shape, []float64{p.Mean, p.Deviation}
		},
		LogNormalParams{[]int{10, 100}, dtype.Float32, 1, 2}, LogNormalParams{[]int{999}, dtype.Float64, 0, 1}, LogNormalParams{[]int{0}, dtype.Float32, 0, 1},
	)

	TruncatedNormal = continuous("truncated_normal", "random numbers of the normal distribution under the condition that they lie between bounds",
		func(c *Call, p TruncatedNormalParams) (dtype.DType, []int, []float64) {
			c.checkFinite("the mean", p.Mean)
			c.checkNotNegative("the deviation", p.Deviation)
			if !(p.Low <= p.High && p.Low < math.Inf(1) && p.High > math.Inf(-1)) {
				c.Fail(fault.ErrParameter, fmt.Sprintf("low is %v and high is %v (legal: low at most high, low below +Inf, high above -Inf)", p.Low, p.High))
			}
			return p.DType, p.Shape, []float64{p.Mean, p.Deviation, p.Low, p.High}
		},
		TruncatedNormalParams{[]int{10, 100}, dtype.Float32, 1, 2, -1, 9}, TruncatedNormalParams{[]int{999}, dtype.Float64, 0, 1, 4, math.Inf(1)},
		TruncatedNormalParams{[]int{99}, dtype.Float64, 0, 1, -0.5, 0.1}, TruncatedNormalParams{[]int{0}, dtype.Float32, 0, 1, -2, 2},
	)

	Gamma   = concentrationScale("gamma", "random numbers of the gamma distribution")
	Weibull = concentrationScale("weibull", "random numbers of the Weibull distribution")

	ChiSquare = freedom("chi_square", "random numbers of the chi-square distribution")
	StudentT  = freedom("student_t", "random numbers of Student's t distribution")

	Beta = continuous("beta", "random numbers of the beta distribution",
		func(c *Call, p BetaParams) (dtype.DType, []int, []float64) {
			c.checkPositive("alpha", p.Alpha)
			c.checkPositive("beta", p.Beta)
			return p.DType, p.Shape, []float64{p.Alpha, p.Beta}
		},
		BetaParams{[]int{10, 100}, dtype.Float32, 2, 3}, BetaParams{[]int{999}, dtype.Float64, 0.1, 0.2}, BetaParams{[]int{0}, dtype.Float32, 1, 1},
	)
)

// continuous registers an operator that draws independent floats. Read checks the parameters and returns the element type
// and the shape of the result, and the scalars of the kernel.
func continuous[P any](name, doc string, read func(c *Call, p P) (dtype.DType, []int, []float64), samples ...P) *Operator {
	var none P
	op := &Operator{
		Name: name, Doc: doc, Params: none, Draws: true,
		Infer: func(c *Call) {
			d, shape, _ := read(c, c.Params.(P))
			c.createdFloat(d, shape)
		},
		Lower: func(c *Call, l *Lowered) { _, _, l.Scalars = read(c, c.Params.(P)) },
	}
	for _, p := range samples {
		op.Samples = append(op.Samples, Sample{Params: p})
	}
	return Register(op)
}

func locationScale(name, doc string) *Operator {
	return continuous(name, doc,
		func(c *Call, p LocationScaleParams) (dtype.DType, []int, []float64) {
			c.checkFinite("location", p.Location)
			c.checkNotNegative("scale", p.Scale)
			return p.DType, p.Shape, []float64{p.Location, p.Scale}
		},
		LocationScaleParams{[]int{10, 100}, dtype.Float32, -1, 2}, LocationScaleParams{[]int{999}, dtype.Float64, 0, 1}, LocationScaleParams{[]int{0}, dtype.Float32, 0, 1},
	)
}

func concentrationScale(name, doc string) *Operator {
	return continuous(name, doc,
		func(c *Call, p ConcentrationScaleParams) (dtype.DType, []int, []float64) {
			c.checkPositive("concentration", p.Concentration)
			c.checkNotNegative("scale", p.Scale)
			return p.DType, p.Shape, []float64{p.Concentration, p.Scale}
		},
		ConcentrationScaleParams{[]int{10, 100}, dtype.Float32, 2.5, 2}, ConcentrationScaleParams{[]int{999}, dtype.Float64, 0.5, 1},
		ConcentrationScaleParams{[]int{0}, dtype.Float32, 1, 1},
	)
}

func freedom(name, doc string) *Operator {
	return continuous(name, doc,
		func(c *Call, p FreedomParams) (dtype.DType, []int, []float64) {
			c.checkPositive("freedom", p.Freedom)
			return p.DType, p.Shape, []float64{p.Freedom}
		},
		FreedomParams{[]int{10, 100}, dtype.Float32, 3}, FreedomParams{[]int{999}, dtype.Float64, 0.5}, FreedomParams{[]int{0}, dtype.Float32, 1},
	)
}

func (c *Call) checkFinite(name string, value float64) {
	if value-value != 0 {
		c.Fail(fault.ErrParameter, fmt.Sprintf("%s is %v (legal: a finite number)", name, value))
	}
}

func (c *Call) checkNotNegative(name string, value float64) {
	if !(value >= 0 && value <= math.MaxFloat64) {
		c.Fail(fault.ErrParameter, fmt.Sprintf("%s is %v (legal: a finite number, at least 0)", name, value))
	}
}

func (c *Call) checkPositive(name string, value float64) {
	if !(value > 0 && value <= math.MaxFloat64) {
		c.Fail(fault.ErrParameter, fmt.Sprintf("%s is %v (legal: a finite number above 0)", name, value))
	}
}
