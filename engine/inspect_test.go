package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/engine/enginetest"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// gated pushes an operation that runs until release is called, at the latest when the test ends, and returns when it runs.
func gated(t testing.TB, e engine.Engine, op *engine.Operation) (release func()) {
	started, gate := make(chan struct{}), make(chan struct{})
	op.Function = engine.FunctionOf(func(*engine.RunContext) error { close(started); <-gate; return nil })
	e.Push(op)
	<-started
	release = sync.OnceFunc(func() { close(gate) })
	t.Cleanup(release)
	return release
}

func nothing(name string, accesses ...engine.Access) *engine.Operation {
	return &engine.Operation{Name: name, Accesses: accesses, Function: engine.FunctionOf(func(*engine.RunContext) error { return nil }), Site: fault.Here(1)}
}

func dump(t *testing.T, s engine.Snapshot) string {
	var text bytes.Buffer
	require.NoError(t, s.WriteText(&text))
	return text.String()
}

// stuck makes most of what can hold up an engine happen at once: a host function that holds two variables and does not return,
// a hundred operations behind it, a reader of a variable in error, work that a device has but does not do, a leaf that is ready
// while the only worker is busy, and a bulk that nobody flushes.
func stuck(t *testing.T) engine.Engine {
	ctx := context.Background()
	pool := parallel.New(1)
	t.Cleanup(pool.Close)
	e := perDevice(t, engine.WithPool(pool))
	weights, bias, bad, loss, free, gathered := e.NewVar(), e.NewVar(), e.NewVar(), e.NewVar(), e.NewVar(), e.NewVar()
	write := func(v *engine.Var) engine.Access { return engine.Access{Var: v, Mode: engine.Write} }
	read := func(v *engine.Var) engine.Access { return engine.Access{Var: v} }

	fail := nothing("pour", write(bad))
	fail.Function = engine.FunctionOf(func(*engine.RunContext) error { return errors.New("spilled") })
	e.Push(fail)
	require.Error(t, e.WaitAll(ctx))

	buffer, copied := enginetest.NewBuffer(t, e, device.Sim(0)), enginetest.NewBuffer(t, e, device.CPU(0))
	t.Cleanup(func() { _ = e.WaitAll(ctx) }) // what was held reads the buffer
	hold(t)
	launched, fill := announced(enginetest.Fill(buffer))
	fill.Site = fault.Here(0)
	e.Push(fill)
	<-launched
	launched, move := announced(enginetest.Move(copied, buffer))
	move.Site = fault.Here(0)
	e.Push(move)
	<-launched

	host := nothing("user's callback", write(weights), write(bias))
	host.Host = true
	gated(t, e, host)
	for range 99 {
		e.Push(nothing("step", engine.Access{Var: weights, Mode: engine.Update, Hi: 64}))
	}
	e.Push(nothing("loss", read(weights), read(bias), read(bad), write(loss)))
	e.Push(nothing("show", read(copied.Var), write(free)))
	busy := enginetest.Occupy(t, pool)
	t.Cleanup(busy.Release)
	e.Push(nothing("free leaf"))
	bulk := e.NewBulk(16)
	for range 3 {
		bulk.Push(nothing("scale", engine.Access{Var: gathered, Mode: engine.Update}))
	}
	return e
}

func TestTheTextOfAStuckEngineSaysWhatItIsStuckOn(t *testing.T) {
	e := stuck(t)
	var issued engine.Snapshot
	for issued = e.Snapshot(); issued.Pending[1].State != engine.Issued; issued = e.Snapshot() {
		runtime.Gosched() // The lane tells so after the launch.
	}
	text := dump(t, issued)
	t.Log("\n" + text)
	lines := regexp.MustCompile(`inspect_test\.go:\d+`).ReplaceAllString(text, "here")
	lines = regexp.MustCompile(`  +`).ReplaceAllString(lines, "  ")
	_, file, _, _ := runtime.Caller(0)
	require.Contains(t, text, filepath.Base(file)+":")
	for _, want := range []string{
		"engine perdevice: 108 operations pending: 1 running, 2 issued, 1 ready, 101 waiting, 3 gathered\n",
		"1 done so far, of which 1 failed and 0 were skipped\n",
		"  #2 fill  issued on sim(0) compute  writes v1  sim(0) at here\n",
		"  #3 move  issued on sim(0) copy from, behind #2 fill (v1)  reads v1; writes v2  sim(0) at here\n",
		"  #4 user's callback  running: host  writes v3, v4  cpu(0) at here\n",
		"  #5 to #103 step, 99 of them  after #4 user's callback (v3), one after the other  updates v3[0:64]  cpu(0) at here\n",
		"  #104 loss  after #4 user's callback (v4), #103 step (v3)  reads v3, v4, v5 (in error); writes v6  cpu(0) at here\n",
		"  #105 show  after #3 move (v2)  reads v2; writes v7  cpu(0) at here\n",
		"  #106 free leaf  ready for cpu(0) kernels  cpu(0) at here\n",
		"  #107 bulk of 3: scale, scale, scale  gathered in an open bulk  updates v8  cpu(0) at here\n",
		"  v3: held by #4 user's callback; 100 behind: #5 step, #6 step, #7 step and 97 more\n",
		"  v4: held by #4 user's callback; 1 behind: #104 loss\n",
		"critical path, 101 long:\n  #4 user's callback -> #5 step -> #6 step -> #7 step -> 93 more -> #101 step -> #102 step -> #103 step -> #104 loss\n",
	} {
		require.Contains(t, lines, want)
	}
	require.Regexp(t, `v\d: held by #104 loss; in error: weft: pour: spilled`, text)
}

