package train

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/ops"
)

// step fits the model to one batch. An error leaves the model and the generator as they were.
func (t *Trainer) step(batch data.Batch) (e *Event, err error) {
	ctx := context.Background() // A step is made as a whole, also when the training is to end.
	restore, before := averages(t.Model), t.Env.Generator().State()
	defer func() {
		if err != nil { // so that the step can be made again
			restore()
			t.Env.Generator().Restore(before)
		}
	}()
	var p pass
	if mistake := nd.Try(func() {
		p = t.passed(batch)
		if t.Gradients != nil {
			t.Gradients(p.gradients)
			p.place = unfit(p.loss, p.metrics, p.gradients)
		}
		t.guard.protect(p.place, p.gradients)
		err = t.Optimiser.Step(ctx, p.gradients)
	}); mistake != nil {
		return nil, t.failed(batch, mistake)
	}
	// Read when the step is made: it waits for nothing that the step has not waited for.
	loss, failure := number(ctx, p.loss)
	switch {
	case failure != nil:
		return nil, t.failed(batch, failure)
	case math.IsNaN(loss) || math.IsInf(loss, 0):
		return nil, t.diagnose(batch, before, loss, "")
	}
	values, failure := t.at.means.read(ctx, p.metrics)
	switch {
	case failure != nil:
		return nil, t.failed(batch, failure)
	case err != nil && t.guard.tripped(p.gradients):
		if parameter := t.badGradient(p.gradients); parameter != "" {
			return nil, t.diagnose(batch, before, loss, parameter)
		}
		err = t.Optimiser.Step(ctx, p.gradients)
	}
	if err != nil {
		return nil, t.failed(batch, err)
	}
	if t.Gradients == nil && !t.Captured { // nobody else has seen them
		for _, g := range p.gradients {
			(*ops.Tensor)(g).Discard(nil)
		}
	}
	t.at.means.add(batch.Count, loss, values)
	return &Event{Kind: Stepped, Samples: batch.Count, Batch: batch, Outputs: p.outputs, Loss: loss, Values: values}, nil
}

// pass is what a step computes of a batch, before the model is changed.
type pass struct {
	loss, outputs *nd.Array
	place         *nd.Array // see unfit; nil where Gradients is called before
	metrics       []*nd.Array
	gradients     []*nd.Array
}

// passed returns the pass of a batch, which is a replay where it is captured.
func (t *Trainer) passed(batch data.Batch) (p pass) {
	inputs := []*nd.Array{batch.Inputs}
	if batch.Labels != nil {
		inputs = append(inputs, batch.Labels)
	}
	var results []*nd.Array
	if t.pass != nil {
		results = t.pass.Call(inputs...)
	} else {
		for i, in := range inputs { // as t.pass does: layers draw from the generator of what they get
			inputs[i] = in.In(t.Env.WithDevice(in.Device()))
		}
		results = t.forwardAndBackward(t.Env, inputs)
	}
	p.loss, p.outputs, results = results[0], results[1], results[2:]
	if t.Gradients == nil {
		p.place, results = results[0], results[1:]
	}
	metrics := len(t.at.means.metrics)
	p.metrics, p.gradients = results[:metrics], results[metrics:]
	return p
}

// forwardAndBackward returns the arrays of the pass of a batch, one after another as in that type. It is what nd.Captured captures.
func (t *Trainer) forwardAndBackward(env *nd.Env, batch []*nd.Array) (results []*nd.Array) {
	tape := autograd.NewTape()
	defer tape.Close()
	var labels *nd.Array
	if len(batch) > 1 {
		labels = batch[1]
	}
	c := nn.Train(tape, t.Env.Generator()).In(env)
	if t.at.Step == t.begun && t.saves() { // once is enough: it costs time
		c.Changes = t.mustBeNamed
	}
	outputs := t.Model.Forward(c, batch[0])
	loss := t.Loss(outputs, labels)
	outputs = outputs.Detach()
	metrics := t.at.means.measure(outputs, labels)
	gradients := tape.Gradient(loss, t.Optimiser.Params()...)
	loss = loss.Detach()
	results = append(results, loss, outputs)
	if t.Gradients == nil {
		results = append(results, unfit(loss, metrics, gradients))
	}
	return append(append(results, metrics...), gradients...)
}

// saves tells whether the trainer itself, or a Best, may save the model.
func (t *Trainer) saves() bool {
	return t.Checkpoint.Path != "" || slices.ContainsFunc(t.Callbacks, func(c Callback) bool {
		_, is := c.(*Best)
		return is
	})
}

// mustBeNamed fails if a layer changes an array that NamedState of the model does not yield, by whatever handle: saved
// models would lack it.
func (t *Trainer) mustBeNamed(changed *nd.Array) {
	if s, ok := t.Model.(nn.Stateful); ok {
		for _, a := range s.NamedState() {
			if (*ops.Tensor)(a).SharesMemory((*ops.Tensor)(changed)) {
				return
			}
		}
	}
	mistake("train.Trainer", fmt.Sprintf("a layer changes an array of shape %s, such as a running average, that the model does not name, "+
		"so that saved models would lack it: layers that are made of others embed nn.Parts, or implement nn.Stateful", fault.FormatShape(changed.Shape())))
}

// averages keeps what a model changes when it is called, as BatchNorm its averages; restore puts it back.
func averages(model nn.Layer) (restore func()) {
	s, ok := model.(nn.Stateful)
	if !ok {
		return func() {}
	}
	var own, kept []*nd.Array
	for _, a := range s.NamedState() {
		own, kept = append(own, a), append(kept, a.Copy())
	}
	return func() {
		for i, a := range own {
			nd.CopyInto(a, kept[i])
		}
	}
}

// failed tells in which step an error came up.
func (t *Trainer) failed(batch data.Batch, err error) error {
	return fmt.Errorf("step %d, in epoch %d, %w", t.at.Step+1, t.at.Epoch, describe(batch, err))
}

// describe tells the batch that an error came up with.
func describe(batch data.Batch, err error) error {
	labels := "no labels"
	if batch.Labels != nil {
		labels = fmt.Sprintf("labels %v %s", batch.Labels.DType(), fault.FormatShape(batch.Labels.Shape()))
	}
	return fmt.Errorf("a batch of inputs %v %s and %s: %w", batch.Inputs.DType(), fault.FormatShape(batch.Inputs.Shape()), labels, err)
}
