package ndarray_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestZerosOfACaptureAreZerosAgain(t *testing.T) {
	x := nd.FromSlice([]int32{1, 2})
	var sum *nd.Array
	c := x.Env().Capture(func(env *nd.Env) {
		sum = nd.ZerosIn(env, dtype.Int32, 2)
		for range 3 {
			nd.AddInto(sum, sum, x)
		}
	})
	c.Replay()
	values, err := nd.Values[int32](sum)
	require.NoError(t, err)
	require.Equal(t, []int32{3, 6}, values)
}

// TestACaptureHasAllThatAFunctionOfItsArraysComputes brings one of the arrays alone to the capture: what is computed of the others alone, on the way to
// the result, has to be computed again by a Replay, too.
func TestACaptureHasAllThatAFunctionOfItsArraysComputes(t *testing.T) {
	type arrays = []*nd.Array
	matrix := func(rows, columns int) *nd.Array {
		return nd.Arange(0.0, float64(rows*columns), 1).Reshape(rows, columns)
	}
	for name, c := range map[string]struct {
		operands arrays
		function func(a arrays) *nd.Array
	}{
		"attention":       {arrays{matrix(2, 4), matrix(3, 4), matrix(3, 2)}, func(a arrays) *nd.Array { return nd.Attention(a[0], a[1], a[2], nil) }},
		"masked":          {arrays{matrix(2, 4), matrix(3, 4), matrix(3, 2), matrix(2, 3)}, func(a arrays) *nd.Array { return nd.Attention(a[0], a[1], a[2], a[3]) }},
		"close":           {arrays{matrix(2, 3), matrix(2, 3).MulScalar(1.5)}, func(a arrays) *nd.Array { return a[0].IsClose(a[1], 0.25, 0) }},
		"membership":      {arrays{matrix(2, 3), matrix(1, 4)}, func(a arrays) *nd.Array { return a[0].IsIn(a[1]) }},
		"einsum":          {arrays{matrix(2, 3), matrix(3, 3)}, func(a arrays) *nd.Array { return nd.Einsum("ij,kk->k", a[0], a[1]) }},
		"einsum of bools": {arrays{matrix(2, 3).GreaterScalar(2), matrix(3, 3).GreaterScalar(6)}, func(a arrays) *nd.Array { return nd.Einsum("ij,kk->k", a[0], a[1]) }},
		"dtypes":          {arrays{matrix(2, 3).Cast(dtype.Int32), matrix(3, 2)}, func(a arrays) *nd.Array { return a[0].TensorDot(a[1], 1) }},
		"order of axes":   {arrays{matrix(2, 6).Reshape(2, 3, 2), matrix(3, 8).Reshape(3, 2, 4)}, func(a arrays) *nd.Array { return nd.Einsum("ijk,jil->kl", a[0], a[1]) }},
		"conjugates":      {arrays{nd.Complex(matrix(2, 3), matrix(2, 3)), matrix(2, 3)}, func(a arrays) *nd.Array { return a[0].VecDot(a[1], -1) }},
		"mask":            {arrays{matrix(2, 3), matrix(2, 3).GreaterScalar(3)}, func(a arrays) *nd.Array { return a[0].WithSlice(nd.Weak(7.0), a[1]) }},
		"count":           {arrays{matrix(2, 3), matrix(2, 3).GreaterScalar(3)}, func(a arrays) *nd.Array { return a[0].Masked(a[1]).Count(1) }},
		"masked mean":     {arrays{matrix(2, 3), matrix(2, 3).GreaterScalar(1)}, func(a arrays) *nd.Array { return a[0].Masked(a[1]).Mean(1) }},
		"masked extreme":  {arrays{matrix(2, 3), matrix(1, 3).GreaterScalar(1)}, func(a arrays) *nd.Array { return a[0].Masked(a[1]).Max(1) }},
		"masked index":    {arrays{matrix(2, 3), matrix(2, 3).GreaterScalar(1)}, func(a arrays) *nd.Array { return a[0].Masked(a[1]).ArgMax(1) }},
		"masked quantile": {arrays{matrix(2, 3), matrix(2, 3).GreaterScalar(1)}, func(a arrays) *nd.Array { return a[0].Masked(a[1]).Quantile(0.3, 1) }},
		"what counts":     {arrays{matrix(2, 3), matrix(2, 3).GreaterScalar(3)}, func(a arrays) *nd.Array { return a[0].Masked(a[1]).Mean(0) }},
		"halves counted":  {arrays{matrix(2, 3).Cast(dtype.Float16), matrix(2, 3).GreaterScalar(3)}, func(a arrays) *nd.Array { return a[0].Masked(a[1]).Mean(0) }},
		"places":          {arrays{matrix(2, 3), matrix(2, 3), nd.FromSlice([]int64{1, 0})}, func(a arrays) *nd.Array { return a[0].WithSliceAdded(a[1], a[2]) }},
	} {
		for alone := range c.operands {
			operands := make(arrays, len(c.operands))
			for i, a := range c.operands {
				operands[i] = a.Copy()
			}
			var got *nd.Array
			capture := nd.DefaultEnv().Capture(func(env *nd.Env) {
				inside := slices.Clone(operands)
				inside[alone] = inside[alone].In(env)
				got = c.function(inside)
			})
			for range 2 {
				for i, a := range operands {
					nd.CopyInto(a, c.operands[i].Reshape(-1).Flip(0).Reshape(a.Shape()...))
				}
				capture.Replay()
				require.Equal(t, c.function(operands).String(), got.String(), "%s, array %d", name, alone)
			}
			capture.Release()
		}
	}
}

