package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/engine/enginetest"
	"github.com/weft-nd/weft/kernels/sim"
)

var errDevice = errors.New("device fault")

func perDevice(t *testing.T, opts ...engine.Option) engine.Engine {
	e := engine.NewPerDevice(opts...)
	t.Cleanup(func() { require.NoError(t, e.Close(context.Background())) })
	return e
}

// hold stops sim(0) until release is called, at the latest when the test ends.
func hold(t *testing.T) (release func()) {
	release = sim.Default().Hold(0)
	t.Cleanup(release)
	return release
}

// announced makes op tell when it is launched.
func announced(op *engine.Operation) (launched chan struct{}, same *engine.Operation) {
	launched = make(chan struct{})
	run := op.Function
	op.Function = engine.FunctionOf(func(rc *engine.RunContext) error {
		defer close(launched)
		return run.Run(rc)
	})
	return launched, op
}

func TestDependantsOnStreamsAreLaunchedBeforeTheirInputsAreDone(t *testing.T) {
	ctx := context.Background()
	e := perDevice(t)
	source, a, b, c := enginetest.NewBuffer(t, e, device.CPU(0)), enginetest.NewBuffer(t, e, device.Sim(0)),
		enginetest.NewBuffer(t, e, device.Sim(0)), enginetest.NewBuffer(t, e, device.Sim(1))
	result, free := enginetest.NewBuffer(t, e, device.CPU(0)), enginetest.NewBuffer(t, e, device.Sim(1))
	copy(source.Host, "weft, held open!")

	release := hold(t)
	e.Push(enginetest.Fill(free))
	var order []chan struct{}
	push := func(op *engine.Operation) {
		launched, op := announced(op)
		order = append(order, launched)
		e.Push(op)
	}
	push(enginetest.Move(a, source)) // lane of copies to sim(0)
	push(enginetest.Move(b, a))      // lane of computation on sim(0), behind an event
	push(enginetest.Fill(a))         // the same lane
	push(enginetest.Move(c, b))      // another device
	push(enginetest.Move(result, c)) // lane of copies from sim(1)
	for _, launched := range order {
		<-launched
	}
	seen := ""
	computed := e.NewVar()
	e.Push(&engine.Operation{Name: "compute", Accesses: []engine.Access{{Var: result.Var}, {Var: computed, Mode: engine.Write}},
		Function: engine.FunctionOf(func(*engine.RunContext) error { seen = string(result.Host); return nil })})

	require.NoError(t, e.Wait(ctx, free.Var), "the other device is not held")
	require.Equal(t, uint64(1), e.Stats().Done, "the held ones are issued, not done")
	for _, buffer := range []*enginetest.Buffer{a, b, c, result} {
		require.Zero(t, buffer.Var.Version())
	}
	require.Empty(t, seen)
	release()
	require.NoError(t, e.WaitAll(ctx))
	require.Equal(t, "weft, held open!", seen)
	require.Equal(t, uint64(2), a.Var.Version())
}

func TestAFaultAfterIssueReachesWhatWasLaunchedBehindIt(t *testing.T) {
	ctx := context.Background()
	for range 50 {
		e := perDevice(t)
		a, b, c := enginetest.NewBuffer(t, e, device.Sim(0)), enginetest.NewBuffer(t, e, device.Sim(1)), enginetest.NewBuffer(t, e, device.Sim(0))
		host, unrelated := enginetest.NewBuffer(t, e, device.CPU(0)), enginetest.NewBuffer(t, e, device.Sim(0))
		release := hold(t)
		sim.Default().InjectFault("fill", errDevice)
		e.Push(enginetest.Fill(a))
		e.Push(enginetest.Move(b, a)) // ends on sim(1) perhaps before the engine has seen the fault on sim(0)
		e.Push(enginetest.Move(c, b))
		launched, op := announced(enginetest.Move(host, b))
		e.Push(op)
		e.Push(enginetest.Fill(unrelated))
		cured, op := announced(enginetest.Fill(a)) // cures a, which b's error must survive
		e.Push(op)
		<-launched
		<-cured
		require.NoError(t, a.Var.Err())
		release()
		require.ErrorIs(t, e.WaitAll(ctx), errDevice)
		for links, v := range []*engine.Var{b.Var, c.Var} {
			var failure *engine.Error
			require.ErrorAs(t, v.Err(), &failure)
			require.Equal(t, links+1, failure.Links)
			require.Equal(t, "fill", failure.Root.Operator)
			require.Zero(t, v.Version())
		}
		require.ErrorIs(t, host.Var.Err(), errDevice)
		require.NoError(t, unrelated.Var.Err())
		require.NoError(t, a.Var.Err())
		require.Equal(t, uint64(1), a.Var.Version())
		stats := e.Stats()
		require.Equal(t, uint64(4), stats.Failed+stats.Skipped, "whether the last was launched before depends")
	}
}

// What reads bad contents may fail by them, such as by labels out of range, before it is known that they are bad.
func TestAFaultAfterIssueGoesBeforeErrorsOfWhatWasLaunchedBehindIt(t *testing.T) {
	errBadContents := errors.New("bad contents")
	e := perDevice(t)
	a, b := enginetest.NewBuffer(t, e, device.Sim(0)), enginetest.NewBuffer(t, e, device.Sim(0))
	release := hold(t)
	sim.Default().InjectFault("fill", errDevice)
	sim.Default().InjectFault("copy", errBadContents)
	e.Push(enginetest.Fill(a))
	launched, op := announced(enginetest.Move(b, a))
	e.Push(op)
	<-launched
	release()
	require.ErrorIs(t, e.WaitAll(context.Background()), errDevice)
	require.ErrorIs(t, b.Var.Err(), errDevice)
	require.NotErrorIs(t, b.Var.Err(), errBadContents)
}

