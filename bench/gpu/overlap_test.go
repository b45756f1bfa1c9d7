package gpu

import (
	"testing"
	"time"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// BenchmarkOverlap copies from pinned memory while the device computes for about as long, and reports how much longer it takes to do one
// after the other.
func BenchmarkOverlap(b *testing.B) {
	x := full(b, 0.5, rows, columns)
	from := nd.FullIn(nd.DefaultEnv().WithDevice(device.CPUPinned(0)), dtype.Float32, 1, x.Count()/4)
	wait(b, from)
	copies := func() *nd.Array { return arrival(b, from) }
	compute := func(times int) *nd.Array {
		y := x.Exp()
		for range times - 1 {
			y.Release()
			y = x.Exp()
		}
		return y
	}
	timed := func(run func()) time.Duration {
		begin := time.Now()
		run()
		return time.Since(begin)
	}
	wait(b, copies())
	wait(b, compute(1))
	copying, computing := timed(func() { wait(b, copies()) }), timed(func() { wait(b, compute(1)) })
	times := max(1, int(copying/max(computing, 1)))
	if testing.Short() {
		times = 1
	}
	var serial, together time.Duration
	for b.Loop() {
		serial += timed(func() {
			c := copies()
			wait(b, c)
			y := compute(times)
			wait(b, y)
			c.Release()
			y.Release()
		})
		together += timed(func() {
			y, c := compute(times), copies() // whose last part, on the device, would keep back what is computed behind it
			wait(b, c)
			wait(b, y)
			c.Release()
			y.Release()
		})
	}
	b.ReportMetric(float64(serial)/float64(together), "serial/together(bar:1.7)")
}
