package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
)

// history drives a core by hand: the test decides when an operation is issued and when it ends.
type history struct {
	core
	lanes []*streamLane
	steps []*step // all that were pushed, oldest first
	ready map[*Operation]bool
}

// step is what the model knows of an operation.
type step struct {
	op       *Operation
	accesses []Access // as they were asked for
	lane     int      // 0 is none
	granted  bool     // by the engine
	issued   bool
	ended    bool // finish was called
	done     bool // by the model
	outcome  outcome
}

func newHistory() *history {
	h := &history{ready: map[*Operation]bool{}}
	h.core = newCore(h)
	for _, d := range []device.Device{device.Sim(0), device.Sim(0), device.Sim(1), device.GPU(0)} {
		h.lanes = append(h.lanes, newStreamLane(d, &h.core))
	}
	return h
}

func (h *history) dispatch(ready queue) {
	for op := ready.take(); op != nil; op = ready.take() {
		if h.ready[op] {
			panic("an operation became ready twice")
		}
		h.ready[op] = true
	}
}

func (h *history) laneOf(op *Operation) *streamLane {
	if op.Priority == 0 {
		return nil
	}
	return h.lanes[op.Priority-1]
}

func (h *history) throttle() {}
func (h *history) stop()     {}

// conflict is the definition: of two accesses to one variable, not both reads, that share a byte.
func conflict(a, b Access) bool {
	if a.Var != b.Var || a.Mode == Read && b.Mode == Read {
		return false
	}
	const end = 100
	if a.Hi == 0 {
		a.Lo, a.Hi = 0, end
	}
	if b.Hi == 0 {
		b.Lo, b.Hi = 0, end
	}
	for i := range int64(end) {
		if a.Lo <= i && i < a.Hi && b.Lo <= i && i < b.Hi {
			return true
		}
	}
	return false
}

// bounding merges what one operation asks for of one variable.
func bounding(accesses []Access) []Access {
	var merged []Access
	for _, a := range accesses {
		found := false
		for i := range merged {
			m := &merged[i]
			if m.Var != a.Var {
				continue
			}
			found = true
			if m.Mode != a.Mode {
				m.Mode = Update
			}
			if m.Hi == 0 || a.Hi == 0 {
				m.Lo, m.Hi = 0, 0
			} else {
				m.Lo, m.Hi = min(m.Lo, a.Lo), max(m.Hi, a.Hi)
			}
		}
		if !found {
			merged = append(merged, a)
		}
	}
	return merged
}

func (s *step) dependsOn(older *step) bool {
	for _, a := range older.accesses {
		for _, b := range s.accesses {
			if conflict(a, b) {
				return true
			}
		}
	}
	return false
}

// check compares every operation with the model: one that is not done is granted exactly if each older one that it depends
// on is done, or is issued on a device of the same kind; and one that has ended is done exactly if those are done.
func (h *history) check(t *testing.T) {
	for i, s := range h.steps {
		s.granted = h.ready[s.op]
		want, settled := true, s.ended
		for _, older := range h.steps[:i] {
			if older.done || !s.dependsOn(older) {
				continue
			}
			settled = false
			sameKind := s.lane > 0 && older.lane > 0 && h.lanes[s.lane-1].device.Kind == h.lanes[older.lane-1].device.Kind
			if !older.issued || !sameKind {
				want = false
			}
		}
		require.Equal(t, want, s.granted, "operation %d of %d: %+v", i, len(h.steps), s.accesses)
		s.done = s.done || settled
	}
	done := uint64(0)
	for _, s := range h.steps {
		if s.done {
			done++
		}
	}
	require.Equal(t, done, h.Stats().Done)
	require.Equal(t, int64(len(h.steps))-int64(done), h.pending.count.Load())
}

// expectErrors compares the errors of variables with a replay of all operations in the order of their pushes.
func (h *history) expectErrors(t *testing.T, vars []*Var) {
	const bytes = 100 // ranges lie below
	type state struct {
		whole bool
		parts [bytes]bool
	}
	bad := map[*Var]*state{}
	for _, v := range vars {
		bad[v] = &state{}
	}
	versions := map[*Var]uint64{}
	for _, s := range h.steps {
		input := false
		for _, a := range s.accesses {
			if a.Mode == Write {
				continue
			}
			b := bad[a.Var]
			input = input || b.whole
			for i, broken := range b.parts {
				input = input || broken && (a.Hi == 0 || a.Lo <= int64(i) && int64(i) < a.Hi)
			}
		}
		for _, a := range s.accesses {
			failed := input || s.outcome.err != nil && s.outcome.ran
			switch b := bad[a.Var]; {
			case a.Mode == Read:
				continue
			case !failed && a.Mode == Update:
			case a.Hi == 0:
				b.whole, b.parts = failed, [bytes]bool{}
			default:
				for i := a.Lo; i < a.Hi; i++ {
					b.parts[i] = failed
				}
			}
			if !failed {
				versions[a.Var]++
			}
		}
	}
	for i, v := range vars {
		require.Equal(t, bad[v].whole || slices.Contains(bad[v].parts[:], true), v.Err() != nil, "variable %d", i)
		require.Equal(t, versions[v], v.Version(), "variable %d", i)
	}
}

