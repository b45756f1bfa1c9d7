package optim

import (
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

var sgdRule = rule{
	constructor: "NewSGD", operator: ops.SGD, states: []string{"velocity"},
	options: []string{"Momentum", "Nesterov", "WeightDecay", "RateFactor", "Scheduled"},
	params: func(s *settings, _ int, rates []float64) any {
		return ops.SGDParams{LearningRates: rates, WeightDecays: s.decays, Momentum: s.momentum, Nesterov: s.nesterov}
	},
}

// NewSGD returns an optimiser of params, which it updates in place, by stochastic gradient descent with momentum (Sutskever et al.,
// 2013): g is the gradient plus decay·w, v = momentum·v + g, then w = w − rate·v, or with [Nesterov] w − rate·(g + momentum·v).
// Velocities begin with zero. Options: [Momentum], [Nesterov], [WeightDecay], [RateFactor], [Scheduled]. It panics with *nd.Error
// if a parameter is nil, given twice, of integers, or of another dtype than the first, or a setting is out of range.
func NewSGD(params []*nd.Array, learningRate float64, options ...Option) *Optimiser {
	return newOptimiser(sgdRule, params, learningRate, settings{}, options)
}

func adamRule(constructor string, decoupled bool) rule {
	return rule{
		constructor: constructor, operator: ops.Adam, states: []string{"first_moment", "second_moment"},
		options: []string{"Betas", "Epsilon", "WeightDecay", "RateFactor", "Scheduled"},
		params: func(s *settings, step int, rates []float64) any {
			return ops.AdamParams{
				LearningRates: rates, WeightDecays: s.decays, Momentum: s.beta1, Smoothing: s.beta2, Epsilon: s.epsilon, Step: step, Decoupled: decoupled,
			}
		},
	}
}

var adam, adamW = adamRule("NewAdam", false), adamRule("NewAdamW", true)

// NewAdam returns an optimiser of params, which it updates in place, by Adam (Kingma and Ba, 2015): g is the gradient plus decay·w,
// m = β₁·m + (1−β₁)·g, s = β₂·s + (1−β₂)·g², then w = w − rate·m̂ / (√ŝ + ε), where m̂ = m / (1−β₁ᵗ) and ŝ = s / (1−β₂ᵗ) in step
// t. Options: [Betas], [Epsilon], [WeightDecay], [RateFactor], [Scheduled]. It panics with *nd.Error as NewSGD does.
func NewAdam(params []*nd.Array, learningRate float64, options ...Option) *Optimiser {
	return newOptimiser(adam, params, learningRate, settings{beta1: 0.9, beta2: 0.999, epsilon: 1e-8}, options)
}

// NewAdamW is NewAdam with a weight decay beside the gradient, w = (1 − rate·decay)·w before each step (Loshchilov and Hutter,
// 2019); it is 0.01 by default.
func NewAdamW(params []*nd.Array, learningRate float64, options ...Option) *Optimiser {
	return newOptimiser(adamW, params, learningRate, settings{beta1: 0.9, beta2: 0.999, epsilon: 1e-8, decay: 0.01}, options)
}

var rmsprop = rule{
	constructor: "NewRMSProp", operator: ops.RMSProp, states: []string{"second_moment", "velocity"},
	options: []string{"Smoothing", "Epsilon", "Momentum", "WeightDecay", "RateFactor", "Scheduled"},
	params: func(s *settings, _ int, rates []float64) any {
		return ops.RMSPropParams{LearningRates: rates, WeightDecays: s.decays, Smoothing: s.smoothing, Epsilon: s.epsilon, Momentum: s.momentum}
	},
}

// NewRMSProp returns an optimiser of params, which it updates in place, by RMSProp (Tieleman and Hinton, 2012): g is the gradient
// plus decay·w, s = smoothing·s + (1−smoothing)·g², v = momentum·v + g / (√s + ε), then w = w − rate·v. Options: [Smoothing],
// [Epsilon], [Momentum], [WeightDecay], [RateFactor], [Scheduled]. It panics with *nd.Error as NewSGD does.
func NewRMSProp(params []*nd.Array, learningRate float64, options ...Option) *Optimiser {
	return newOptimiser(rmsprop, params, learningRate, settings{smoothing: 0.99, epsilon: 1e-8}, options)
}
