package bench

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// The table of BenchmarkGather.
const (
	tableRows    = 50_000
	tableColumns = 256
	tableIndices = 8192
)

// gathers are the cases of BenchmarkGather; each returns what is written.
var gathers = []struct {
	name string
	// make returns the array that run writes, and run, of a table, indices of its rows, and as many rows.
	make func(table, indices, rows *nd.Array) (result *nd.Array, run func())
}{
	{"take", func(table, indices, _ *nd.Array) (*nd.Array, func()) {
		out := nd.ZerosIn(table.Env(), dtype.Float32, tableIndices, tableColumns)
		return out, func() { nd.TakeInto(out, table, indices, 0) }
	}},
	{"embedding", func(table, indices, _ *nd.Array) (*nd.Array, func()) {
		out := nd.ZerosIn(table.Env(), dtype.Float32, 64, tableIndices/64, tableColumns)
		batch := indices.Cast(dtype.Int32).Reshape(64, -1)
		return out, func() { nd.TakeInto(out, table, batch, 0) }
	}},
	{"embedding_gradient", func(table, indices, rows *nd.Array) (*nd.Array, func()) {
		out := nd.ZerosIn(table.Env(), dtype.Float32, tableRows, tableColumns)
		params := ops.ScatterParams{Shape: []int{tableRows, tableColumns}, Mode: "raise"}
		return out, func() {
			ops.InvokeInto(ops.ScatterAdd, params, []*ops.Tensor{(*ops.Tensor)(out)}, (*ops.Tensor)(rows), (*ops.Tensor)(indices))
		}
	}},
	{"scatter_add", func(table, indices, rows *nd.Array) (*nd.Array, func()) {
		each := indices.ExpandDims(1).BroadcastTo(tableIndices, tableColumns).Copy()
		return table, func() { nd.AddAlongAxisInto(table, table, each, rows, 0) }
	}},
	{"index_add", func(table, indices, rows *nd.Array) (*nd.Array, func()) {
		return table, func() { nd.ScatterAddInto(table, table, indices, rows, 0) }
	}},
}

// BenchmarkGather measures reading and adding 8192 rows of a table of 50,000 rows of 256 float32 numbers, at indices in random
// order with repeats, into memory that is there already, as BenchmarkGather/<case>: take and embedding read rows, the
// latter by int32 indices of two axes; embedding_gradient adds them to zeros; scatter_add, with an index for each
// element, and index_add add them to the table in place.
func BenchmarkGather(b *testing.B) {
	env := newEnv(b, "perdevice")
	indices := make([]int64, tableIndices)
	state := uint32(1)
	for i := range indices {
		state = state*1664525 + 1013904223
		indices[i] = int64(state>>8) % tableRows
	}
	for _, c := range gathers {
		b.Run(c.name, func(b *testing.B) {
			table := nd.OnesIn(env, dtype.Float32, tableRows, tableColumns)
			rows := nd.OnesIn(env, dtype.Float32, tableIndices, tableColumns)
			result, run := c.make(table, nd.FromSliceIn(env, indices, tableIndices), rows)
			run()
			require.NoError(b, result.Wait(context.Background()))
			for b.Loop() {
				run()
				if err := result.Wait(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkGatherPeers measures NumPy (where it is not far slower) and PyTorch (two threads) on the cases of BenchmarkGather, as
// BenchmarkGatherPeers/<case>/<library>.
func BenchmarkGatherPeers(b *testing.B) {
	for _, c := range gathers {
		for _, library := range []pythonLibrary{numpy, torch} {
			b.Run(c.name+"/"+library.name, func(b *testing.B) { library.measure(b, "gather", c.name) })
		}
	}
}
