package random_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// parameter is a parameter of a distribution with what is legal, as errors tell it.
type parameter struct {
	name, legal string
	draw        func(v float64) sampler
}

const (
	anywhere    = "a finite number"
	notNegative = "a finite number, at least 0"
	positive    = "a finite number above 0"
)

var parameters = []parameter{
	{"scale", notNegative, exponential},
	{"location", anywhere, func(v float64) sampler { return laplace(v, 1) }}, {"scale", notNegative, func(v float64) sampler { return laplace(0, v) }},
	{"location", anywhere, func(v float64) sampler { return gumbel(v, 1) }}, {"scale", notNegative, func(v float64) sampler { return gumbel(0, v) }},
	{"location", anywhere, func(v float64) sampler { return logistic(v, 1) }}, {"scale", notNegative, func(v float64) sampler { return logistic(0, v) }},
	{"location", anywhere, func(v float64) sampler { return cauchy(v, 1) }}, {"scale", notNegative, func(v float64) sampler { return cauchy(0, v) }},
	{"concentration", positive, func(v float64) sampler { return weibull(v, 1) }}, {"scale", notNegative, func(v float64) sampler { return weibull(1, v) }},
	{"concentration", positive, func(v float64) sampler { return gamma(v, 1) }}, {"scale", notNegative, func(v float64) sampler { return gamma(1, v) }},
	{"the mean", anywhere, func(v float64) sampler { return logNormal(v, 1) }}, {"the deviation", notNegative, func(v float64) sampler { return logNormal(0, v) }},
	{"alpha", positive, func(v float64) sampler { return beta(v, 1) }}, {"beta", positive, func(v float64) sampler { return beta(1, v) }},
	{"freedom", positive, chiSquare}, {"freedom", positive, studentT},
	{"the mean", anywhere, func(v float64) sampler { return truncated(v, 1, -1, 1) }},
	{"the deviation", notNegative, func(v float64) sampler { return truncated(0, v, -1, 1) }},
}

func TestIllegalParametersTellTheLegalOnes(t *testing.T) {
	t.Parallel()
	illegal := map[string][]float64{
		anywhere: {math.NaN(), math.Inf(1), math.Inf(-1)}, notNegative: {math.NaN(), math.Inf(1), math.Inf(-1), -1, -5e-324},
		positive: {math.NaN(), math.Inf(1), math.Inf(-1), -1, -5e-324, 0, math.Copysign(0, -1)},
	}
	for _, p := range parameters {
		for _, v := range illegal[p.legal] {
			err := nd.Try(func() { p.draw(v)(seeded(1), dtype.Float32, 3) })
			require.ErrorIs(t, err, fault.ErrParameter)
			require.ErrorContains(t, err, fmt.Sprintf("%s is %v (legal: %s)", p.name, v, p.legal))
		}
	}
	for _, bounds := range [][2]float64{
		{1, 0}, {math.NaN(), 1}, {0, math.NaN()}, {math.Inf(1), math.Inf(1)}, {math.Inf(-1), math.Inf(-1)}, {math.Inf(1), math.Inf(-1)},
	} {
		err := nd.Try(func() { truncated(0, 1, bounds[0], bounds[1])(seeded(1), dtype.Float32, 3) })
		require.ErrorContains(t, err, "legal: low at most high")
	}
	for _, test := range continuous {
		for _, d := range []dtype.DType{dtype.Int64, dtype.Bool, dtype.Complex64, dtype.Invalid} {
			err := nd.Try(func() { test.draw(seeded(1), d, 3) })
			require.ErrorIs(t, err, fault.ErrDType)
			require.ErrorContains(t, err, "(accepted: float16, bfloat16, float32, float64)")
			require.ErrorContains(t, err, "_test.go:")
		}
		require.ErrorIs(t, nd.Try(func() { test.draw(seeded(1), dtype.Float32, -1) }), fault.ErrShape)
		require.ErrorIs(t, nd.Try(func() { test.draw(nil, dtype.Float32, 1) }), fault.ErrMisuse)
		require.Empty(t, floatsOf(t, test.draw(seeded(1), dtype.Float16, 0)))
	}
}

