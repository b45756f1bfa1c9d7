package cpu

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// streamed is from how many bytes of a result on its stores go past the caches: they save reading what is overwritten, but
// leave nothing in the caches for those who read it next.
const streamed = 16 << 20

// line is the bytes of a line of the cache. What goes past the caches is made of whole ones.
const line = 64

// isStreamed reports whether a result of so many bytes is stored past the caches, if it is made of whole lines.
func isStreamed(bytes int) bool { return features.Best > features.Portable && bytes >= streamed }

// lastCache returns how many bytes stay in the last cache. A large one is thought to be shared with other programs.
var lastCache = sync.OnceValue(func() int {
	known := features.LastLevelCache()
	if known == 0 {
		known = 32 << 20
	}
	return min(known, 64<<20)
})

// overflowsCaches is isStreamed for a result that would be left in the last cache, if that has room for it and for so
// many bytes read beside it.
func overflowsCaches(bytes, beside int) bool { return isStreamed(bytes) && bytes+beside >= lastCache() }

// wholeLines reports whether some bytes at p are whole lines, at least one.
func wholeLines(p unsafe.Pointer, bytes int) bool {
	return bytes > 0 && (int(uintptr(p))|bytes)%line == 0
}

// streamable reports whether rows of the given length from p on, one behind the other or stride bytes apart, of total bytes, are
// stored past the caches.
func streamable(p unsafe.Pointer, stride, row, total int) bool {
	return isStreamed(total) && (int(uintptr(p))|stride|row)%line == 0
}

// clearMemory sets memory to zero.
func clearMemory(t *parallel.Thread, memory []byte) {
	const page = 4096
	past := isStreamed(len(memory))
	pages := (len(memory) + page - 1) / page
	t.ForCost(pages, light*page/8, func(_ *parallel.Thread, lo, hi int) {
		part := memory[lo*page : min(hi*page, len(memory))]
		if past {
			ahead := min(-int(uintptr(unsafe.Pointer(&part[0])))&(line-1), len(part))
			clear(part[:ahead])
			part = part[ahead:]
			if whole := len(part) / line * line; whole > 0 {
				streamZeros(&part[0], whole)
				storeFence()
				part = part[whole:]
			}
		}
		clear(part)
	})
}
