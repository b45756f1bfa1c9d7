package main

import (
	"iter"
	"strconv"

	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

// transformer gives for each character of pieces of text, numbers of shape (pieces, length), scores for the one that follows, of
// shape (pieces, length, alphabet). It has the blocks of Vaswani et al., "Attention is all you need" (2017), with the
// normalisation before each layer (Xiong et al., "On layer normalization in the transformer architecture", 2020).
type transformer struct {
	letters, places *nn.Embedding
	blocks          []*block
	last            *nn.Sequential
}

func newTransformer(env *nd.Env, o *options, alphabet int) *transformer {
	t := &transformer{
		letters: nn.NewEmbedding(env, alphabet, o.width), places: nn.NewEmbedding(env, o.context, o.width),
		last: nn.NewSequential(nn.NewLayerNorm(env, o.width), nn.NewDense(env, o.width, alphabet)),
	}
	for range o.layers {
		t.blocks = append(t.blocks, newBlock(env, o))
	}
	return t
}

// Forward implements nn.Layer.
func (t *transformer) Forward(c *nn.Ctx, x *nd.Array) *nd.Array {
	places := make([]int64, x.Shape()[1])
	for i := range places {
		places[i] = int64(i)
	}
	y := t.letters.Forward(c, x).Add(t.places.Forward(c, nd.FromSliceIn(x.Env(), places)))
	for _, b := range t.blocks {
		y = b.Forward(c, y)
	}
	return t.last.Forward(c, y)
}

// Named implements nn.Layer.
func (t *transformer) Named() iter.Seq2[string, *nd.Array] {
	parts := []part{{"letters", t.letters}, {"places", t.places}}
	for i, b := range t.blocks {
		parts = append(parts, part{strconv.Itoa(i), b})
	}
	return named(append(parts, part{"last", t.last}))
}

// block lets the characters look at each other, and then goes on with each by itself. Both layers add to what they are given.
type block struct{ attention, feed *nn.Residual }

func newBlock(env *nd.Env, o *options) *block {
	return &block{
		nn.NewResidual(nn.NewLayerNorm(env, o.width), nn.NewMultiHeadAttention(env, o.width, o.heads, nn.Causal()), nn.NewDropout(o.dropout)),
		nn.NewResidual(
			nn.NewLayerNorm(env, o.width), nn.NewDense(env, o.width, 4*o.width), nn.Gelu, nn.NewDense(env, 4*o.width, o.width), nn.NewDropout(o.dropout),
		),
	}
}

// Forward implements nn.Layer.
func (b *block) Forward(c *nn.Ctx, x *nd.Array) *nd.Array {
	return b.feed.Forward(c, b.attention.Forward(c, x))
}

// Named implements nn.Layer.
func (b *block) Named() iter.Seq2[string, *nd.Array] {
	return named([]part{{"attention", b.attention}, {"feed", b.feed}})
}

// part is a layer with its name within another.
type part struct {
	name  string
	layer nn.Layer
}

func named(parts []part) iter.Seq2[string, *nd.Array] {
	return func(yield func(string, *nd.Array) bool) {
		for _, p := range parts {
			for name, a := range p.layer.Named() {
				if !yield(p.name+"."+name, a) {
					return
				}
			}
		}
	}
}
