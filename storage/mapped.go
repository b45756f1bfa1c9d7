package storage

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
)

// MappedFile is a file in the memory of this process: pages are read from it when they are touched, and are its own from when they are
// written, which the file does not see. It stays mapped as long as somebody uses it.
//
// If the file is made shorter meanwhile, what was behind its new end cannot be touched any more; an operation that does has an error
// that wraps io.ErrUnexpectedEOF and names the file. If it is changed otherwise, pages that were not touched before may show that.
type MappedFile struct {
	path   string
	memory []byte
	users  atomic.Int64
}

// mapped are the files in memory.
var mapped struct {
	sync.Mutex
	files map[*MappedFile]struct{}
}

// MapFile maps the first bytes of a file, at least one, which the file must have. The caller is the first to use the mapping, and calls
// Leave when it is done. Where the system, or that of the file, has no mappings, the error wraps errors.ErrUnsupported.
func MapFile(file *os.File, bytes int) (*MappedFile, error) {
	memory, err := mapPrivate(file, bytes)
	if err != nil {
		return nil, err
	}
	m := &MappedFile{path: file.Name(), memory: memory}
	m.users.Add(1)
	mapped.Lock()
	defer mapped.Unlock()
	if mapped.files == nil {
		mapped.files = map[*MappedFile]struct{}{}
		engine.ExplainFaults(explainFault)
	}
	mapped.files[m] = struct{}{}
	return m, nil
}

// Leave ends one use of the mapping.
func (m *MappedFile) Leave() {
	if m.users.Add(-1) > 0 {
		return
	}
	mapped.Lock()
	defer mapped.Unlock()
	delete(mapped.files, m)
	if err := unmapPrivate(m.memory); err != nil {
		panic(fmt.Sprintf("storage: unmapping %s: %v", m.path, err))
	}
}

// Part returns memory whose replica on cpu(0) is the bytes [lo, hi) of the mapping itself, which it uses until it is released, or dropped
// and collected.
func (m *MappedFile) Part(e engine.Engine, lo, hi int) *Synced {
	if lo == hi {
		return NewSynced(e, 0)
	}
	m.users.Add(1)
	part := m.memory[lo:hi]
	block, ending := adopt(device.Pointer{Host: unsafe.Pointer(unsafe.SliceData(part))}), &owner{free: m.Leave}
	runtime.AddCleanup(block, (*owner).end, ending)
	first := filled(device.CPU(0), block)
	first.more().owner, first.extras.mapped = ending, true
	return newSyncedOf(e, first, len(part))
}

// touch reads a byte of every page of a file, so that what was taken away from it is an error here: the driver of a device would end the
// process.
func (r *Replica) touch() {
	if r.extras == nil || !r.extras.mapped || r.block == nil {
		return
	}
	sum, memory := byte(0), r.block.Pointer().Bytes(r.bytes)
	for i := 0; i < len(memory); i += pageSize {
		sum += memory[i]
	}
	runtime.KeepAlive(sum + memory[len(memory)-1])
}

// IsAligned reports whether the byte at offset lies at a multiple of size.
func (m *MappedFile) IsAligned(offset, size int) bool {
	return (uintptr(unsafe.Pointer(unsafe.SliceData(m.memory)))+uintptr(offset))%uintptr(size) == 0
}

// explainFault returns the error of touching a file behind its end; nil if the address is in no mapping.
func explainFault(address uintptr) error {
	mapped.Lock()
	defer mapped.Unlock()
	for m := range mapped.files {
		start := uintptr(unsafe.Pointer(unsafe.SliceData(m.memory)))
		if start <= address && address < start+uintptr(len(m.memory)) {
			return fmt.Errorf("%s was made shorter than %d bytes, which arrays are on, or cannot be read: %w", m.path, len(m.memory), io.ErrUnexpectedEOF)
		}
	}
	return nil
}
