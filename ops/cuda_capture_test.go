//go:build linux && amd64

package ops

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/kernels/cuda"
)

// TestEnginesRunRepeatedOperationsByOneCall pushes a bulk again and again; its work is kept unless the driver refuses.
func TestEnginesRunRepeatedOperationsByOneCall(t *testing.T) {
	fake := fakeGPU(t)
	defer fake.Set("noGraphs", 0)
	_, err := cuda.Default().Count()
	require.NoError(t, err)
	for _, kind := range []string{"perdevice", "pooled", "naive"} {
		for _, refuses := range []int64{0, 1} {
			fake.Set("noGraphs", refuses)
			e, err := engine.New(kind)
			require.NoError(t, err)
			p, err := cuda.Default().Allocate(0, 16)
			require.NoError(t, err)
			v := e.NewVar()
			neg, _ := cuda.Default().Kernel("neg/float32")
			view := device.View{Pointer: p, DType: dtype.Float32, Shape: []int{4}, Strides: []int{1}}
			on := func(name string, run engine.FunctionOf) engine.Operation {
				return engine.Operation{
					Name: name, Device: device.GPU(0), Repeats: true, Accesses: []engine.Access{{Var: v, Mode: engine.Update}}, Function: run,
				}
			}
			negate := on("neg", func(rc *engine.RunContext) error {
				return neg.Launch(rc.Stream, &device.Arguments{Outputs: []device.View{view}, Inputs: []device.View{view}})
			})
			host := []float32{1, 2, 3, 4}
			upload := on("upload", func(rc *engine.RunContext) error {
				return rc.Stream.Copy(p, device.Pointer{Host: unsafe.Pointer(&host[0])}, 16)
			})
			e.Push(&upload)
			step, before := e.NewBulkOperator(negate, negate, negate), fake.Get("replays")
			for range 7 {
				e.Push(step)
			}
			require.NoError(t, e.Wait(context.Background(), v))
			got := make([]float32, 4)
			download := on("download", func(rc *engine.RunContext) error {
				return rc.Stream.Copy(device.Pointer{Host: unsafe.Pointer(&got[0])}, p, 16)
			})
			e.Push(&download)
			require.NoError(t, e.Wait(context.Background(), v))
			require.Equal(t, []float32{-1, -2, -3, -4}, got, kind)
			if refuses != 0 {
				require.Equal(t, before, fake.Get("replays"))
			} else {
				require.Equal(t, before+5, fake.Get("replays"), kind)
			}
			require.NoError(t, e.Close(context.Background()))
		}
	}
}

func TestAReplayOnAGPUIsOneCallOfTheDriver(t *testing.T) {
	fake := fakeGPU(t)
	env := newEnv(t, "perdevice")
	gpu := gpuOf(t, env)
	y, one := vector(gpu, 0, 0), vector(gpu, 1, 2)
	c := gpu.Capture(func(env *Env) {
		for range 100 {
			InvokeInto(Add, nil, []*Tensor{y}, y.In(env), one)
		}
	})
	replay := func() (launches, replays int) {
		launches, replays = fake.Get("launches"), fake.Get("replays")
		c.Replay()
		require.NoError(t, y.Wait(context.Background()))
		return fake.Get("launches") - launches, fake.Get("replays") - replays
	}
	for i := range 6 {
		launches, replays := replay()
		if i > captureAfter {
			require.Equal(t, []int{0, 1}, []int{launches, replays})
		}
	}
	InvokeInto(Copy, nil, []*Tensor{one.In(env)}, vector(env, 3, 4)) // on the CPU
	launches, replays := replay()
	require.LessOrEqual(t, launches+replays, 100)
	require.Equal(t, []float64{1000, 1800}, valuesOf(t, y))
}

func TestAThousandAddsAreFewLaunches(t *testing.T) {
	fake := fakeGPU(t)
	gpu := gpuOf(t, newEnv(t, "perdevice"))
	y, one := array{dtype.Float64, []int{1024}, make([]float64, 1024), nil}.tensor(gpu), vector(gpu, 1)
	c := gpu.Capture(func(env *Env) {
		for range 1000 {
			InvokeInto(Add, nil, []*Tensor{y}, y.In(env), one)
		}
	})
	for i := range 4 {
		require.NoError(t, y.Wait(context.Background()))
		launches := fake.Get("launches")
		c.Replay()
		require.NoError(t, y.Wait(context.Background()))
		require.Equal(t, []int{1000, 1000, 4, 0}[i], fake.Get("launches")-launches)
	}
	require.Equal(t, float64(5000), valuesOf(t, y)[1023])
}