func TestEveryStateOfRandomHistoriesGrantsWhatTheModelSays(t *testing.T) {
	for _, c := range []struct {
		name            string
		ranges, streams bool
		failures        bool // only where order alone decides which error a variable ends with
	}{
		{"whole variables", false, false, true},
		{"ranges", true, false, true},
		{"streams", false, true, true},
		{"ranges and streams", true, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(100) {
				runHistory(t, rand.New(rand.NewPCG(seed, 7)), c.ranges, c.streams, c.failures)
			}
		})
	}
}

func runHistory(t *testing.T, random *rand.Rand, ranges, streams, failures bool) {
	h := newHistory()
	vars := make([]*Var, 1+random.IntN(4))
	for i := range vars {
		vars[i] = h.NewVar()
	}
	pushed := 0
	const length = 60
	for pushed < length || h.pending.count.Load() > 0 {
		var launchable, endable []*step
		for _, s := range h.steps {
			switch {
			case s.ended || !s.granted:
			case s.lane > 0 && !s.issued:
				launchable = append(launchable, s)
			default:
				endable = append(endable, s)
			}
		}
		switch choice := random.IntN(10); {
		case choice < 4 && pushed < length:
			h.pushRandom(random, vars, ranges, streams)
			pushed++
		case choice < 7 && len(launchable) > 0:
			h.launch(launchable[random.IntN(len(launchable))])
		case len(endable) > 0:
			h.endOne(endable[random.IntN(len(endable))], failures && random.IntN(5) == 0)
		case len(launchable) > 0:
			// A skipped or broken operation ends without having been issued.
			h.endOne(launchable[random.IntN(len(launchable))], failures)
		}
		h.check(t)
	}
	for _, v := range vars {
		require.Nil(t, v.head)
		require.Nil(t, v.tail)
		require.Zero(t, v.writers+v.waiting+v.ranged+v.staged)
		require.Nil(t, v.registered)
	}
	h.expectErrors(t, vars)
}

func (h *history) pushRandom(random *rand.Rand, vars []*Var, ranges, streams bool) {
	op := &Operation{Name: fmt.Sprint("operation ", len(h.steps)), Function: FunctionOf(func(*RunContext) error { return nil })}
	for range random.IntN(4) {
		a := Access{Var: vars[random.IntN(len(vars))], Mode: Mode(random.IntN(3))}
		if ranges && random.IntN(3) > 0 {
			a.Lo = int64(random.IntN(90))
			a.Hi = a.Lo + 1 + int64(random.IntN(10))
		}
		op.Accesses = append(op.Accesses, a)
	}
	if streams {
		op.Priority = random.IntN(len(h.lanes) + 1) // stands for the lane
	}
	s := &step{op: op, accesses: bounding(op.Accesses), lane: op.Priority}
	h.steps = append(h.steps, s)
	h.Push(op)
}

// launch issues an operation as an executor would: not if its input is known to be bad.
func (h *history) launch(s *step) {
	if h.refuse(s.op) != nil {
		h.endOne(s, false)
		return
	}
	s.issued = true
	h.dispatch(h.issue(s.op, finishedEvent{}))
}

// endOne ends an operation, one that was not issued by skipping it if its input is bad.
func (h *history) endOne(s *step, fail bool) {
	var refused *Error
	if !s.issued {
		refused = h.refuse(s.op)
	}
	s.ended = true
	switch {
	case refused != nil:
		s.outcome = outcome{err: refused}
	case fail:
		s.outcome = outcome{err: s.op.failed(errors.New("spilled")), ran: true}
	default:
		s.outcome = outcome{ran: true}
	}
	h.dispatch(h.finish(s.op, s.outcome))
}

type finishedEvent struct{}

func (finishedEvent) Wait() error { return nil }
func (finishedEvent) Done() bool  { return true }

func TestAWaitIsAnsweredBeforeLaterWritesEnd(t *testing.T) {
	h := newHistory()
	v := h.NewVar()
	write := func() *Operation {
		op := &Operation{Name: "write", Function: FunctionOf(func(*RunContext) error { return nil }), Accesses: []Access{{Var: v, Mode: Update}}}
		h.Push(op)
		return op
	}
	first := write()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, h.Wait(ctx, v), context.Canceled)
	second := write()
	ready := h.finish(first, outcome{ran: true})
	probe := ready.take()
	require.NotNil(t, probe.waiter, "the wait is between the two writes")
	require.Nil(t, ready.first)
	require.False(t, h.ready[second])
	h.dispatch(h.finish(probe, outcome{}))
	require.True(t, h.ready[second])
}
