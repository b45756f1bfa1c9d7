package sim

import (
	"fmt"
	"sync"
	"time"

	"github.com/weft-nd/weft/device"
)

// SetMemoryLimit makes bytes the memory of device index; it is 4 GiB at first. Below what is in use it only stops further
// allocations.
func (b *Backend) SetMemoryLimit(index, bytes int) {
	m := &b.mustUnit(index).memory
	m.Lock()
	defer m.Unlock()
	m.limit = bytes
}

// SetLatency makes every later copy, fill and kernel of all devices take d more, before it does anything. It is zero at first.
func (b *Backend) SetLatency(d time.Duration) { b.latency.Store(int64(d)) }

// InjectFault makes the next launch of the kernel with that name fault with err where it would have run, on whichever
// stream and device gets to one first; launches that are enqueued already count. The names "copy" and "fill" stand for
// Stream.Copy and Stream.Fill. Several faults of one name are used up in the order of the calls. It panics if err is
// nil.
func (b *Backend) InjectFault(name string, err error) {
	if err == nil {
		panic(fmt.Sprintf("sim: InjectFault(%q) without an error", name))
	}
	b.faults.add(name, err)
}

// Hold stops all streams of device index before their next command, until release is called; the commands that are running
// now are not waited for. Several holds of one device all have to be released. Calling release again has no effect.
func (b *Backend) Hold(index int) (release func()) { return b.mustUnit(index).gate.hold() }

// Stats returns what device index has done so far and the memory it uses now.
func (b *Backend) Stats(index int) Stats {
	u := b.mustUnit(index)
	stats := Stats{Activity: u.counters.Activity()}
	u.memory.RLock()
	defer u.memory.RUnlock()
	stats.InUse, stats.Peak, stats.Limit = u.memory.inUse, u.memory.peak, u.memory.limit
	stats.Live, stats.Allocations = len(u.memory.blocks), u.memory.allocations
	return stats
}

// Stats are the counters of one device. Sizes are in bytes, as they were asked for. Commands count for the device of their
// stream, from the moment when they are enqueued.
type Stats struct {
	InUse, Peak, Limit int // memory now, at most so far, and allowed
	Live, Allocations  int // allocations that are not freed, and all so far
	device.Activity
}

// gate lets commands of one unit pass unless it is held. The lock is a RWMutex for the reason given at memory.
type gate struct {
	sync.RWMutex
	holds int
	open  chan struct{} // closed by the last release; nil if there are no holds
}

func (g *gate) hold() (release func()) {
	g.Lock()
	defer g.Unlock()
	if g.holds == 0 {
		g.open = make(chan struct{})
	}
	g.holds++
	return sync.OnceFunc(func() {
		g.Lock()
		defer g.Unlock()
		if g.holds--; g.holds == 0 {
			close(g.open)
			g.open = nil
		}
	})
}

func (g *gate) pass() {
	for {
		g.RLock()
		open := g.open
		g.RUnlock()
		if open == nil {
			return
		}
		<-open
	}
}

// injections are the faults that were asked for. The lock is a RWMutex for the reason given at memory.
type injections struct {
	sync.RWMutex
	byName map[string][]error
}

func (f *injections) add(name string, err error) {
	f.Lock()
	defer f.Unlock()
	if f.byName == nil {
		f.byName = map[string][]error{}
	}
	f.byName[name] = append(f.byName[name], err)
}

// take returns the next fault of that name, or nil.
func (f *injections) take(name string) error {
	f.RLock()
	waiting := len(f.byName[name])
	f.RUnlock()
	if waiting == 0 {
		return nil
	}
	f.Lock()
	defer f.Unlock()
	if len(f.byName[name]) == 0 { // another stream was first
		return nil
	}
	err := f.byName[name][0]
	f.byName[name] = f.byName[name][1:]
	return err
}
