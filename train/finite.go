package train

import (
	"fmt"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/resource"
)

// NotFinite is the error of a step whose loss, or a gradient of it, is not finite. The step was not made: parameters and the optimiser
// are those of before.
type NotFinite struct {
	Step, Epoch int // from 1
	Loss        float64
	Parameter   string // whose gradient is not finite, of a finite loss
	// Operator is the first whose result was not finite although its operands were, Site the user's line that called it; empty where
	// the step got a batch or a parameter that was not finite before.
	Operator string
	Site     string
	// Origin tells where the first number that is not finite came from.
	Origin string
}

// Error implements error.
func (e *NotFinite) Error() string {
	gradient := ""
	if e.Parameter != "" {
		gradient = fmt.Sprintf(", and the gradient of %s is not finite", e.Parameter)
	}
	return fmt.Sprintf("the loss is %v at step %d, in epoch %d%s: %s; the step was not made; a lower learning rate may help", e.Loss, e.Step, e.Epoch, gradient, e.Origin)
}

// guard keeps an optimiser from stepping by gradients that are not finite, or of a loss that is not, or where a metric
// is an error, without waiting for any: the smallest gradient is multiplied by a one that is taken from an array, at a
// place that lies in it if all is fit. Else the gradient is an error, at which the optimiser changes nothing. A product
// with one has the bits of the gradient.
type guard struct {
	smallest int
	one      *nd.Array // (1,)
	gradient *nd.Array // that was replaced
	place    *nd.Array // 0 if all is fit
}

// unfit returns an array of one integer, 0 if loss and gradients are finite, on the device of the first gradient; it is an error if one of
// these or a metric is. Nothing is waited for.
func unfit(loss *nd.Array, metrics, gradients []*nd.Array) *nd.Array {
	alike := func(a *nd.Array) *nd.Array {
		if len(gradients) == 0 {
			return a
		}
		if d := gradients[0].DType(); a.DType() != d {
			a = a.Cast(d)
		}
		return a.To(gradients[0].Device())
	}
	sums := []*nd.Array{alike(loss.Sum())}
	for _, gradient := range gradients {
		sums = append(sums, alike(gradient.Asum()))
	}
	for _, metric := range metrics {
		sums = append(sums, alike(metric.CountNonzero())) // which is finite, whatever the metric is
	}
	all := nd.Stack(0, sums...)
	return all.Sub(all).CountNonzero() // what is not finite minus itself is NaN
}

// protect replaces one of the gradients by one that is an error unless place is 0. Nothing is waited for.
func (g *guard) protect(place *nd.Array, gradients []*nd.Array) {
	if len(gradients) == 0 {
		return
	}
	if g.one == nil {
		for i, gradient := range gradients {
			if gradient.Count() < gradients[g.smallest].Count() {
				g.smallest = i
			}
		}
		gradient := gradients[g.smallest]
		g.one = nd.FullIn(gradient.Env(), gradient.DType(), 1, 1)
	}
	g.gradient, g.place = gradients[g.smallest], place.To(g.one.Device())
	gradients[g.smallest] = g.gradient.Mul(g.one.Take(g.place, 0))
}

// tripped reports whether protect has made the gradient an error. It puts the gradient back.
func (g *guard) tripped(gradients []*nd.Array) bool {
	if g.place == nil {
		return false
	}
	place, err := nd.Item[int64](g.place)
	gradients[g.smallest] = g.gradient
	return err == nil && place != 0
}

// badGradient returns the name of the first parameter whose gradient is not finite; empty if there is none, but sums of them have
// overflowed.
func (t *Trainer) badGradient(gradients []*nd.Array) string {
	for i, p := range t.Optimiser.Params() {
		if finite(gradients[i]) {
			continue
		}
		for name, own := range t.Model.Named() {
			if own == p {
				return name
			}
		}
		return fmt.Sprintf("parameter %d", i)
	}
	return ""
}

// diagnose computes the loss of a batch again, from the same random numbers, and finds what first was not finite. Parameter is that
// whose gradient is not, empty if it is the loss.
func (t *Trainer) diagnose(batch data.Batch, state resource.State, loss float64, parameter string) error {
	e := &NotFinite{Step: t.at.Step + 1, Epoch: t.at.Epoch, Loss: loss, Parameter: parameter}
	e.Origin = "where that comes from was not found"
	for name, p := range t.Model.Named() {
		if !finite(p) {
			e.Origin = fmt.Sprintf("the parameter %s has elements that are not finite already", name)
			return e
		}
	}
	if !finite(batch.Inputs) || batch.Labels != nil && !finite(batch.Labels) {
		e.Origin = "the batch has elements that are not finite"
		return e
	}
	again := resource.NewGenerator(0)
	again.Restore(state)
	w, tape := &witness{}, autograd.NewTape()
	defer w.forget()
	defer tape.Close()
	err := nd.Try(func() {
		x := (*nd.Array)((*ops.Tensor)(batch.Inputs).Watched(w, w.Reserve(1)))
		value := t.Loss(t.Model.Forward(nn.Train(tape, again), x), batch.Labels)
		if w.forward = len(w.all()); parameter != "" {
			tape.Gradient(value, t.Optimiser.Params()...)
		}
	})
	if err != nil {
		e.Origin += fmt.Sprintf(" (%v)", err)
		return e
	}
	w.find(e)
	return e
}

// witness is a recorder that keeps every operand and result of a forward pass, and of the backward pass behind it.
type witness struct {
	recorder
	forward int // records of the forward pass
}

// find tells e which operator first gave something that is not finite.
func (w *witness) find(e *NotFinite) {
	for i, record := range w.all() {
		operands, pass := "", ""
		if i >= w.forward {
			pass = "in the backward pass, "
		}
		for _, out := range record.Outputs {
			if out.Value == nil || finite((*nd.Array)(out.Value)) {
				continue
			}
			spoilt := false
			for _, in := range record.Inputs {
				operands += fmt.Sprintf(" %v %s", in.DType, fault.FormatShape(in.Shape))
				spoilt = spoilt || in.Value != nil && !finite((*nd.Array)(in.Value))
			}
			if spoilt { // by a constant of the model, or by what does not depend on the batch
				e.Origin = fmt.Sprintf("%san operand of %s at %v, which does not depend on the batch, was not finite", pass, record.Operator.Name, record.Site)
				return
			}
			e.Operator, e.Site = record.Operator.Name, record.Site.String()
			e.Origin = fmt.Sprintf("%sthe first result that is not finite is that of %s of%s at %s, whose operands are", pass, e.Operator, operands, e.Site)
			return
		}
	}
}

// finite reports whether all elements of an array are finite; it waits for them. Those of arrays that cannot be read are not.
func finite(a *nd.Array) bool {
	if !a.DType().IsInexact() {
		return true
	}
	ok, err := nd.Item[bool](a.Detach().IsFinite().AllTrue())
	return err == nil && ok
}