// TestAChainDoesNotWriteWhatWasDiscarded looks at what kernels are told, and at results: temporaries are of a scope, but one that is read by
// the next replay.
func TestAChainDoesNotWriteWhatWasDiscarded(t *testing.T) {
	env := newEnv(t, "perdevice")
	gpu := gpuOf(t, env)
	large := func(env *Env, value float64) *Tensor {
		return array{dtype.Float32, []int{3000}, slices.Repeat([]float64{value}, 3000), nil}.tensor(env)
	}
	var seen *Tensor
	step := func(env *Env, state *Tensor) {
		scoped, scope := env.WithMemoryScope()
		state = state.In(scoped)
		square := Invoke(Square, nil, state)[0]
		sum := Invoke(Add, nil, square, state)[0]
		root := Invoke(Sqrt, nil, sum)[0]
		late := large(scoped, 1)
		InvokeInto(Add, nil, []*Tensor{late}, late, root) // reads what it left there
		seen = Invoke(Neg, nil, late)[0]
		scope.Keep(seen)
		InvokeInto(Div, nil, []*Tensor{state}, sum, root)
		scope.Close()
	}
	state, want := large(gpu, 0.75), large(env, 0.75)
	c := gpu.Capture(func(env *Env) { step(env, state) })
	var unseen []uint64
	step(env, want)
	for i := range 5 {
		c.Replay()
		step(env, want)
		if i == 0 {
			for _, call := range c.phases[0].(*stretch).calls {
				unseen = append(unseen, call.arguments.Unseen)
			}
		}
	}
	require.Equal(t, valuesOf(t, want), valuesOf(t, state))
	require.Equal(t, []uint64{0, 1, 0, 0, 0, 3}, unseen, "the square; the sum and the root")
	require.NotNil(t, seen)
}

// TestReplaysOnAGPUEqualCallsOnTheCPU captures what a GPU can only run piece by piece, too: a kernel that looks at indices.
func TestReplaysOnAGPUEqualCallsOnTheCPU(t *testing.T) {
	env := newEnv(t, "perdevice")
	gpu := gpuOf(t, env)
	state, want, x := vector(gpu, 1, 2, 3), vector(env, 1, 2, 3), vector(gpu, 3, -1, 2)
	mixed := gpu.Capture(func(env *Env) { recurrent(env, state, x) })
	recurrent(env, want, x.In(env))
	for range 5 {
		mixed.Replay()
		recurrent(env, want, x.In(env))
	}
	require.Equal(t, valuesOf(t, want), valuesOf(t, state))
}

// captureAfter is how many Replays come before the engine keeps work, and the one that keeps it.
const captureAfter = 2

// TestWorkThatWasNotKeptIsCountedAndTriedAgain lacks memory for a graph, twice, and has a stretch that no device keeps.
func TestWorkThatWasNotKeptIsCountedAndTriedAgain(t *testing.T) {
	fake := fakeGPU(t)
	gpu := gpuOf(t, newEnv(t, "perdevice"))
	stats := func() device.Activity {
		s, err := cuda.Default().Stats(0)
		require.NoError(t, err)
		return s.Activity
	}
	y, one := vector(gpu, 0, 0), vector(gpu, 1, 2)
	c := gpu.Capture(func(env *Env) { InvokeInto(Add, nil, []*Tensor{y}, y.In(env), one) })
	defer c.Release()
	before, replays := stats(), fake.Get("replays")
	for run := 1; run <= 20; run++ {
		if run == 3 || run == 7 { // after 2 runs, and after 4 more
			fake.Set("graphFails", 1)
		}
		c.Replay()
		require.Equal(t, []float64{float64(1 + run), float64(2 * (1 + run))}, valuesOf(t, y))
		require.Equal(t, max(0, run-14), fake.Get("replays")-replays, "run %d: from the eighth after the second failure on", run)
	}
	after := stats()
	require.Equal(t, before.NotKept+2, after.NotKept)
	require.Equal(t, before.Kept+1, after.Kept)
	var report strings.Builder
	require.NoError(t, cuda.Report(&report))
	require.Regexp(t, `gpu\(0\) .*times work was not kept as a graph, the last: .*CUDA_ERROR_OUT_OF_MEMORY`, report.String())

	x, at := vector(gpu, 5, 6, 7), array{dtype.Int64, []int{2}, []float64{2, 0}, nil}.tensor(gpu)
	var taken *Tensor
	looks := gpu.Capture(func(env *Env) { taken = Invoke(Take, TakeParams{Axis: 0, Mode: "raise"}, x.In(env), at)[0] })
	defer looks.Release()
	for range 20 {
		looks.Replay()
	}
	require.Equal(t, []float64{7, 5}, valuesOf(t, taken))
	require.Equal(t, after.NotKept+1, stats().NotKept, "what cannot be kept is not tried again")
}
