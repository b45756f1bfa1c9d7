package storage

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// Prefetch starts the copy that makes the replica on d valid, if there is need of one, and returns at once: it is Caffe's
// async_gpu_push, to any device. Operations pushed later that read s on d are ordered behind the copy, and so is one that
// writes it anywhere; that leaves the replica on d stale as usual.
//
// To wait for the copy, wait for the variable that is returned, whose error is that of the copy if it fails: it sticks to
// the replica alone, and the next use of s on d repeats the copy. Errors of the contents stick to Var. Prefetch panics as
// Check does for a read; site is the place of the call, nil means the caller's line.
func (s *Synced) Prefetch(d device.Device, site *fault.Site) (done *engine.Var) {
	if site == nil {
		site = fault.Here(1)
	}
	s.engine.Atomically(func(p engine.Pusher) {
		s.Check("prefetch", engine.Read, site)
		r := s.replica(d, site)
		if !s.usable(r) {
			s.refill(p, r, site)
		}
		r.generation = s.generation
		if done = r.variable(); done == nil {
			done = s.Var()
		}
	})
	return done
}

// Valid returns the devices whose replicas hold the contents of s as all operations pushed so far leave them: Caffe's
// head, which is UNINITIALIZED where there is none and SYNCED where there are several. A replica that is being filled from
// elsewhere counts from the moment when that is done; one that an operation writes counts at once.
func (s *Synced) Valid() []device.Device {
	var valid []device.Device
	s.engine.Atomically(func(engine.Pusher) {
		for r := range s.replicas {
			if fill := r.fill(); r.generation == s.generation && (fill == nil || fill.done.Load() && !r.failed()) {
				valid = append(valid, r.Device())
			}
		}
	})
	return valid
}
