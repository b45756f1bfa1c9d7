package random_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// sampler draws n numbers of one distribution.
type sampler func(env *nd.Env, d dtype.DType, n int) *nd.Array

// exact is what is known of a distribution. Mean and variance are NaN where the fourth moment, by which they are judged, is
// too large.
type exact struct {
	cumulative     func(x float64) float64
	mean, variance float64
}

// moderate is a distribution of gonum's with a fourth moment.
func moderate(d interface {
	CDF(x float64) float64
	Mean() float64
	Variance() float64
}) exact {
	return exact{d.CDF, d.Mean(), d.Variance()}
}

func heavy(cumulative func(x float64) float64) exact {
	return exact{cumulative, math.NaN(), math.NaN()}
}

// continuous are distributions with parameters for each way to draw them.
var continuous = []struct {
	name    string
	draw    sampler
	exact   exact
	own     bool // float32 numbers are not those of float64, rounded
	bounded bool // numbers of the half types are kept between bounds
}{
	{"uniform -2 4", uniform(-2, 4), moderate(distuv.Uniform{Min: -2, Max: 4}), true, true},
	{"uniform 0 1", uniform(0, 1), moderate(distuv.Uniform{Min: 0, Max: 1}), true, true},
	{"normal 3 2", normal(3, 2), moderate(distuv.Normal{Mu: 3, Sigma: 2}), true, false},
	{"exponential 3", exponential(3), moderate(distuv.Exponential{Rate: 1.0 / 3}), false, false},
	{"laplace -1 2", laplace(-1, 2), moderate(distuv.Laplace{Mu: -1, Scale: 2}), false, false},
	{"gumbel -1 2", gumbel(-1, 2), moderate(distuv.GumbelRight{Mu: -1, Beta: 2}), false, false},
	{"logistic -1 2", logistic(-1, 2), exact{distuv.Logistic{Mu: -1, S: 2}.CDF, -1, 4 * math.Pi * math.Pi / 3}, false, false},
	{"cauchy -1 2", cauchy(-1, 2), heavy(func(x float64) float64 { return 0.5 + math.Atan((x+1)/2)/math.Pi }), false, false},
	{"weibull 0.2 1", weibull(0.2, 1), heavy(distuv.Weibull{K: 0.2, Lambda: 1}.CDF), false, false},
	{"weibull 3 2", weibull(3, 2), moderate(distuv.Weibull{K: 3, Lambda: 2}), false, false},
	{"log-normal 1 0.25", logNormal(1, 0.25), moderate(distuv.LogNormal{Mu: 1, Sigma: 0.25}), false, false},
	{"log-normal 0 3", logNormal(0, 3), heavy(distuv.LogNormal{Mu: 0, Sigma: 3}.CDF), false, false},
	{"gamma 0.05 1", gamma(0.05, 1), moderate(distuv.Gamma{Alpha: 0.05, Beta: 1}), false, false},
	{"gamma 0.99 1", gamma(0.99, 1), moderate(distuv.Gamma{Alpha: 0.99, Beta: 1}), false, false},
	{"gamma 1 3", gamma(1, 3), moderate(distuv.Gamma{Alpha: 1, Beta: 1.0 / 3}), false, false},
	{"gamma 7.5 1", gamma(7.5, 1), moderate(distuv.Gamma{Alpha: 7.5, Beta: 1}), false, false},
	{"gamma 40000 1", gamma(40_000, 1), moderate(distuv.Gamma{Alpha: 40_000, Beta: 1}), false, false},
	{"gamma 1e14 1", gamma(1e14, 1), moderate(distuv.Normal{Mu: 1e14, Sigma: 1e7}), false, false},
	{"chi-square 1", chiSquare(1), moderate(distuv.ChiSquared{K: 1}), false, false},
	{"chi-square 9.5", chiSquare(9.5), moderate(distuv.ChiSquared{K: 9.5}), false, false},
	{"student 0.3", studentT(0.3), heavy(distuv.StudentsT{Sigma: 1, Nu: 0.3}.CDF), false, false},
	{"student 1", studentT(1), heavy(func(x float64) float64 { return 0.5 + math.Atan(x)/math.Pi }), false, false},
	{"student 10", studentT(10), moderate(distuv.StudentsT{Sigma: 1, Nu: 10}), false, false},
	{"student 1e30", studentT(1e30), moderate(distuv.Normal{Mu: 0, Sigma: 1}), false, false},
	{"beta 1 1", beta(1, 1), moderate(distuv.Uniform{Min: 0, Max: 1}), false, false},
	{"beta 0.2 0.3", beta(0.2, 0.3), moderate(distuv.Beta{Alpha: 0.2, Beta: 0.3}), false, false},
	{"beta 0.5 20", beta(0.5, 20), moderate(distuv.Beta{Alpha: 0.5, Beta: 20}), false, false},
	{"beta 300 200", beta(300, 200), moderate(distuv.Beta{Alpha: 300, Beta: 200}), false, false},
	{"truncated -2 2", truncated(0, 1, -2, 2), truncation(0, 1, -2, 2), false, true},
	{"truncated 1 1.17", truncated(2, 3, 5, 5.5), truncation(2, 3, 5, 5.5), false, true},
	{"truncated at -7", truncated(1, 2, math.Inf(-1), -13), truncation(1, 2, math.Inf(-1), -13), false, true},
	{"truncated at 30", truncated(0, 1, 30, math.Inf(1)), truncation(0, 1, 30, math.Inf(1)), false, true},
	{"truncated -0.5 1.2", truncated(0, 1, -0.5, 1.2), truncation(0, 1, -0.5, 1.2), false, true},
	{"truncated flat", truncated(0, 1e300, -1e-30, 2e-30), moderate(distuv.Uniform{Min: -1e-30, Max: 2e-30}), false, true},
	{"truncated 0.3 inf", truncated(0, 1, 0.3, math.Inf(1)), truncation(0, 1, 0.3, math.Inf(1)), false, true},
}

