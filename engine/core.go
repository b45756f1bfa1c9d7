package engine

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/profile"
)

// core is what all engines share: variables, registration, completion and errors. An engine adds an executor.
//
// A pushed operation passes through three stages. The goroutine that pushes makes it an arrival in the intake, which gives it
// its place in the order of all operations. Whoever next holds core.mu registers what is in the intake: it makes a task of each
// arrival and enters the task into the queues of its variables. When these have let it through, the executor runs it; then
// whoever ran it finishes it, by taking it out of the queues, which lets others through.
type core struct {
	executor executor
	pool     *parallel.Pool
	eager    bool // goroutines that push hold mu and run what they can themselves
	serial   bool // an operation that gets no memory waits where it runs
	stopped  sync.Once

	// Here and below, what one side writes all the time is kept off the cache lines that the other side reads.
	_       [64]byte
	intake  intake
	signals signals

	mu       briefMutex // guards the queues of all variables, and what follows
	ready    queue      // tasks that became ready and were not given to anybody yet
	inline   queue      // tasks for the goroutine that holds mu to run when it has let go
	held     queue      // ready tasks that wait for Start
	slabs    slabs
	recorded recorded
	rares    rares
	stagings stagings
	atRest   uint64    // number of the latest operation that was done at rest
	pending  int       // tasks that are registered and not done
	runners  []*runner // that run nothing
	made     int       // runners
	running  int       // tasks that runners run
	accepted int       // tasks that were not refused and are not done
	errors   ledger
	waiting  []waiting
	stats    Stats

	brief   RunContext // of operations that are run where they are pushed
	company int        // operations that are pushed though they could be done at rest

	counted, published uint64 // operations done that count for the limit, and how many of them signals tells
	bytes              int64  // that these took
	publishing         uint64 // operations done between two publications; well below the limit

	parking parking

	observers []*observation // replaced, never changed
	variable  uint64         // the latest that an observer was told of
	record    profile.Record
}

// signals are what goroutines poll while they have nothing else to do; so they have cache lines of their own.
type signals struct {
	_        [64]byte
	arrived  atomic.Bool  // something is in the intake
	hurried  atomic.Bool  // a goroutine waits, so workers should not wait for more to be pushed
	haste    atomic.Int32 // for how many more looks workers should not wait for more, since a goroutine waited lately
	deferred atomic.Bool  // what is in the intake was offered to a worker that has not been woken for it
	queued   atomic.Bool  // leaves are ready for workers
	brief    atomic.Bool  // workers found the functions of leaves to be brief
	paused   atomic.Bool  // by Stop
	closed   atomic.Bool  // by Close
	observed atomic.Bool  // by an observer
	_        [64]byte
	progress atomic.Uint64 // core.counted, some operations late
	released atomic.Int64  // core.bytes, some operations late
	_        [64]byte
	serving  atomic.Int32 // workers that run leaves, or look for some
	awaiting atomic.Bool  // one of them registers what is pushed, as no leaf is ready
	helped   atomic.Int32 // how likely it is that a goroutine that pushes then waits, and runs the operation itself; see help.go
	_        [56]byte
}

// executor runs tasks whose nodes are all granted.
type executor interface {
	// enqueue takes a ready leaf over. The caller holds core.mu.
	enqueue(t *task)
	// publish makes known what is left to run, and reports whether anything is. The caller holds core.mu and lets go of it.
	publish() bool
	// wake makes sure that somebody registers and runs what was pushed. No lock is held.
	wake()
	// offer is wake for a goroutine that has just pushed, and may be about to wait for the operation and run it itself: the
	// worker may come a little later.
	offer()
	// inline runs t, which was in core.inline, and finishes it. It is called without a lock and returns with core.mu held.
	inline(t *task)
	// abandoned is told that the function of op has ended the goroutine that ran it, a worker's or another; op is finished
	// elsewhere. No lock is held.
	abandoned(op *Operation, worker bool)
	// throttle is called by a goroutine after it pushed; it may help or wait a little. No lock is held.
	throttle(pushed load)
	// help is called by a goroutine that waits until target writes of v have ended; it may run what has to be run for that, and
	// reports whether they have. No lock is held.
	help(v *Var, target uint64) bool
	// resume follows Start.
	resume()
	// laneOf returns the stream that t will run on, nil if the executor runs it otherwise. The caller holds core.mu.
	laneOf(t *task) *streamLane
	// queued returns how many leaves are ready. The caller holds core.mu.
	queued() int
	// stop ends what the executor has started; nothing is pending. Tasks pushed later are refused; they end where they are
	// registered.
	stop()
}

// setUp makes c ready for use.
func (c *core) setUp(e executor, o options) {
	c.executor, c.pool, c.errors = e, o.pool, ledger{}
	c.publishing = max(1, min(o.limits.operations/8, maximumPublishing))
	c.slabs.spare = int(min(2*o.limits.operations, maximumSpare))
}

// maximumSpare bounds the tasks that an engine keeps for reuse, where its limit is higher.
const maximumSpare = 1 << 16

// NewVar implements Engine.
func (c *core) NewVar() *Var { return &Var{core: c} }

