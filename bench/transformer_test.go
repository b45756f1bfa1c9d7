package bench

import (
	"context"
	"strconv"
	"testing"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/random"
)

// transformerCase is a network as in examples/chartransformer, without dropout.
type transformerCase struct {
	name                                           string
	layers, heads, width, context, batch, alphabet int
}

var transformerCases = []transformerCase{{"small", 2, 2, 64, 64, 16, 65}, {"medium", 4, 4, 128, 128, 16, 65}}

func (c transformerCase) tokens() float64 { return float64(c.batch * c.context) }

// transformer is the network of a case.
type transformer struct {
	tokens, places *nn.Embedding
	blocks         *nn.Sequential
	params         []*nd.Array
}

func (c transformerCase) network(env *nd.Env) *transformer {
	n := &transformer{tokens: nn.NewEmbedding(env, c.alphabet, c.width), places: nn.NewEmbedding(env, c.context, c.width)}
	blocks := []nn.Layer{}
	for range c.layers {
		blocks = append(blocks,
			nn.NewResidual(nn.NewLayerNorm(env, c.width), nn.NewMultiHeadAttention(env, c.width, c.heads, nn.Causal())),
			nn.NewResidual(nn.NewLayerNorm(env, c.width), nn.NewDense(env, c.width, 4*c.width), nn.Gelu, nn.NewDense(env, 4*c.width, c.width)),
		)
	}
	n.blocks = nn.NewSequential(append(blocks, nn.NewLayerNorm(env, c.width), nn.NewDense(env, c.width, c.alphabet))...)
	for _, l := range []nn.Layer{n.tokens, n.places, n.blocks} {
		n.params = append(n.params, nn.Params(l)...)
	}
	return n
}

func (n *transformer) forward(c *nn.Ctx, x, places *nd.Array) *nd.Array {
	return n.blocks.Forward(c, n.tokens.Forward(c, x).Add(n.places.Forward(c, places)))
}

// BenchmarkTransformer measures whole steps of training of a character transformer, forward, backward and update by AdamW, as
// BenchmarkTransformer/<size>.
func BenchmarkTransformer(b *testing.B) {
	for _, c := range transformerCases {
		b.Run(c.name, func(b *testing.B) {
			env := newEnv(b, "perdevice")
			n := c.network(env)
			opt := optim.NewAdamW(n.params, 1e-3)
			letters := func(shape ...int) *nd.Array {
				return random.Uniform(env, dtype.Float32, 0, float64(c.alphabet), shape...).Cast(dtype.Int64)
			}
			x, labels := letters(c.batch, c.context), letters(c.batch*c.context)
			times := make([]int64, c.context)
			for i := range times {
				times[i] = int64(i)
			}
			places := nd.FromSliceIn(env, times)
			b.ReportAllocs()
			for b.Loop() {
				tape := autograd.NewTape()
				scores := n.forward(nn.Train(tape, env.Generator()), x, places)
				loss := nn.SoftmaxCrossEntropy(scores.Reshape(-1, c.alphabet), labels)
				if err := opt.Minimise(context.Background(), tape, loss); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(c.tokens()*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}

// BenchmarkTransformerPeers measures PyTorch on the cases of BenchmarkTransformer, as BenchmarkTransformerPeers/<size>/torch, with an
// allocator that keeps the pages of what is freed.
func BenchmarkTransformerPeers(b *testing.B) {
	for _, c := range transformerCases {
		b.Run(c.name+"/torch", func(b *testing.B) {
			sizes := []any{}
			for _, n := range []int{c.layers, c.heads, c.width, c.context, c.batch, c.alphabet} {
				sizes = append(sizes, strconv.Itoa(n))
			}
			nanoseconds := keptTorch.measure(b, "transformer", sizes...)
			b.ReportMetric(c.tokens()*1e9/nanoseconds, "tokens/s")
		})
	}
}
