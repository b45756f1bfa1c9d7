package bench

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/random"
)

// scalings are the cases of BenchmarkScaling: each makes, in an Env of some threads, a call that does its work and waits for it.
var scalings = []struct {
	name string
	make func(env *nd.Env) (call func() error)
}{
	{"gemm2048", func(env *nd.Env) func() error {
		x := random.Uniform(env, dtype.Float32, -1, 1, 2048, 2048)
		y := random.Uniform(env, dtype.Float32, -1, 1, 2048, 2048)
		z := nd.ZerosIn(env, dtype.Float32, 2048, 2048)
		return func() error {
			nd.MatMulInto(z, x, y)
			return z.Wait(context.Background())
		}
	}},
	{"uniform", func(env *nd.Env) func() error {
		return func() error {
			x := random.Uniform(env, dtype.Float32, 0, 1, 10_000_000)
			defer x.Release()
			return x.Wait(context.Background())
		}
	}},
	{"softmax", func(env *nd.Env) func() error {
		x := random.Uniform(env, dtype.Float32, -1, 1, 4096, 1024)
		return func() error {
			y := x.Softmax(1)
			defer y.Release()
			return y.Wait(context.Background())
		}
	}},
	{"independent", func(env *nd.Env) func() error {
		const operations, steps = 1000, 10_000 // of about 20 µs each
		e := env.Engine()
		pushed := make([]*engine.Operation, operations)
		for i := range pushed {
			pushed[i] = e.NewOperator(engine.Operation{
				Name: "chain", Accesses: []engine.Access{{Var: e.NewVar(), Mode: engine.Write}},
				Function: engine.FunctionOf(func(*engine.RunContext) error {
					if chainOf(steps) < 0 {
						return fmt.Errorf("the chain is negative")
					}
					return nil
				}),
			})
		}
		return func() error {
			for _, op := range pushed {
				e.Push(op)
			}
			return e.WaitAll(context.Background())
		}
	}},
}

// BenchmarkScaling measures what large work gains by more threads, as BenchmarkScaling/<case>/<threads> for 1, 2, 4 and so on up to as
// many as there are processors: a product of matrices of 2048, ten million random numbers, the softmax of rows, and operations that have
// nothing to do with each other. The metric efficiency is the time on one thread over that on n, by n.
func BenchmarkScaling(b *testing.B) {
	for _, c := range scalings {
		var alone time.Duration // of a call on one thread
		for threads := 1; threads <= runtime.NumCPU(); threads *= 2 {
			b.Run(fmt.Sprintf("%s/%d", c.name, threads), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
				pool := parallel.New(threads)
				defer pool.Close()
				e, err := engine.New("perdevice", engine.WithPool(pool))
				require.NoError(b, err)
				defer func() { require.NoError(b, e.Close(context.Background())) }()
				call := c.make(ops.NewEnv(e).WithSeed(1))
				require.NoError(b, call())
				for b.Loop() {
					require.NoError(b, call())
				}
				took := b.Elapsed() / time.Duration(b.N)
				if threads == 1 {
					alone = took
				}
				if alone > 0 { // It is not known where -bench leaves the first out.
					b.ReportMetric(alone.Seconds()/took.Seconds()/float64(threads), "efficiency")
				}
			})
		}
	}
}
