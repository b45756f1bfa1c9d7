package parallel

import (
	"context"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHelpersHaveTheLabelsOfTheirLauncher has two slots meet, and looks at the labels of all goroutines then and after.
func TestHelpersHaveTheLabelsOfTheirLauncher(t *testing.T) {
	p := New(2)
	t.Cleanup(p.Close)
	thread := p.Thread()
	labelled := func() int {
		var text strings.Builder
		require.NoError(t, pprof.Lookup("goroutine").WriteTo(&text, 1))
		return strings.Count(text.String(), `{"operator":"matmul"}`)
	}
	thread.SetLabels(pprof.WithLabels(context.Background(), pprof.Labels("operator", "matmul")))
	var met sync.WaitGroup
	met.Add(2)
	seen := make(chan int, 2)
	thread.For(2, func(*Thread, int, int) {
		met.Done()
		met.Wait()
		seen <- labelled()
	})
	require.Positive(t, <-seen, "the helper, not the launcher, which has its own")
	thread.SetLabels(context.Background())
	thread.For(2, func(*Thread, int, int) {})
	require.Zero(t, labelled())
}

func TestResetLeavesNothingBehind(t *testing.T) {
	p := New(2)
	t.Cleanup(p.Close)
	thread := p.Thread()
	require.NoError(t, thread.SetNumThreads(1))
	_, err := thread.SetChunkSize(3)
	require.NoError(t, err)
	thread.SetLabels(pprof.WithLabels(context.Background(), pprof.Labels("operator", "matmul")))
	thread.Reset()
	require.Equal(t, p.Thread(), thread)
	labels := pprof.WithLabels(context.Background(), pprof.Labels("operator", "exp"))
	thread.SetLabels(labels)
	thread.Reset()
	require.Equal(t, p.Thread(), thread, "labels alone")
}
