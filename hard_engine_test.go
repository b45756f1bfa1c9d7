package weft_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	_ "github.com/weft-nd/weft/kernels/sim"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/parallel"
)

// withEngines runs a test on every engine, each with one worker and with two.
func withEngines(t *testing.T, test func(t *testing.T, e engine.Engine)) {
	for _, name := range []string{"naive", "pooled", "perdevice"} {
		for _, workers := range []int{1, 2} {
			t.Run(name+"/"+string(rune('0'+workers)), func(t *testing.T) {
				pool := parallel.New(workers)
				defer pool.Close()
				e, err := engine.New(name, engine.WithPool(pool))
				require.NoError(t, err)
				test(t, e)
				require.NoError(t, e.Close(context.Background()))
			})
		}
	}
}

// inTime fails the test if run takes longer than a minute: it hangs.
func inTime(t *testing.T, run func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		run()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("deadlock")
	}
}

func TestWaitInsideHostFunctionWithOneWorker(t *testing.T) {
	withEngines(t, func(t *testing.T, e engine.Engine) {
		env := ops.NewEnv(e)
		a, b := nd.FullIn(env, dtype.Float64, 2, 1000), nd.FullIn(env, dtype.Float64, 3, 1000)
		inTime(t, func() {
			err := nd.Read(context.Background(), a, func(data []float64) error {
				values, err := nd.Values[float64](b.Square().Add(a))
				require.Equal(t, 11.0, values[999])
				require.Equal(t, 2.0, data[0])
				return err
			})
			require.NoError(t, err)
		})
	})
}

func TestPusherHoldsMutexOfQueuedHostFunction(t *testing.T) {
	for _, name := range []string{"naive", "pooled", "perdevice"} {
		t.Run(name, func(t *testing.T) {
			e, err := engine.New(name, engine.WithLimit(8))
			require.NoError(t, err)
			v, w := e.NewVar(), e.NewVar()
			var mu sync.Mutex
			ran := 0
			inTime(t, func() {
				mu.Lock()
				e.Push(&engine.Operation{Name: "host", Host: true, Accesses: []engine.Access{{Var: v, Mode: engine.Update}}, Function: engine.FunctionOf(func(*engine.RunContext) error {
					mu.Lock()
					defer mu.Unlock()
					ran++
					return nil
				})})
				for range 1000 {
					e.Push(&engine.Operation{Name: "behind", Accesses: []engine.Access{{Var: v, Mode: engine.Update}}, Function: engine.FunctionOf(func(*engine.RunContext) error { return nil })})
					e.Push(&engine.Operation{Name: "beside", Accesses: []engine.Access{{Var: w, Mode: engine.Update}}, Function: engine.FunctionOf(func(*engine.RunContext) error { return nil })})
				}
				mu.Unlock()
				require.NoError(t, e.WaitAll(context.Background()))
			})
			require.Equal(t, 1, ran)
			require.Equal(t, uint64(1001), v.Version())
			require.NoError(t, e.Close(context.Background()))
		})
	}
}

func TestCrossedAndEquallyOrderedWritesOfTwoArrays(t *testing.T) {
	duration := 5 * time.Second
	if testing.Short() {
		duration = time.Second
	}
	for _, name := range []string{"naive", "pooled", "perdevice"} {
		t.Run(name, func(t *testing.T) {
			e, err := engine.New(name)
			require.NoError(t, err)
			env := ops.NewEnv(e)
			a, b := nd.ZerosIn(env, dtype.Int64, 16), nd.ZerosIn(env, dtype.Int64, 16)
			var steps atomic.Int64
			inTime(t, func() {
				var pushers sync.WaitGroup
				stop := time.Now().Add(duration / 2)
				for i := range 16 {
					pushers.Go(func() {
						x, y := a, b
						if i%2 == 1 {
							x, y = b, a
						}
						for time.Now().Before(stop) {
							twoWrites(e, x, y)
							steps.Add(1)
						}
					})
				}
				pushers.Wait()
				require.NoError(t, e.WaitAll(context.Background()))
			})
			for _, x := range []*nd.Array{a, b} {
				values, err := nd.Values[int64](x)
				require.NoError(t, err)
				require.Equal(t, steps.Load(), values[0])
				require.Equal(t, steps.Load(), values[15])
			}
			require.NoError(t, e.Close(context.Background()))
		})
	}
}

