package engine

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
)

// extent is the number of bytes of a variable; ranges lie below.
const extent = 40

// group is what the model knows of a task.
type group struct {
	actions  []*action // none of a task of Wait
	accesses []Access  // one for each variable
	after    []*group  // that it depends on
	lane     int       // 0 is none
	keeps    bool      // it must know whether its inputs are good before it runs
	waits    bool      // it is a task of Wait
	gathered bool      // in a bulk

	task      *task // since it is ready
	performed *outcome
	launched  *launch
	issued    bool
	ended     bool // by the test
	done      bool // by the model
}

// gathering is what the model knows of a Bulk.
type gathering struct {
	bulk *Bulk
	size int
	open *group // that can still grow
}

// conflict is the definition: of two accesses to one variable, not both reads, that share a byte.
func conflict(a, b Access) bool {
	if a.Var != b.Var || a.Mode == Read && b.Mode == Read {
		return false
	}
	if a.Hi == 0 {
		a.Lo, a.Hi = 0, extent
	}
	if b.Hi == 0 {
		b.Lo, b.Hi = 0, extent
	}
	for i := range int64(extent) {
		if a.Lo <= i && i < a.Hi && b.Lo <= i && i < b.Hi {
			return true
		}
	}
	return false
}

// add makes s part of g. What a task asks for of one variable is merged.
func (g *group) add(s *action) {
	g.actions = append(g.actions, s)
	g.keeps = g.keeps || s.op.KeepOnSkip
	for _, a := range s.op.Accesses {
		at := slices.IndexFunc(g.accesses, func(other Access) bool { return other.Var == a.Var })
		if at < 0 {
			g.accesses = append(g.accesses, Access{Var: a.Var, Mode: a.Mode, Lo: a.Lo, Hi: a.Hi})
			continue
		}
		m := &g.accesses[at]
		if m.Mode != a.Mode {
			m.Mode = Update
		}
		if m.Hi == 0 || a.Hi == 0 {
			m.Lo, m.Hi = 0, 0
		} else {
			m.Lo, m.Hi = min(m.Lo, a.Lo), max(m.Hi, a.Hi)
		}
	}
}

func (g *group) touches(v *Var) bool {
	return slices.ContainsFunc(g.accesses, func(a Access) bool { return a.Var == v })
}

func (g *group) dependsOn(older *group) bool {
	for _, a := range older.accesses {
		for _, b := range g.accesses {
			if conflict(a, b) {
				return true
			}
		}
	}
	return false
}

// enroll makes g a task.
func (h *history) enroll(g *group) {
	for _, older := range h.groups {
		if g.dependsOn(older) {
			g.after = append(g.after, older)
		}
	}
	h.groups = append(h.groups, g)
}

// closeGathering ends what g gathers.
func (h *history) closeGathering(g *gathering) {
	if g.open != nil {
		h.enroll(g.open)
		g.open = nil
	}
}

// place does what the push of s does, in a bulk if that is not nil, as the documentation of Bulk has it.
func (h *history) place(s *action, through *gathering) {
	op := s.op
	touched := func(g *gathering) bool {
		return g.open != nil && slices.ContainsFunc(op.Accesses, func(a Access) bool { return g.open.touches(a.Var) })
	}
	for _, other := range h.gathering {
		if through != nil && other != through && touched(other) {
			h.closeGathering(other)
		}
	}
	if op.Property == DeleteVar {
		if only := h.onlyUser(op); only != nil {
			only.open.add(s)
			if len(only.open.actions) == only.size {
				h.closeGathering(only)
			}
			return
		}
	}
	bulks := through != nil && gathers(op)
	for _, other := range h.gathering {
		if touched(other) && !(bulks && other == through) {
			h.closeGathering(other)
		}
	}
	alone := &group{lane: h.laneNumber(op)}
	if !bulks {
		alone.add(s)
		h.enroll(alone)
		return
	}
	if through.open != nil && through.open.actions[0].op.Device != op.Device {
		h.closeGathering(through)
	}
	if through.open == nil {
		alone.gathered = true
		through.open = alone
	}
	through.open.add(s)
	if len(through.open.actions) == through.size {
		h.closeGathering(through)
	}
}

// gathers reports whether op can share a task.
func gathers(op *Operation) bool {
	return op.Property == Normal && op.Device.OnHost()
}

