package optim

import (
	"fmt"
	"math"
	"slices"

	nd "github.com/weft-nd/weft/ndarray"
)

// settings are the numbers of a rule.
type settings struct {
	rate     float64
	schedule Schedule
	decay    float64   // by default
	factors  []float64 // of the learning rate, for each parameter
	decays   []float64 // for each parameter

	momentum     float64
	nesterov     bool
	beta1, beta2 float64
	smoothing    float64
	epsilon      float64
}

// Option changes a setting of an optimiser.
type Option struct {
	name  string
	apply func(s *settings, params []*nd.Array) (problem string)
}

func set(name string, change func(s *settings)) Option {
	return Option{name, func(s *settings, _ []*nd.Array) string {
		change(s)
		return ""
	}}
}

// setEach changes a setting of the given parameters, of all if none are given.
func setEach(name string, value float64, of func(s *settings) []float64, some []*nd.Array) Option {
	some = slices.Clone(some)
	return Option{name, func(s *settings, params []*nd.Array) string {
		for i := range params {
			if len(some) == 0 {
				of(s)[i] = value
			}
		}
		for i, p := range some {
			j := slices.Index(params, p)
			if p == nil || j < 0 {
				return fmt.Sprintf("array %d of option %s is not among the parameters", i, name)
			}
			of(s)[j] = value
		}
		return ""
	}}
}

// Momentum sets the part of the velocity that stays from step to step, at most 1; 0 by default.
func Momentum(m float64) Option { return set("Momentum", func(s *settings) { s.momentum = m }) }

// Nesterov looks ahead along the velocity.
func Nesterov() Option { return set("Nesterov", func(s *settings) { s.nesterov = true }) }

// WeightDecay sets the part of each weight that is added to its gradient, in AdamW the part that is taken from the weight in a step
// of learning rate 1. It is that of the given parameters, or of all where none are given; later options go before earlier ones.
func WeightDecay(decay float64, params ...*nd.Array) Option {
	return setEach("WeightDecay", decay, func(s *settings) []float64 { return s.decays }, params)
}

// RateFactor sets by what the learning rate is multiplied, for the given parameters, or for all where none are given; 1 by default.
func RateFactor(factor float64, params ...*nd.Array) Option {
	return setEach("RateFactor", factor, func(s *settings) []float64 { return s.factors }, params)
}

// Betas sets the parts of the mean gradient and of the mean square that stay from step to step, each less than 1; 0.9 and 0.999 by
// default.
func Betas(beta1, beta2 float64) Option {
	return set("Betas", func(s *settings) { s.beta1, s.beta2 = beta1, beta2 })
}

// Smoothing sets the part of the mean square that stays from step to step, at most 1; 0.99 by default.
func Smoothing(part float64) Option {
	return set("Smoothing", func(s *settings) { s.smoothing = part })
}

// Epsilon sets what is added to the root of the mean square, so that nothing is divided by zero; 1e-8 by default.
func Epsilon(e float64) Option { return set("Epsilon", func(s *settings) { s.epsilon = e }) }

// Scheduled takes the learning rate of each step from a schedule, instead of the one that the constructor is given.
func Scheduled(schedule Schedule) Option {
	return set("Scheduled", func(s *settings) { s.schedule = schedule })
}

// check returns what is wrong with the numbers.
func (s *settings) check() string {
	for _, number := range []struct {
		name  string
		value float64
		below float64
	}{
		{"learning rate", s.rate, math.Inf(1)}, {"momentum", s.momentum, math.Nextafter(1, 2)}, {"beta1", s.beta1, 1}, {"beta2", s.beta2, 1},
		{"smoothing", s.smoothing, math.Nextafter(1, 2)}, {"epsilon", s.epsilon, math.Inf(1)},
	} {
		if !(number.value >= 0 && number.value < number.below) {
			return fmt.Sprintf("%s is %v", number.name, number.value)
		}
	}
	for i := range s.decays {
		if problem := checkNumber("weight decay", s.decays[i]); problem != "" {
			return problem
		}
		if problem := checkNumber("rate factor", s.factors[i]); problem != "" {
			return problem
		}
	}
	return ""
}

// checkNumber returns what is wrong with a number that must be finite and at least 0.
func checkNumber(name string, value float64) string {
	if !(value >= 0) || math.IsInf(value, 1) {
		return fmt.Sprintf("%s is %v (legal: at least 0 and finite)", name, value)
	}
	return ""
}
