package enginetest

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/kernels/sim"
)

func parkedHosts(t *testing.T, new factory) {
	s := start(t, new)
	parks(t, s)
	b := newBudget(0)
	end := s.holding(b, 1)
	v := s.NewVar()
	op := b.taking("hungry", 1, write(v))
	op.Host = true
	s.Push(op)
	s.parked(1, b, "hungry", 2)
	end()
	require.NoError(t, s.wait(v))
	require.Equal(t, 3, b.triesOf("hungry"))
}

// hostWaitsForParked would hang if the host function counted as something that may free memory.
func hostWaitsForParked(t *testing.T, new factory) {
	s := start(t, new)
	b := newBudget(1)
	v, w := s.NewVar(), s.NewVar()
	op := hosted("waiting", nil, write(w))
	op.Function = function(func() error {
		if err := b.claim("waiting", 1); err != nil {
			return err
		}
		s.Push(b.taking("hungry", 1, write(v)))
		require.ErrorIs(t, s.wait(v), errNoMemory)
		b.give(1)
		return nil
	})
	s.Push(op)
	require.NoError(t, s.wait(w))
	s.Push(b.taking("hungry", 1, write(v)))
	require.NoError(t, s.wait(v))
}

// hostWaitsBehindItself waits, in a host function that was parked, for an operation that is parked behind it.
func hostWaitsBehindItself(t *testing.T, new factory) {
	s := start(t, new)
	parks(t, s)
	b := newBudget(0)
	end := s.holding(b, 2)
	v, w := s.NewVar(), s.NewVar()
	op := hosted("waiting", nil, write(w))
	op.Bytes = 1
	op.Function = function(func() error {
		if err := b.claim("waiting", 1); err != nil {
			return err
		}
		return s.wait(v)
	})
	s.Push(op)
	s.Push(b.taking("behind", 1, write(v)))
	s.parked(2, b, "waiting", 2)
	end()
	require.NoError(t, s.wait(w))
	require.Equal(t, []string{"waiting", "behind"}, b.granted())
}

func notParked(t *testing.T, new factory) {
	s := start(t, new)
	v, w := s.NewVar(), s.NewVar()
	for range 2 {
		op := async("async", func(complete func(error)) { complete(engine.Starved(errNoMemory, make(chan struct{}))) }, write(v), update(w))
		op.KeepOnSkip = true
		s.Push(op)
		require.ErrorIs(t, s.wait(v), errNoMemory)
		require.NoError(t, s.wait(w))
		free := failing("free", engine.Starved(errNoMemory, make(chan struct{})), write(v))
		free.Property = engine.DeleteVar
		s.Push(free)
		s.waitAll()
	}
	require.Zero(t, s.Stats().Parkings)
	require.Equal(t, uint64(4), s.Stats().Failed)
}

func parkedOnStream(t *testing.T, new factory) {
	s := start(t, new)
	parks(t, s)
	b := newBudget(0)
	end := s.holding(b, 1)
	parked, copied, other, host := NewBuffer(t, s, device.Sim(0)), NewBuffer(t, s, device.Sim(1)), NewBuffer(t, s, device.Sim(0)), NewBuffer(t, s, device.CPU(0))
	s.Push(Fill(parked))
	require.NoError(t, s.wait(parked.Var))
	fills := sim.Default().Stats(0).Fills
	hungry := Fill(parked)
	fill := hungry.Function
	hungry.Bytes = 1
	hungry.Function = engine.FunctionOf(func(rc *engine.RunContext) error {
		if err := b.claim("hungry", 1); err != nil {
			return err
		}
		return fill.Run(rc)
	})
	s.Push(hungry)
	s.Push(Move(copied, parked))
	s.Push(Move(host, copied))
	s.parked(1, b, "hungry", 2)
	s.Push(Fill(other))
	require.NoError(t, s.wait(other.Var))
	require.Equal(t, fills+1, sim.Default().Stats(0).Fills)
	late := Fill(other)
	late.Bytes = 1
	s.Push(late)
	for s.Stats().Parked != 2 {
		runtime.Gosched()
	}
	require.Equal(t, uint64(1), parked.Var.Version())
	require.Zero(t, copied.Var.Version())
	end()
	require.NoError(t, s.wait(host.Var))
	require.NoError(t, s.wait(other.Var))
	require.Equal(t, uint64(2), parked.Var.Version())
	require.Equal(t, fills+3, sim.Default().Stats(0).Fills)
	s.requireDone()
}

