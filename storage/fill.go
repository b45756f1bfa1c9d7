package storage

import (
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// fill is the function of an operation that fills a replica from another one, or with zeros.
type fill struct {
	to, from   *Replica // from is nil for zeros
	generation uint64   // of the contents; zero for zeros
	promise    Promise
	done       atomic.Bool
}

// Run implements engine.Function.
func (f *fill) Run(rc *engine.RunContext) error {
	if err := f.promise.Due(); err != nil {
		return err
	}
	if _, err := f.to.Claim(); err != nil {
		return err
	}
	f.promise.Keep()
	return transfer(rc, f.to, f.from, f.to.bytes)
}

// transfer copies the first bytes of from to the first bytes of to, which become zero if from is nil.
func transfer(rc *engine.RunContext, to, from *Replica, bytes int) error {
	target, err := to.Claim()
	if err != nil || bytes == 0 {
		return err
	}
	var source device.Pointer
	if from != nil {
		if source, err = from.Claim(); err != nil {
			return err
		}
	}
	switch {
	case rc.Stream != nil && from != nil:
		from.touch()
		return rc.Stream.Copy(target, source, bytes)
	case rc.Stream != nil:
		return rc.Stream.Fill(target, bytes)
	case from != nil:
		copy(target.Bytes(bytes), source.Bytes(bytes))
	default:
		clear(target.Bytes(bytes))
	}
	return nil
}

// Finished implements engine.Finisher.
func (f *fill) Finished() {
	f.promise.Drop()
	f.done.Store(true)
}

// failed reports whether the operation that filled r has failed. Operations that used r since were skipped.
func (r *Replica) failed() bool {
	fill := r.fill()
	return fill != nil && fill.done.Load() && r.variable().Err() != nil
}

// usable reports whether r holds the contents, or is in error as all of s is.
func (s *Synced) usable(r *Replica) bool {
	return r.generation == s.generation && (!r.failed() || s.Var().Err() != nil)
}

// holder returns a replica with the contents of s, one in host memory if there is a choice; nil if the contents are zeros
// that nobody holds. If they are lost it returns one that is in error.
//
// A replica may have failed to be filled after writers of it were registered. Those were skipped, and if s is still
// without error, none of them counts: the contents are what they were when the failed filling was registered.
func (s *Synced) holder() *Replica {
	for generation := s.generation; generation > 0; {
		var good, failed *Replica
		for r := range s.replicas {
			switch {
			case r.generation < generation:
			case !r.failed():
				if good == nil || r.Device().OnHost() {
					good = r
				}
			case failed == nil || r.fill().generation < failed.fill().generation:
				failed = r
			}
		}
		if good != nil || failed == nil {
			return good
		}
		if failed.fill().generation >= generation {
			return failed
		}
		generation = failed.fill().generation
	}
	return nil
}

// refill pushes the operation that makes r hold the contents of s. An error of it sticks to r alone, and r is filled again
// by the next access.
func (s *Synced) refill(p engine.Pusher, r *Replica, site *fault.Site) {
	source := s.holder()
	if source == r {
		return
	}
	if r.apart == nil {
		s.nameVariable(r)
	}
	filling := &fill{to: r, from: source}
	r.apart.fill = filling
	filling.promise.AddReplica(r)
	op := &engine.Operation{Name: "zeros", Function: filling, Device: r.Device(), Inline: true, Site: site}
	op.Accesses = append(make([]engine.Access, 0, 3), engine.Access{Var: s.Var()}, engine.Access{Var: r.apart.variable, Mode: engine.Write})
	if source != nil {
		op.Name, filling.generation = "copy", source.generation
		op.Accesses = append(op.Accesses, engine.Access{Var: source.variable()})
		switch {
		case !source.Device().OnHost() && r.Device().OnHost():
			op.Device, op.Property = source.Device(), engine.CopyFromDevice
		case source.Device().OnHost() && !r.Device().OnHost():
			op.Property = engine.CopyToDevice
		}
	}
	p.Push(op)
}
