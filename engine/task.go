package engine

import (
	"time"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

// task is one run of an operation, or of several in bulk. Tasks are recycled: a pointer to one is good until it is done. What
// every task needs is on its first cache line, and its first node on the second.
type task struct {
	operation *Operation // nil if the task is free
	next      *task      // in a queue of ready tasks
	number    uint64
	site      *fault.Site
	runner    *runner // while it runs
	rare      *rare   // nil in most cases
	spill     *[]node // in place of inline, if that is too small
	blocked   int32   // nodes that are not granted
	count     uint8   // of inline that are used
	stray     bool    // not in a slab

	inline [3]node
}

// node is a task's place in the queue of one variable. It fills a cache line.
type node struct {
	variable   *Var
	task       *task
	prev, next *node
	lo, hi     int64
	writes     uint32 // that the variable's sequence counts; more than one in bulk
	lost       uint32 // those of them that failed or were skipped
	counted    uint32 // number of the latest operation in writes
	mode       Mode
	granted    bool
}

// rare is what few tasks have.
type rare struct {
	staging *staging     // of a task on a stream
	bulk    *bulk        // of several operations
	waiter  chan<- error // of Wait: receives the error of the only variable
	refused bool         // pushed after Close
	times   times        // for observers
	next    *rare        // among free ones
	reused  bool         // when the task is done
}

// rares are free ones, to be used again, of tasks that had a rare for the sake of observers alone. They are guarded by core.mu.
type rares struct{ free *rare }

func (f *rares) take() *rare {
	r := f.free
	if r == nil {
		return &rare{reused: true}
	}
	f.free, r.next = r.next, nil
	return r
}

// give takes r, whose task is done, if it came from take.
func (f *rares) give(r *rare) {
	if r.reused {
		*r = rare{next: f.free, reused: true}
		f.free = r
	}
}

// staging is what a task on a stream needs in addition. It outlives the task in the lists of those that follow it.
type staging struct {
	rare         rare  // the task's, unless it has another
	task         *task // good until done
	lane         *streamLane
	event        device.Event // set when issued
	after        []*staging   // issued, not done, and waited for by event
	successors   []*staging   // that were launched behind this one's event
	predecessors int          // in after that are not done
	done         bool         // guarded by core.mu
	held         *outcome     // of a task whose predecessors are not done
	holders      int          // its task, and those that have it in after
	next         *staging     // among free ones
}

// stagings are free ones, to be used again. They are guarded by core.mu.
type stagings struct{ free *staging }

func (f *stagings) take(t *task, l *streamLane) *staging {
	s := f.free
	if s == nil {
		s = &staging{}
	} else {
		f.free = s.next
	}
	*s = staging{task: t, lane: l, holders: 1, after: s.after[:0], successors: s.successors[:0]}
	return s
}

// end follows the end of the task of s. Those that follow it keep s, but not what it followed itself.
func (f *stagings) end(s *staging) {
	for _, earlier := range s.after {
		f.drop(earlier)
	}
	clear(s.after)
	clear(s.successors)
	s.after, s.successors = s.after[:0], s.successors[:0]
	f.drop(s)
}

// drop counts one holder of s less.
func (f *stagings) drop(s *staging) {
	if s.holders--; s.holders == 0 {
		s.rare, s.task, s.event = rare{}, nil, nil
		s.next, f.free = f.free, s
	}
}

// times is when what happened to a task, for observers.
type times struct {
	pushed, ready, start time.Duration
	cause                uint64 // number of the task whose end made this one ready
}

// nodes returns one node for each variable of t.
func (t *task) nodes() []node {
	if t.spill != nil {
		return *t.spill
	}
	return t.inline[:t.count]
}

// name adds an access of the operation with the given number to the nodes of t.
func (t *task) name(a *Access, number uint64) {
	n := t.nodeOf(a.Var)
	if n == nil {
		a.Var.named, a.Var.place = uint32(t.number), int32(len(t.nodes()))
		n = t.addNode()
		n.variable, n.mode, n.lo, n.hi, n.writes, n.lost, n.counted = a.Var, a.Mode, a.Lo, a.Hi, 0, 0, 0
	} else {
		both := n.access().union(a.access())
		n.mode, n.lo, n.hi = both.mode, both.lo, both.hi
	}
	if a.Mode != Read && n.counted != uint32(number) {
		n.counted = uint32(number)
		n.writes++
	}
}

// nodeOf returns the node of t for v, nil if there is none.
func (t *task) nodeOf(v *Var) *node {
	if v.named != uint32(t.number) {
		return nil
	}
	if nodes := t.nodes(); int(v.place) < len(nodes) && nodes[v.place].variable == v {
		return &nodes[v.place]
	}
	return nil
}

// addNode returns a new node of t. It is zero but for its task, and for what dequeue leaves behind.
func (t *task) addNode() *node {
	if t.spill != nil {
		*t.spill = append(*t.spill, node{task: t})
		return &(*t.spill)[len(*t.spill)-1]
	}
	n := &t.inline[t.count]
	t.count++
	return n
}

func (t *task) staging() *staging {
	if t.rare == nil {
		return nil
	}
	return t.rare.staging
}

func (t *task) bulk() *bulk {
	if t.rare == nil {
		return nil
	}
	return t.rare.bulk
}

func (t *task) waiter() chan<- error {
	if t.rare == nil {
		return nil
	}
	return t.rare.waiter
}

func (t *task) refused() bool { return t.rare != nil && t.rare.refused }

// isAccepted reports whether t stands for operations that are not refused: for no wait either.
func (t *task) isAccepted() bool { return t.rare == nil || t.rare.waiter == nil && !t.rare.refused }

// needsRare returns what few tasks have, for t.
func (t *task) needsRare() *rare {
	if t.rare == nil {
		t.rare = &rare{}
	}
	return t.rare
}

func (n *node) access() access { return access{n.mode, n.lo, n.hi} }

// issued reports whether the work of t is on its stream.
func (t *task) issued() bool {
	s := t.staging()
	return s != nil && s.event != nil
}

// follows reports whether t was launched behind tasks that were not done.
func (t *task) follows() bool {
	s := t.staging()
	return s != nil && len(s.after) > 0
}
