package engine

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/fault"
)

func TestAMalformedWatchdogLimitPanics(t *testing.T) {
	for _, value := range []string{"10", "soon", "0s", "-1s"} {
		t.Setenv(watchdogVariable, value)
		func() {
			defer func() {
				e, ok := recover().(*Error)
				require.True(t, ok)
				require.ErrorIs(t, e, fault.ErrParameter)
				require.Equal(t, watchdogVariable, e.Operator)
				require.ErrorContains(t, e, value)
			}()
			newDefault()
		}()
	}
}

// TestTheEnvironmentStartsAWatchdog reads the log of the process, as that is where this watchdog writes.
func TestTheEnvironmentStartsAWatchdog(t *testing.T) {
	t.Setenv(watchdogVariable, "5ms")
	t.Setenv(engineVariable, "naive")
	reader, writer := io.Pipe()
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(writer, nil)))
	defer slog.SetDefault(before)
	e := newDefault()
	gate := make(chan struct{})
	e.Push(&Operation{Name: "callback", Host: true, Function: FunctionOf(func(*RunContext) error { <-gate; return nil })})
	line := make([]byte, 1000)
	n, err := reader.Read(line)
	require.NoError(t, err)
	require.Contains(t, string(line[:n]), "operation=callback")
	close(gate)
	go io.Copy(io.Discard, reader)
	require.NoError(t, e.Close(context.Background()))
}

func TestTheEnvironmentNamesTheEngine(t *testing.T) {
	for name := range kinds {
		t.Setenv(engineVariable, name)
		e := newDefault()
		require.Equal(t, name, e.Name())
		require.NoError(t, e.Close(context.Background()))
	}
	for _, name := range []string{"threaded", "Naive", " pooled", "naive,pooled"} {
		t.Setenv(engineVariable, name)
		func() {
			defer func() {
				e, ok := recover().(*Error)
				require.True(t, ok)
				require.ErrorIs(t, e, fault.ErrParameter)
				require.Equal(t, engineVariable, e.Operator)
				require.ErrorContains(t, e, name)
				require.ErrorContains(t, e, "legal: naive, pooled, perdevice, shuffled")
			}()
			newDefault()
		}()
	}
}
