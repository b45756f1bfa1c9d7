package train

import (
	"context"
	"fmt"

	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

const (
	lossName         = "loss"
	validationPrefix = "validation_"
)

// Metric is a number that tells how good a model is, such as {Name: "accuracy", Of: nn.Accuracy}.
type Metric struct {
	Name string
	// Of returns an array of one element, the mean over the samples of a batch. It may be NaN; if it is an error, or more
	// than one element, the step is not made.
	Of func(outputs, labels *nd.Array) *nd.Array
	// ValidationOnly leaves it out of the steps, which are faster without.
	ValidationOnly bool
}

func checkMetrics(metrics []Metric) {
	names := map[string]bool{"": true, lossName: true, validationPrefix + lossName: true, "kind": true, "epoch": true, "step": true, rateName: true}
	for _, m := range metrics {
		ofValidation := validationPrefix + m.Name
		if names[m.Name] || names[ofValidation] || m.Of == nil {
			mistake("train.Trainer", fmt.Sprintf("the metric %q has no function, or no name of its own", m.Name))
		}
		names[m.Name], names[ofValidation] = true, true
	}
}

// means are the means over samples of a loss and metrics, up to now.
type means struct {
	metrics []Metric
	parts   []mean // the loss, then each metric
}

// mean is a sum over samples and their number.
type mean struct {
	Name    string
	Samples int
	sum     float64
}

func (m *mean) add(samples int, value float64) {
	m.Samples += samples
	m.sum += value * float64(samples)
}

// newMeans returns the means of nothing.
func newMeans(metrics []Metric, validating bool) means {
	m := means{parts: []mean{{Name: lossName}}}
	for _, metric := range metrics {
		if validating || !metric.ValidationOnly {
			m.metrics, m.parts = append(m.metrics, metric), append(m.parts, mean{Name: metric.Name})
		}
	}
	return m
}

func (m *means) empty() bool { return m.parts == nil }

// samples returns over how many samples the loss is a mean.
func (m *means) samples() int { return m.parts[0].Samples }

// goOn takes over what is known of the same means by name; the others begin here.
func (m *means) goOn(known []mean) {
	for i := range m.parts {
		for _, k := range known {
			if k.Name == m.parts[i].Name {
				m.parts[i] = k
			}
		}
	}
}

// measure returns the arrays of the metrics; nothing is waited for. It panics with *nd.Error if one is no number.
func (m *means) measure(outputs, labels *nd.Array) []*nd.Array {
	arrays := make([]*nd.Array, len(m.metrics))
	for i, metric := range m.metrics {
		arrays[i] = metric.Of(outputs, labels)
		mustBeNumber(metric.Name, arrays[i])
	}
	return arrays
}

// read waits for the metrics of a batch, and returns them by their names.
func (m *means) read(ctx context.Context, arrays []*nd.Array) (map[string]float64, error) {
	values := make(map[string]float64, len(arrays))
	for i, a := range arrays {
		v, err := number(ctx, a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.metrics[i].Name, err)
		}
		values[m.metrics[i].Name] = v
	}
	return values, nil
}

// add counts a batch.
func (m *means) add(samples int, loss float64, values map[string]float64) {
	m.parts[0].add(samples, loss)
	for i, metric := range m.metrics {
		m.parts[1+i].add(samples, values[metric.Name])
	}
}

// values returns the means by their names.
func (m *means) values() map[string]float64 {
	values := map[string]float64{}
	for _, part := range m.parts {
		values[part.Name] = part.sum / float64(part.Samples)
	}
	return values
}

// mustBeNumber panics with *nd.Error unless the array of a loss or a metric is one real number.
func mustBeNumber(name string, a *nd.Array) {
	switch {
	case a == nil:
		panic(&nd.Error{Operator: "train.Trainer", Detail: name + " is nil", Cause: fault.ErrMisuse})
	case a.Count() != 1:
		panic(&nd.Error{Operator: "train.Trainer", Detail: fmt.Sprintf("%s has the shape %s, want one element", name, fault.FormatShape(a.Shape())), Cause: fault.ErrShape})
	case a.DType().IsComplex():
		panic(&nd.Error{Operator: "train.Trainer", Detail: fmt.Sprintf("%s is %v, want a real number", name, a.DType()), Cause: fault.ErrDType})
	}
}

// number waits for the element of an array that mustBeNumber.
func number(ctx context.Context, a *nd.Array) (float64, error) {
	switch a.DType() { // without the cast that other dtypes need
	case dtype.Float32:
		values, err := nd.ValuesContext[float32](ctx, a)
		return float64(sole(values)), err
	case dtype.Float64:
		values, err := nd.ValuesContext[float64](ctx, a)
		return sole(values), err
	}
	if err := a.Wait(ctx); err != nil {
		return 0, err
	}
	values, err := nd.ValuesAs[float64](a)
	return sole(values), err
}

// sole returns the one value, zero where there is none because of an error.
func sole[T any](values []T) (v T) {
	if len(values) == 1 {
		v = values[0]
	}
	return v
}

// Evaluate goes through l and returns the means over its samples of the loss and the metrics, by their names, of the model in
// inference. Samples that only fill a batch do not count. No sample at all is an error.
func (t *Trainer) Evaluate(ctx context.Context, l *data.Loader) (map[string]float64, error) {
	if l == nil {
		mistake("train.Trainer.Evaluate", "the loader is nil")
	}
	m := newMeans(t.Metrics, true)
	for batch, err := range l.Batches(ctx) {
		if err != nil {
			return nil, err
		}
		if err := t.evaluate(ctx, &m, batch); err != nil {
			return nil, err
		}
	}
	if m.samples() == 0 {
		return nil, fmt.Errorf("there is no batch: an iteration of the data set has %d samples, for batches of %d", l.Samples(), l.Size())
	}
	return m.values(), nil
}

func (t *Trainer) evaluate(ctx context.Context, m *means, batch data.Batch) error {
	var loss *nd.Array
	var metrics []*nd.Array
	count := batch.Count - batch.Padding
	if mistake := nd.Try(func() {
		outputs, labels := t.Model.Forward(nn.Infer(), batch.Inputs), batch.Labels
		if batch.Padding > 0 {
			outputs = outputs.Index(nd.Span(0, count), nd.Rest)
			if labels != nil {
				labels = labels.Index(nd.Span(0, count), nd.Rest)
			}
		}
		loss = t.Loss(outputs, labels)
		mustBeNumber(lossName, loss)
		metrics = m.measure(outputs, labels)
	}); mistake != nil {
		return describe(batch, mistake)
	}
	value, err := number(ctx, loss)
	var values map[string]float64
	if err == nil {
		values, err = m.read(ctx, metrics)
	}
	if err != nil {
		return describe(batch, err)
	}
	m.add(count, value, values)
	return nil
}
