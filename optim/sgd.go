package optim

import (
	"context"
	"fmt"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// SGD is stochastic gradient descent with momentum: v = momentum·v + g + decay·w, then w = w − rate·v (Sutskever et al.,
// 2013, without Nesterov's look ahead).
type SGD struct {
	params     []*nd.Array
	velocities []*nd.Array
	settings   ops.SGDParams
}

// Option changes a setting of an optimiser.
type Option func(*ops.SGDParams)

// Momentum sets the part of the velocity that stays from step to step; 0 by default.
func Momentum(m float64) Option { return func(p *ops.SGDParams) { p.Momentum = m } }

// WeightDecay sets the part of each weight that is added to its gradient; 0 by default.
func WeightDecay(d float64) Option { return func(p *ops.SGDParams) { p.WeightDecay = d } }

// NewSGD returns an optimiser of params, which it updates in place, with velocities of zero. It panics with *nd.Error if a
// parameter is nil or a setting is out of range.
func NewSGD(params []*nd.Array, learningRate float64, opts ...Option) *SGD {
	s := &SGD{params: params, settings: ops.SGDParams{LearningRate: learningRate}}
	for _, opt := range opts {
		opt(&s.settings)
	}
	checkSettings(s.settings)
	for _, p := range params {
		if p == nil {
			fail("NewSGD", "a parameter is nil")
		}
		// Filled now rather than left to the first step, so that no step can run out of memory for them.
		s.velocities = append(s.velocities, nd.FullIn(p.Env(), p.DType(), 0, p.Shape()...))
	}
	return s
}

// LearningRate returns the step along the velocity.
func (s *SGD) LearningRate() float64 { return s.settings.LearningRate }

// SetLearningRate changes the step along the velocity.
func (s *SGD) SetLearningRate(rate float64) { s.settings.LearningRate = rate }

// Step updates every parameter by its gradient, in the order of the parameters, and waits for the update. If it returns an
// error nothing was changed, and the step can be repeated with other gradients. When ctx ends, Step returns its cause at once,
// and the update is skipped unless it has begun; then all parameters change. A mistake in the call panics with *nd.Error.
func (s *SGD) Step(ctx context.Context, gradients []*nd.Array) error {
	if len(gradients) != len(s.params) {
		fail("SGD.Step", fmt.Sprintf("%d gradients given for %d parameters", len(gradients), len(s.params)))
	}
	if len(s.params) == 0 {
		return nil
	}
	operands := make([]*ops.Tensor, 0, 3*len(s.params))
	for i, p := range s.params {
		operands = append(operands, (*ops.Tensor)(p), (*ops.Tensor)(s.velocities[i]))
	}
	operands[0] = operands[0].In(operands[0].Env().WithScope(ctx))
	for _, g := range gradients {
		operands = append(operands, (*ops.Tensor)(g))
	}
	return ops.Invoke(ops.SGD, s.settings, operands...)[0].Wait(ctx)
}

// checkSettings fails on what the operator would refuse in the first step.
func checkSettings(p ops.SGDParams) {
	_, err := ops.SGD.ParseParams(map[string]any{"learning_rate": p.LearningRate, "momentum": p.Momentum, "weight_decay": p.WeightDecay})
	if err != nil {
		panic(err)
	}
}

// fail panics with the error of a misuse in the user's line.
func fail(operator, detail string) {
	panic(&nd.Error{Operator: operator, Detail: detail, Cause: fault.ErrMisuse, Site: fault.Here(2)})
}
