package bench

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/sim"
	"github.com/weft-nd/weft/kvstore"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
)

// BenchmarkKVStore measures PushPull of all parameters of LeNet on two devices, waited for at the end, as
// BenchmarkKVStore/<parameters>/<store>; with parameters of one element it shows what each key costs. Bytes are those of the
// gradients of all devices, which are new arrays each time, as in a training. BenchmarkKVStore/<parameters>/by-hand does with slices,
// in one goroutine, what a store does with arrays of two devices on cpus: fill, add, and copy to both.
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
		b.Run(size.name+"/by-hand", func(b *testing.B) { exchangeByHand(b, size.shapes) })
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
	reportExchange(b, bytes, len(shapes))
}

func reportExchange(b *testing.B, bytes, keys int) {
	seconds := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(bytes)/seconds/1e9, "GB/s")
	b.ReportMetric(seconds*1e9/float64(keys), "ns/key")
}

func exchangeByHand(b *testing.B, shapes [][]int) {
	const devices = 2
	bytes := 0
	sums, weights := make([][]float32, len(shapes)), make([][devices][]float32, len(shapes))
	for i, shape := range shapes {
		count := 1
		for _, n := range shape {
			count *= n
		}
		sums[i], bytes = make([]float32, count), bytes+devices*4*count
		for d := range devices {
			weights[i][d] = make([]float32, count)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		for i, sum := range sums {
			var gradients [devices][]float32
			for d := range devices {
				gradients[d] = slices.Repeat([]float32{1}, len(sum))
			}
			for j, v := range gradients[0] {
				sum[j] = v + gradients[1][j]
			}
			for d := range devices {
				copy(weights[i][d], sum)
			}
		}
	}
	reportExchange(b, bytes, len(shapes))
}

// BenchmarkKVStoreOverlap measures how much of the exchange of parameters is hidden behind computing, on two simulated devices where
// each kernel and each copy takes half a millisecond, as BenchmarkKVStoreOverlap/<store>. A step has a kernel for the gradient of
// each of eight layers, the last first, whose PushPull follows at once, and then a kernel with the new weights of each, the first
// first. hidden-% is 0 if it takes as long as a step that waits for each exchange, and 100 if as long as one without.
func BenchmarkKVStoreOverlap(b *testing.B) {
	const layers, elements, latency = 8, 1000, time.Millisecond / 2
	for _, kind := range []struct {
		name string
		make func(*nd.Env, []device.Device, ...kvstore.Option) *kvstore.Store
	}{{"local", kvstore.NewLocal}, {"device", kvstore.NewDevice}} {
		b.Run(kind.name, func(b *testing.B) {
			env := newEnv(b, "perdevice")
			s := kind.make(env, []device.Device{device.Sim(0), device.Sim(1)})
			gradients, weights := make([][]*nd.Array, layers), make([][]*nd.Array, layers)
			for i := range layers {
				s.Init(strconv.Itoa(i), nd.ZerosIn(env, dtype.Float32, elements))
				for _, d := range s.Devices() {
					gradients[i] = append(gradients[i], nd.OnesIn(env.WithDevice(d), dtype.Float32, elements))
					weights[i] = append(weights[i], nd.ZerosIn(env.WithDevice(d), dtype.Float32, elements))
				}
			}
			wait := func(arrays []*nd.Array) {
				for _, a := range arrays {
					if err := a.Wait(context.Background()); err != nil {
						b.Fatal(err)
					}
				}
			}
			step := func(exchange, waiting bool) {
				for i := layers - 1; i >= 0; i-- {
					for d, g := range gradients[i] {
						gradients[i][d] = g.Neg()
					}
					if exchange {
						s.PushPull(strconv.Itoa(i), gradients[i], weights[i], -i)
					}
					if waiting {
						wait(weights[i])
					}
				}
				var outputs []*nd.Array
				for i := range layers {
					for _, w := range weights[i] {
						outputs = append(outputs, w.Neg())
					}
				}
				wait(outputs)
			}
			measure := func(exchange, waiting bool) time.Duration {
				const steps = 5
				began := time.Now()
				for range steps {
					step(exchange, waiting)
				}
				return time.Since(began) / steps
			}
			step(true, true)
			sim.Default().SetLatency(latency)
			defer sim.Default().SetLatency(0)
			var without, overlapped, waiting time.Duration
			for b.Loop() {
				without += measure(false, false)
				overlapped += measure(true, false)
				waiting += measure(true, true)
			}
			milliseconds := func(d time.Duration) float64 { return d.Seconds() * 1e3 / float64(b.N) }
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(milliseconds(without), "computing-ms/step")
			b.ReportMetric(milliseconds(overlapped), "ms/step")
			b.ReportMetric(milliseconds(waiting), "waiting-ms/step")
			b.ReportMetric(100*float64(waiting-overlapped)/float64(waiting-without), "hidden-%")
		})
	}
}

// BenchmarkDataParallel measures steps of kvstore.Trainer on the cases of BenchmarkMNIST, as BenchmarkDataParallel/<model>/<devices>:
// beside BenchmarkMNIST it shows what the store and the replicas cost. The devices share the same CPUs.
func BenchmarkDataParallel(b *testing.B) {
	for _, m := range digitModels {
		for _, places := range []struct {
			name    string
			devices []device.Device
		}{
			{"cpu-1", []device.Device{device.CPU(0)}}, {"cpu-2", []device.Device{device.CPU(0), device.CPU(1)}},
			{"sim-2", []device.Device{device.Sim(0), device.Sim(1)}},
		} {
			b.Run(m.name+"/"+places.name, func(b *testing.B) {
				env := newEnv(b, "perdevice")
				var replicas []nn.Layer
				for _, d := range places.devices {
					replicas = append(replicas, m.make(env.WithDevice(d)))
				}
				t := kvstore.NewTrainer(kvstore.NewDevice(env, places.devices), replicas, func(weights []*nd.Array) *optim.Optimiser {
					return optim.NewSGD(weights, 0.01, optim.Momentum(0.9))
				})
				x, labels := digitBatchOf(env, m.shape)
				for b.Loop() {
					if _, err := t.Step(context.Background(), x, labels, nn.SoftmaxCrossEntropy); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(digitBatch*float64(b.N)/b.Elapsed().Seconds(), "images/s")
			})
		}
	}
}