// twoWrites adds one to every element of both arrays in a single operation.
func twoWrites(e engine.Engine, arrays ...*nd.Array) {
	op := &engine.Operation{Name: "two writes"}
	var replicas [2]interface {
		Claim() (device.Pointer, error)
	}
	op.Function = engine.FunctionOf(func(*engine.RunContext) error {
		for _, r := range replicas {
			p, err := r.Claim()
			if err != nil {
				return err
			}
			for i := range 16 {
				*(*int64)(p.Add(8 * i).Host)++
			}
		}
		return nil
	})
	e.Atomically(func(p engine.Pusher) {
		for i, a := range arrays {
			synced := (*ops.Tensor)(a).View().Synced
			replicas[i], op.Accesses = synced.Acquire(p, device.CPU(0), engine.Update, 0, synced.Bytes(), op.Accesses, nil)
		}
		p.Push(op)
	})
}

func TestHostReaderAndDeviceReaderAtOnceThenWriter(t *testing.T) {
	e, err := engine.New("perdevice")
	require.NoError(t, err)
	onHost := ops.NewEnv(e)
	onDevice := onHost.WithDevice(device.Sim(0))
	for round := range 50 {
		a := nd.FullIn(onHost, dtype.Float32, float64(round), 300)
		reading, release := make(chan struct{}), make(chan struct{})
		finished := make(chan error, 1)
		go func() {
			finished <- nd.Read(context.Background(), a, func(data []float32) error {
				close(reading)
				<-release
				require.Equal(t, float32(round), data[299])
				return nil
			})
		}()
		<-reading
		// The host reader is inside; the device reader ends all the same.
		square, err := nd.Values[float32](a.In(onDevice).Square())
		require.NoError(t, err)
		require.Equal(t, float32(round*round), square[0])
		written := make(chan struct{})
		go func() {
			nd.AddInto(a.In(onDevice), a.In(onDevice), a.In(onDevice))
			require.NoError(t, a.Wait(context.Background()))
			close(written)
		}()
		select {
		case <-written:
			t.Fatal("the writer did not wait for the host reader")
		default:
		}
		close(release)
		require.NoError(t, <-finished)
		<-written
		values, err := nd.Values[float32](a)
		require.NoError(t, err)
		require.Equal(t, float32(2*round), values[150])
	}
	require.NoError(t, e.Close(context.Background()))
}

func TestReadCallbackAgainstConcurrentWriter(t *testing.T) {
	withEngines(t, func(t *testing.T, e engine.Engine) {
		env := ops.NewEnv(e)
		a := nd.ZerosIn(env, dtype.Int64, 20000)
		var parties sync.WaitGroup
		for range 4 {
			parties.Go(func() {
				for range 100 {
					nd.AddInto(a, a, nd.FullIn(env, dtype.Int64, 1))
				}
			})
			parties.Go(func() {
				last := int64(0)
				for range 50 {
					err := nd.Read(context.Background(), a, func(data []int64) error {
						for _, v := range data {
							if v != data[0] {
								return fmt.Errorf("a writer ran beside the reader: %d and %d", data[0], v)
							}
						}
						require.GreaterOrEqual(t, data[0], last)
						last = data[0]
						return nil
					})
					require.NoError(t, err)
				}
			})
		}
		inTime(t, parties.Wait)
		values, err := nd.Values[int64](a)
		require.NoError(t, err)
		require.Equal(t, int64(400), values[19999])
	})
}
