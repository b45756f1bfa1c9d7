package cuda

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// reached tells which other devices a device was let reach.
type reached struct {
	sync.Mutex
	known map[*unit]bool
}

// reaches reports whether streams of u can use memory of other, which they are let the first time. Where that is refused, for whatever
// reason, copies go by way of the host; want of memory, and lost devices, are errors.
func (u *unit) reaches(other *unit) (bool, error) {
	if u == other {
		return true, nil
	}
	u.reached.Lock()
	defer u.reached.Unlock()
	if can, known := u.reached.known[other]; known {
		return can, nil
	}
	peer, err := other.use()
	if err != nil {
		return false, err
	}
	can := os.Getenv(driver.PeersVariable) != "0"
	if can {
		err = u.do(func(c driver.Context) error { return c.Reach(peer) })
		if err != nil && (errors.Is(err, fault.ErrOutOfMemory) || u.lost.Load() != nil) {
			return false, err
		}
		can = err == nil
	}
	if u.reached.known == nil {
		u.reached.known = map[*unit]bool{}
	}
	u.reached.known[other] = can
	return can, nil
}

// bridge is what a stream does on another device, by a stream there that follows it, and with which it copies by way of the host.
type bridge struct {
	far     *stream
	buffers [2]device.Pointer // in page-locked memory; nil until they are used
}

// bridgeBytes is the size of a buffer: while one is written the other is read.
const bridgeBytes = 4 << 20

// errBridge tells of copies whose buffers others may use at the same time when kept work runs.
var errBridge = fmt.Errorf("copies by way of the host are not kept: %w", errors.ErrUnsupported)

// ownerOf returns the GPU whose memory p is, and that of s for memory of the host, and for what is not there.
func (s *stream) ownerOf(p device.Pointer) (*unit, error) {
	f, err := s.unit.backend.open()
	if err != nil || len(f.units) == 1 || p.Host != nil {
		return s.unit, err
	}
	c, err := s.unit.use()
	if err != nil {
		return nil, err
	}
	owner, err := c.Owner(driver.Address(p.Address))
	if err != nil || owner < 0 || owner >= len(f.units) {
		return s.unit, nil // the copy tells what is wrong
	}
	return f.units[owner], nil
}

// copyAny enqueues a copy between places of any devices, at once where s reaches both.
func (s *stream) copyAny(dst, src device.Pointer, bytes int) error {
	to, err := s.ownerOf(dst)
	if err != nil {
		return err
	}
	from, err := s.ownerOf(src)
	if err != nil {
		return err
	}
	far := to
	if far == s.unit {
		far = from
	}
	reaches, err := s.unit.reaches(far)
	if err == nil && reaches && far != from { // from may be a third one
		reaches, err = s.unit.reaches(from)
	}
	switch {
	case err != nil:
		return err
	case reaches:
		return s.copyHere(dst, src, bytes)
	case s.capturing:
		return errBridge
	}
	b, err := s.bridgeTo(far)
	if err != nil {
		return err
	}
	if err := b.meet(s); err != nil {
		return err
	}
	near := dst.Host == nil && to == s.unit || src.Host == nil && from == s.unit
	switch {
	case !near: // s has no part in it
		err = b.far.copyAny(dst, src, bytes)
	case to == s.unit:
		err = b.carry(s, b.far, dst, src, bytes)
	default:
		err = b.carry(b.far, s, dst, src, bytes)
	}
	// Even after an error: parts of it may be on their way.
	e, problem := b.far.mark()
	if problem == nil {
		e.elsewhere, b.far.elsewhere = b.far.elsewhere, nil
		s.elsewhere = append(s.elsewhere, e)
		problem = s.Wait(e)
	}
	if err == nil {
		err = problem
	}
	return err
}

// bridgeTo returns the bridge of s to another device.
func (s *stream) bridgeTo(far *unit) (*bridge, error) {
	if b := s.bridges[far]; b != nil {
		return b, nil
	}
	stream, err := far.newStream()
	if err != nil {
		return nil, err
	}
	if s.bridges == nil {
		s.bridges = map[*unit]*bridge{}
	}
	b := &bridge{far: stream}
	s.bridges[far] = b
	return b, nil
}

// follow makes later work of s wait for what other has.
func (s *stream) follow(other *stream) error {
	e, err := other.mark()
	if err != nil {
		return err
	}
	return s.Wait(e)
}

// meet makes the streams of both sides wait for one another.
func (b *bridge) meet(s *stream) error {
	return errors.Join(b.far.follow(s), s.follow(b.far))
}

// carry copies by way of the host, from the device of reader to that of writer, in parts. Nothing waits on the host.
func (b *bridge) carry(writer, reader *stream, dst, src device.Pointer, bytes int) error {
	for i := range b.buffers {
		if b.buffers[i].IsNil() {
			p, err := writer.unit.backend.AllocatePinned(bridgeBytes)
			if err != nil {
				return err
			}
			b.buffers[i] = p
		}
	}
	var written [2]*event // what was in each buffer
	for at, i := 0, 0; at < bytes; at, i = at+bridgeBytes, 1-i {
		part, buffer := min(bridgeBytes, bytes-at), b.buffers[i]
		if written[i] != nil {
			if err := reader.Wait(written[i]); err != nil {
				return err
			}
		}
		err := reader.copyHere(buffer, src.Add(at), part)
		if err == nil {
			err = writer.follow(reader)
		}
		if err == nil {
			err = writer.copyHere(dst.Add(at), buffer, part)
		}
		if err == nil {
			written[i], err = writer.mark()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// closeBridges gives back what s has on other devices.
func (s *stream) closeBridges() (err error) {
	for _, b := range s.bridges {
		err = errors.Join(err, b.far.Close())
		for _, p := range b.buffers {
			if !p.IsNil() {
				s.unit.backend.FreePinned(p, bridgeBytes)
			}
		}
	}
	s.bridges = nil
	return err
}
