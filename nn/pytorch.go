package nn

import (
	"iter"
	"maps"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// pytorchArray is an array of a module of PyTorch, and what it is here.
type pytorchArray struct {
	theirs, ours string // ours is empty of one that is not here
	turned       bool   // whether one is the transpose of the other
}

// FromPyTorch returns the arrays of a state_dict of PyTorch, as files of safetensors hold them, by the names and with
// the axes that SetState takes for l. Modules have the names of the layers of l, which Sequential numbers and Parts
// gives, as PyTorch does. Weights of nn.Linear are transposed, of nn.MultiheadAttention too; weight is the scale of
// normalisations, and running_mean and running_var the means and variances of BatchNorm, whose num_batches_tracked is
// left out. Those of convolutions, embeddings and recurrent layers are the same there. The arrays are those of state or
// views of them; others, and those of layers that are neither of this package nor made of Parts, are returned as they
// are.
func FromPyTorch(l Layer, state map[string]*nd.Array) map[string]*nd.Array {
	if isNil(l) {
		mistake("FromPyTorch", fault.ErrMisuse, "the layer is nil")
	}
	converted := maps.Clone(state)
	if converted == nil {
		converted = map[string]*nd.Array{}
	}
	convertPyTorch(l, "", state, converted)
	return converted
}

// convertPyTorch converts the arrays of a layer, whose names begin with prefix.
func convertPyTorch(l Layer, prefix string, state, converted map[string]*nd.Array) {
	if inner := layersOf(l); inner != nil {
		for name, l := range inner {
			convertPyTorch(l, prefix+name+".", state, converted)
		}
		return
	}
	for _, array := range pytorchArrays(l) {
		a, found := state[prefix+array.theirs]
		if !found {
			continue
		}
		if delete(converted, prefix+array.theirs); array.ours == "" {
			continue
		}
		if array.turned && a != nil && a.Rank() == 2 {
			a = a.T()
		}
		converted[prefix+array.ours] = a
	}
}

// layersOf returns the layers that a layer is made of, with their names, or nil.
func layersOf(l Layer) iter.Seq2[string, Layer] {
	switch l := l.(type) {
	case *Sequential:
		return l.numbered()
	case *Residual:
		return l.layers.numbered()
	case interface {
		all() iter.Seq2[string, Layer]
	}: // what embeds Parts
		return l.all()
	}
	return nil
}

func pytorchArrays(l Layer) []pytorchArray {
	switch l.(type) {
	case *Dense:
		return []pytorchArray{{"weight", "weight", true}}
	case *MultiHeadAttention:
		return []pytorchArray{
			{"in_proj_weight", "project.weight", true}, {"in_proj_bias", "project.bias", false},
			{"out_proj.weight", "join.weight", true}, {"out_proj.bias", "join.bias", false},
		}
	case *BatchNorm:
		return []pytorchArray{
			{"weight", "scale", false}, {"running_mean", "means", false}, {"running_var", "variances", false}, {"num_batches_tracked", "", false},
		}
	case *LayerNorm, *GroupNorm, *RMSNorm:
		return []pytorchArray{{"weight", "scale", false}}
	}
	return nil
}
