package engine_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/parallel"
)

// TestDeadlinesEndWaitsOnTime has hours pass in no time: in a bubble, time goes on when every goroutine of it is parked. Idle
// workers count their spins, so they park, and the bubble ends when they have stopped.
func TestDeadlinesEndWaitsOnTime(t *testing.T) {
	for name, create := range map[string]func(...engine.Option) engine.Engine{
		"naive": engine.NewNaive, "pooled": engine.NewPooled, "perdevice": engine.NewPerDevice,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pool := parallel.New(2)
				e := create(engine.WithPool(pool))
				v := e.NewVar()
				e.Push(&engine.Operation{Name: "nap", Host: true, Accesses: []engine.Access{{Var: v, Mode: engine.Write}},
					Function: engine.FunctionOf(func(*engine.RunContext) error { time.Sleep(3 * time.Hour); return nil })})
				for _, wait := range []func(ctx context.Context) error{
					func(ctx context.Context) error { return e.Wait(ctx, v) }, e.WaitAll, e.Stop,
				} {
					ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
					began := time.Now()
					require.ErrorIs(t, wait(ctx), context.DeadlineExceeded)
					require.Equal(t, 20*time.Minute, time.Since(began))
					cancel()
				}
				e.Start()

				expires, cancel := context.WithTimeoutCause(context.Background(), time.Hour, errTooLate)
				defer cancel()
				late := e.NewVar()
				e.Push(&engine.Operation{Name: "late", Context: expires, Accesses: []engine.Access{{Var: v}, {Var: late, Mode: engine.Write}},
					Function: engine.FunctionOf(func(*engine.RunContext) error { t.Error("it ran"); return nil })})
				began := time.Now()
				require.ErrorIs(t, e.Wait(context.Background(), late), errTooLate)
				require.Equal(t, 2*time.Hour, time.Since(began))
				require.NoError(t, e.Wait(context.Background(), v))
				require.NoError(t, e.Close(context.Background()))
				pool.Close()
			})
		})
	}
}

var errTooLate = errors.New("too late")
