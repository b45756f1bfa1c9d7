package parallel

import "math"

// Work below these estimates, in nanoseconds, is not shared by ForCost: a helper that spins joins within a fraction of a
// microsecond; waking one that is parked costs the launcher some ten microseconds, and the helper starts later still.
const (
	hotWork  = 1_500
	coldWork = 60_000
	// wakeWork is how much work a handle has kept to itself before it wakes parked workers for work above hotWork after all,
	// since more seems to follow.
	wakeWork = 200_000
	// headStart is how much longer the launcher's lot takes than those of others: they begin later, and the launcher learns
	// late that they have ended.
	headStart = 250
)

// For runs body for parts [lo, hi) that cover [0, n), each item once, and returns when all have run. Up to NumThreads
// goroutines take part: the caller, and workers that are idle. The body gets the handle of its participant, with the mask
// of t, chunk size 0, and an ID that no other call uses at the same time; it may open regions itself. A body that panics
// stops the region early: For panics in the calling goroutine with the first [*Panic], after the others have ended. A
// body must not wait for another. n <= 0 runs nothing.
func (t *Thread) For(n int, body func(t *Thread, lo, hi int)) { t.loop(n, t.chunk, false, 0, body) }

// ForCost is For for items that take about the given number of nanoseconds each: where n of them are too little work to share,
// it makes the one call body(t, 0, n) in the calling goroutine. Sharing begins at about one and a half microseconds of work
// when workers are awake, and at sixty when they are parked. If there is little work the caller takes a larger part, since
// others begin later.
func (t *Thread) ForCost(n int, nanoseconds float64, body func(t *Thread, lo, hi int)) {
	t.forCost(n, nanoseconds, false, body)
}

// ForOwn is ForCost for items whose operands are in the caches of the processor that ran the same part of an earlier region of
// as many items. A participant keeps a part that it has begun, since others would have to fetch what it has, and one that is
// done first waits for up to 20 microseconds before it takes a part that nobody has begun. So a participant that the operating
// system stops holds up the region; in a region of [Thread.ForCost] others would help.
func (t *Thread) ForOwn(n int, nanoseconds float64, body func(t *Thread, lo, hi int)) {
	t.forCost(n, nanoseconds, true, body)
}

func (t *Thread) forCost(n int, nanoseconds float64, own bool, body func(t *Thread, lo, hi int)) {
	if n > 0 && t.mask > 1 && !t.worthSharing(float64(n)*nanoseconds) {
		t.serial(n, 1, body)
		return
	}
	t.loop(n, t.chunk, own, nanoseconds, body)
}

func (t *Thread) worthSharing(work float64) bool {
	if !(work >= hotWork) || t.pool.alone() || t.pool.layer == LayerSerial {
		return false
	}
	if t.pool.layer == LayerGoroutine {
		return work >= coldWork
	}
	idle := t.pool.idle.Load()
	if t.pool.launched.Load() && (searching(idle) > 0 || parked(idle) == 0) {
		return true
	}
	t.cold += work
	if work < coldWork && t.cold < wakeWork {
		return false
	}
	t.cold = 0
	return true
}

// loop is For with the chunk size as an argument, whether participants keep their lots, and the nanoseconds that an
// item takes; 0 if that is not known.
func (t *Thread) loop(n, chunk int, own bool, nanoseconds float64, body func(t *Thread, lo, hi int)) {
	if n <= 0 {
		return
	}
	chunks := min(Chunks(n, t.mask, chunk), maximumChunks)
	count := min(t.mask, chunks)
	if count == 1 {
		t.serial(n, chunks, body)
		return
	}
	p := t.pool
	if p.layer == LayerWorkqueue {
		p.launch()
	}
	r := p.acquire()
	r.setLabels(t.labels)
	slot := r.begin(t.place, count)
	work := float64(n) * nanoseconds
	switch r.items, r.chunks, r.cuts = n, 0, mostCuts; {
	case chunk > 0 && chunks == count:
		r.cuts = 1
	case chunk > 0:
		r.chunks = chunks
	case work > 0:
		r.cuts = uint8(cutsOf(work / float64(count)))
	}
	r.own, r.brief, r.lead = own, work > 0 && work < coldWork, 0
	if r.brief && !own {
		r.lead = int32(max(0, min(headStart/nanoseconds, float64(n/2-count), math.MaxInt32)))
	}
	r.body, r.mask, r.level = body, int32(t.mask), int32(t.level+1)
	r.launch(slot, t.place, body)
}

// serial runs chunks one after the other in the calling goroutine.
func (t *Thread) serial(n, chunks int, body func(t *Thread, lo, hi int)) {
	if t.child == nil {
		t.child = &Thread{pool: t.pool}
	}
	defer func() {
		if recovered := recover(); recovered != nil {
			panic(asPanic(recovered))
		}
	}()
	child, mask := t.child, t.mask
	size, larger := n/chunks, n%chunks
	for i, lo := 0, 0; i < chunks; i++ {
		hi := lo + size
		if i < larger {
			hi++
		}
		child.mask, child.chunk, child.id, child.level, child.labels, child.place = mask, 0, 0, t.level+1, t.labels, t.place
		body(child, lo, hi)
		lo = hi
	}
}