func TestACaptureKeepsSetAndRefusesWrite(t *testing.T) {
	x := nd.FromSlice([]int32{1, 2})
	c := x.Env().Capture(func(env *nd.Env) {
		last, err := nd.At[int32](x.In(env), 1)
		require.NoError(t, err)
		require.Equal(t, int32(2), last)
		nd.Set(x.In(env), int32(5), 1)
		require.Error(t, nd.Try(func() { _ = nd.Write(t.Context(), x.In(env), func([]int32) error { return nil }) }))
	})
	nd.Set(x, int32(7), 0)
	nd.Set(x, int32(7), 1)
	c.Replay()
	values, err := nd.Values[int32](x)
	require.NoError(t, err)
	require.Equal(t, []int32{7, 5}, values)
}

func ExampleCapture() {
	state, input := nd.Zeros[float64](3), nd.FromSlice([]float64{1, 2, 3})
	var norm *nd.Array
	step := nd.DefaultEnv().Capture(func(env *nd.Env) { // runs it once
		nd.AddInto(state, state.In(env), input) // kept because of In(env)
		norm = state.In(env).Mul(state).Sum()   // so is this, and what is done with norm
	})
	defer step.Release()

	nd.Set(input, 5.0, 0) // read by the next Replay
	for range 2 {
		step.Replay() // returns at once
	}
	fmt.Println(state)
	fmt.Println(norm)
	// Output:
	// [11.  6.  9.]
	// 238.0
}

// A function of two arrays that computes something of one of them alone, which the capture of the other is to have.
func ExampleInOneCapture() {
	distance := func(a, b *nd.Array) *nd.Array {
		operands := nd.InOneCapture(a, b)
		return operands[0].Sub(operands[1].Square()).Abs().Sum()
	}
	state, input := nd.Ones[float64](3), nd.FromSlice([]float64{1, 2, 3})
	var sum *nd.Array
	step := nd.DefaultEnv().Capture(func(env *nd.Env) { sum = distance(state.In(env), input) })
	defer step.Release()

	nd.Set(input, 5.0, 0)
	step.Replay() // squares input again
	fmt.Println(sum)
	// Output: 35.0
}

func TestTheGuideToCapturesQuotesTheExample(t *testing.T) {
	guide, err := os.ReadFile("../docs/capture.md")
	require.NoError(t, err)
	var source []byte
	for _, name := range []string{"capture_test.go", "captured_test.go"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		source = append(source, text...)
	}
	quotes := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(guide), -1)
	require.NotEmpty(t, quotes)
	indent := regexp.MustCompile(`(?m)^\t`)
	for _, quote := range quotes {
		require.Contains(t, indent.ReplaceAllString(string(source), ""), quote[1])
	}
}
