package nn

import (
	"slices"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// between is what goes from one layer of a Sequential to the next. What nobody but layers of this package has seen is given back when
// the next layer has read it and no tape needs it any more: the collector finds that only later.
type between struct {
	array *nd.Array
	ours  bool // nobody else has seen the memory of the array
}

// pass replaces the array by what a layer has made of it. A layer that is discreet shows neither to anybody, and keeps nothing of them.
func (b *between) pass(y *nd.Array, discreet bool) {
	if before := (*ops.Tensor)(b.array); b.array == nil || y == nil || !before.SharesMemory((*ops.Tensor)(y)) {
		if b.ours && discreet {
			before.Discard(fault.Here(2))
		}
		b.ours = true
	}
	b.array, b.ours = y, b.ours && discreet
}

// isDiscreet tells whether l shows what it reads and returns to nobody, and keeps nothing of it. It looks for types, not methods:
// those of an embedded layer would speak for the layer of a user.
func isDiscreet(l Layer) bool {
	switch l := l.(type) {
	case *Dense, *Conv, *Pool, *activation, *Dropout, *BatchNorm, *LayerNorm, *RMSNorm, *GroupNorm, *Embedding, *PositionalEmbedding, *MultiHeadAttention,
		*LSTM, *GRU, *RNN, *LSTMCell, *GRUCell:
		return true
	case *Residual:
		return isDiscreet(l.layers)
	case *Sequential:
		return !slices.ContainsFunc(l.layers, func(inner Layer) bool { return !isDiscreet(inner) })
	}
	return false
}
