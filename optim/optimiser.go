package optim

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// Optimiser updates parameters by their gradients, by one of the rules whose constructors this package has.
type Optimiser struct {
	rule     rule
	settings settings
	params   []*nd.Array
	states   [][]*nd.Array // of each parameter, in the order of rule.states
	steps    int
	rate     *float64    // what SetLearningRate set, nil if it did not
	pending  *ops.Tensor // the result of a step that was not waited for to its end
}

// rule is how an optimiser steps.
type rule struct {
	constructor string
	operator    *ops.Operator
	states      []string
	options     []string // that the constructor takes
	params      func(s *settings, step int, rates []float64) any
}

// newOptimiser checks the call of a rule's constructor, two frames up.
func newOptimiser(r rule, params []*nd.Array, rate float64, defaults settings, options []Option) *Optimiser {
	o := &Optimiser{rule: r, params: slices.Clone(params), settings: defaults}
	o.settings.rate = rate
	for i, p := range params {
		if p == nil {
			fail(2, fault.ErrMisuse, r.constructor, fmt.Sprintf("parameter %d is nil", i))
		}
		if d := p.DType(); !d.IsFloat() {
			fail(2, fault.ErrDType, r.constructor, fmt.Sprintf("parameter %d holds %v, not floats", i, d))
		}
		if d := params[0].DType(); p.DType() != d {
			fail(2, fault.ErrDType, r.constructor, fmt.Sprintf("parameter %d holds %v, parameter 0 %v: those of one optimiser have one dtype", i, p.DType(), d))
		}
		if slices.Contains(params[:i], p) {
			fail(2, fault.ErrMisuse, r.constructor, fmt.Sprintf("parameter %d is the same as parameter %d", i, slices.Index(params, p)))
		}
	}
	o.settings.factors = slices.Repeat([]float64{1}, len(params))
	o.settings.decays = slices.Repeat([]float64{defaults.decay}, len(params))
	for _, option := range options {
		if !slices.Contains(r.options, option.name) {
			fail(2, fault.ErrMisuse, r.constructor, "it has no option "+option.name)
		}
		if problem := option.apply(&o.settings, params); problem != "" {
			fail(2, fault.ErrMisuse, r.constructor, problem)
		}
	}
	if problem := o.settings.check(); problem != "" {
		fail(2, fault.ErrParameter, r.constructor, problem)
	}
	for _, p := range params {
		states := make([]*nd.Array, len(r.states))
		for i := range states {
			// Filled now rather than left to the first step, so that no step can run out of memory for them.
			states[i] = nd.FullIn(p.Env(), stateType(p.DType()), 0, p.Shape()...)
		}
		o.states = append(o.states, states)
	}
	return o
}

// stateType returns the element type of states of parameters of type d: float32 for float16 and bfloat16, in which a mean that moves by a
// thousandth stands still.
func stateType(d dtype.DType) dtype.DType {
	if d == dtype.Float16 || d == dtype.BFloat16 {
		return dtype.Float32
	}
	return d
}

// Params returns the parameters, in the order in which gradients are given.
func (o *Optimiser) Params() []*nd.Array { return slices.Clone(o.params) }

// Steps returns the number of steps that were made.
func (o *Optimiser) Steps() int {
	o.settle()
	return o.steps
}

// settle counts a step whose context ended while it ran, if it was made after all.
func (o *Optimiser) settle() {
	if o.pending != nil && o.pending.Wait(context.Background()) == nil {
		o.steps++
	}
	o.pending = nil
}

// LearningRate returns the learning rate of the next step: that of SetLearningRate or of the schedule, if there is one.
func (o *Optimiser) LearningRate() float64 {
	switch {
	case o.rate != nil:
		return *o.rate
	case o.settings.schedule != nil:
		return o.settings.schedule(o.Steps())
	}
	return o.settings.rate
}

// SetLearningRate changes the learning rate, and ends the schedule, if there is one; it is part of the state. A rate that is negative
// or not finite panics with *nd.Error.
func (o *Optimiser) SetLearningRate(rate float64) {
	if problem := checkNumber("learning rate", rate); problem != "" {
		fail(1, fault.ErrParameter, "SetLearningRate", problem)
	}
	o.rate = &rate
}

// Step updates every parameter by its gradient, in the order of the parameters, and waits for the update. If it returns an
// error nothing was changed, and the step can be repeated with other gradients. When ctx ends, Step returns its cause at once,
// and the update is skipped unless it has begun; then all parameters change. A mistake in the call panics with *nd.Error. Where
// the gradients serve nothing else [Optimiser.Minimise] is faster.
func (o *Optimiser) Step(ctx context.Context, gradients []*nd.Array) error {
	if ctx == nil {
		fail(1, fault.ErrMisuse, "Step", "the context is nil")
	}
	if len(gradients) != len(o.params) {
		fail(1, fault.ErrMisuse, "Step", fmt.Sprintf("%d gradients given for %d parameters", len(gradients), len(o.params)))
	}
	if i := slices.Index(gradients, nil); i >= 0 {
		fail(1, fault.ErrMisuse, "Step", fmt.Sprintf("gradient %d is nil", i))
	}
	rate := o.LearningRate()
	if problem := checkNumber("learning rate of the schedule", rate); problem != "" {
		fail(1, fault.ErrParameter, "Step", problem)
	}
	if len(o.params) == 0 {
		o.steps++
		return nil
	}
	operands := make([]*ops.Tensor, 0, len(o.params)*(2+len(o.rule.states)))
	rates := make([]float64, len(o.params))
	for i, p := range o.params {
		operands = append(operands, (*ops.Tensor)(p))
		for _, state := range o.states[i] {
			operands = append(operands, (*ops.Tensor)(state))
		}
		rates[i] = rate * o.settings.factors[i]
	}
	operands[0] = operands[0].In(operands[0].Env().WithScope(ctx))
	for _, g := range gradients {
		operands = append(operands, (*ops.Tensor)(g))
	}
	stepped := ops.Invoke(o.rule.operator, o.rule.params(&o.settings, o.Steps()+1, rates), operands...)[0]
	err := stepped.Wait(ctx)
	switch {
	case err == nil:
		o.steps++
	case ctx.Err() != nil:
		o.pending = stepped
	}
	return err
}

// fail panics with the error of a call, so many frames above the caller of fail.
func fail(frames int, cause error, operator, detail string) {
	panic(&nd.Error{Operator: operator, Detail: detail, Cause: cause, Site: fault.Here(1 + frames)})
}