// absorb registers everything in the intake. The caller holds c.mu.
func (c *core) absorb() {
	if !c.signals.arrived.Load() {
		return
	}
	c.intake.mu.Lock()
	c.signals.arrived.Store(false)
	if c.signals.hurried.Load() {
		c.signals.hurried.Store(false)
	}
	if c.signals.deferred.Load() {
		c.signals.deferred.Store(false)
	}
	first := c.intake.takeAll()
	c.intake.mu.Unlock()
	c.registerAll(first)
}

// absorbNext registers the first of what is handed over already, and reports whether there was something. The caller holds c.mu.
func (c *core) absorbNext() bool {
	if c.intake.taken == nil && !c.intake.offers() {
		return false
	}
	b := c.intake.next()
	c.registerAll(b)
	return b != nil
}

func (c *core) registerAll(b *batch) {
	for b != nil {
		for i := range b.count {
			a := b.arrival(i)
			c.register(&a, b.stamp)
		}
		next := b.next
		c.intake.giveBack(b)
		b = next
	}
}

// register makes a task of a and enters it into the queues of its variables. Stamp is when it was pushed, if somebody observes; else 0.
func (c *core) register(a *arrival, stamp time.Duration) {
	t := c.slabs.task()
	t.operation, t.site, t.number, t.rare = a.operation, a.site, a.number, a.rare
	if r := a.operation.recording; r != nil {
		t.operation, t.rare = r.entries[0].operation, &c.recorded.take(a).rare
	}
	if stamp != 0 {
		if t.rare == nil {
			t.rare = c.rares.take()
		}
		t.rare.times.pushed = stamp
	}
	c.pending++
	c.nameVariables(t)
	if t.isAccepted() {
		c.accepted++
	}
	if !t.operation.Device.OnHost() {
		if lane := c.executor.laneOf(t); lane != nil {
			s := c.stagings.take(t, lane)
			if t.rare == nil {
				t.rare = &s.rare
			}
			t.rare.staging = s
		}
	}
	t.blocked = 1 // so that the task cannot become ready before its last node is entered
	nodes := t.nodes()
	for i := range nodes {
		n := &nodes[i]
		v := n.variable
		v.enqueue(n)
		if !n.granted && v.uneven > 0 && n.admit() {
			n.grant(&c.ready)
			v.passGranted()
		}
	}
	if t.blocked--; t.blocked == 0 {
		c.ready.add(t)
	}
}

// nameVariables gives t its nodes.
func (c *core) nameVariables(t *task) {
	if b := t.bulk(); b != nil {
		t.spill = &b.nodes
		for i := range b.nodes {
			b.nodes[i].task = t
		}
		return
	}
	op := t.operation
	c.slabs.reserve(t, len(op.Accesses))
	for i := range op.Accesses {
		t.name(&op.Accesses[i], t.number)
	}
}

// route gives the tasks that became ready to those who run them, and looks after those that have no memory. The caller holds
// c.mu.
func (c *core) route() {
	for t := c.ready.take(); t != nil || c.parking.count > 0 && c.retry(); t = c.ready.take() {
		switch {
		case t == nil:
		case t.waiter() != nil:
			c.finish(t, outcome{})
		case t.refused() || t.operation.Property == DeleteVar:
			c.runHere(t)
		case c.signals.paused.Load():
			c.held.add(t)
		case c.parking.count > 0 && c.parksBehind(t):
		case t.staging() != nil:
			c.parking.staged++
			t.staging().lane.add(t)
		case t.operation.Host:
			c.beginHost(t) // Here: Stop must know of it.
			go c.runHost(t)
		default:
			c.executor.enqueue(t)
		}
	}
}

// runHere lets the goroutine that holds c.mu run t when it lets go.
func (c *core) runHere(t *task) {
	c.begin(t).lane = "caller"
	c.inline.add(t)
}

// unlock registers what was pushed, lets go of c.mu, and runs what must not wait for anybody else.
func (c *core) unlock() {
	c.absorb()
	c.route()
	c.letGo()
}

// letGo is unlock for those who have routed everything.
func (c *core) letGo() {
	if c.inline.first == nil {
		left := c.executor.publish()
		c.mu.Unlock()
		if left {
			c.executor.wake()
		}
		return
	}
	inline := c.inline.takeAll()
	left := c.executor.publish()
	c.mu.Unlock()
	if left {
		c.executor.wake()
	}
	c.runInline(inline)
}

func (c *core) runInline(inline queue) {
	t := inline.take()
	returned := false
	defer func() {
		if !returned && inline.first != nil { // The function of t called runtime.Goexit.
			c.runInline(inline)
		}
	}()
	for ; t != nil; t = inline.take() {
		c.executor.inline(t)
		c.route()
		inline.append(c.inline.takeAll())
		left := c.executor.publish()
		c.mu.Unlock()
		if left {
			c.executor.wake()
		}
	}
	returned = true
}

// Stats implements Engine.
func (c *core) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.intake.mu.Lock()
	defer c.intake.mu.Unlock()
	return c.countedStats()
}

// countedStats returns the counters. The caller holds c.mu and intake.mu.
func (c *core) countedStats() Stats {
	stats := c.stats
	stats.Pushed = c.intake.pushed
	stats.Done += c.intake.alone
	stats.Parked, stats.Parkings = c.parking.count, c.parking.total
	return stats
}
