package storage

import (
	"context"
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// Synced is one piece of memory with replicas on one or more devices. Its state machine is Caffe's SyncedMemory, moved
// at registration: a replica is valid from the moment an operation that fills it is registered, because whoever uses it is
// ordered behind that operation. The valid ones are those whose generation is that of the Synced.
//
// Every operation holds the logical variable, which orders writers against everybody. While there are several replicas
// each has a variable of its own as well, so that a copy that fills one replica runs beside the readers of another. With
// one replica the two variables are the same.
type Synced struct {
	engine  engine.Engine
	logical atomic.Pointer[engine.Var] // nil until somebody asks: many small arrays die before

	// Guarded by the engine's registration lock.
	first      *Replica    // of a list; its size is there before it exists
	generation uint64      // one more than the number of writes registered
	released   *fault.Site // where; nil if not

	holds atomic.Pointer[Hold] // a list, changed by those who have the lock of holding
}

// NewSynced returns memory of the given size, zero until written. Nothing is allocated yet.
func NewSynced(e engine.Engine, bytes int) *Synced {
	return newSynced(e, new(Replica), bytes)
}

// start initialises s with the given size and first replica, which is zero or filled.
func (s *Synced) start(e engine.Engine, first *Replica, bytes int) {
	first.bytes = bytes
	s.engine, s.first, s.generation = e, first, firstGeneration
	if sampling.every.Load() > 0 {
		s.sampled()
	}
}

// NewSyncedFrom returns memory whose replica on d is b, which is filled already.
func NewSyncedFrom(e engine.Engine, d device.Device, b *Block, bytes int) *Synced {
	return newSyncedOf(e, filled(d, b), bytes)
}

// firstGeneration is that of the contents of a new Synced.
const firstGeneration = 1

// filled returns a replica on d that is b, which is filled.
func filled(d device.Device, b *Block) *Replica {
	r := &Replica{generation: firstGeneration, block: b}
	r.existOn(d)
	return r
}

// newSyncedOf is newSynced for a replica that is filled.
func newSyncedOf(e engine.Engine, first *Replica, bytes int) *Synced {
	s := newSynced(e, first, bytes)
	if engine.Sanitizing() {
		first.protect(s.Var())
		first.attach()
	}
	return s
}

// Adopt returns memory whose replica on cpu(0) is owned by the caller: it must stay valid as long as the Synced is used,
// is never freed by weft, and must be touched by the caller only while nothing that uses it is pending.
func Adopt(e engine.Engine, p device.Pointer, bytes int) *Synced {
	s := NewSyncedFrom(e, device.CPU(0), adopt(p), bytes)
	s.relinquish()
	return s
}

// Engine returns the engine that orders the users of s.
func (s *Synced) Engine() engine.Engine { return s.engine }

// Bytes returns the size.
func (s *Synced) Bytes() int { return s.first.bytes }

// Var returns the logical variable: its sequence counts the writes of s, and errors of s stick to it.
func (s *Synced) Var() *engine.Var {
	if v := s.logical.Load(); v != nil {
		return v
	}
	v := s.engine.NewVar()
	if s.first.computed {
		v.CountWrite()
	}
	s.logical.CompareAndSwap(nil, v)
	return s.logical.Load()
}

// Wait blocks until every write of s that was pushed is done, and returns the error that sticks to s; see engine.Engine.Wait.
func (s *Synced) Wait(ctx context.Context) error {
	if v := s.logical.Load(); v != nil {
		return s.engine.Wait(ctx, v)
	}
	return nil // Nobody has pushed anything.
}

// Check panics with a *fault.Error if an access of s is a mistake: s was released, or a tape has saved what would be
// overwritten; operator is what accesses it, and site the place of the call. It must be called inside
// engine.Atomically. An operation with several operands calls it for all of them before the first Acquire, so that a
// mistake changes nothing.
func (s *Synced) Check(operator string, mode engine.Mode, site *fault.Site) {
	if s.released != nil {
		panic(&fault.Error{
			Operator: operator, Detail: "use after release: the array was released at " + s.released.String(), Cause: fault.ErrReleased, Site: site,
		})
	}
	if mode != engine.Read {
		s.checkHolds(site)
	}
}

// Acquire prepares an access of the bytes [lo, hi) of s on d by an operation about to be pushed on p, inside
// engine.Atomically: operations that make the replica on d valid are pushed first. It returns the replica and accesses
// with those of the operation appended. Write means that all bytes of s are replaced; an operation that reads s as well
// must acquire that first. A mistake panics as Check does. The caller keeps s reachable until the operation is pushed,
// and for as long as it pushes one of engine.Engine.NewOperator.
func (s *Synced) Acquire(p engine.Pusher, d device.Device, mode engine.Mode, lo, hi int, accesses []engine.Access, site *fault.Site) (*Replica, []engine.Access) {
	s.Check("access", mode, site)
	r := s.replica(d, site)
	if r.generation == 0 {
		r.need.Store(needOpen)
	}
	if mode != engine.Write && !s.usable(r) {
		s.refill(p, r, site)
	}
	if mode != engine.Read {
		s.generation++
	}
	if mode == engine.Write && r.apart != nil {
		r.apart.fill = nil
	}
	r.generation = s.generation
	if lo == 0 && hi == s.first.bytes {
		hi = 0 // the whole variable: the engine's fast path
	}
	logical := engine.Access{Var: s.Var(), Mode: mode, Lo: int64(lo), Hi: int64(hi)}
	if first := s.first.apart; mode != engine.Read && first != nil && first.unnamed {
		logical.Lo, logical.Hi = 0, 0
		first.unnamed = false
	}
	accesses = append(accesses, logical)
	if r.apart != nil {
		accesses = append(accesses, engine.Access{Var: r.apart.variable, Mode: mode, Lo: int64(lo), Hi: int64(hi)})
	}
	return r, accesses
}

// replica returns the replica on d; if there is none it is made, for the given site.
func (s *Synced) replica(d device.Device, site *fault.Site) *Replica {
	if !s.first.exists() {
		s.first.existOn(d) // Its size, which anybody may read, stays.
		s.first.site = site
		s.first.protect(s.Var())
	}
	last := s.first
	for r := range s.replicas {
		if r.Device() == d {
			return r
		}
		last = r
	}
	if s.first.apart == nil {
		// Earlier operations on the first replica hold the logical variable alone. The replica is filled again only behind
		// a writer of another replica; that one waits for all of them if the first such writer takes all of the range.
		s.nameVariable(s.first)
		s.first.apart.unnamed = true
	}
	r := &Replica{bytes: s.first.bytes, site: site}
	r.existOn(d)
	s.nameVariable(r)
	last.apart.next = r
	return r
}

// nameVariable gives r a variable of its own.
func (s *Synced) nameVariable(r *Replica) {
	r.apart = &apart{variable: s.engine.NewVar()}
	r.protect(r.apart.variable)
}

// replicas yields all replicas.
func (s *Synced) replicas(yield func(*Replica) bool) { s.first.all(yield) }

// Release gives the memory of all replicas back when the operations registered so far are done. It panics with
// *fault.Error if a live tape has saved s; releasing again is harmless. Later use panics with fault.ErrReleased.
func (s *Synced) Release(site *fault.Site) {
	if site == nil {
		site = fault.Here(1)
	}
	if s.releaseAlone(site) {
		return
	}
	s.engine.Atomically(func(p engine.Pusher) {
		if s.released == nil {
			s.checkHolds(site)
		}
		s.release(p, site)
	})
}

// TryRelease is Release, but for memory that a live tape has saved: it leaves that alone, and reports false.
func (s *Synced) TryRelease(site *fault.Site) (done bool) {
	if s.releaseAlone(site) {
		return true
	}
	s.engine.Atomically(func(p engine.Pusher) {
		if done = !s.held(); done {
			s.release(p, site)
		}
	})
	return done
}

// release gives the memory of s back behind all its users.
func (s *Synced) release(p engine.Pusher, site *fault.Site) {
	if s.released != nil {
		return
	}
	s.released = site
	s.unsampled()
	s.relinquish()
	pushRelease(p, s.Var(), s.first, site)
}

// pushRelease gives the memory of first, and of the replicas beside it, back behind all its users, which v orders.
func pushRelease(p engine.Pusher, v *engine.Var, first *Replica, site *fault.Site) {
	accesses := []engine.Access{{Var: v, Mode: engine.Write}}
	for r := range first.all {
		if r.apart != nil {
			accesses = append(accesses, engine.Access{Var: r.apart.variable, Mode: engine.Write})
		}
	}
	p.Push(&engine.Operation{
		Name: "release", Property: engine.DeleteVar, Accesses: accesses, Site: site, Function: recycling{first},
	})
}

// recycling gives memory back that nobody can see any more.
type recycling struct{ first *Replica }

// Run implements engine.Function.
func (f recycling) Run(*engine.RunContext) error {
	f.first.giveBack()
	return nil
}

// giveBack gives the memory of r, and of all replicas beside it, back.
func (r *Replica) giveBack() {
	for r := range r.all {
		if r.block != nil {
			r.block.recycle(r.bytes)
		}
		r.free()
	}
}
