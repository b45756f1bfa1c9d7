package fault

import (
	"runtime"
	"sync/atomic"
)

// recent remembers the Sites of trails met lately.
var recent cache

const (
	setBits = 10
	ways    = 4
)

// cache maps trails to Sites. It holds as many as it has room for: where the ways of a set are full, one is given up. Its
// entries never change, so that it needs no locks; that two goroutines learn the same trail at once does no harm, since
// they learn the same Site.
type cache [1 << setBits][ways]atomic.Pointer[entry]

// entry is a trail and its Site, which is nil where the trail does not decide the call path.
type entry struct {
	hash  uint64
	trail trail
	site  *Site
}

func (c *cache) find(hash uint64, way *trail) (site *Site, met bool) {
	set := &c[hash>>(64-setBits)]
	for i := range set {
		if e := set[i].Load(); e != nil && e.hash == hash && e.trail == *way {
			e.remember()
			return e.site, true
		}
	}
	return nil, false
}

// latest has the entry that was met last of those with a key, the return address behind the frames that Here skips: mostly it is
// the user's line, which mostly is come to on one way. So recall need not write the way down to find it.
var latest [1 << latestBits]atomic.Pointer[entry]

const latestBits = 10

// hashFactor is the golden ratio in 64 bits.
const hashFactor = 0x9E3779B97F4A7C15

// remember makes e the latest of its key.
func (e *entry) remember() {
	if e.trail.skip < reach {
		latest[uint64(e.trail.counters[e.trail.skip])*hashFactor>>(64-latestBits)].Store(e)
	}
}

// learn stores the Site of the trail, and returns it. Its caller has to be Here.
func (c *cache) learn(hash uint64, way *trail) *Site {
	counters := make([]uintptr, way.skip+depth)
	counters = counters[:runtime.Callers(3, counters)]
	e := &entry{hash: hash, trail: *way}
	if way.passes(counters) {
		e.site = intern(counters[min(way.skip, len(counters)):])
	}
	set := &c[hash>>(64-setBits)]
	for i := range set {
		if set[i].CompareAndSwap(nil, e) {
			return e.site
		}
	}
	set[hash%ways].Store(e)
	return e.site
}