// TestAReadBehindACureOnAStreamIsNotSkipped launches the read when the variable still carries the old error.
func TestAReadBehindACureOnAStreamIsNotSkipped(t *testing.T) {
	ctx := context.Background()
	e := perDevice(t)
	a, b := enginetest.NewBuffer(t, e, device.Sim(0)), enginetest.NewBuffer(t, e, device.Sim(0))
	sim.Default().InjectFault("fill", errDevice)
	e.Push(enginetest.Fill(a))
	require.ErrorIs(t, e.Wait(ctx, a.Var), errDevice)
	release := hold(t)
	e.Push(enginetest.Fill(a))
	launched, op := announced(enginetest.Move(b, a))
	e.Push(op)
	<-launched
	release()
	require.NoError(t, e.WaitAll(ctx))

	sim.Default().InjectFault("fill", errDevice)
	release = hold(t)
	e.Push(enginetest.Fill(a))
	launched, op = announced(enginetest.Move(b, a))
	e.Push(op)
	<-launched
	release()
	require.ErrorIs(t, e.Wait(ctx, b.Var), errDevice, "the cure itself may fail")
}

// TestAnOperationWithABadInputIsNotLaunchedBehindAnother keeps what it updates valid, though that is still being written.
func TestAnOperationWithABadInputIsNotLaunchedBehindAnother(t *testing.T) {
	ctx := context.Background()
	e := perDevice(t)
	gradient, weight := enginetest.NewBuffer(t, e, device.Sim(0)), enginetest.NewBuffer(t, e, device.Sim(0))
	sim.Default().InjectFault("fill", errDevice)
	e.Push(enginetest.Fill(gradient))
	require.ErrorIs(t, e.Wait(ctx, gradient.Var), errDevice)
	release := hold(t)
	e.Push(enginetest.Fill(weight))
	step := enginetest.Move(weight, gradient)
	step.Accesses[1].Mode, step.KeepOnSkip = engine.Update, true
	e.Push(step)
	release()
	require.NoError(t, e.Wait(ctx, weight.Var))
	require.Equal(t, uint64(1), weight.Var.Version())
	require.Equal(t, uint64(1), e.Stats().Skipped)
}

// TestOutcomesAreHeldUntilThoseBeforeAreKnown lets a whole history end on the devices at once, so that the lanes learn of
// it in any order.
func TestOutcomesAreHeldUntilThoseBeforeAreKnown(t *testing.T) {
	ctx := context.Background()
	e := perDevice(t)
	for range 20 {
		const length = 60
		chain := make([]*enginetest.Buffer, length)
		for i := range chain {
			chain[i] = enginetest.NewBuffer(t, e, device.Sim(i%2))
		}
		release := hold(t)
		sim.Default().InjectFault("fill", errDevice)
		e.Push(enginetest.Fill(chain[0]))
		var last chan struct{}
		for i := 1; i < length; i++ {
			launched, op := announced(enginetest.Move(chain[i], chain[i-1]))
			e.Push(op)
			last = launched
		}
		<-last
		release()
		for i := length - 1; i >= 0; i-- {
			err := e.Wait(ctx, chain[i].Var)
			require.ErrorIs(t, err, errDevice)
			var failure *engine.Error
			require.ErrorAs(t, err, &failure)
			require.Equal(t, i, failure.Links)
		}
	}
}

func TestCloseWaitsForTheDevice(t *testing.T) {
	e := engine.NewPerDevice()
	a, host := enginetest.NewBuffer(t, e, device.Sim(0)), enginetest.NewBuffer(t, e, device.CPU(0))
	release := hold(t)
	e.Push(enginetest.Fill(a))
	launched, op := announced(enginetest.Move(host, a))
	host.Host[3] = 7
	e.Push(op)
	<-launched
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, e.Close(ctx), context.Canceled)
	release()
	require.NoError(t, e.Close(context.Background()))
	require.Equal(t, make([]byte, enginetest.BufferSize), host.Host)
}

// TestAResultIsNotKeptBackBehindLaterWork has later work, on the same stream, that waits for a device which does nothing.
func TestAResultIsNotKeptBackBehindLaterWork(t *testing.T) {
	ctx := context.Background()
	for _, early := range []int{1, 3, 100} {
		e := perDevice(t)
		fill := func(count int) (last *enginetest.Buffer) {
			for range count {
				last = enginetest.NewBuffer(t, e, device.Sim(0))
				e.Push(enginetest.Fill(last))
			}
			return last
		}
		release := sim.Default().Hold(1)
		t.Cleanup(release)
		slow, source := enginetest.NewBuffer(t, e, device.Sim(0)), enginetest.NewBuffer(t, e, device.Sim(1))
		e.Push(enginetest.Fill(source))
		last := fill(early)
		e.Push(enginetest.Move(slow, source))
		fill(100)
		require.NoError(t, e.Wait(ctx, last.Var))
		require.Zero(t, slow.Var.Version())
		release()
		require.NoError(t, e.WaitAll(ctx))
	}
}

func TestAResultIsToldWhileTheLauncherIsKeptAtWork(t *testing.T) {
	ctx := context.Background()
	e := perDevice(t)
	a, b := enginetest.NewBuffer(t, e, device.Sim(0)), enginetest.NewBuffer(t, e, device.Sim(0))
	for range 1000 { // The second is pushed before the first is launched, or after.
		kept := make(chan struct{})
		op := enginetest.Fill(b)
		op.Function = engine.FunctionOf(func(*engine.RunContext) error {
			<-kept
			return nil
		})
		e.Push(enginetest.Fill(a))
		e.Push(op)
		require.NoError(t, e.Wait(ctx, a.Var))
		close(kept)
		require.NoError(t, e.Wait(ctx, b.Var))
	}
}
