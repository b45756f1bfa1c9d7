package sorting

import (
	"sync"
	"unsafe"
)

// workspace is memory for short lists, kept from call to call: to make it, all of it zero, would take longer than to sort them.
// The zero value hands out new memory.
type workspace struct {
	words []int64
	used  int
}

var workspaces = sync.Pool{New: func() any { return &workspace{words: make([]int64, 8<<10)} }}

func borrow() *workspace { return workspaces.Get().(*workspace) }

// giveBack ends the use of all that was taken.
func (w *workspace) giveBack() {
	w.used = 0
	workspaces.Put(w)
}

// take returns n integers with undefined contents; new ones if there is no room.
func take[B Bits](w *workspace, n int) []B {
	const line = 8 // words of 64 bytes
	first := w.used
	end := first + (n*int(unsafe.Sizeof(B(0)))+8*line-1)/(8*line)*line
	if n == 0 || end > len(w.words) {
		return make([]B, n)
	}
	w.used = end
	return unsafe.Slice((*B)(unsafe.Pointer(&w.words[first])), n)
}
