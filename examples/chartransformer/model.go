package main

import (
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

// newTransformer returns a layer that gives for each character of pieces of text, numbers of shape (pieces, length), scores for the one
// that follows, of shape (pieces, length, alphabet). It has the blocks of Vaswani et al., "Attention is all you need" (2017), with the
// normalisation before each layer (Xiong et al., "On layer normalization in the transformer architecture", 2020): in each the
// characters look at each other, and then each goes on by itself.
func newTransformer(env *nd.Env, o *options, alphabet int) *nn.Sequential {
	layers := []nn.Layer{nn.NewEmbedding(env, alphabet, o.width), nn.NewPositionalEmbedding(env, o.context, o.width)}
	for range o.layers {
		layers = append(layers,
			nn.NewResidual(nn.NewLayerNorm(env, o.width), nn.NewMultiHeadAttention(env, o.width, o.heads, nn.Causal()), nn.NewDropout(o.dropout)),
			nn.NewResidual(
				nn.NewLayerNorm(env, o.width), nn.NewDense(env, o.width, 4*o.width), nn.Gelu, nn.NewDense(env, 4*o.width, o.width), nn.NewDropout(o.dropout),
			),
		)
	}
	return nn.NewSequential(append(layers, nn.NewLayerNorm(env, o.width), nn.NewDense(env, o.width, alphabet))...)
}
