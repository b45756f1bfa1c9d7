package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/parallel"
)

// history drives a core by hand: the test decides when an operation is pushed, registered, launched, performed and ended.
type history struct {
	core
	t         *testing.T
	lanes     []*streamLane
	vars      []*Var
	actions   []*action    // all operations that were pushed, oldest first
	groups    []*group     // what the model says the tasks are, in the order of their registration
	gathering []*gathering // the bulks
}

func newHistory(t *testing.T, variables, bulks int, random *rand.Rand) *history {
	h := &history{t: t}
	few := limits{operations: []uint64{4, DefaultLimit}[random.IntN(2)]} // so that some tasks are not kept
	h.setUp(h, options{limits: few, pool: parallel.Default()})
	for _, d := range laneDevices {
		l := newStreamLane(d, Normal, &h.core)
		l.stream = handStream{}
		h.lanes = append(h.lanes, l)
	}
	for range variables {
		h.vars = append(h.vars, h.NewVar())
	}
	for range bulks {
		size := 1 + random.IntN(6)
		h.gathering = append(h.gathering, &gathering{bulk: h.NewBulk(size), size: size})
	}
	return h
}

// laneDevices are the devices of the lanes; the first two differ in their property.
var laneDevices = []device.Device{device.Sim(0), device.Sim(0), device.Sim(1), device.GPU(0)}

// laneOf gives copies to sim(0) a lane of their own.
func (h *history) laneOf(t *task) *streamLane {
	op := t.operation
	if t.waiter() != nil || op.Property == DeleteVar {
		return nil
	}
	for i, d := range laneDevices {
		if d == op.Device && (i == 1) == (op.Property == CopyToDevice) {
			return h.lanes[i]
		}
	}
	return nil
}

func (h *history) enqueue(t *task)            { h.becomesReady(t) }
func (h *history) wake()                      {}
func (h *history) offer()                     {}
func (h *history) publish() bool              { return false }
func (h *history) throttle(load)              {}
func (h *history) help(*Var, uint64) bool     { return false }
func (h *history) abandoned(*Operation, bool) {}
func (h *history) resume()                    {}
func (h *history) queued() int                { return 0 }
func (h *history) stop()                      {}

// inline runs deletions, as engines do.
func (h *history) inline(t *task) {
	h.becomesReady(t)
	g := h.groupOf(t)
	o := h.perform(t)
	h.mu.Lock()
	g.ended = true
	h.finish(t, o)
}

// becomesReady compares the task with what the model says it is.
func (h *history) becomesReady(t *task) {
	g := h.groupOf(t)
	require.Nil(h.t, g.task, "it became ready twice")
	g.task = t
	b := t.bulk()
	require.Equal(h.t, g.gathered, b != nil)
	if b == nil {
		return
	}
	require.Len(h.t, b.entries, len(g.actions))
	for i, e := range b.entries {
		require.Same(h.t, g.actions[i].op, e.operation)
	}
}

func (h *history) groupOf(t *task) *group {
	for _, g := range h.groups {
		if len(g.actions) > 0 && g.actions[0].op == t.operation {
			return g
		}
	}
	require.Fail(h.t, "a task that was not to be", t.operation.Name)
	return nil
}

// registerAll lets a moment pass in which somebody holds the lock.
func (h *history) registerAll() {
	h.mu.Lock()
	h.unlock()
	for _, l := range h.lanes {
		for t := l.ready.take(); t != nil; t = l.ready.take() {
			h.becomesReady(t)
		}
	}
}

// launch launches g as its lane would.
func (h *history) launch(g *group) {
	l := g.task.staging().lane
	if t := l.start(g.task); t != nil {
		l.handOver(l.enqueue(t, nil), false)
	}
	if next, ok := l.tryLaunched(); ok {
		g.launched, g.issued = &next, next.outcome.err == nil
	} else {
		g.ended = true // without anything on the device
	}
}

// tryLaunched returns the latest that was launched, if it has not been taken before.
func (l *streamLane) tryLaunched() (launch, bool) {
	launched := l.concluder.launched
	if len(launched) == 0 {
		return launch{}, false
	}
	next := launched[0]
	l.concluder.launched = nil
	return next, true
}

// runFunctions runs the functions of g as a worker would.
func (h *history) runFunctions(g *group) {
	h.mu.Lock()
	h.begin(g.task)
	h.mu.Unlock()
	g.performed = new(outcome)
	*g.performed = h.perform(g.task)
}

