package storage

import (
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/weft-nd/weft/fault"
)

// sampling knows the line that made every n-th array, for as long as the array lives.
var sampling struct {
	every atomic.Int64 // zero: none
	made  atomic.Int64

	mu      sync.Mutex
	live    map[*fault.Site]Holding
	samples map[weak.Pointer[Synced]]*sample // that the collector has not found unreachable
}

// SampleArrays makes LiveArrays tell of every n-th array that is made from now on, whatever its size; 1 means all, and 0, as it
// is at first, none. A sampled array costs about a microsecond, the others a few nanoseconds.
func SampleArrays(n int) { sampling.every.Store(int64(max(n, 0))) }

// LiveArrays returns, for the lines of the program that made them, the arrays that SampleArrays has sampled and the collector has
// not found unreachable yet, the largest first. Numbers are those of the samples times the n that they were taken with, and so
// estimates of all. Released arrays that are still reachable count with their arrays and without their bytes.
func LiveArrays() []Holding {
	sampling.mu.Lock()
	defer sampling.mu.Unlock()
	return byLine(sampling.live)
}

// Holders returns who holds the memory of managers now, for every device that has been used, by its name: the lines of the
// program that made arrays of more than 32 KiB, or on other devices than the host of any size, the largest first.
func Holders() map[string][]Holding {
	all := map[string][]Holding{}
	for d, l := range deviceLedgers() {
		if found := l.holdings(); len(found) > 0 {
			all[d.String()] = found
		}
	}
	return all
}

// Usage returns the statistics of the managers of the devices that have been used, by the name of the device. To see them
// under /debug/vars, call vars.Publish("weft.memory", func() any { return storage.Usage() }) of package profile/vars.
func Usage() map[string]Stats {
	all := map[string]Stats{}
	for d, l := range deviceLedgers() {
		all[d.String()] = l.manager.Stats()
	}
	return all
}

// sample is one array that LiveArrays tells of.
type sample struct {
	array  weak.Pointer[Synced]
	site   *fault.Site
	bytes  int64 // zero when they are released
	weight int64
}

// sampled records s if it is its turn.
func (s *Synced) sampled() {
	every := sampling.every.Load()
	if every == 0 || sampling.made.Add(1)%every != 0 {
		return
	}
	m := &sample{array: weak.Make(s), site: fault.Here(2), bytes: int64(s.first.bytes), weight: every}
	sampling.mu.Lock()
	defer sampling.mu.Unlock()
	if sampling.live == nil {
		sampling.live, sampling.samples = map[*fault.Site]Holding{}, map[weak.Pointer[Synced]]*sample{}
	}
	sampling.samples[m.array] = m
	m.count(1, m.bytes)
	runtime.AddCleanup(s, (*sample).end, m)
}

// count adds to what LiveArrays tells of the line of m. The caller holds the lock of sampling.
func (m *sample) count(arrays int, bytes int64) {
	h := sampling.live[m.site].and(arrays*int(m.weight), bytes*m.weight, m.site)
	if sampling.live[m.site] = h; h.Arrays == 0 {
		delete(sampling.live, m.site)
	}
}

// unsampled removes the bytes of s, which is released, from the count, if it was sampled.
func (s *Synced) unsampled() {
	if sampling.made.Load() == 0 {
		return
	}
	sampling.mu.Lock()
	defer sampling.mu.Unlock()
	if m := sampling.samples[weak.Make(s)]; m != nil {
		m.count(0, -m.bytes)
		m.bytes = 0
	}
}

// end takes the array out of the count.
func (m *sample) end() {
	sampling.mu.Lock()
	defer sampling.mu.Unlock()
	m.count(-1, -m.bytes)
	delete(sampling.samples, m.array)
}
