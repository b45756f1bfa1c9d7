package storage

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// fill is the function of an operation that fills a replica from another one, or with zeros.
type fill struct {
	to, from   *Replica // from is nil for zeros
	generation uint64   // of the contents; zero for zeros
	done       bool     // guarded by the engine's registration lock
}

// Run implements engine.Function.
func (f *fill) Run(rc *engine.RunContext) error {
	bytes := f.to.bytes
	to, err := f.to.Claim()
	if err != nil || bytes == 0 {
		return err
	}
	var from device.Pointer
	if f.from != nil {
		if from, err = f.from.Claim(); err != nil {
			return err
		}
	}
	switch {
	case rc.Stream != nil && f.from != nil:
		return rc.Stream.Copy(to, from, bytes)
	case rc.Stream != nil:
		return rc.Stream.Fill(to, bytes)
	case f.from != nil:
		copy(to.Bytes(bytes), from.Bytes(bytes))
	default:
		clear(to.Bytes(bytes))
	}
	return nil
}

// Finished implements engine.Finisher.
func (f *fill) Finished() { f.done = true }

// failed reports whether the operation that filled r has failed. Operations that used r since were skipped.
func (r *Replica) failed() bool {
	return r.fill != nil && r.fill.done && r.variable.Err() != nil
}

// usable reports whether r holds the contents, or is in error as all of s is.
func (s *Synced) usable(r *Replica) bool {
	return r.generation == s.generation && (!r.failed() || s.logical.Err() != nil)
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
				if good == nil || r.device.OnHost() {
					good = r
				}
			case failed == nil || r.fill.generation < failed.fill.generation:
				failed = r
			}
		}
		if good != nil || failed == nil {
			return good
		}
		if failed.fill.generation >= generation {
			return failed
		}
		generation = failed.fill.generation
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
	if r.variable == nil {
		r.variable = s.engine.NewVar()
	}
	r.fill = &fill{to: r, from: source}
	op := &engine.Operation{Name: "zeros", Function: r.fill, Device: r.device, Site: site}
	op.Accesses = append(make([]engine.Access, 0, 3), engine.Access{Var: s.logical}, engine.Access{Var: r.variable, Mode: engine.Write})
	if source != nil {
		op.Name, r.fill.generation = "copy", source.generation
		op.Accesses = append(op.Accesses, engine.Access{Var: source.variable})
		switch {
		case !source.device.OnHost() && r.device.OnHost():
			op.Device, op.Property = source.device, engine.CopyFromDevice
		case source.device.OnHost() && !r.device.OnHost():
			op.Property = engine.CopyToDevice
		}
	}
	p.Push(op)
}
