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

// BenchmarkChainFused is ten operators of arithmetic on 256 MiB, captured, so that they are one launch: it reads and writes the array once.
func BenchmarkChainFused(b *testing.B) {
	y, factor, term := full(b, 1, rows/4, columns), full(b, 0.5, 1), full(b, 1, columns)
	chain := y.Env().Capture(func(env *nd.Env) {
		for range 5 {
			nd.MulInto(y, y.In(env), factor)
			nd.AddInto(y, y.In(env), term)
		}
	})
	run := func() {
		chain.Replay()
		wait(b, y)
	}
	for range 3 { // until it is kept
		run()
	}
	bytes := 8 * y.Count()
	best := copyTime(b, bytes/2, false)
	b.SetBytes(int64(bytes))
	for b.Loop() {
		run()
	}
	reportOfCopies(b, bytes, best, bytes/2)
}
