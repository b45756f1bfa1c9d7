package engine

import (
	"container/heap"
	"sync"
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/parallel"
)

// threaded runs leaves on the workers of the process, operations on devices that the host cannot address on streams, and
// host functions on goroutines of their own.
type threaded struct {
	core
	layout  layout
	pool    *parallel.Pool
	limit   int64
	threads sync.Pool // of *parallel.Thread, for goroutines that are no workers
	lanes   laneSet
	started sync.Once

	mu        sync.Mutex // guards what follows; never held while anything runs
	progress  sync.Cond  // a leaf ended or became ready, while somebody is throttled
	hosts     []hostLane // by device
	turn      int        // the lane that is served next
	ready     atomic.Int64
	running   int // leaves that run now
	throttled int // goroutines that wait in throttle
}

// hostLane is the ready operations of one CPU device.
type hostLane struct {
	device device.Device
	plain  queue         // of priority zero
	sorted priorityQueue // all others, and those with the property Prioritized
}

// burst is how many operations a worker runs one after another, each made ready by the one before, until it looks at the
// queues again.
const burst = 64

// NewPerDevice returns the default engine: every CPU device has a queue of its own, which all workers of the process serve
// in turn, and every other device streams of its own, one for compute and one for each direction of copies. Host functions
// run on goroutines of their own.
func NewPerDevice(opts ...Option) Engine { return newThreaded(perDevice, opts) }

// NewPooled returns an engine as NewPerDevice does, but with one queue for all CPU devices, and with one stream for compute
// and one for copies on every other device.
func NewPooled(opts ...Option) Engine { return newThreaded(pooled, opts) }

func newThreaded(l layout, opts []Option) Engine {
	o := options{limit: DefaultLimit}
	for _, opt := range opts {
		opt(&o)
	}
	if o.pool == nil {
		o.pool = parallel.Default()
	}
	e := &threaded{layout: l, pool: o.pool, limit: int64(o.limit)}
	e.progress.L = &e.mu
	e.threads.New = func() any { return e.pool.Thread() }
	e.core = newCore(e)
	e.lanes.open = func(d device.Device, _ Property) *streamLane {
		l := newStreamLane(d, &e.core)
		l.start()
		return l
	}
	return e
}

// Name implements Engine.
func (e *threaded) Name() string { return e.layout.name }

func (e *threaded) dispatch(ready queue) {
	for op := ready.take(); op != nil; op = ready.take() {
		switch {
		case op.waiter != nil || op.Property == DeleteVar || op.refused:
			ready.append(e.execute(op, nil))
		case op.lane != nil:
			op.lane.add(op)
		case op.Host:
			go e.runHost(op)
		default:
			e.publish(op)
		}
	}
}

func (e *threaded) laneOf(op *Operation) *streamLane {
	if op.Device.OnHost() || op.waiter != nil || op.Property == DeleteVar || op.Host || op.refused {
		return nil
	}
	return e.lanes.of(op.Device, e.layout.stream(op.Property))
}

func (e *threaded) runHost(op *Operation) {
	t := e.threads.Get().(*parallel.Thread)
	t.Reset()
	ready := e.execute(op, t)
	e.threads.Put(t)
	e.dispatch(ready)
}

// publish makes a leaf available to the workers.
func (e *threaded) publish(op *Operation) {
	e.started.Do(func() { e.pool.AddSource(e) })
	e.mu.Lock()
	l := e.hostLane(op.Device)
	if op.Priority == 0 && op.Property != Prioritized {
		l.plain.add(op)
	} else {
		heap.Push(&l.sorted, op)
	}
	e.ready.Add(1)
	wake := e.throttled > 0
	e.mu.Unlock()
	if wake {
		e.progress.Signal()
	}
	e.pool.Notify()
}

func (e *threaded) hostLane(d device.Device) *hostLane {
	d = e.layout.host(d)
	for i := range e.hosts {
		if e.hosts[i].device == d {
			return &e.hosts[i]
		}
	}
	e.hosts = append(e.hosts, hostLane{device: d})
	return &e.hosts[len(e.hosts)-1]
}

// HasWork implements parallel.Source.
func (e *threaded) HasWork() bool { return e.ready.Load() > 0 }

// take removes the operation to run next, nil if none is ready. The devices take turns.
func (e *threaded) take() *Operation {
	if e.ready.Load() == 0 {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for range e.hosts {
		e.turn = (e.turn + 1) % len(e.hosts)
		if op := e.hosts[e.turn].take(); op != nil {
			e.ready.Add(-1)
			e.running++
			return op
		}
	}
	return nil
}

func (l *hostLane) take() *Operation {
	if len(l.sorted) > 0 {
		if first := l.sorted[0]; first.Property == Prioritized || first.Priority > 0 || l.plain.first == nil {
			return heap.Pop(&l.sorted).(*Operation)
		}
	}
	return l.plain.take()
}

// RunOne implements parallel.Source: the worker runs an operation and then what that makes ready, which needs no queue
// and finds its operands in the worker's cache.
func (e *threaded) RunOne(t *parallel.Thread) bool {
	op := e.take()
	if op == nil {
		return false
	}
	defer e.leave()
	if e.HasWork() {
		e.pool.Notify() // Those who published the rest may have relied on this worker.
	}
	for range burst {
		t.Reset()
		ready := e.execute(op, t)
		if op = ready.first; op == nil || !op.isPlainLeaf() {
			op = nil
		} else {
			ready.take()
		}
		e.dispatch(ready)
		if op == nil {
			break
		}
	}
	if op != nil {
		e.publish(op)
	}
	return true
}

func (op *Operation) isPlainLeaf() bool {
	return op.waiter == nil && op.lane == nil && !op.Host && !op.refused && op.Property == Normal && op.Priority == 0
}

// leave counts a leaf less that runs.
func (e *threaded) leave() {
	e.mu.Lock()
	e.running--
	wake := e.throttled > 0
	e.mu.Unlock()
	if wake {
		e.progress.Broadcast()
	}
}

func (e *threaded) stop() {
	e.pool.RemoveSource(e)
	e.lanes.stop()
}
