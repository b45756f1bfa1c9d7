package kvstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
)

// Trainer trains a model of which every device has a replica, each with its part of every batch: data parallelism. The weights are in a
// Store, under the names of the parameters; one optimiser updates them, all or none, and the replicas get copies.
//
// A batch gives the same step as on one device but for the rounding of sums over its samples, and the same bits each time. What layers
// keep beside parameters, such as the running averages of BatchNorm, follows the part of each replica.
type Trainer struct {
	store     *Store
	replicas  []nn.Layer
	params    [][]*nd.Array // of each replica
	keys      []*entry      // of each parameter
	optimiser *optim.Optimiser
	stale     bool // the replicas may have other parameters than the store
}

// NewTrainer puts the parameters of the first replica in the store, and copies them, and the state beside them, to the
// other replicas. There is a replica for each device of the store, in their order and on them. The optimiser is made
// for the arrays that the function is given: the weights, in the order of nn.Params. It panics with *nd.Error, and
// changes nothing, if the replicas do not fit one another or the devices, one of their arrays was released or a tape
// has saved it, the store has an updater, or one of the names, or the function returns nil. A panic of the function
// changes nothing either.
func NewTrainer(s *Store, replicas []nn.Layer, optimiser func(weights []*nd.Array) *optim.Optimiser) *Trainer {
	s.checkMade("NewTrainer")
	if optimiser == nil {
		mistake("NewTrainer", fault.ErrMisuse, "the optimiser is nil")
	}
	if s.updater != nil {
		mistake("NewTrainer", fault.ErrMisuse, "the store has an updater: the optimiser updates the weights")
	}
	if len(replicas) != len(s.places) {
		mistake("NewTrainer", fault.ErrDevice, fmt.Sprintf("%d replicas given for %d devices", len(replicas), len(s.places)))
	}
	t := &Trainer{store: s, replicas: replicas}
	for _, r := range replicas {
		t.params = append(t.params, nn.Params(r))
	}
	t.checkReplicas()
	var names []string
	var named []*nd.Array
	for name, p := range replicas[0].Named() {
		if !slices.Contains(named, p) { // as nn.Params has what layers share once
			names, named = append(names, name), append(named, p)
		}
	}
	t.keys = s.add("NewTrainer", names, t.params[0])
	defer func() {
		if t.optimiser == nil { // its function panicked, too
			s.remove(t.keys)
		}
	}()
	weights := make([]*nd.Array, len(t.keys))
	for i, e := range t.keys {
		weights[i] = e.stored.In(s.homes[0])
	}
	if t.optimiser = optimiser(weights); t.optimiser == nil {
		mistake("NewTrainer", fault.ErrMisuse, "the function of the optimiser returned nil")
	}
	t.Pull()
	first := nn.State(replicas[0])
	for _, r := range replicas[1:] {
		if stateful, ok := r.(nn.Stateful); ok {
			for name, a := range stateful.NamedState() {
				nd.CopyInto(a, first[name].In(a.Env()))
			}
		}
	}
	return t
}

// checkReplicas fails unless every replica has the parameters of the first one, on its own device.
func (t *Trainer) checkReplicas() {
	want := nn.State(t.replicas[0])
	for i, r := range t.replicas {
		state, place := nn.State(r), t.store.places[i]
		if len(state) != len(want) || len(t.params[i]) != len(t.params[0]) {
			mistake("NewTrainer", fault.ErrMisuse, fmt.Sprintf("replica %d is another model than replica 0", i))
		}
		for name, a := range state {
			switch b := want[name]; {
			case b == nil:
				mistake("NewTrainer", fault.ErrMisuse, fmt.Sprintf("replica %d has the array %s, replica 0 has not", i, name))
			default:
				(&entry{key: name, home: place, stored: b}).check("NewTrainer", fmt.Sprintf("the array of replica %d", i), a, engine.Write)
			}
			if a.Device() != place.Device() {
				mistake("NewTrainer", fault.ErrDevice, fmt.Sprintf("%s of replica %d is on %v, want %v", name, i, a.Device(), place.Device()), a)
			}
		}
	}
}

