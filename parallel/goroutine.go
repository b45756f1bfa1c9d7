package parallel

// start starts goroutines that join a region, one for each slot to claim, up to the limit of the pool. A goroutine that comes
// to run only when the region is over joins whatever the region is used for by then, or ends.
func (p *Pool) start(r *region) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	count := min(r.count-1, p.workers-1-p.started)
	if p.closed.Load() || count <= 0 {
		return
	}
	p.started += count
	p.running.Add(count)
	for range count {
		go r.joining()
	}
}

// join is a goroutine of LayerGoroutine.
func (r *region) join() {
	defer r.pool.ended()
	if claimed, others := r.claim(); claimed {
		r.help(0, others)
	}
}

func (p *Pool) ended() {
	p.mutex.Lock()
	p.started--
	p.mutex.Unlock()
	p.running.Done()
}
