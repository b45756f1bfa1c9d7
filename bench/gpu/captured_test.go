package gpu

import (
	"testing"

	nd "github.com/weft-nd/weft/ndarray"
)

// BenchmarkChainCaptured is BenchmarkChain as a capture, so that it is a CUDA graph.
func BenchmarkChainCaptured(b *testing.B) {
	y, one := full(b, 0, 1024), full(b, 1, 1024)
	chain := y.Env().Capture(func(env *nd.Env) {
		for range 1000 {
			nd.AddInto(y, y.In(env), one)
		}
	})
	run := func() {
		chain.Replay()
		wait(b, y)
	}
	for range 3 { // until it is kept
		run()
	}
	for b.Loop() {
		run()
	}
}
