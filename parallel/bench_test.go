package parallel

import (
	"fmt"
	"testing"
)

// compute takes some nanoseconds for each item of [lo, hi).
func compute(lo, hi, units int) float32 {
	x := float32(1)
	for range (hi - lo) * units {
		x = x*1.0000001 + 1e-9
	}
	return x
}

// BenchmarkFor compares a region of two slots with the same work done serially: what is above half the serial time is the
// cost of the fork and the join.
func BenchmarkFor(b *testing.B) {
	pool := New(2)
	defer pool.Close()
	for _, units := range []int{0, 30, 300} {
		body := func(t *Thread, lo, hi int) {
			if compute(lo, hi, units) < 0 {
				panic("negative")
			}
		}
		for _, run := range []struct {
			name   string
			thread *Thread
		}{{"serial", Serial()}, {"two slots", pool.Thread()}} {
			b.Run(fmt.Sprintf("%d units/%s", 64*units, run.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					run.thread.For(64, body)
				}
			})
		}
	}
}

// BenchmarkSpinWindow measures how long an idle worker looks for work before it parks, and how long before that after a region.
func BenchmarkSpinWindow(b *testing.B) {
	pool := New(1)
	pool.sources.Store(&[]Source{&countedSource{pool: pool}})
	w := &worker{pool: pool}
	for _, window := range []struct {
		name string
		look func() bool
	}{{"spin", w.spin}, {"linger", w.linger}} {
		b.Run(window.name, func(b *testing.B) {
			for b.Loop() {
				if window.look() {
					b.Fatal("found work")
				}
			}
		})
	}
}
