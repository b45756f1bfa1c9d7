package cpu

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/device"
)

// worthBorrowing is from how many bytes on an operator borrows temporary memory: less is quickly made by Go.
const worthBorrowing = 4 << 10

// keptBytes is how much memory a kernel that keeps some between its calls has.
const keptBytes = 32 << 10

var kept = sync.Pool{New: func() any { return new([keptBytes / 8]uint64) }}

// scratch hands out the temporary memory of one call of a kernel, part by part.
type scratch struct {
	memory device.Pointer // what the operator has borrowed; nil if it has not
	bytes  int            // taken so far
	dry    bool           // count, but give no memory
	keeps  bool           // use memory kept from call to call, until release, where nothing was borrowed
	kept   *[keptBytes / 8]uint64
}

// take returns bytes bytes, aligned to 64, with undefined contents; from Go's heap if the operator has borrowed nothing.
func (s *scratch) take(bytes int) device.Pointer {
	bytes = (bytes + 63) / 64 * 64
	offset := s.bytes
	s.bytes += bytes
	switch {
	case s.dry || bytes == 0:
		return device.Pointer{}
	case s.memory.IsNil() && s.keeps && s.bytes <= keptBytes:
		if s.kept == nil {
			s.kept = kept.Get().(*[keptBytes / 8]uint64)
		}
		return device.Pointer{Host: unsafe.Pointer(&s.kept[offset/8])}
	case s.memory.IsNil():
		return device.Pointer{Host: unsafe.Pointer(unsafe.SliceData(make([]uint64, bytes/8)))}
	default:
		return s.memory.Add(offset) // never kept from before: a pointer behind the memory is none that Go's collector may find
	}
}

// release ends the use of what was kept.
func (s *scratch) release() {
	if s.kept != nil {
		kept.Put(s.kept)
	}
}

// temporary returns count elements, with undefined contents, in the memory that the operator has borrowed for them alone, or
// new ones if it has borrowed nothing. T has no pointers.
func temporary[T any](a *device.Arguments, count int) []T {
	if a.Scratch.IsNil() {
		return make([]T, count)
	}
	return slice[T](a.Scratch.Host, count)
}

// demand is what an operator borrows where its kernel takes that many bytes.
func demand(bytes int) int { return demandBeyond(worthBorrowing-1, bytes) }

// demandBeyond is demand of a kernel that has so many bytes itself.
func demandBeyond(own, bytes int) int {
	if bytes <= own {
		return 0
	}
	return bytes
}
