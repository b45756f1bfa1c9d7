package engine_test

import (
	"bytes"
	"context"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
)

// TestFunctionsRunWithLabels looks at all goroutines' labels from inside functions, on workers, hosts and streams.
func TestFunctionsRunWithLabels(t *testing.T) {
	engine.LabelProfiles(true)
	t.Cleanup(func() { engine.LabelProfiles(false) })
	e := perDevice(t)
	for _, op := range []*engine.Operation{
		{Name: "labelled leaf"}, {Name: "labelled host", Host: true}, {Name: "labelled launch", Device: device.Sim(0)},
	} {
		var text strings.Builder
		op.Function = engine.FunctionOf(func(*engine.RunContext) error { return pprof.Lookup("goroutine").WriteTo(&text, 1) })
		e.Push(op)
		require.NoError(t, e.WaitAll(context.Background()))
		require.Contains(t, text.String(), `"operator":"`+op.Name+`"`)
		require.Contains(t, text.String(), `"device":"`+op.Device.String()+`"`)
	}
}

func TestFunctionsAreRegionsOfExecutionTraces(t *testing.T) {
	var recorded bytes.Buffer
	if err := trace.Start(&recorded); err != nil {
		t.Skip("something else traces: ", err)
	}
	e := perDevice(t)
	e.Push(&engine.Operation{Name: "traced operator", Function: engine.FunctionOf(func(*engine.RunContext) error { return nil })})
	err := e.WaitAll(context.Background())
	trace.Stop()
	require.NoError(t, err)
	require.Contains(t, recorded.String(), "traced operator")
}
