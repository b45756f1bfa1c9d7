package optim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// State returns all that the next step depends on beside parameters, settings and gradients, by names such as "0.velocity" for
// parameter 0: the arrays themselves, not copies of them, "steps" as an int64 array without axes, and, if SetLearningRate was called,
// "rate" as a float64 array without axes, both in the Env of the first parameter. Files such as [nd.SaveNPZ] writes hold it;
// [nd.LoadNPZIn] reads them into the Env of the parameters.
func (o *Optimiser) State() map[string]*nd.Array {
	env := nd.DefaultEnv()
	if len(o.params) > 0 {
		env = o.params[0].Env()
	}
	state := map[string]*nd.Array{"steps": nd.FromSliceIn(env, []int64{int64(o.Steps())}, []int{}...)}
	if o.rate != nil {
		state["rate"] = nd.FromSliceIn(env, []float64{*o.rate}, []int{}...)
	}
	for i := range o.states {
		for j, a := range o.states[i] {
			state[o.stateName(i, j)] = a
		}
	}
	return state
}

func (o *Optimiser) stateName(param, state int) string {
	return strconv.Itoa(param) + "." + o.rule.states[state]
}

// SetState replaces the state by what State returned, of an optimiser of the same rule for parameters of the same
// shapes and dtypes; it waits for it, and copies. The error names all that is missing, does not fit, or is too much, or
// else what is in error; then nothing was changed. It is an *nd.Error with the cause fault.ErrParameter.
//
// A state without a rate makes the learning rate that of the constructor, or its schedule, again.
func (o *Optimiser) SetState(state map[string]*nd.Array) error {
	known, steps, err := o.known(state)
	var rate *float64
	if err == nil && state["rate"] != nil {
		rate, err = rateOf(state["rate"])
	}
	if err != nil {
		cause := fmt.Errorf("%w: %w", fault.ErrParameter, err)
		return &nd.Error{Operator: "SetState", Detail: err.Error(), Cause: cause, Site: fault.Here(1)}
	}
	o.settle()
	var to, from []*nd.Array
	for name, a := range known {
		if a == nil {
			continue
		}
		if failure := state[name].Wait(context.Background()); failure != nil {
			err = errors.Join(err, fmt.Errorf("array %s: %w", name, failure))
		}
		to, from = append(to, a), append(from, state[name])
	}
	if err == nil {
		err = nd.CopyAllInto(context.Background(), to, from)
	}
	if err != nil {
		return &nd.Error{Operator: "SetState", Detail: err.Error(), Cause: fmt.Errorf("%w: %w", fault.ErrParameter, err), Site: fault.Here(1)}
	}
	o.steps, o.rate = steps, rate
	return nil
}

// rateOf reads the learning rate of a state.
func rateOf(a *nd.Array) (*float64, error) {
	if a.Rank() != 0 || a.DType() != dtype.Float64 {
		return nil, fmt.Errorf("the rate has shape %v and dtype %v, want a float64 without axes", a.Shape(), a.DType())
	}
	rate, err := nd.Item[float64](a)
	if err != nil {
		return nil, fmt.Errorf("the rate: %w", err)
	}
	if problem := checkNumber("rate", rate); problem != "" {
		return nil, errors.New(problem)
	}
	return &rate, nil
}

// known returns the arrays that state replaces, by their names, and its number of steps, or all that does not fit.
func (o *Optimiser) known(state map[string]*nd.Array) (own map[string]*nd.Array, steps int, err error) {
	var problems []error
	known := map[string]*nd.Array{"steps": nil, "rate": nil}
	for i := range o.states {
		for j, a := range o.states[i] {
			name := o.stateName(i, j)
			known[name] = a
			switch b := state[name]; {
			case b == nil:
				problems = append(problems, fmt.Errorf("the state has no array %s", name))
			case a.Env().Engine() != b.Env().Engine():
				problems = append(problems, fmt.Errorf("the array %s of the state belongs to another engine", name))
			case !slices.Equal(a.Shape(), b.Shape()) || a.DType() != b.DType():
				problems = append(problems, fmt.Errorf("the array %s of the state has shape %v and dtype %v, want %v and %v",
					name, b.Shape(), b.DType(), a.Shape(), a.DType()))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(state)) {
		if _, found := known[name]; !found {
			problems = append(problems, fmt.Errorf("the state has an array %s, of another rule or further parameters", name))
		}
	}
	steps, err = stepsOf(state["steps"])
	return known, steps, errors.Join(append(problems, err)...)
}

// stepsOf reads the number of steps of a state.
func stepsOf(a *nd.Array) (int, error) {
	if a == nil || a.Rank() != 0 || a.DType() != dtype.Int64 {
		return 0, errors.New("the state has no int64 number steps")
	}
	taken, err := nd.Item[int64](a)
	switch {
	case err != nil:
		return 0, fmt.Errorf("the number of steps: %w", err)
	case taken < 0:
		return 0, fmt.Errorf("the state tells of %d steps", taken)
	}
	return int(taken), nil
}
