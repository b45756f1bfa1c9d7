package bench

import (
	"context"
	"strconv"
	"testing"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	_ "github.com/weft-nd/weft/kernels/sim"
	"github.com/weft-nd/weft/kvstore"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

// BenchmarkKVStore measures PushPull of all parameters of LeNet on two devices, waited for at the end, as
// BenchmarkKVStore/<parameters>/<store>; with parameters of one element it shows what each key costs. Bytes are those of the
// gradients of all devices.
func BenchmarkKVStore(b *testing.B) {
	lenet := [][]int{}
	for _, p := range nn.Params(digitModels[1].make(newEnv(b, "perdevice"))) {
		lenet = append(lenet, p.Shape())
	}
	single := make([][]int, len(lenet))
	for i := range single {
		single[i] = []int{1}
	}
	cpus, sims := []device.Device{device.CPU(0), device.CPU(1)}, []device.Device{device.Sim(0), device.Sim(1)}
	for _, size := range []struct {
		name   string
		shapes [][]int
	}{{"lenet", lenet}, {"single", single}} {
		for _, kind := range []struct {
			name    string
			make    func(*nd.Env, []device.Device, ...kvstore.Option) *kvstore.Store
			devices []device.Device
		}{{"local-cpu", kvstore.NewLocal, cpus}, {"device-cpu", kvstore.NewDevice, cpus}, {"device-sim", kvstore.NewDevice, sims}} {
			b.Run(size.name+"/"+kind.name, func(b *testing.B) {
				env := newEnv(b, "perdevice")
				exchange(b, env, kind.make(env, kind.devices), size.shapes)
			})
		}
	}
}

// exchange pushes and pulls arrays of the given shapes, one key for each.
func exchange(b *testing.B, env *nd.Env, s *kvstore.Store, shapes [][]int) {
	bytes := 0
	gradients, weights := make([][]*nd.Array, len(shapes)), make([][]*nd.Array, len(shapes))
	for i, shape := range shapes {
		s.Init(strconv.Itoa(i), nd.ZerosIn(env, dtype.Float32, shape...))
		for _, d := range s.Devices() {
			gradients[i] = append(gradients[i], nd.OnesIn(env.WithDevice(d), dtype.Float32, shape...))
			weights[i] = append(weights[i], nd.ZerosIn(env.WithDevice(d), dtype.Float32, shape...))
			bytes += 4 * gradients[i][0].Count()
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		for i := range shapes {
			for d, g := range gradients[i] {
				gradients[i][d] = nd.OnesIn(g.Env(), dtype.Float32, shapes[i]...) // as those of each step are new arrays
			}
			s.PushPull(strconv.Itoa(i), gradients[i], weights[i], -i)
		}
		for _, w := range weights {
			for _, a := range w {
				if err := a.Wait(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	seconds := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(bytes)/seconds/1e9, "GB/s")
	b.ReportMetric(seconds*1e9/float64(len(shapes)), "ns/key")
}
