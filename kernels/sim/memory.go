package sim

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

const (
	rangeBase    = uintptr(1) << 62 // outside of what any processor lets a program address
	rangeBits    = 42               // of the addresses of one unit
	addressAlign = 256
	addressGap   = 4096 // addresses between two allocations that belong to neither
	hostAlign    = 64
	hostGuard    = 64 // poisoned bytes on both sides of an allocation, checked after kernels
	defaultLimit = 4 << 30
)

// poison holds the bytes that undefined memory shows, two more than a guard has.
var poison = bytes.Repeat([]byte{0xfa, 0x7f}, hostGuard/2+1)

// MemoryFault is the fault of work that used memory which is not there.
type MemoryFault struct {
	Device  device.Device // that ran the work
	Address uintptr       // first byte that was to be used
	Bytes   int           // number of bytes that were to be used
	Reason  string
}

// Error returns one line, such as "sim(0): memory fault: 16 bytes at 0x4000000000001000: no live allocation is there".
func (f *MemoryFault) Error() string {
	return fmt.Sprintf("%v: memory fault: %d bytes at %#x: %s", f.Device, f.Bytes, f.Address, f.Reason)
}

// block is a live allocation.
type block struct {
	address uintptr
	guarded []byte // the host memory with a guard on both sides
}

// memory is the memory of one unit. The lock is a RWMutex because its readers do not order each other: streams must be
// ordered by events alone for the race detector to see those that are not.
type memory struct {
	device device.Device

	sync.RWMutex
	blocks      []*block // by rising address
	next        uintptr  // address of the next block
	limit       int
	inUse, peak int
	allocations int
}

func newMemory(place device.Device, number uint64) memory {
	return memory{device: place, next: rangeBase + uintptr(number)<<rangeBits + addressAlign, limit: defaultLimit}
}

func (m *memory) allocate(size int) (device.Pointer, error) {
	if size < 0 {
		panic(fmt.Sprintf("sim: Allocate of %d bytes on %v", size, m.device))
	}
	if err := m.reserve(size); err != nil {
		return device.Pointer{}, err
	}
	b := &block{guarded: hostMemory(size)}
	scribble(b.guarded)

	m.Lock()
	defer m.Unlock()
	b.address = m.next
	m.next += (uintptr(size) + addressGap + addressAlign - 1) &^ (addressAlign - 1)
	m.blocks = append(m.blocks, b)
	m.allocations++
	return device.Pointer{Address: b.address}, nil
}

// reserve counts size bytes as used if the limit allows.
func (m *memory) reserve(size int) error {
	m.Lock()
	defer m.Unlock()
	if size > m.limit-m.inUse {
		return fmt.Errorf("%v: %w: %d bytes requested, %d of %d in use", m.device, fault.ErrOutOfMemory, size, m.inUse, m.limit)
	}
	m.inUse += size
	m.peak = max(m.peak, m.inUse)
	return nil
}

func (m *memory) free(p device.Pointer, size int) {
	b := m.remove(p, size)
	scribble(b.guarded)
}

func (m *memory) remove(p device.Pointer, size int) *block {
	m.Lock()
	defer m.Unlock()
	i := m.after(p.Address) - 1
	switch {
	case p.Host != nil:
		panic(fmt.Sprintf("sim: Free on %v of host memory at %p", m.device, p.Host))
	case i < 0 || m.blocks[i].address != p.Address:
		panic(fmt.Sprintf("sim: Free on %v of %#x, where no live allocation starts: "+
			"it was freed before or never allocated on this device", m.device, p.Address))
	case m.blocks[i].size() != size:
		panic(fmt.Sprintf("sim: Free on %v of %d bytes at %#x, where %d were allocated", m.device, size, p.Address, m.blocks[i].size()))
	}
	b := m.blocks[i]
	m.blocks = slices.Delete(m.blocks, i, i+1)
	m.inUse -= size
	return b
}

// find returns the block that holds all of size bytes at address, for work that runs on place.
func (m *memory) find(place device.Device, address uintptr, size int) (*block, error) {
	m.RLock()
	defer m.RUnlock()
	i := m.after(address) - 1
	if i < 0 || address-m.blocks[i].address >= uintptr(m.blocks[i].size()) {
		return nil, &MemoryFault{place, address, size, "no live allocation is there"}
	}
	b := m.blocks[i]
	if offset := int(address - b.address); size > b.size()-offset {
		return nil, &MemoryFault{place, address, size, fmt.Sprintf("the allocation there has only %d bytes left of %d", b.size()-offset, b.size())}
	}
	return b, nil
}

// after returns the index of the first block that starts behind address.
func (m *memory) after(address uintptr) int {
	return sort.Search(len(m.blocks), func(i int) bool { return m.blocks[i].address > address })
}

func (b *block) size() int { return len(b.guarded) - 2*hostGuard }

// at returns size bytes at address, which b must hold.
func (b *block) at(address uintptr, size int) []byte {
	start := hostGuard + int(address-b.address)
	return b.guarded[start : start+size : start+size]
}

// intact reports whether nothing has written outside of the block.
func (b *block) intact() bool {
	before, behind := poison[:hostGuard], poison[b.size()%2:][:hostGuard]
	return bytes.HasPrefix(b.guarded, before) && bytes.HasSuffix(b.guarded, behind)
}

// hostMemory returns size bytes and two guards, the bytes between the guards aligned.
func hostMemory(size int) []byte {
	memory := make([]byte, size+2*hostGuard+hostAlign-1)
	shift := -int(uintptr(unsafe.Pointer(unsafe.SliceData(memory)))) & (hostAlign - 1)
	return memory[shift : shift+size+2*hostGuard : shift+size+2*hostGuard]
}

// scribble poisons memory.
func scribble(memory []byte) {
	for done := copy(memory, poison); done < len(memory); done *= 2 {
		copy(memory[done:], memory[:done])
	}
}
