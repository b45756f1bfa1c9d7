package storage

import (
	"sync/atomic"

	"github.com/weft-nd/weft/device"
)

// Memory is what a Manager has handed out. It is a value: whoever holds a copy may use the memory until one of them is freed.
type Memory struct {
	Pointer device.Pointer // of the first byte; nil for size zero
	Bytes   int            // as asked for

	chunk      *chunk // nil for size zero, and for memory of managers that are not weft's
	generation uint64 // of the chunk, while the memory is in use
}

// chunk is one piece of memory of a manager, and the identity of that memory: its generation tells successive users of the same
// addresses apart, so that a second free is found even if the memory was handed out again.
type chunk struct {
	owner      Manager
	pointer    device.Pointer
	bytes      int
	generation uint64 // how often the chunk was freed; counted by atomic operations, or under the lock of its front

	class int // of bytes, for the lists of a front cache
	next  *chunk
	front atomic.Pointer[front] // that has handed the chunk out; nil for a manager without fronts
	piece piece                 // where the chunk lies in a region; zero for a manager without regions

	_ [40]byte // to whole cache lines: the next chunk may be another worker's
}

// taken returns how many of the bytes that its manager has in use are those of m.
func (m Memory) taken() int64 {
	if m.chunk != nil {
		return int64(m.chunk.bytes)
	}
	return int64(m.Bytes)
}

// handOut returns c as memory of so many bytes. The caller has c to itself.
func (c *chunk) handOut(bytes int) Memory {
	return Memory{Pointer: c.pointer, Bytes: bytes, chunk: c, generation: atomic.LoadUint64(&c.generation)}
}

// takeBack ends the use of m, which owner has handed out. It panics if owner has not, or m was freed before: going on would
// give the memory of one array to another.
func (m Memory) takeBack(owner Manager) *chunk {
	c := m.chunk
	if c == nil || c.owner != owner {
		panic(foreign(m))
	}
	if !atomic.CompareAndSwapUint64(&c.generation, m.generation, m.generation+1) {
		panic(freedTwice(m))
	}
	return c
}

func foreign(m Memory) string {
	return "storage: freed what another manager has handed out: " + formatBytes(int64(m.Bytes))
}

func freedTwice(m Memory) string { return "storage: freed twice: " + formatBytes(int64(m.Bytes)) }
