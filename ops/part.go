package ops

// Part returns a view of the memory of t, of its element type, without a call of an operator. The element whose indices are all
// zero is the one at offset, in elements from the start of the memory; shape and strides, both in elements, are copied. They
// must be legal. If a recorder watches t, which would not see the view, the result is nil.
func (t *Tensor) Part(offset int, shape, strides []int) *Tensor {
	if len(t.nodes()) > 0 {
		return nil
	}
	// Shape and strides are no part of the view: calls that are pending keep them, and are not to keep the memory.
	rank := len(shape)
	sizes := make([]int, 2*rank)
	copy(sizes, shape)
	copy(sizes[rank:], strides)
	part := &Tensor{env: t.env}
	part.view.Synced, part.view.DType, part.view.Offset = t.view.Synced, t.view.DType, offset
	part.view.Shape, part.view.Strides = sizes[:rank:rank], sizes[rank:]
	return part
}
