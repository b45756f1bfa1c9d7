package engine_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/engine/enginetest"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

func TestNaive(t *testing.T)     { enginetest.RunAll(t, engine.NewNaive) }
func TestPooled(t *testing.T)    { enginetest.RunAll(t, engine.NewPooled) }
func TestPerDevice(t *testing.T) { enginetest.RunAll(t, engine.NewPerDevice) }

func TestPerDeviceWithPools(t *testing.T) {
	for _, workers := range []int{1, 2} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			if testing.Short() && workers == 1 {
				t.Skip("one worker orders what two of them do at once: the full tests have it")
			}
			pool := parallel.New(workers)
			t.Cleanup(pool.Close)
			enginetest.RunAll(t, func(opts ...engine.Option) engine.Engine {
				return engine.NewPerDevice(append([]engine.Option{engine.WithPool(pool)}, opts...)...)
			})
		})
	}
}

func TestEnginesAreFoundByName(t *testing.T) {
	for _, name := range []string{"naive", "pooled", "perdevice"} {
		e, err := engine.New(name)
		require.NoError(t, err)
		require.Equal(t, name, e.Name())
		require.NoError(t, e.Close(context.Background()))
	}
	_, err := engine.New("threaded")
	require.ErrorIs(t, err, fault.ErrParameter)
	require.ErrorContains(t, err, "known: naive, pooled, perdevice")
}

func TestALimitBelowOnePanics(t *testing.T) {
	defer func() {
		e, ok := recover().(*engine.Error)
		require.True(t, ok)
		require.ErrorIs(t, e, fault.ErrParameter)
	}()
	engine.WithLimit(0)
}

// TestErrorsNameTheLineOfThePush resolves sites, which the suite cannot: its own frames are the library's.
func TestErrorsNameTheLineOfThePush(t *testing.T) {
	for _, create := range []func(...engine.Option) engine.Engine{engine.NewNaive, engine.NewPerDevice} {
		e := create()
		v, w := e.NewVar(), e.NewVar()
		_, _, line, _ := runtime.Caller(0)
		push := func(site *fault.Site, v *engine.Var, reads ...engine.Access) {
			fail := engine.FunctionOf(func(*engine.RunContext) error { return fmt.Errorf("spilled") })
			e.Push(&engine.Operation{Name: "pour", Function: fail, Accesses: append(reads, engine.Access{Var: v, Mode: engine.Write}), Site: site})
		}
		push(fault.Here(0), v)
		push(fault.Here(0), w, engine.Access{Var: v})
		_, file, _, _ := runtime.Caller(0)
		name := filepath.Base(file)
		require.EqualError(t, e.Wait(context.Background(), v), fmt.Sprintf("weft: pour: spilled on cpu(0) at %s:%d", name, line+5))
		require.EqualError(t, e.Wait(context.Background(), w),
			fmt.Sprintf("weft: pour was not run at %s:%d: its input failed: pour: spilled on cpu(0) at %s:%d", name, line+6, name, line+5))
		require.NoError(t, e.Close(context.Background()))
	}
}

func TestMisuseNamesTheLineOfThePush(t *testing.T) {
	e := engine.NewNaive()
	_, _, line, _ := runtime.Caller(0)
	for _, push := range []func(){
		func() { e.Push(nil) },
		func() { e.Push(&engine.Operation{Name: "pour"}) },
	} {
		line++
		func() {
			defer func() {
				require.Contains(t, recover().(*engine.Error).Error(), fmt.Sprintf("at engine_test.go:%d", line+1))
			}()
			push()
		}()
	}
}
