package bench

import (
	"strconv"
	"testing"

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

func (c transformerCase) network(env *nd.Env) *nn.Sequential {
	layers := []nn.Layer{nn.NewEmbedding(env, c.alphabet, c.width), nn.NewPositionalEmbedding(env, c.context, c.width)}
	for range c.layers {
		layers = append(layers,
			nn.NewResidual(nn.NewLayerNorm(env, c.width), nn.NewMultiHeadAttention(env, c.width, c.heads, nn.Causal())),
			nn.NewResidual(nn.NewLayerNorm(env, c.width), nn.NewDense(env, c.width, 4*c.width), nn.Gelu, nn.NewDense(env, 4*c.width, c.width)),
		)
	}
	return nn.NewSequential(append(layers, nn.NewLayerNorm(env, c.width), nn.NewDense(env, c.width, c.alphabet))...)
}

// BenchmarkTransformer measures whole steps of training of a character transformer, forward, backward and update by AdamW, as
// BenchmarkTransformer/<size> where they are captured, and as BenchmarkTransformer/<size>_called where they are not.
func BenchmarkTransformer(b *testing.B) {
	for _, c := range transformerCases {
		for _, way := range trainings {
			b.Run(c.name+way.suffix, func(b *testing.B) {
				env := newEnv(b, "perdevice")
				n := c.network(env)
				letters := func(shape ...int) *nd.Array {
					return random.Uniform(env, dtype.Float32, 0, float64(c.alphabet), shape...).Cast(dtype.Int64)
				}
				x, labels := letters(c.batch, c.context), letters(c.batch*c.context)
				loss := func(scores, labels *nd.Array) *nd.Array {
					return nn.SoftmaxCrossEntropy(scores.Reshape(-1, c.alphabet), labels)
				}
				fit := way.steps(env, n, loss, optim.NewAdamW(nn.Params(n), 1e-3))
				step := func() {
					if err := fit(x, labels); err != nil {
						b.Fatal(err)
					}
				}
				for range warmUp {
					step()
				}
				b.ReportAllocs()
				for b.Loop() {
					step()
				}
				b.ReportMetric(c.tokens()*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
			})
		}
	}
}

// BenchmarkTransformerPeers measures PyTorch on the cases of BenchmarkTransformer, as BenchmarkTransformerPeers/<size>/torch, and with its
// compiler, as BenchmarkTransformerPeers/<size>/torch.compile, with an allocator that keeps the pages of what is freed.
func BenchmarkTransformerPeers(b *testing.B) {
	measure := func(b *testing.B, library pythonLibrary, c transformerCase, way string) {
		arguments := []any{}
		for _, n := range []int{c.layers, c.heads, c.width, c.context, c.batch, c.alphabet} {
			arguments = append(arguments, strconv.Itoa(n))
		}
		nanoseconds := library.measure(b, "transformer", append(arguments, way)...)
		b.ReportMetric(c.tokens()*1e9/nanoseconds, "tokens/s")
	}
	for _, c := range transformerCases {
		for _, way := range trainings {
			b.Run(c.name+way.suffix+"/torch", func(b *testing.B) { measure(b, keptTorch, c, "eager") })
		}
		b.Run(c.name+"/torch.compile", func(b *testing.B) { measure(b, keptTorch.compiling(), c, "compiled") })
	}
}