// truncation is the normal distribution between bounds, by complementary error functions of what is far from the mean.
func truncation(mean, deviation, low, high float64) exact {
	beyond := func(x float64) float64 { return math.Erfc((x-mean)/deviation/math.Sqrt2) / 2 }
	if low-mean < mean-high {
		mirrored := truncation(-mean, deviation, -high, -low)
		return exact{func(x float64) float64 { return 1 - mirrored.cumulative(-x) }, -mirrored.mean, mirrored.variance}
	}
	density := func(x float64) float64 {
		if math.IsInf(x, 0) {
			return 0
		}
		return math.Exp(-(x-mean)*(x-mean)/deviation/deviation/2) / math.Sqrt(2*math.Pi)
	}
	times := func(x, density float64) float64 {
		if density == 0 {
			return 0
		}
		return (x - mean) / deviation * density
	}
	mass := beyond(low) - beyond(high)
	shift := (density(low) - density(high)) / mass
	return exact{
		func(x float64) float64 { return (beyond(low) - beyond(x)) / mass }, mean + deviation*shift,
		deviation * deviation * (1 + (times(low, density(low))-times(high, density(high)))/mass - shift*shift),
	}
}

// requireKolmogorov compares sorted samples with a distribution function at some thousand of them: a distance as large comes
// once in ten thousand times.
func requireKolmogorov(t testing.TB, sorted []float64, cumulative func(x float64) float64) {
	t.Helper()
	n, distance := float64(len(sorted)), 0.0
	for i := 0; i < len(sorted); i += max(1, len(sorted)/4000) {
		for i+1 < len(sorted) && sorted[i+1] == sorted[i] {
			i++
		}
		distance = max(distance, math.Abs(cumulative(sorted[i])-(float64(i)+1)/n))
	}
	require.Less(t, math.Sqrt(n)*distance, 2.23)
}

// requireExact compares samples, which it sorts, with a distribution and its moments, the latter within five standard errors.
func requireExact(t testing.TB, samples []float64, exact exact) {
	t.Helper()
	if n := float64(len(samples)); exact.mean == exact.mean {
		first, second, fourth := 0.0, 0.0, 0.0
		for _, x := range samples {
			d := x - exact.mean
			first += d / n
			second += d * d / n
			fourth += d * d * d * d / n
		}
		require.LessOrEqual(t, math.Abs(first), 5*math.Sqrt(exact.variance/n), "mean")
		require.LessOrEqual(t, math.Abs(second-exact.variance), 5*math.Sqrt((fourth-second*second)/n), "variance")
	}
	require.False(t, slices.ContainsFunc(samples, math.IsNaN))
	sortByDigits(samples)
	requireKolmogorov(t, samples, exact.cumulative)
}

// sortByDigits sorts x, without NaN, by its bits, eleven at a time, which takes a fifth of the time of slices.Sort.
func sortByDigits(x []float64) {
	const width = 11
	from, to := make([]uint64, len(x)), make([]uint64, len(x))
	for i, v := range x {
		from[i] = math.Float64bits(v) ^ 1<<63
		if v < 0 {
			from[i] = ^math.Float64bits(v)
		}
	}
	for shift := 0; shift < 64; shift += width {
		var place [1 << width]int
		for _, bits := range from {
			place[bits>>shift%(1<<width)]++
		}
		for digit, at := 0, 0; digit < len(place); digit++ {
			at, place[digit] = at+place[digit], at
		}
		for _, bits := range from {
			digit := bits >> shift % (1 << width)
			to[place[digit]] = bits
			place[digit]++
		}
		from, to = to, from
	}
	for i, bits := range from {
		x[i] = math.Float64frombits(bits ^ 1<<63)
		if bits < 1<<63 {
			x[i] = math.Float64frombits(^bits)
		}
	}
}

func TestContinuousNumbersFollowTheirDistribution(t *testing.T) {
	t.Parallel()
	for i, test := range continuous {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			requireExact(t, values[float64](t, test.draw(seeded(uint64(i)), dtype.Float64, sampleSize())), test.exact)
			if test.own {
				requireExact(t, floatsOf(t, test.draw(seeded(uint64(i)), dtype.Float32, sampleSize())), test.exact)
			}
		})
	}
}
