package bench

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/random"
)

// recurrentSizes are those of a case: samples, times, features and hidden elements.
type recurrentSizes struct{ samples, times, features, hidden int }

func (s recurrentSizes) String() string {
	return strconv.Itoa(s.samples) + "x" + strconv.Itoa(s.times) + "x" + strconv.Itoa(s.features) + "x" + strconv.Itoa(s.hidden)
}

// elements is how many elements of states a pass computes.
func (s recurrentSizes) elements() float64 { return float64(s.samples * s.times * s.hidden) }

var (
	recurrentCases = []recurrentSizes{{32, 50, 64, 128}, {1, 50, 64, 128}, {64, 20, 256, 512}}
	recurrentKinds = []struct {
		name  string
		layer func(env *nd.Env, features, hidden int) nn.Layer
	}{
		{"lstm", func(env *nd.Env, features, hidden int) nn.Layer { return nn.NewLSTM(env, features, hidden) }},
		{"gru", func(env *nd.Env, features, hidden int) nn.Layer { return nn.NewGRU(env, features, hidden) }},
		{"rnn", func(env *nd.Env, features, hidden int) nn.Layer { return nn.NewRNN(env, features, hidden) }},
	}
	recurrentDirections = []struct {
		name string
		pass func(env *nd.Env, layer nn.Layer, x *nd.Array) []*nd.Array
	}{
		{"forward", func(_ *nd.Env, layer nn.Layer, x *nd.Array) []*nd.Array {
			return []*nd.Array{layer.Forward(nn.Infer(), x)}
		}},
		{"train", func(env *nd.Env, layer nn.Layer, x *nd.Array) []*nd.Array {
			tape := autograd.NewTape()
			y := layer.Forward(nn.Train(tape, env.Generator()), x)
			return tape.Gradient(y.Sum(), nn.Params(layer)...)
		}},
	}
)

// BenchmarkRecurrent measures recurrent layers on float32 numbers, from an input to the outputs of all times, and in training further to the
// gradients of all parameters, as BenchmarkRecurrent/<kind>/<direction>/<samples>x<times>x<features>x<hidden>.
func BenchmarkRecurrent(b *testing.B) {
	env := newEnv(b, "perdevice").WithSeed(1)
	for _, kind := range recurrentKinds {
		for _, s := range recurrentCases {
			layer, x := kind.layer(env, s.features, s.hidden), random.Normal(env, dtype.Float32, 0, 1, s.samples, s.times, s.features)
			for _, direction := range recurrentDirections {
				b.Run(kind.name+"/"+direction.name+"/"+s.String(), func(b *testing.B) {
					call := func() {
						for _, a := range direction.pass(env, layer, x) {
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
					b.ReportMetric(s.elements()*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
				})
			}
		}
	}
}

// BenchmarkRecurrentPeers measures PyTorch on the cases of BenchmarkRecurrent, as
// BenchmarkRecurrentPeers/<kind>/<direction>/<samples>x<times>x<features>x<hidden>/torch, with an allocator that keeps the pages of what is freed.
func BenchmarkRecurrentPeers(b *testing.B) {
	for _, kind := range recurrentKinds {
		for _, s := range recurrentCases {
			for _, direction := range recurrentDirections {
				b.Run(kind.name+"/"+direction.name+"/"+s.String()+"/torch", func(b *testing.B) {
					nanoseconds := keptTorch.measure(b, "recurrent", kind.name, direction.name, s.samples, s.times, s.features, s.hidden)
					b.ReportMetric(s.elements()*1e3/nanoseconds, "M/s")
				})
			}
		}
	}
}
