//go:build linux && amd64

package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	_ "github.com/weft-nd/weft/kernels/cuda"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
	nd "github.com/weft-nd/weft/ndarray"
)

// BenchmarkCapture measures a chain of 1000 adds on 1024 elements, called and replayed, and counts what a GPU's driver is asked for: on the
// fake driver, whose own time for a launch is none.
func BenchmarkCapture(b *testing.B) {
	fake := cudatest.Install(b)
	for _, place := range []device.Device{device.CPU(0), device.GPU(0)} {
		for _, size := range []int{4, 1024} {
			env := nd.DefaultEnv().WithDevice(place)
			y, one := nd.ZerosIn(env, dtype.Float32, size), nd.OnesIn(env, dtype.Float32, size)
			chain := func(env *nd.Env) {
				for range 1000 {
					nd.AddInto(y, y.In(env), one)
				}
			}
			captured := env.Capture(chain)
			for name, run := range map[string]func(){"called": func() { chain(env) }, "replayed": captured.Replay} {
				b.Run(fmt.Sprintf("%v/%d/%s", place, size, name), func(b *testing.B) {
					step := func() {
						run()
						if err := y.Wait(context.Background()); err != nil {
							b.Fatal(err)
						}
					}
					for range 4 { // until it is kept
						step()
					}
					before := fake.Get("launches") + fake.Get("replays")
					for b.Loop() {
						step()
					}
					b.ReportMetric(float64(fake.Get("launches")+fake.Get("replays")-before)/float64(b.N), "driver-calls/step")
				})
			}
		}
	}
}
