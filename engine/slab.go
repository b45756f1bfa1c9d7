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
}

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

// recycle takes back a task that is done.
func (s *slabs) recycle(t *task) {
	t.reset()
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
