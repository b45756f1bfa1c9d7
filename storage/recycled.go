package storage

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/device"
)

// Memory of Go's heap that is released or discarded, rather than dropped, is used again: it is in the caches, while fresh
// memory from the allocator is not, and is zeroed first, which takes longer than small operators. From leastRecycled bytes on
// it is handed out in multiples of recycledStep, so that it fits arrays of about its size.
const (
	leastRecycled = 4 << 10
	recycledStep  = 1 << 10
)

// recycled has memory by its multiple of recycledStep. A sync.Pool offers what is in it to goroutines on the same processor
// first, and the collector takes what has not been used for long.
var recycled [smallBlock/recycledStep + 1]sync.Pool

// inSpans returns the size to ask Go's heap for where so many bytes are needed. Of the sizes that it has, some fill a
// span with one or two objects, and to take a span takes as long as to add arrays that small: of the next three or more
// share one.
func inSpans(bytes int) int {
	switch {
	case bytes == 4<<10:
		return 4864
	case 6<<10 < bytes && bytes <= 8<<10:
		return 9472
	case 10<<10 < bytes && bytes <= 12<<10:
		return 13568
	case 14<<10 < bytes && bytes <= 16<<10:
		return 18432
	case 21<<10 < bytes && bytes <= 24<<10:
		return 27264
	}
	return bytes
}

// ofHeap is the tenant of blocks that may be recycled.
var ofHeap = new(tenant)

// recyclable returns memory of Go's heap of at least leastRecycled bytes, with undefined contents.
func recyclable(bytes int) unsafe.Pointer {
	steps := (bytes + recycledStep - 1) / recycledStep
	memory, found := recycled[steps].Get().(*byte)
	if !found {
		memory = unsafe.SliceData(make([]byte, inSpans(steps*recycledStep)))
	}
	return unsafe.Pointer(memory)
}

// recycle gives the memory of a block of the given size, which nobody can see any more, to the next block that wants as much.
func (b *Block) recycle(bytes int) {
	if b.tenant == ofHeap {
		recycled[(bytes+recycledStep-1)/recycledStep].Put((*byte)(b.pointer.Host))
		b.tenant, b.pointer = nil, device.Pointer{}
	}
}