// onlyUser returns the bulk, on the host, that alone uses all that op deletes.
func (h *history) onlyUser(op *Operation) *gathering {
	for _, g := range h.gathering {
		elsewhere := func(a Access) bool { return g.open == nil || !g.open.touches(a.Var) }
		if len(op.Accesses) > 0 && !slices.ContainsFunc(op.Accesses, elsewhere) && g.open.lane == 0 {
			return g
		}
	}
	return nil
}

func (h *history) laneNumber(op *Operation) int {
	return 1 + slices.Index(h.lanes, h.laneOf(&task{operation: op}))
}

// check compares every task with the model: one that is not done is granted exactly if each older one that it depends on is
// done, or is issued on a device of the same kind; and one that has ended is done exactly if those are done.
func (h *history) check() {
	done, operations, open := 0, uint64(0), uint64(0)
	for i, g := range h.groups {
		want, settled := true, true
		for _, older := range g.after {
			if older.done {
				continue
			}
			settled = false
			if !older.issued || g.keeps || g.lane == 0 || laneDevices[g.lane-1].Kind != laneDevices[older.lane-1].Kind {
				want = false
			}
		}
		if g.waits {
			g.ended = g.ended || want
		} else {
			require.Equal(h.t, want, g.task != nil, "task %d of %d: %+v", i, len(h.groups), g.accesses)
		}
		g.done = g.done || g.ended && settled
		switch {
		case g.done:
			done++
			operations += uint64(len(g.actions))
		case g.gathered:
			open += uint64(len(g.actions))
		}
	}
	require.Equal(h.t, len(h.groups)-done, h.pending)
	stats := h.Stats()
	require.Equal(h.t, uint64(len(h.actions)), stats.Pushed)
	require.GreaterOrEqual(h.t, stats.Done, operations)
	require.LessOrEqual(h.t, stats.Done, operations+open, "only what is in bulks is done earlier than its task")
	for i, v := range h.vars {
		writes := uint64(0)
		for _, g := range h.groups {
			if g.done {
				writes += g.writes(v)
			}
		}
		require.Equal(h.t, writes, v.version.Load()+v.lost.Load(), "variable %d", i)
	}
}

// writes counts the operations of g that write v.
func (g *group) writes(v *Var) (count uint64) {
	for _, s := range g.actions {
		if s.writes(v) {
			count++
		}
	}
	return count
}

