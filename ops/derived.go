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

// derive sets the gradients of the operands that are wanted to those of what compute makes of all operands in terms of operators, which
// must be the results of the call. It goes through the rules of these, for a gradient whose own rule would be long.
func (r *Rule) derive(compute func(r *Rule, operands []Value) []Value) {
	traced := &tracing{Emitter: r.emitter}
	inner := *r
	inner.emitter = traced
	operands, depends := make([]Value, r.Count()), map[*Tensor]bool{}
	for i := range operands {
		operand := *r.Input(i).(*Tensor) // of its own, as an array may be several operands
		operands[i], depends[&operand] = &operand, r.Wants(i)
	}
	gradients := map[*Tensor]Value{}
	add := func(t *Tensor, g Value) {
		if before := gradients[t]; before != nil {
			g = r.Add(before, g)
		}
		gradients[t] = g
	}
	for i, result := range compute(&inner, operands) {
		if u := r.UpstreamOf(i); u != nil {
			add(result.(*Tensor), u)
		}
	}
	for _, record := range traced.records {
		for _, in := range record.Inputs {
			for _, out := range record.Outputs {
				depends[out.Value] = depends[out.Value] || depends[in.Value]
			}
		}
	}
	for i := len(traced.records) - 1; i >= 0; i-- {
		record := traced.records[i]
		upstream, reached := make([]Value, len(record.Outputs)), false
		for j, out := range record.Outputs {
			if g := gradients[out.Value]; g != nil {
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
		for j, g := range Differentiate(r.emitter, record, upstream, wanted) {
			if g != nil && wanted[j] {
				add(record.Inputs[j].Value, g)
			}
		}
	}
	for i, operand := range operands {
		if !r.Wants(i) || !r.DType(i).IsInexact() {
			continue
		}
		g := gradients[operand.(*Tensor)]
		if g == nil {
			g = r.zerosOf(Operand{r.Shape(i), r.DType(i)})
		}
		r.Set(i, g)
	}
}