// checkParams fails unless the parameters of all replicas can be written.
func (t *Trainer) checkParams(operator string) {
	for i, e := range t.keys {
		t.store.checkEach(operator, e, t.ofEach(i), engine.Write)
	}
}

// ofEach returns parameter i of all replicas.
func (t *Trainer) ofEach(i int) []*nd.Array {
	all := make([]*nd.Array, len(t.params))
	for r, params := range t.params {
		all[r] = params[i]
	}
	return all
}

// Optimiser returns what updates the weights.
func (t *Trainer) Optimiser() *optim.Optimiser { return t.optimiser }

// Pull copies the weights of the store to all replicas; it returns at once. Step does that itself: it is for after Store.Set. It panics
// with *nd.Error, and changes nothing, if a parameter was released, or a tape has saved it.
func (t *Trainer) Pull() {
	t.checkParams("Pull")
	for i, e := range t.keys {
		t.store.Pull(e.key, t.ofEach(i), -i)
	}
	t.stale = false
}

// Step trains with one batch: each replica computes loss, which must be the mean over its samples, of its part of the inputs and the
// targets, whose first axes count the same samples, on any device; the first replicas have one sample more where they cannot all
// have as many, and those without samples rest. Gradients are weighted by the samples and added up, the optimiser steps, and the new
// weights are on their way to the replicas when Step returns.
//
// It returns the mean loss over the batch before the step, without axes, on the device of the first weight. If it returns an error no
// weight has changed, and the step can be repeated, with two exceptions. If ctx ends while the optimiser is at work all may have changed;
// and if a device fails within its operator, the weights are in error until Store.Set gives new ones.
// A mistake in the call panics with *nd.Error, as do parameters that Pull refuses.
func (t *Trainer) Step(ctx context.Context, inputs, targets *nd.Array, loss func(predictions, targets *nd.Array) *nd.Array) (*nd.Array, error) {
	switch {
	case ctx == nil || inputs == nil || targets == nil || loss == nil:
		mistake("Step", fault.ErrMisuse, "the context, the inputs, the targets or the loss is nil")
	case inputs.Rank() == 0 || targets.Rank() == 0 || inputs.Shape()[0] != targets.Shape()[0]:
		mistake("Step", fault.ErrShape, "the first axes of inputs and targets do not count the same samples", inputs, targets)
	case inputs.Shape()[0] == 0:
		mistake("Step", fault.ErrShape, "the batch is empty", inputs, targets)
	}
	t.checkParams("Step")
	if t.stale {
		t.Pull()
	}
	mean, gradients := t.backward(inputs, targets, loss)
	sums := make([]*nd.Array, len(t.keys))
	for i, e := range t.keys {
		of := make([]*nd.Array, len(gradients))
		for r := range gradients {
			of[r] = gradients[r][i]
		}
		sums[i] = sum(e.home.WithPriority(-i), of).In(t.store.homes[0])
	}
	t.stale = true
	if err := t.optimiser.Step(ctx, sums); err != nil {
		return mean, err
	}
	t.Pull()
	return mean, nil
}

// backward returns the mean loss, and the gradients of the parameters of each replica that has samples, which add up to those of it.
func (t *Trainer) backward(inputs, targets *nd.Array, loss func(predictions, targets *nd.Array) *nd.Array) (mean *nd.Array, gradients [][]*nd.Array) {
	samples, devices, start := inputs.Shape()[0], len(t.replicas), 0
	losses := []*nd.Array{}
	for i, replica := range t.replicas {
		count := samples / devices
		if i < samples%devices {
			count++
		}
		if count == 0 {
			break
		}
		place, rows := t.store.places[i], nd.Span(start, start+count)
		start += count
		part := func(a *nd.Array) *nd.Array { return a.Index(rows).Copy().In(place) }
		tape := autograd.NewTape()
		defer tape.Close()
		value := loss(replica.Forward(nn.Train(tape, place.Generator()), part(inputs)), part(targets))
		if count < samples {
			value = value.MulScalar(float64(count) / float64(samples))
		}
		losses = append(losses, value)
		gradients = append(gradients, tape.Gradient(value, t.params[i]...))
	}
	return sum(t.store.homes[0], losses), gradients
}
