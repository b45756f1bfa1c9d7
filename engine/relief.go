package engine

import "context"

// relief is the channel that a parked operation was told to wait for.
type relief struct {
	channel <-chan struct{}
	pending bool          // it was not closed when somebody looked last
	stop    chan struct{} // closed when nobody wants to know
	granted uint64        // the moment at which one that was closed from the start was worth another attempt
}

// awaitRelief makes p wait for the relief that its latest attempt has asked for. The caller holds c.mu.
func (c *core) awaitRelief(p *parked, s *starved) {
	r, channel := &p.relief, s.relief
	if channel == r.channel {
		return
	}
	r.forget()
	if channel == nil {
		return
	}
	r.channel = channel
	if isClosed(channel) {
		switch {
		case s.promised:
			p.tried = 0
		case r.granted != c.moment(): // Else a function with reliefs that are closed already would be tried without end.
			r.granted, p.tried = c.moment(), 0
		}
		return
	}
	stop := make(chan struct{})
	r.pending, r.stop = true, stop
	go func() {
		select {
		case <-channel:
			c.mu.Lock()
			if r.channel == channel {
				r.pending = false
			}
			c.parking.freed++
			c.unlock()
		case <-stop:
		}
	}()
}

// forget ends the wait.
func (r *relief) forget() {
	if r.stop != nil {
		close(r.stop)
	}
	r.channel, r.pending, r.stop = nil, false, nil
}

// awaitContext lets p run, which ends it, when the context of its operation ends. The caller holds c.mu.
func (c *core) awaitContext(p *parked) {
	ctx := p.task.operation.Context
	if ctx == nil || p.task.bulk() != nil { // What is in a bulk, and has not begun, has contexts of its own.
		return
	}
	p.ignore = context.AfterFunc(ctx, func() {
		c.mu.Lock()
		if p.waiting {
			p.leaveLot()
			c.ready.add(p.task)
		}
		c.unlock()
	})
}

func (p *parked) stopContext() {
	if p.ignore != nil {
		p.ignore()
		p.ignore = nil
	}
}

// awaited waits for relief, unless the context of t's operation ends first, and reports whether another attempt makes sense: none
// after a relief that was closed from the start where the attempt before has had some.
func (s *starved) awaited(t *task, before bool) bool {
	switch {
	case s.relief == nil:
		return false
	case !s.promised:
		return !before
	}
	var ended <-chan struct{}
	if op := t.current(); op.Context != nil {
		ended = op.Context.Done()
	}
	select {
	case <-s.relief:
	case <-ended:
	}
	return true
}
