package engine

// slab is tasks that are allocated together.
type slab [16]task

// slabs are all tasks of an engine, so that those pending can be found without a list of them. They are guarded by
// core.mu.
type slabs struct {
	all    []*slab
	free   []*task
	spare  int            // the number of tasks that are kept for ever
	strays map[*task]bool // beyond those; left to the collector when done
	rooms  []*[]node      // that tasks had in place of inline
}

// The nodes that are kept for later: so many times, and so many of a task.
const (
	spareRooms = 16
	mostRoom   = 64
)

// task returns a free task: the one that was used last, which is still in the cache.
func (s *slabs) task() *task {
	if len(s.free) == 0 {
		if len(s.all)*len(slab{}) >= s.spare {
			return s.newStray()
		}
		s.grow()
	}
	last := len(s.free) - 1
	t := s.free[last]
	s.free = s.free[:last]
	return t
}

func (s *slabs) grow() {
	fresh := &slab{}
	s.all = append(s.all, fresh)
	for i := range fresh {
		fresh[i].bindNodes()
		s.free = append(s.free, &fresh[i])
	}
}

func (s *slabs) newStray() *task {
	t := &task{stray: true}
	t.bindNodes()
	if s.strays == nil {
		s.strays = map[*task]bool{}
	}
	s.strays[t] = true
	return t
}

func (t *task) bindNodes() {
	for i := range t.inline {
		t.inline[i].task = t
	}
}

// reserve makes room for the given number of nodes of t.
func (s *slabs) reserve(t *task, count int) {
	t.count = 0
	if count <= len(t.inline) {
		return
	}
	if last := len(s.rooms) - 1; last >= 0 {
		t.spill, s.rooms = s.rooms[last], s.rooms[:last]
		if cap(*t.spill) >= count {
			return
		}
	}
	nodes := make([]node, 0, count)
	t.spill = &nodes
}

// recycle takes back a task that is done.
func (s *slabs) recycle(t *task) {
	room := t.spill
	if t.bulk() != nil {
		room = nil
	}
	t.reset()
	if room != nil && cap(*room) <= mostRoom && len(s.rooms) < spareRooms {
		clear(*room)
		*room = (*room)[:0]
		s.rooms = append(s.rooms, room)
	}
	if t.stray {
		delete(s.strays, t)
	} else {
		s.free = append(s.free, t)
	}
}

// registered yields the tasks that are registered and not done, in no order.
func (s *slabs) registered(yield func(t *task) bool) {
	for _, slab := range s.all {
		for i := range slab {
			if t := &slab[i]; t.operation != nil && !yield(t) {
				return
			}
		}
	}
	for t := range s.strays {
		if !yield(t) {
			return
		}
	}
}

// reset makes t a free task. It drops all references, so that what the user made can be collected.
func (t *task) reset() {
	nodes := t.nodes()
	for i := range nodes {
		nodes[i].variable = nil
	}
	t.operation, t.site, t.rare, t.spill = nil, nil, nil, nil
}