// endGroup ends g, on a device with a fault if asked for.
func (h *history) endGroup(g *group, fault bool) {
	g.ended = true
	if g.performed != nil {
		h.complete(g.task, *g.performed)
		return
	}
	if fault {
		for _, s := range g.actions {
			s.fault = true
		}
		g.launched.event = faultyEvent{}
	}
	g.launched.await()
	h.complete(g.task, g.launched.outcome)
}

var errSpilled = errors.New("spilled")

type handEvent struct{}

func (handEvent) Wait() error { return nil }
func (handEvent) Done() bool  { return true }

type faultyEvent struct{ handEvent }

func (faultyEvent) Wait() error { return errSpilled }

// handStream is a stream that takes no work, and whose events the test replaces.
type handStream struct{}

func (handStream) Device() device.Device                          { return device.Sim(0) }
func (handStream) Copy(device.Pointer, device.Pointer, int) error { return nil }
func (handStream) Fill(device.Pointer, int) error                 { return nil }
func (handStream) Wait(device.Event) error                        { return nil }
func (handStream) Record() (device.Event, error)                  { return handEvent{}, nil }
func (handStream) Close() error                                   { return nil }

// habits are what a random history is made of.
type habits struct{ ranges, streams, bulks bool }

// cancelled is a scope that has ended.
var cancelled = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// randomAction returns an operation.
func (h *history) randomAction(random *rand.Rand, habits habits) *action {
	s := &action{number: len(h.actions), op: &Operation{Name: fmt.Sprint("operation ", len(h.actions))}}
	for range random.IntN(4) {
		a := Access{Var: h.vars[random.IntN(len(h.vars))], Mode: Mode(random.IntN(3))}
		if habits.ranges && random.IntN(3) > 0 {
			a.Lo = int64(random.IntN(extent - 10))
			a.Hi = a.Lo + 1 + int64(random.IntN(10))
		}
		s.op.Accesses = append(s.op.Accesses, a)
	}
	switch random.IntN(20) {
	case 0:
		s.op.Property = NoSkip
	case 1, 2:
		s.op.Property = DeleteVar
	case 3:
		s.op.Property = CopyToDevice
	case 4:
		s.op.Context = cancelled
	case 5, 6:
		s.op.KeepOnSkip = true
	}
	if lane := random.IntN(len(laneDevices) + 1); habits.streams && lane < len(laneDevices) && s.op.Property != DeleteVar {
		s.op.Device = laneDevices[lane]
	}
	if random.IntN(6) == 0 {
		s.err = errSpilled
		if random.IntN(3) == 0 {
			s.err = Untouched(errSpilled)
		}
	}
	s.op.Function = FunctionOf(func(*RunContext) error { s.ran++; return s.err })
	h.actions = append(h.actions, s)
	return s
}

// pushRandom pushes by itself, in a bulk, or several together.
func (h *history) pushRandom(random *rand.Rand, habits habits) {
	var through *gathering
	var pusher Pusher = &h.core
	if habits.bulks && random.IntN(3) > 0 {
		through = h.gathering[random.IntN(len(h.gathering))]
		pusher = through.bulk
	}
	push := func(p Pusher) {
		s := h.randomAction(random, habits)
		h.place(s, through)
		p.Push(s.op)
		h.expectSequences(s)
	}
	several := random.IntN(5)
	switch choice := random.IntN(8); {
	case choice == 0:
		through = nil
		h.Atomically(func(p Pusher) {
			for range several {
				push(p)
			}
		})
	case choice == 1 && habits.bulks:
		through = &gathering{size: 1 + random.IntN(4)}
		h.gathering = append(h.gathering, through)
		h.Bulk(through.size, func(p Pusher) {
			for range several {
				push(p)
			}
			h.closeGathering(through)
		})
		h.gathering = h.gathering[:len(h.gathering)-1]
	case choice == 2 && habits.bulks:
		through = h.gathering[random.IntN(len(h.gathering))]
		h.closeGathering(through)
		through.bulk.Flush()
	default:
		push(pusher)
	}
}

// waitRandom waits for a variable with a scope that has ended, so that the answer is lost if it does not come at once.
func (h *history) waitRandom(random *rand.Rand) {
	v := h.vars[random.IntN(len(h.vars))]
	for _, g := range h.gathering {
		if g.open != nil && g.open.touches(v) {
			h.closeGathering(g)
		}
	}
	if v.isIdle() {
		require.Equal(h.t, v.Err(), h.Wait(cancelled, v))
		return
	}
	h.enroll(&group{accesses: []Access{{Var: v}}, waits: true})
	if err := h.Wait(cancelled, v); !errors.Is(err, context.Canceled) {
		require.Equal(h.t, v.Err(), err)
	}
}

// isIdle reports whether every write of v is done.
func (v *Var) isIdle() bool { return v.finished() == v.Sequence() }