func TestEveryStateOfRandomHistoriesIsWhatTheModelSays(t *testing.T) {
	seeds := uint64(100)
	if testing.Short() {
		seeds = 20
	}
	for _, c := range []struct {
		name string
		habits
	}{
		{"whole variables", habits{}},
		{"ranges", habits{ranges: true}},
		{"streams", habits{streams: true}},
		{"ranges and streams", habits{ranges: true, streams: true}},
		{"whole variables in bulks", habits{bulks: true}},
		{"ranges in bulks", habits{ranges: true, bulks: true}},
		{"streams in bulks", habits{streams: true, bulks: true}},
		{"ranges and streams in bulks", habits{ranges: true, streams: true, bulks: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range seeds {
				runHistory(t, seed, c.habits)
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

func runHistory(t *testing.T, seed uint64, habits habits) {
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	random := rand.New(rand.NewPCG(seed, 7))
	h := newHistory(t, 1+random.IntN(5), 2, random)
	const length = 60
	for len(h.actions) < length || !h.isDone() {
		var launchable, endable []*group
		for _, g := range h.groups {
			switch {
			case g.ended || g.task == nil:
			case g.launched == nil && g.performed == nil:
				launchable = append(launchable, g)
			default:
				endable = append(endable, g)
			}
		}
		switch choice := random.IntN(20); {
		case choice < 8 && len(h.actions) < length:
			for range 1 + random.IntN(3) {
				h.pushRandom(random, habits)
			}
		case choice < 9 && len(h.actions) < length:
			h.waitRandom(random)
		case choice < 14 && len(launchable) > 0:
			if g := launchable[random.IntN(len(launchable))]; g.lane > 0 {
				h.launch(g)
			} else {
				h.runFunctions(g)
			}
		case len(endable) > 0:
			h.endGroup(endable[random.IntN(len(endable))], random.IntN(10) == 0)
		case len(launchable) == 0:
			for _, g := range h.gathering {
				h.closeGathering(g)
				g.bulk.Flush()
			}
		}
		h.registerAll()
		h.check()
	}
	for _, v := range h.vars {
		require.Nil(t, v.head)
		require.Nil(t, v.tail)
		require.Nil(t, v.open)
		require.Nil(t, v.waiting)
		require.Zero(t, v.writers+v.uneven)
		require.True(t, v.isIdle())
	}
	for range h.slabs.registered {
		require.Fail(t, "a task is left")
	}
	require.Len(t, h.slabs.free, len(h.slabs.all)*len(slab{}))
	require.Empty(t, h.intake.open)
	require.False(t, h.signals.arrived.Load())
	require.Nil(t, h.intake.filling)
	require.Zero(t, h.accepted)
	require.Zero(t, h.running)
	require.Len(t, h.runners, h.made)
	h.expectErrors(habits.streams)
}

func (h *history) isDone() bool {
	for _, g := range h.gathering {
		if g.open != nil {
			return false
		}
	}
	return !slices.ContainsFunc(h.groups, func(g *group) bool { return !g.done })
}

func TestAWaitIsAnsweredBeforeLaterWritesEnd(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	h := newHistory(t, 1, 0, random)
	write := func() *group {
		s := &action{op: &Operation{Name: "write", Function: FunctionOf(func(*RunContext) error { return nil }), Accesses: []Access{{Var: h.vars[0], Mode: Update}}}}
		h.place(s, nil)
		h.Push(s.op)
		h.registerAll()
		return h.groups[len(h.groups)-1]
	}
	first := write()
	answer := make(chan error)
	go func() { answer <- h.Wait(context.Background(), h.vars[0]) }()
	// The wait counts as a task before it blocks.
	for waits := false; !waits; {
		h.mu.Lock()
		waits = h.pending == 2
		h.mu.Unlock()
	}
	second := write()
	h.runFunctions(first)
	h.endGroup(first, false)
	require.NoError(t, <-answer, "though the second write has not begun")
	require.NotNil(t, second.task)
	require.False(t, second.ended)
	require.Equal(t, uint64(1), h.vars[0].Version())
	h.runFunctions(second)
	h.endGroup(second, false)
	require.Zero(t, h.pending)
}

// TestAReadBehindACureOfItsPartIsNotSkipped launches the read when the variable still carries the old error, of which the cure
// takes only a part.
func TestAReadBehindACureOfItsPartIsNotSkipped(t *testing.T) {
	h := newHistory(t, 1, 0, rand.New(rand.NewPCG(1, 1)))
	push := func(mode Mode, lo, hi int64, err error) *group {
		s := &action{number: len(h.actions), err: err, op: &Operation{Name: "operation", Device: device.Sim(0), Accesses: []Access{{Var: h.vars[0], Mode: mode, Lo: lo, Hi: hi}}}}
		s.op.Function = FunctionOf(func(*RunContext) error { s.ran++; return s.err })
		h.actions = append(h.actions, s)
		h.place(s, nil)
		h.Push(s.op)
		h.registerAll()
		return h.groups[len(h.groups)-1]
	}
	h.launch(push(Update, 5, 15, errSpilled))
	h.endGroup(h.groups[0], false)
	cure := push(Write, 0, 10, nil)
	h.launch(cure)
	reader := push(Read, 5, 8, nil)
	h.launch(reader)
	require.Equal(t, 1, reader.actions[0].ran, "what it reads will be good")
	h.endGroup(cure, false)
	h.endGroup(reader, false)
	h.expectErrors(true)
}

func TestAStretchHasOnlyBytesThatAreWritten(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	span := func() (lo, hi int64) {
		lo = random.Int64N(extent - 1)
		return lo, lo + 1 + random.Int64N(min(extent-lo, 9))
	}
	for range 2000 {
		var s stretch
		var written [extent]bool
		for range random.IntN(6) {
			n := node{task: &task{}, mode: Mode(random.IntN(3))}
			n.lo, n.hi = span()
			if random.IntN(20) == 0 {
				n.lo, n.hi = 0, 0
			}
			s.add(&n)
			for i := range written {
				written[i] = written[i] || n.mode != Read && (n.hi == 0 || n.lo <= int64(i) && int64(i) < n.hi)
			}
		}
		lo, hi := span()
		for _, touched := range []access{{Read, lo, hi}, {Update, lo, hi}, {Update, 0, 0}} {
			first, last := touched.lo, touched.hi
			if touched.whole() {
				last = extent
			}
			if s.has(touched) {
				require.NotContains(t, written[first:last], false)
			}
		}
	}
}
