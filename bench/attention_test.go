package bench

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// attentionCase is an attention of so many heads of samples, all times to all others, with a mask.
type attentionCase struct {
	name                                string
	samples, heads, times, others, size int
	mask                                func(env *nd.Env, c attentionCase) *nd.Array // nil is none
}

var attentionCases = []attentionCase{
	{"8x8x128x64", 8, 8, 128, 128, 64, nil},
	{"8x8x128x64_causal", 8, 8, 128, 128, 64, func(env *nd.Env, c attentionCase) *nd.Array {
		return nd.OnesIn(env, dtype.Bool, c.times, c.others).Tril(0)
	}},
	{"8x8x128x64_padded", 8, 8, 128, 128, 64, func(env *nd.Env, c attentionCase) *nd.Array {
		return random.Uniform(env, dtype.Float32, 0, 1, c.samples, 1, 1, c.others).GreaterScalar(0.2)
	}},
	{"8x8x128x64_added", 8, 8, 128, 128, 64, func(env *nd.Env, c attentionCase) *nd.Array {
		return random.Normal(env, dtype.Float32, 0, 1, c.heads, c.times, c.others)
	}},
	{"1x8x2048x64", 1, 8, 2048, 2048, 64, nil},
	{"1x1x2048x64", 1, 1, 2048, 2048, 64, nil},
	{"32x8x1x64", 32, 8, 1, 512, 64, nil}, // one new time looks at those before
}

// operations is how many a pass takes.
func (c attentionCase) operations() float64 {
	return 4 * float64(c.samples*c.heads*c.times) * float64(c.others*c.size)
}

var attentionDirections = []struct {
	name string
	pass func(q, k, v, mask *nd.Array) []*nd.Array
}{
	{"forward", func(q, k, v, mask *nd.Array) []*nd.Array { return []*nd.Array{nd.Attention(q, k, v, mask)} }},
	{"train", func(q, k, v, mask *nd.Array) []*nd.Array {
		tape := autograd.NewTape()
		watched := []*nd.Array{tape.Watch(q), tape.Watch(k), tape.Watch(v)}
		return tape.Gradient(nd.Attention(watched[0], watched[1], watched[2], mask).Sum(), watched...)
	}},
}

// BenchmarkAttention measures nd.Attention on float32 numbers, whose heads lie in rows of all heads as layers of networks make them, and in training
// further to the gradients of queries, keys and values, as BenchmarkAttention/<direction>/<samples>x<heads>x<times>x<size>_<mask>.
func BenchmarkAttention(b *testing.B) {
	env := newEnv(b, "perdevice").WithSeed(1)
	for _, direction := range attentionDirections {
		for _, c := range attentionCases {
			heads := func(times int) *nd.Array {
				return random.Normal(env, dtype.Float32, 0, 1, c.samples, times, c.heads, c.size).Transpose(0, 2, 1, 3)
			}
			q, k, v := heads(c.times), heads(c.others), heads(c.others)
			var mask *nd.Array
			if c.mask != nil {
				mask = c.mask(env, c)
			}
			b.Run(direction.name+"/"+c.name, func(b *testing.B) {
				call := func() {
					for _, a := range direction.pass(q, k, v, mask) {
						require.NoError(b, a.Wait(context.Background()))
						a.Release()
					}
				}
				for range warmUp {
					call()
				}
				b.ReportAllocs()
				for b.Loop() {
					call()
				}
				b.ReportMetric(c.operations()*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOPS")
			})
		}
	}
}

// BenchmarkAttentionPeers measures PyTorch's scaled_dot_product_attention on the cases of BenchmarkAttention, as
// BenchmarkAttentionPeers/<direction>/<case>/torch, with an allocator that keeps the pages of what is freed.
func BenchmarkAttentionPeers(b *testing.B) {
	for _, direction := range attentionDirections {
		for _, c := range attentionCases {
			b.Run(direction.name+"/"+c.name+"/torch", func(b *testing.B) {
				nanoseconds := keptTorch.measure(b, "attention", direction.name, c.name, c.samples, c.heads, c.times, c.others, c.size)
				b.ReportMetric(c.operations()/nanoseconds, "GFLOPS")
			})
		}
	}
}
