package ndarray_test

import (
	"fmt"
	"os"
	"regexp"
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