// parkedInputFails lets an operation starve that was launched behind the event of one whose failure is known later.
func parkedInputFails(t *testing.T, new factory) {
	s := start(t, new)
	parks(t, s)
	b := newBudget(0)
	end := s.holding(b, 1)
	near, far, other := NewBuffer(t, s, device.Sim(0)), NewBuffer(t, s, device.Sim(0)), NewBuffer(t, s, device.Sim(0))
	for range 5 {
		sim.Default().InjectFault("fill", errBroken)
		s.Push(Fill(near))
		hungry := Move(far, near)
		hungry.Bytes, hungry.Property = 1, engine.Normal
		move := hungry.Function
		hungry.Function = engine.FunctionOf(func(rc *engine.RunContext) error {
			if err := b.claim("hungry", 1); err != nil {
				return err
			}
			return move.Run(rc)
		})
		s.Push(hungry)
		require.ErrorIs(t, s.wait(near.Var), errBroken)
		require.ErrorIs(t, s.wait(far.Var), errBroken)
		require.Equal(t, "fill", errorOf(t, s.wait(far.Var)).Root.Operator)
		s.Push(Fill(other))
		require.NoError(t, s.wait(other.Var))
	}
	end()
	s.waitAll()
	require.Empty(t, b.granted())
}

// parkedBytes pushes far more than the limit allows behind a parked operation.
func parkedBytes(t *testing.T, new factory) {
	s := start(t, new, engine.WithByteLimit(10), engine.WithLimit(16))
	parks(t, s)
	b := newBudget(0)
	end := s.holding(b, 1000)
	v := s.NewVar()
	for i := range 300 {
		s.Push(b.taking("hungry", 3, write(s.NewVar())))
		if i%3 == 0 {
			s.Push(leaf("other", func() {}, update(v)))
		}
	}
	require.NoError(t, s.wait(v))
	require.Empty(t, b.granted())
	require.Equal(t, 300, s.Stats().Parked)
	end()
	s.requireDone()
	require.Len(t, b.granted(), 300)
}

func parkedInspected(t *testing.T, new factory) {
	s := start(t, new)
	parks(t, s)
	b := newBudget(0)
	end := s.holding(b, 2)
	s.Push(b.taking("hungry", 1, write(s.NewVar())))
	s.parked(1, b, "hungry", 2)
	s.Push(b.taking("behind", 1, write(s.NewVar())))
	s.parked(2, b, "hungry", 2)
	snapshot := s.Snapshot()
	for byName(t, snapshot)["hungry"].State != engine.Parked { // It may be about to try again.
		snapshot = s.Snapshot()
	}
	all := byName(t, snapshot)
	for _, name := range []string{"hungry", "behind"} {
		require.Equal(t, engine.Parked, all[name].State)
		require.Equal(t, "memory of cpu(0)", all[name].Place)
		require.Positive(t, all[name].Parked)
	}
	require.Equal(t, errNoMemory, all["hungry"].Err)
	require.NoError(t, all["behind"].Err)
	require.Zero(t, all["holder"].Parked)
	require.Equal(t, 2, snapshot.Stats.Parked)
	var page bytes.Buffer
	require.NoError(t, snapshot.WriteText(&page))
	require.Contains(t, page.String(), "2 parked")
	require.Regexp(t, `hungry +parked for .*s for memory of cpu\(0\): no memory`, page.String())
	require.Regexp(t, `behind +parked for .*s for memory of cpu\(0\), behind others`, page.String())
	end()
	s.requireDone()
}

// starvesInPlace holds for the engine that runs everything where it is pushed.
func starvesInPlace(t *testing.T, new factory) {
	s := start(t, new)
	if s.Name() != "naive" {
		t.Skip("the engine parks what gets no memory")
	}
	b := newBudget(0)
	v := s.NewVar()
	end := s.holding(b, 1)
	s.Push(b.taking("hungry", 1, write(v)))
	require.ErrorIs(t, v.Err(), errNoMemory, "at once")
	require.Equal(t, 1, b.triesOf("hungry"))
	b.drop(1)
	s.Push(b.taking("relieved", 1, write(v)))
	require.NoError(t, v.Err())
	require.Equal(t, 2, b.triesOf("relieved"))
	end()
}