func TestTheTextOfThousandsOfOperationsIsShort(t *testing.T) {
	e := perDevice(t, engine.WithLimit(1<<20))
	v := e.NewVar()
	host := nothing("gate", engine.Access{Var: v, Mode: engine.Write})
	host.Host = true
	gated(t, e, host)
	for range 5000 {
		e.Push(nothing("reader", engine.Access{Var: v}))
		e.Push(nothing("writer", engine.Access{Var: e.NewVar(), Mode: engine.Write}, engine.Access{Var: v, Mode: engine.Update}))
	}
	s := e.Snapshot()
	require.Len(t, s.Pending, 10_001)
	require.Len(t, s.CriticalPath(), 10_001)
	text := dump(t, s)
	require.Less(t, strings.Count(text, "\n"), 60)
	require.Contains(t, text, "\n  and 9968 more that wait\n")
	require.Contains(t, text, "critical path, 10001 long:")
}

// TestManyHoldersAreCutShort puts a write behind more reads than After has room for.
func TestManyHoldersAreCutShort(t *testing.T) {
	e := perDevice(t)
	v := e.NewVar()
	host := nothing("gate", engine.Access{Var: v, Mode: engine.Write})
	host.Host = true
	gated(t, e, host)
	for range 33 {
		e.Push(nothing("reader", engine.Access{Var: v}))
	}
	e.Push(nothing("writer", engine.Access{Var: v, Mode: engine.Write}))
	s := e.Snapshot()
	writer := s.Pending[34]
	require.Len(t, writer.After, 32)
	require.True(t, writer.More)
	require.Equal(t, uint64(3), writer.After[0].Number, "the latest are kept")
	require.Contains(t, dump(t, s), "after #3 reader (v1), #4 reader (v1), #5 reader (v1) and 29 more and others")
}

// TestAThrottledPusherShows lets a leaf wait, which leaves must not do, so that another goroutine waits for its end in Push.
func TestAThrottledPusherShows(t *testing.T) {
	for _, test := range []struct {
		option engine.Option
		bytes  int64
		want   engine.Throttled
		reason string
	}{
		{engine.WithLimit(4), 0, engine.Throttled{Operations: 3}, "3 more operations ended"},
		{engine.WithByteLimit(1000), 300, engine.Throttled{Bytes: 700}, "700 bytes are given back"},
	} {
		pool := parallel.New(1)
		t.Cleanup(pool.Close)
		e := perDevice(t, engine.WithPool(pool), test.option)
		release := gated(t, e, nothing("slow leaf"))
		pushed := make(chan struct{})
		go func() {
			defer close(pushed)
			for range 4 {
				op := nothing("leaf")
				op.Bytes = test.bytes
				e.Push(op)
			}
		}()
		s := e.Snapshot()
		for ; len(s.Throttled) == 0; s = e.Snapshot() {
			runtime.Gosched()
		}
		require.Equal(t, []engine.Throttled{test.want}, s.Throttled)
		require.Equal(t, "worker 0", s.Pending[0].Place)
		require.Contains(t, dump(t, s), "a goroutine in Push is throttled until "+test.reason+", or no worker runs anything\n")
		release()
		<-pushed
	}
}

func TestStatesHaveNames(t *testing.T) {
	for state := engine.Gathered; state <= engine.Issued; state++ {
		require.NotEmpty(t, state.String())
	}
}

func BenchmarkSnapshot(b *testing.B) {
	for _, pending := range []int{64, 4096} {
		b.Run(fmt.Sprint(pending), func(b *testing.B) {
			e := engine.NewPerDevice(engine.WithLimit(1 << 20))
			vars := make([]*engine.Var, 64)
			for i := range vars {
				vars[i] = e.NewVar()
			}
			host := nothing("gate")
			for _, v := range vars {
				host.Accesses = append(host.Accesses, engine.Access{Var: v, Mode: engine.Write})
			}
			host.Host = true
			release := gated(b, e, host)
			for i := range pending {
				e.Push(nothing("leaf", engine.Access{Var: vars[i%64]}, engine.Access{Var: vars[i*7%64]}, engine.Access{Var: vars[i*5%64], Mode: engine.Write}))
			}
			for b.Loop() {
				e.Snapshot()
			}
			release()
			require.NoError(b, e.Close(context.Background()))
		})
	}
}
