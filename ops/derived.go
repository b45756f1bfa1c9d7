package ops

// tracing is an emitter that keeps a record of what it emits.
type tracing struct {
	Emitter
	records []*Record
}

// Emit implements Emitter.
func (e *tracing) Emit(op *Operator, params any, inputs ...Value) []Value {
	outputs := e.Emitter.Emit(op, params, inputs...)
	e.records = append(e.records, &Record{Operator: op, Params: params, Inputs: savings(inputs), Outputs: savings(outputs)})
	return outputs
}

func savings(values []Value) []Saving {
	all := make([]Saving, len(values))
	for i, v := range values {
		all[i] = Saving{Operand: Operand{v.Shape(), v.DType()}, Node: -1, Value: v.(*Tensor)}
	}
	return all
}

// derive sets the wanted gradients from compute, which computes the results of the call from its operands by operators, by
// going back through the rules of these. It is for operators whose own rule would be long.
func (r *Rule) derive(compute func(r *Rule, operands []Value) []Value) {
	traced := &tracing{Emitter: r.emitter}
	inner := *r
	inner.emitter = traced
	operands, depends := make([]Value, r.Count()), map[*Tensor]bool{}
	for i := range operands {
		operand := *r.Input(i).(*Tensor) // of its own, as an array may be several operands
		operands[i], depends[&operand] = &operand, r.Wants(i)
	}
	gradients := sums{rule: r, of: map[*Tensor]Value{}}
	for i, result := range compute(&inner, operands) {
		if u := r.UpstreamOf(i); u != nil {
			gradients.add(result.(*Tensor), u)
		}
	}
	traced.follow(depends)
	traced.goBack(gradients, depends)
	for i, operand := range operands {
		if !r.Wants(i) || !r.DType(i).IsInexact() {
			continue
		}
		g := gradients.of[operand.(*Tensor)]
		if g == nil {
			g = r.zerosOf(Operand{r.Shape(i), r.DType(i)})
		}
		r.Set(i, g)
	}
}

// sums are the gradients of values, as far as they are known.
type sums struct {
	rule *Rule
	of   map[*Tensor]Value
}

// add adds g to the gradient of a value.
func (s sums) add(t *Tensor, g Value) {
	if before := s.of[t]; before != nil {
		g = s.rule.Add(before, g)
	}
	s.of[t] = g
}

// follow adds to depends what is computed of values that are in it.
func (e *tracing) follow(depends map[*Tensor]bool) {
	for _, record := range e.records {
		for _, in := range record.Inputs {
			for _, out := range record.Outputs {
				depends[out.Value] = depends[out.Value] || depends[in.Value]
			}
		}
	}
}

// goBack adds the gradients of all values that are in depends, from those of the last ones.
func (e *tracing) goBack(gradients sums, depends map[*Tensor]bool) {
	for i := len(e.records) - 1; i >= 0; i-- {
		record := e.records[i]
		upstream, reached := make([]Value, len(record.Outputs)), false
		for j, out := range record.Outputs {
			if g := gradients.of[out.Value]; g != nil {
				upstream[j], reached = g, depends[out.Value]
			}
		}
		if !reached {
			continue
		}
		wanted := make([]bool, len(record.Inputs))
		for j, in := range record.Inputs {
			wanted[j] = depends[in.Value]
		}
		for j, g := range Differentiate(e.Emitter, record, upstream, wanted) {
			if g != nil && wanted[j] {
				gradients.add(record.Inputs[j].Value, g)
			}
		}
	}
}
