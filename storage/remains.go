package storage

import (
	"github.com/weft-nd/weft/device"
)

// CopyRemains copies the bytes of s from offset on to data. It reports false, and does nothing, unless the contents are on d, which
// is in host memory. It is called inside Atomically of a closed engine, after all operations on s, of which none has failed.
func (s *Synced) CopyRemains(d device.Device, data []byte, offset int) bool {
	if s.released != nil {
		return false
	}
	holder := s.holder()
	if holder == nil { // zeros that nobody has needed
		return true
	}
	if holder.Device() != d || holder.failed() || holder.block == nil {
		return false
	}
	copy(data, holder.block.Pointer().Add(offset).Bytes(len(data)))
	return true
}
