package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// elementwiseCase is an operator on two arrays of an element type, or on the first of them.
type elementwiseCase struct {
	name  string // NumPy's
	tells bool   // a bool of every element
	into  func(dst, x, y *nd.Array)
}

func ofFirst(into func(dst, x *nd.Array)) func(dst, x, y *nd.Array) {
	return func(dst, x, _ *nd.Array) { into(dst, x) }
}

var elementwiseCases = []elementwiseCase{
	{"add", false, nd.AddInto}, {"subtract", false, nd.SubInto}, {"multiply", false, nd.MulInto}, {"divide", false, nd.DivInto},
	{"floor_divide", false, nd.FloorDivideInto}, {"remainder", false, nd.RemainderInto},
	{"maximum", false, nd.MaximumInto}, {"minimum", false, nd.MinimumInto}, {"bitwise_and", false, nd.BitwiseAndInto},
	{"left_shift", false, nd.BitwiseLeftShiftInto}, {"right_shift", false, nd.BitwiseRightShiftInto},
	{"equal", true, nd.EqualInto}, {"less", true, nd.LessInto}, {"logical_and", true, nd.LogicalAndInto},
	{"logical_not", true, ofFirst(nd.LogicalNotInto)},
	{"negative", false, ofFirst(nd.NegInto)}, {"absolute", false, ofFirst(nd.AbsInto)}, {"square", false, ofFirst(nd.SquareInto)},
	{"sign", false, ofFirst(nd.SignInto)}, {"sqrt", false, ofFirst(nd.SqrtInto)}, {"copy", false, ofFirst(nd.CopyInto)},
}

const (
	elementwiseCount = 100_000
	callsAtOnce      = 32 // more are not pushed before one waits for them
)

// BenchmarkElementwise measures element-wise operators on every element type, from end to end one after another, as
// BenchmarkElementwise/<NumPy's name>/<element type>, and casts as BenchmarkElementwise/cast_<to>/<from>. The elements are those of
// peers/elementwise.py.
func BenchmarkElementwise(b *testing.B) {
	env := newEnv(b, "perdevice")
	numbers := make([]int64, elementwiseCount)
	for i := range numbers {
		numbers[i] = int64(i)
	}
	count := nd.FromSliceIn(env, numbers, elementwiseCount)
	for _, d := range dtype.All() {
		x, y := count.RemainderScalar(97).Cast(d), count.RemainderScalar(89).AddScalar(1).Cast(d)
		measure := func(name string, result dtype.DType, into func(dst, x, y *nd.Array)) {
			b.Run(name+"/"+d.String(), func(b *testing.B) {
				dst := nd.ZerosIn(env, result, elementwiseCount)
				if !accepts(func() { into(dst, x, y) }) {
					b.Skipf("no %s of %v", name, d)
				}
				require.NoError(b, dst.Wait(context.Background()))
				for i := 1; b.Loop(); i++ {
					into(dst, x, y)
					if i%callsAtOnce == 0 {
						require.NoError(b, dst.Wait(context.Background()))
					}
				}
				require.NoError(b, dst.Wait(context.Background()))
				b.ReportMetric(elementwiseCount*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
			})
		}
		for _, c := range elementwiseCases {
			result := d
			if c.tells {
				result = dtype.Bool
			}
			measure(c.name, result, c.into)
		}
		for _, to := range dtype.All() {
			measure("cast_"+to.String(), to, ofFirst(nd.CastInto))
		}
	}
}

// accepts reports whether a call is none by mistake, such as one of an operator that does not take the element type.
func accepts(call func()) (accepted bool) {
	defer func() { accepted = recover() == nil }()
	call()
	return true
}

// BenchmarkElementwisePeers measures NumPy on the cases of BenchmarkElementwise, as
// BenchmarkElementwisePeers/<operator>/<element type>/numpy.
func BenchmarkElementwisePeers(b *testing.B) {
	for _, d := range dtype.All() {
		measure := func(name string) {
			b.Run(fmt.Sprintf("%s/%v/numpy", name, d), func(b *testing.B) {
				b.ReportMetric(elementwiseCount/numpy.measure(b, "elementwise", name, d, elementwiseCount)*1e3, "M/s")
			})
		}
		for _, c := range elementwiseCases {
			measure(c.name)
		}
		for _, to := range dtype.All() {
			measure("cast_" + to.String())
		}
	}
}
