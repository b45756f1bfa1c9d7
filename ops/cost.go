package ops

// elements returns how many elements o has.
func (o Operand) elements() int64 {
	n := int64(1)
	for _, size := range o.Shape {
		n *= int64(size)
	}
	return n
}

func totalBytes(operands []Operand) (bytes int64) {
	for _, o := range operands {
		bytes += o.elements() * int64(o.DType.Size())
	}
	return bytes
}

// perElement is the Work of operators that do one operation for each element of the result.
func perElement(c *Call) int64 { return c.Outputs[0].elements() }

// perOperandElement is the Work of operators that do one operation for each element of the first operand.
func perOperandElement(c *Call) int64 { return c.Inputs[0].elements() }

// Cost implements engine.Meter. Bytes are those of the operands and results, as if each was touched once.
func (l *launch) Cost() (bytes, operations int64) {
	if work := l.call.Operator.Work; work != nil {
		operations = work(&l.call)
	}
	return totalBytes(l.call.Inputs) + totalBytes(l.call.Outputs), operations
}
