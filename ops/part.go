package ops

// partRank is the largest number of axes of a view that lies with its sizes.
const partRank = 4

// part is a view in one object of Go's heap.
type part struct {
	tensor Tensor
	sizes  [2 * partRank]int
}

// Part returns a view of the memory of t, of its element type, without a call of an operator: the element whose indices are all zero
// is the one at offset, and shape and strides, which are copied, are those of the view. All must be legal. A recorder that watches t
// would not see it: the result is nil then.
func (t *Tensor) Part(offset int, shape, strides []int) *Tensor {
	if len(t.nodes()) > 0 {
		return nil
	}
	p, rank := new(part), len(shape)
	sizes := p.sizes[:]
	if rank > partRank {
		sizes = make([]int, 2*rank)
	}
	copy(sizes, shape)
	copy(sizes[rank:], strides)
	p.tensor.env, p.tensor.view.Synced, p.tensor.view.DType, p.tensor.view.Offset = t.env, t.view.Synced, t.view.DType, offset
	p.tensor.view.Shape, p.tensor.view.Strides = sizes[:rank:rank], sizes[rank:2*rank:2*rank]
	return &p.tensor
}
