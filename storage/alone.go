package storage

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

// Settled returns the address of the memory of s if that lies on d alone, where the host addresses it, and can be read at once:
// no pushed operation has yet to write it, and it is not in error. Otherwise it returns nil. It is called between TryAlone and
// EndAlone of the engine; the caller keeps s alive for as long as it reads.
func (s *Synced) Settled(d device.Device) unsafe.Pointer {
	if v := s.logical.Load(); v != nil && !v.IsSettled() {
		return nil
	}
	if filled := s.first.apart; filled != nil && (filled.next != nil || !filled.variable.IsSettled()) {
		return nil // A filling with zeros writes the replica alone.
	}
	return s.only(d)
}

// Free is Settled for memory that may also be written: in addition, no pending operation reads it, no tape has saved it, and no
// program keeps it.
func (s *Synced) Free(d device.Device) unsafe.Pointer {
	if v := s.logical.Load(); s.held() || v != nil && !v.IsFree() || !s.rejoin() {
		return nil
	}
	return s.only(d)
}

// rejoin makes the logical variable, which is free, serve the only replica again, whose own has done so since it was
// filled with zeros. It reports false if there are others.
func (s *Synced) rejoin() bool {
	a := s.first.apart
	switch {
	case a == nil:
		return true
	case a.next != nil || a.unnamed || !a.variable.IsFree():
		return false
	}
	s.first.apart = nil
	return true
}

// only returns the address of the memory of s, which is settled, if there is nothing to it but the memory of one replica, on d.
func (s *Synced) only(d device.Device) unsafe.Pointer {
	r := s.first
	if s.released != nil || !r.exists() || r.Device() != d || r.generation != s.generation ||
		r.extras != nil || r.block == nil {
		return nil
	}
	return r.block.pointer.Host
}

// releaseAlone is Release of memory that lies in one place and that nobody uses any more, so that no operation is needed.
// Otherwise it does nothing and reports false.
func (s *Synced) releaseAlone(site *fault.Site) (done bool) {
	v := s.Var()
	if !s.engine.TryAlone(true) {
		return false
	}
	if done = s.released == nil && !s.held() && v.IsFree() && s.rejoin(); done {
		s.released = site
		s.relinquish()
		v.CountWrite()
		v.Delete(site)
	}
	s.engine.EndAlone(true, done)
	if done {
		s.unsampled()
		s.first.giveBack()
	}
	return done
}

// CountWrite counts a write of s that its caller has done, after Free, between TryAlone and EndAlone.
func (s *Synced) CountWrite() {
	s.BeginWrite()
	s.EndWrite()
}

// BeginWrite counts a write of s that its caller is about to do, after Free, between TryAtRest and BeginAtRest of the engine.
func (s *Synced) BeginWrite() {
	s.generation++
	s.first.generation = s.generation
	s.Var().BeginWrite()
}

// EndWrite ends what BeginWrite began.
func (s *Synced) EndWrite() { s.Var().EndWrite() }
