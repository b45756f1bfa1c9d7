package ndarray_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// tape notes the names of the operators it sees. It is used by one goroutine.
type tape struct {
	nodes int
	seen  []string
}

func (t *tape) Reserve(n int) int {
	t.nodes += n
	return t.nodes - n
}

func (t *tape) Record(r *ops.Record) { t.seen = append(t.seen, r.Operator.Name) }

func (t *tape) Closed() bool { return false }

func (t *tape) watch(a *nd.Array) *nd.Array {
	return (*nd.Array)((*ops.Tensor)(a).Watched(t, t.Reserve(1)))
}

func TestReadingAWatchedArrayIsNotRecorded(t *testing.T) {
	tape := &tape{}
	x := tape.watch(floats(2, 2)).T()
	seen := len(tape.seen)
	require.Equal(t, []float32{0, 2, 1, 3}, values[float32](t, x))
	require.Equal(t, "[[0. 2.]\n [1. 3.]]", fmt.Sprint(x))
	_, err := nd.ValuesAs[int64](x)
	require.NoError(t, err)
	_, err = nd.AsMatrix(x)
	require.NoError(t, err)
	require.Len(t, tape.seen, seen)
}

func TestWithSliceOfAWatchedArrayIsRecorded(t *testing.T) {
	tape := &tape{}
	x, part := tape.watch(floats(3, 2)), floats(2)
	for _, changed := range []*nd.Array{x.WithSlice(part, 1), x.Detach().WithSlice(tape.watch(part), 1)} {
		require.Equal(t, []float32{0, 1, 0, 1, 4, 5}, values[float32](t, changed))
		require.Equal(t, "where", tape.seen[len(tape.seen)-1])
	}
}

func TestWritingToAWatchedArrayIsAMistake(t *testing.T) {
	x := (&tape{}).watch(floats(2))
	for _, write := range []func(){
		func() { nd.Set[float32](x, 1, 0) },
		func() { x.SetSlice(floats(2)) },
		func() { nd.ExpInto(x, floats(2)) },
		func() { _ = nd.Write(context.Background(), x, func([]float32) error { return nil }) },
	} {
		err := mistake(t, write)
		require.ErrorIs(t, err, fault.ErrMisuse)
		require.Contains(t, err.Error(), "tape")
		require.Contains(t, err.Error(), lineOf(write))
	}
}