// TestExtremeParametersGiveTheirLimits has the edges of what is legal: the numbers are not NaN, and from least to most.
func TestExtremeParametersGiveTheirLimits(t *testing.T) {
	t.Parallel()
	inf, tiny, huge := math.Inf(1), 5e-324, math.MaxFloat64
	for _, test := range []struct {
		name        string
		draw        sampler
		least, most float64
	}{
		{"uniform 2 2", uniform(2, 2), 2, 2},
		{"normal 2 0", normal(2, 0), 2, 2},
		{"exponential 0", exponential(0), 0, 0}, {"exponential tiny", exponential(tiny), 0, 50 * tiny}, {"exponential huge", exponential(huge), 1e300, inf},
		{"laplace 2 0", laplace(2, 0), 2, 2}, {"gumbel 2 0", gumbel(2, 0), 2, 2}, {"logistic 2 0", logistic(2, 0), 2, 2}, {"cauchy 2 0", cauchy(2, 0), 2, 2},
		{"laplace huge", laplace(-huge, huge), -inf, inf}, {"cauchy huge", cauchy(huge, huge), -inf, inf},
		{"log-normal 0 0", logNormal(0, 0), 1, 1}, {"log-normal 1e4 1", logNormal(1e4, 1), inf, inf}, {"log-normal -1e4 1", logNormal(-1e4, 1), 0, 0},
		{"log-normal huge", logNormal(0, huge), 0, inf},
		{"weibull tiny", weibull(tiny, 1), 0, inf}, {"weibull 1e-30", weibull(1e-30, 1), 0, inf}, {"weibull huge", weibull(huge, 3), 3, 3}, {"weibull 1 0", weibull(1, 0), 0, 0}, {"weibull tiny 0", weibull(tiny, 0), 0, 0},
		{"gamma tiny", gamma(tiny, 1), 0, 0}, {"gamma 1e-30", gamma(1e-30, 1), 0, 0}, {"gamma 1e-30 huge", gamma(1e-30, huge), 0, 0}, {"gamma 3 0", gamma(3, 0), 0, 0},
		{"gamma 0.1 0", gamma(0.1, 0), 0, 0}, {"gamma 1e30", gamma(1e30, 1), 1e30 * (1 - 1e-14), 1e30 * (1 + 1e-14)}, {"gamma huge", gamma(huge, 1), huge * (1 - 1e-15), inf},
		{"gamma 0.1 1e-300", gamma(0.1, 1e-300), 0, 1e-298},
		{"chi-square tiny", chiSquare(tiny), 0, 0}, {"chi-square 1e30", chiSquare(1e30), 1e30 * (1 - 1e-14), 1e30 * (1 + 1e-14)},
		{"student tiny", studentT(tiny), -inf, inf}, {"student 1e-30", studentT(1e-30), -inf, inf}, {"student huge", studentT(huge), -6, 6},
		{"beta tiny", beta(tiny, tiny), 0, 1}, {"beta 1e-30", beta(1e-30, 1e-30), 0, 1}, {"beta tiny huge", beta(tiny, huge), 0, 0}, {"beta huge tiny", beta(huge, tiny), 1, 1},
		{"beta huge huge", beta(huge, huge), 0.5 - 1e-15, 0.5 + 1e-15}, {"beta 1e30 1e30", beta(1e30, 1e30), 0.5 - 1e-14, 0.5 + 1e-14},
		{"beta 1e-30 1", beta(1e-30, 1), 0, 0}, {"beta 1 1e-30", beta(1, 1e-30), 1, 1},
		{"truncated 0 to 0", truncated(0, 1, 0, 0), 0, 0}, {"truncated mean between", truncated(2, 0, -9, 9), 2, 2}, {"truncated mean below", truncated(2, 0, 3, inf), 3, 3},
		{"truncated mean above", truncated(2, 0, -inf, -3), -3, -3}, {"truncated at 1e8", truncated(0, 1, 1e8, inf), 1e8, 1e8 + 1e-6},
		{"truncated at huge", truncated(-huge, tiny, huge, huge), huge, huge}, {"truncated between far", truncated(0, 1e-3, 1e200, 1e300), 1e200, 1e200},
		{"truncated nothing", truncated(0, 1, -inf, inf), -7, 7}, {"truncated wide", truncated(0, 1, -huge, huge), -7, 7}, {"truncated tiny", truncated(0, 1, -tiny, tiny), -tiny, tiny},
		{"truncated deviation huge", truncated(0, huge, -1, 1), -1, 1},
	} {
		for _, x := range values[float64](t, test.draw(seeded(8), dtype.Float64, 5000)) {
			require.True(t, x >= test.least && x <= test.most, "%s: %v is not from %v to %v", test.name, x, test.least, test.most)
		}
		for _, x := range values[float32](t, test.draw(seeded(8), dtype.Float32, 500)) {
			require.False(t, math.IsNaN(float64(x)), test.name)
		}
	}
}

// TestTinyConcentrationsKeepTheirProportions has beta numbers that are 0 or 1 as often as their concentrations say.
func TestTinyConcentrationsKeepTheirProportions(t *testing.T) {
	t.Parallel()
	for _, unit := range []float64{1e-30, 1e-300, 5e-324} {
		ones := 0.0
		for _, x := range values[float64](t, random.Beta(seeded(9), dtype.Float64, 3*unit, unit, 40_000)) {
			ones += x
		}
		require.InDelta(t, 30_000, ones, 5*math.Sqrt(7500))
	}
}

// TestGammaKeepsItsLogarithmsWhereItCan has numbers that only a scale lifts above what underflows.
func TestGammaKeepsItsLogarithmsWhereItCan(t *testing.T) {
	t.Parallel()
	small, lifted := values[float64](t, random.Gamma(seeded(1), dtype.Float64, 0.004, 1, 20_000)), values[float64](t, random.Gamma(seeded(1), dtype.Float64, 0.004, 1e300, 20_000))
	more := 0
	for i, x := range small {
		switch {
		case x > 1e-300:
			require.InEpsilon(t, x*1e300, lifted[i], 1e-12)
		case lifted[i] > 0:
			more++
		}
	}
	require.Greater(t, more, 500)
}

func TestParametersThatTheElementTypeCannotHoldAreErrors(t *testing.T) {
	env := nd.DefaultEnv()
	for _, draw := range []func(){
		func() { random.Uniform(env, dtype.Float32, 0, 1e300, 3) },
		func() { random.Uniform(env, dtype.Float32, -1e39, 0, 3) },
		func() { random.Uniform(env, dtype.Float16, 0, 1e6, 3) },
		func() { random.Normal(env, dtype.Float32, math.NaN(), 1, 3) },
		func() { random.Normal(env, dtype.Float32, 0, math.Inf(1), 3) },
		func() { random.Normal(env, dtype.Float64, math.Inf(-1), 1, 3) },
	} {
		require.ErrorIs(t, nd.Try(draw), fault.ErrParameter)
	}
}

func TestStudentTOverflowsAsItShould(t *testing.T) {
	infinite := 0
	for _, v := range values[float64](t, random.StudentT(seeded(1), dtype.Float64, 1e-3, 100_000)) {
		if math.IsInf(v, 0) {
			infinite++
		}
	}
	require.InDelta(t, 0.490, float64(infinite)/100_000, 0.01, "the exact probability of more than the largest float64")
}
