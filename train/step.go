package train

import (
	"context"
	"fmt"
	"math"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/ops"
)

// step fits the model to one batch. An error leaves the model as it was.
func (t *Trainer) step(batch data.Batch) (e *Event, err error) {
	ctx := context.Background() // A step is made as a whole, also when the training is to end.
	restore := averages(t.Model)
	defer func() {
		if err != nil {
			restore()
		}
	}()
	before := t.Env.Generator().State()
	var outputs, mean *nd.Array
	var gradients, metrics []*nd.Array
	tape := autograd.NewTape()
	defer tape.Close()
	if mistake := nd.Try(func() {
		outputs = t.Model.Forward(nn.Train(tape, t.Env.Generator()), batch.Inputs)
		mean = t.Loss(outputs, batch.Labels)
		outputs = outputs.Detach()
		metrics = t.at.means.measure(outputs, batch.Labels)
		gradients = tape.Gradient(mean, t.Optimiser.Params()...)
		mean = mean.Detach()
		if t.Gradients != nil {
			t.Gradients(gradients)
		}
		t.guard.protect(mean, gradients)
		err = t.Optimiser.Step(ctx, gradients)
	}); mistake != nil {
		return nil, t.failed(batch, mistake)
	}
	// Read when the step is made: it waits for nothing that the step has not waited for.
	loss, failure := number(ctx, mean)
	switch {
	case failure != nil:
		return nil, t.failed(batch, failure)
	case math.IsNaN(loss) || math.IsInf(loss, 0):
		return nil, t.diagnose(batch, before, loss, "")
	case err != nil && t.guard.tripped(gradients):
		if parameter := t.badGradient(gradients); parameter != "" {
			return nil, t.diagnose(batch, before, loss, parameter)
		}
		err = t.Optimiser.Step(ctx, gradients)
	}
	if err != nil {
		return nil, t.failed(batch, err)
	}
	if t.Gradients == nil { // nobody else has seen them
		for _, g := range gradients {
			(*ops.Tensor)(g).Discard(nil)
		}
	}
	values, err := t.at.means.add(ctx, batch.Count, loss, metrics)
	if err != nil {
		return nil, t.failed(batch, err)
	}
	return &Event{Kind: Stepped, Samples: batch.Count, Batch: batch, Outputs: outputs, Loss: loss, Values: values}, nil
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
