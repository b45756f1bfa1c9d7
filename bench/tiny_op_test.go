package bench

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	nd "github.com/weft-nd/weft/ndarray"
)

// BenchmarkTinyOp measures one operator on 16 elements at a time, its result allocated and dropped: a sum whose operands are
// there, and one of a chain, which begins with the result of the one before.
func BenchmarkTinyOp(b *testing.B) {
	const count = 16
	env := newEnv(b, "perdevice")
	x, y := nd.FromSliceIn(env, make([]float32, count), count), nd.FromSliceIn(env, make([]float32, count), count)
	b.Run("add", func(b *testing.B) {
		b.ReportAllocs()
		var sum *nd.Array
		for b.Loop() {
			sum = x.Add(y)
		}
		require.NoError(b, sum.Wait(context.Background()))
		require.NoError(b, env.Engine().WaitAll(context.Background()))
	})
	b.Run("chain", func(b *testing.B) {
		b.ReportAllocs()
		sum := x
		for b.Loop() {
			sum = sum.Add(y)
		}
		require.NoError(b, sum.Wait(context.Background()))
	})
	b.Run("wait", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, x.Add(y).Wait(context.Background()))
		}
	})
}

// BenchmarkTinyOpPeers measures PyTorch, NumPy and gorgonia on the cases of BenchmarkTinyOp, as BenchmarkTinyOpPeers/<case>/<library>.
func BenchmarkTinyOpPeers(b *testing.B) {
	tensors := gorgonia.measurer(b)
	for _, name := range []string{"add", "chain", "wait"} {
		b.Run(name+"/gorgonia", func(b *testing.B) { tensors(b, "tinyop", name) })
		for _, library := range []pythonLibrary{numpy, torch} {
			b.Run(name+"/"+library.name, func(b *testing.B) { library.measure(b, "tinyop", name) })
		}
	}
}
