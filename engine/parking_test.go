package engine_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
)

func TestTheWatchdogTellsWhatHasNoMemory(t *testing.T) {
	inBubble(t, func(t *testing.T, e engine.Engine, log *logbook) {
		stop := engine.Watch(e, time.Second, slog.New(log))
		defer stop()
		tries, relief := 0, make(chan struct{})
		v := e.NewVar()
		hungry := nothing("hungry", engine.Access{Var: v, Mode: engine.Write})
		hungry.Function = engine.FunctionOf(func(*engine.RunContext) error {
			if tries++; tries > 12 {
				return nil
			}
			return engine.Starved(errors.New("no memory"), relief)
		})
		e.Push(hungry)
		time.Sleep(time.Second / 2) // of the bubble's clock: the watchdog is not to look while it tries again
		for range 10 {              // Each end makes it try again, which is no reason to begin anew.
			time.Sleep(time.Second)
			e.Push(nothing("other"))
		}
		seen := log.of("hungry", "parked")
		require.Len(t, seen, 4, "after 1, 2, 4 and 8 seconds")
		require.InDelta(t, 8*time.Second, seen[3], float64(time.Second/4))
		for _, entry := range log.entries {
			require.Equal(t, "memory of cpu(0)", entry["place"])
			require.Regexp(t, `^parked for .*s for memory of cpu\(0\): no memory$`, entry["shortage"])
		}
		close(relief)
		require.NoError(t, e.Wait(t.Context(), v))
	})
}
