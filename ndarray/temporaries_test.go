package ndarray_test

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/storage"
)

// composed are functions that make arrays on their way to the result.
var composed = map[string]func(x, counts *nd.Array) *nd.Array{
	"operands of two dtypes": func(x, counts *nd.Array) *nd.Array { return x.Add(counts) },
	"root of integers":       func(_, counts *nd.Array) *nd.Array { return counts.Sqrt() },
	"median":                 func(x, _ *nd.Array) *nd.Array { return x.Median(1) },
	"quantile":               func(x, _ *nd.Array) *nd.Array { return x.Quantile(0.3, 0) },
	"quantiles":              func(x, _ *nd.Array) *nd.Array { return x.Quantiles([]float64{0.3, 0.8}, 0) },
	"closeness":              func(x, counts *nd.Array) *nd.Array { return x.IsClose(counts, 0.5, 0.3) },
	"membership":             func(x, counts *nd.Array) *nd.Array { return counts.IsIn(x.T()) },
	"covariances":            func(x, _ *nd.Array) *nd.Array { return x.Covariance(1) },
	"correlations":           func(x, _ *nd.Array) *nd.Array { return x.Correlation() },
	"edges":                  func(x, _ *nd.Array) *nd.Array { return x.HistogramEdges(1 << 16) },
	"differences":            func(x, _ *nd.Array) *nd.Array { return x.Diff(3, 1) },
	"sums behind a zero":     func(x, _ *nd.Array) *nd.Array { return x.CumSumInitial(1) },
	"histogram": func(x, _ *nd.Array) *nd.Array {
		return x.Histogram(nd.OnesIn(x.Env(), dtype.Float64, 11).CumSum(0).DivScalar(11))
	},
	"einsum of three":      func(x, _ *nd.Array) *nd.Array { return nd.Einsum("ij,jk,kl->il", x, x, x) },
	"einsum of two dtypes": func(x, counts *nd.Array) *nd.Array { return nd.Einsum("ij,ij->i", x, counts) },
	"einsum of bools": func(x, _ *nd.Array) *nd.Array {
		return nd.Einsum("ij,jk->ik", x.GreaterScalar(0.5), x.GreaterScalar(0.7))
	},
	"attention":                 func(x, _ *nd.Array) *nd.Array { return nd.Attention(x, x, x, nil) },
	"attention with addends":    func(x, _ *nd.Array) *nd.Array { return nd.Attention(x, x, x, x) },
	"attention to what is seen": func(x, _ *nd.Array) *nd.Array { return nd.Attention(x, x, x, x.GreaterScalar(0.5)) },
	"product of two dtypes":     func(x, counts *nd.Array) *nd.Array { return x.TensorDot(counts, 1) },
	"product of turned axes": func(x, _ *nd.Array) *nd.Array {
		four := x.Reshape(10, 20, 10, 20)
		return four.TensorDotAxes(four, []int{0, 3}, []int{2, 1})
	},
	"dot products":       func(x, counts *nd.Array) *nd.Array { return x.VecDot(counts, 1) },
	"median of integers": func(_, counts *nd.Array) *nd.Array { return counts.Median(1) },
	"sums of few rows":   func(x, _ *nd.Array) *nd.Array { return x.Reshape(1, 40000).CumSumInitial(0) },
	"a view":             func(x, _ *nd.Array) *nd.Array { return nd.Einsum("ij->ji", x) },
}

func TestWhatFunctionsMakeOnTheirWayGoesBackWithoutTheCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	place := device.CPU(41)
	manager, err := storage.NewPooled(place)
	require.NoError(t, err)
	storage.SetManager(place, manager)
	env := ops.NewEnv(engine.NewNaive()).WithDevice(place)
	inUse := func() int64 {
		require.NoError(t, env.Engine().WaitAll(t.Context()))
		return manager.Stats().InUse
	}
	const n = 200
	x := nd.OnesIn(env, dtype.Int64, n*n).CumSum(0).Reshape(n, n).MulScalar(7919).RemainderScalar(10007).Cast(dtype.Float64).DivScalar(10007)
	counts := x.MulScalar(100).Cast(dtype.Int32)
	for name, function := range composed {
		want := function(x, counts)
		text := want.String()
		masks := int64(n*n) * map[string]int64{"einsum of bools": 2, "attention to what is seen": 1}[name] // which the function itself makes of x
		before := inUse()
		again := function(x, counts)
		require.LessOrEqual(t, inUse()-before, masks+int64(again.Count()*again.DType().Size())*5/4+8192, "%s: the result alone is new", name)
		require.Equal(t, text, again.String(), name)
		require.Equal(t, text, function(x, counts).String(), name)
	}
}
