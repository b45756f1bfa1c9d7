package engine_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// logbook keeps what is logged. It implements slog.Handler.
type logbook struct {
	mu      sync.Mutex
	began   time.Time
	entries []map[string]any // attributes, and the time since began
}

func (l *logbook) Enabled(context.Context, slog.Level) bool { return true }
func (l *logbook) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *logbook) WithGroup(string) slog.Handler            { return l }

func (l *logbook) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry := map[string]any{"at": r.Time.Sub(l.began), "level": r.Level, "message": r.Message}
	r.Attrs(func(a slog.Attr) bool {
		entry[a.Key] = a.Value.Any()
		return true
	})
	l.entries = append(l.entries, entry)
	return nil
}

// of returns when what was logged of an operation in some state.
func (l *logbook) of(operation, state string) (times []time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, entry := range l.entries {
		if entry["operation"] == operation && entry["state"] == state {
			times = append(times, entry["at"].(time.Duration))
		}
	}
	return times
}

// inBubble runs test with an engine whose goroutines, and those of its pool, live on the clock of a bubble, which moves when
// all of them wait.
func inBubble(t *testing.T, test func(t *testing.T, e engine.Engine, log *logbook)) {
	synctest.Test(t, func(t *testing.T) {
		pool := parallel.New(2)
		e := engine.NewPerDevice(engine.WithPool(pool))
		test(t, e, &logbook{began: time.Now()})
		require.NoError(t, e.Close(context.Background()))
		pool.Close()
	})
}

func TestTheWatchdogWarnsAtDoublingTimes(t *testing.T) {
	inBubble(t, func(t *testing.T, e engine.Engine, log *logbook) {
		v, w := e.NewVar(), e.NewVar()
		stop := engine.Watch(e, time.Second, slog.New(log))
		defer stop()
		host := nothing("callback", engine.Access{Var: v, Mode: engine.Write}, engine.Access{Var: w, Mode: engine.Write})
		host.Host = true
		release := gated(t, e, host)
		step := nothing("step", engine.Access{Var: v, Mode: engine.Update}, engine.Access{Var: w})
		e.Push(step)
		e.Push(nothing("last", engine.Access{Var: v, Mode: engine.Update}))
		time.Sleep(10 * time.Second) // of the bubble's clock: until all has happened that happens in that time
		// What was pushed just after the first look is first seen at the second.
		for _, operation := range []string{"callback", "step", "last"} {
			state := "waiting"
			if operation == "callback" {
				state = "running"
			}
			times := log.of(operation, state)
			require.Len(t, times, 4, operation)
			for i, at := range times {
				require.InDelta(t, time.Second<<i, at, float64(250*time.Millisecond), operation)
			}
		}
		require.Len(t, log.entries, 12)
		for _, entry := range log.entries {
			require.Equal(t, slog.LevelWarn, entry["level"])
			require.Equal(t, "operation takes long", entry["message"])
			delete(entry, "at")
			switch entry["operation"] {
			case "callback":
				require.Equal(t, "host", entry["place"])
				require.NotContains(t, entry, "after")
				require.NotContains(t, entry, "root")
			case "step":
				require.Equal(t, "#1 callback (v1, v2)", entry["after"])
				require.Equal(t, step.Site.String(), entry["site"])
				require.Equal(t, uint64(2), entry["number"])
				require.Equal(t, "cpu(0)", entry["device"])
			case "last":
				require.Equal(t, "#2 step (v1)", entry["after"])
			}
			if entry["operation"] != "callback" {
				require.Equal(t, "#1 callback, running: host", entry["root"])
			}
		}
		release()
		synctest.Wait()
		time.Sleep(10 * time.Second)
		require.Len(t, log.entries, 12, "nothing is pending")
	})
}

// TestTheWatchdogMeasuresTheTimeInOneState moves operations on before their time is over.
func TestTheWatchdogMeasuresTheTimeInOneState(t *testing.T) {
	inBubble(t, func(t *testing.T, e engine.Engine, log *logbook) {
		const limit = time.Second
		var vars []*engine.Var
		var releases []func()
		for range 3 {
			vars = append(vars, e.NewVar())
		}
		stop := engine.Watch(e, limit, slog.New(log))
		gates := make([]chan struct{}, 3)
		for i := range gates {
			gates[i] = make(chan struct{})
			op := nothing(fmt.Sprint("link", i), engine.Access{Var: vars[0], Mode: engine.Update})
			op.Host = true
			op.Function = engine.FunctionOf(func(*engine.RunContext) error { <-gates[i]; return nil })
			e.Push(op)
			releases = append(releases, func() { close(gates[i]) })
		}
		for _, release := range releases {
			time.Sleep(700 * time.Millisecond)
			release()
		}
		synctest.Wait()
		time.Sleep(limit)
		stop()
		stop()
		require.Len(t, log.of("link2", "waiting"), 1, "it waits for 1.4 s")
		require.Len(t, log.entries, 1)
	})
}

func TestTheWatchdogSeesWhatStopHolds(t *testing.T) {
	inBubble(t, func(t *testing.T, e engine.Engine, log *logbook) {
		require.NoError(t, e.Stop(context.Background()))
		v := e.NewVar()
		e.Push(nothing("leaf", engine.Access{Var: v, Mode: engine.Write}))
		bulk := e.NewBulk(4)
		bulk.Push(nothing("forgotten"))
		stop := engine.Watch(e, time.Second, slog.New(log))
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		defer cancel()
		require.ErrorIs(t, e.Wait(ctx, v), context.DeadlineExceeded)
		time.Sleep(2 * time.Second)
		stop()
		require.Len(t, log.of("leaf", "held"), 2)
		require.Len(t, log.of("bulk of 1", "gathered"), 2)
		require.Len(t, log.entries, 4, "who waits is no operation")
		time.Sleep(10 * time.Second)
		require.Len(t, log.entries, 4)
		e.Start()
	})
}

func TestAWatchdogNeedsALimit(t *testing.T) {
	e := perDevice(t)
	for _, limit := range []time.Duration{0, -time.Second} {
		func() {
			defer func() { require.ErrorIs(t, recover().(*engine.Error), fault.ErrParameter) }()
			engine.Watch(e, limit, nil)
		}()
	}
}
