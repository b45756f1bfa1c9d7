package engine

import (
	"github.com/stretchr/testify/require"
)

// action is what the model knows of an operation.
type action struct {
	number int
	op     *Operation
	err    error // that its function returns
	fault  bool  // of the device
	ran    int
}

func (s *action) writes(v *Var) bool {
	for _, a := range s.op.Accesses {
		if a.Var == v && a.Mode != Read {
			return true
		}
	}
	return false
}

// expectSequences compares what Push has filled in with the number of operations so far that write the variable.
func (h *history) expectSequences(s *action) {
	for _, a := range s.op.Accesses {
		want := uint64(0)
		for _, earlier := range h.actions {
			if earlier.writes(a.Var) {
				want++
			}
		}
		if s.writes(a.Var) {
			require.Equal(h.t, want, a.Sequence)
		} else {
			require.Zero(h.t, a.Sequence)
		}
		require.Equal(h.t, want, a.Var.sequence)
	}
}

// mark is a failure that sticks to something: that of an operation, which it may have inherited. The zero mark is none.
type mark struct{ root, operation string }

// contents are the failures of one variable, and when they came.
type contents struct {
	whole  mark
	parts  [extent]mark
	latest [extent + 1]int // by part; the last is the whole
}

// bounds returns the bytes of a, one by one.
func (a *Access) bounds() (lo, hi int) {
	if a.Hi == 0 {
		return 0, extent
	}
	return int(a.Lo), int(a.Hi)
}

// read returns the latest failure that a meets.
func (c *contents) read(a *Access) (found mark) {
	latest := -1
	look := func(m mark, at int) {
		if m != (mark{}) && at > latest {
			found, latest = m, at
		}
	}
	look(c.whole, c.latest[extent])
	lo, hi := a.bounds()
	for i := lo; i < hi; i++ {
		look(c.parts[i], c.latest[i])
	}
	return found
}

// write replaces what sticks to the bytes of a.
func (c *contents) write(a *Access, m mark, number int) {
	if a.Hi == 0 {
		*c = contents{whole: m}
		c.latest[extent] = number
		return
	}
	for i := a.Lo; i < a.Hi; i++ {
		c.parts[i], c.latest[i] = m, number
	}
}

// replayed is how an operation ends in a replay.
type replayed struct {
	skipped, failed bool
	mark            mark
}

// replay runs s by the definition, on what those before it have left.
func (s *action) replay(all map[*Var]*contents) (r replayed) {
	op := s.op
	switch {
	case op.Property == DeleteVar:
		r.failed = s.err != nil
		return r
	case op.Property != NoSkip:
		for i := range op.Accesses {
			if a := &op.Accesses[i]; a.Mode != Write && r.mark == (mark{}) {
				r.mark = all[a.Var].read(a)
			}
		}
	}
	switch {
	case r.mark != (mark{}):
		r.mark.operation = op.Name
		r.skipped = true
	case op.Context != nil:
		r.mark = mark{op.Name, op.Name}
		r.skipped = true
	case s.err != nil || s.fault:
		r.mark = mark{op.Name, op.Name}
		r.failed = true
	}
	_, marked := s.err.(*untouched)
	kept := op.KeepOnSkip && (r.skipped || r.failed && marked)
	for i := range op.Accesses {
		switch a := &op.Accesses[i]; {
		case a.Mode == Read:
		case r.mark == (mark{}) && a.Mode == Update:
		case kept && a.Mode == Update:
		default:
			all[a.Var].write(a, r.mark, s.number)
		}
	}
	return r
}

// expectErrors compares errors, versions and counts with a replay of all operations in the order of their pushes. With
// streams, an operation that was launched behind another's event may have run and failed though its inputs turned out bad;
// then only whether it is in error is known.
func (h *history) expectErrors(streams bool) {
	all := map[*Var]*contents{}
	for _, v := range h.vars {
		all[v] = &contents{}
	}
	versions := map[*Var]uint64{}
	want := Stats{Pushed: uint64(len(h.actions)), Done: uint64(len(h.actions))}
	for _, s := range h.actions {
		r := s.replay(all)
		switch {
		case r.skipped:
			want.Skipped++
			if !streams || s.op.KeepOnSkip || s.op.Context != nil {
				require.Zero(h.t, s.ran, s.op.Name)
			}
		default:
			require.Equal(h.t, 1, s.ran, "%s should have run", s.op.Name)
		}
		require.LessOrEqual(h.t, s.ran, 1)
		if r.failed {
			want.Failed++
		}
		if !r.failed && !r.skipped && s.op.Property != DeleteVar {
			for _, v := range h.vars {
				if s.writes(v) {
					versions[v]++
				}
			}
		}
	}
	got := h.Stats()
	if streams {
		require.Equal(h.t, want.Failed+want.Skipped, got.Failed+got.Skipped)
		want.Failed, want.Skipped = got.Failed, got.Skipped
	}
	require.Equal(h.t, want, got)
	for i, v := range h.vars {
		require.Equal(h.t, versions[v], v.Version(), "variable %d", i)
		h.expectContents(v, all[v], streams)
	}
}

// expectContents compares what sticks to every byte of v, and to all of it.
func (h *history) expectContents(v *Var, want *contents, streams bool) {
	h.t.Helper()
	got := &contents{}
	if p := v.poison.Load(); p != nil {
		for _, f := range p.failures {
			m := mark{f.root.Operator, f.err.Operator}
			if f.whole() {
				got.whole = m
				continue
			}
			for i := f.lo; i < f.hi; i++ {
				got.parts[i] = m
			}
		}
	}
	for i := range extent + 1 {
		w, g := want.whole, got.whole
		if i < extent {
			w, g = want.parts[i], got.parts[i]
		}
		if streams {
			w.root, g.root = "", ""
		}
		require.Equal(h.t, w, g, "part %d", i)
	}
	whole := want.read(&Access{Var: v})
	require.Equal(h.t, whole != (mark{}), v.Err() != nil)
	if whole != (mark{}) {
		require.Equal(h.t, whole.operation, v.Err().(*Error).Operator)
	}
}
