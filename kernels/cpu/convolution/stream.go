package convolution

// streamed is from how many bytes of a result on its stores go past the caches: they save reading what is overwritten, but leave
// nothing in the caches for those who read it next.
const streamed = 16 << 20

// cacheLine is the bytes of a line of the cache. What goes past the caches is made of whole ones.
const cacheLine = 64

// streamLines copies like copyLines, past the caches; a fence must follow. It returns false, and does nothing, where rows are not made of
// whole lines.
func streamLines[T Float](f *family[T], to, from lines, length, count int) bool {
	size := sizeOf[T]()
	length, count = joined(to, from, length, count)
	if f.streamRows == nil || length <= 0 || count <= 0 || to.step != size || from.step != size {
		return false
	}
	if count == 1 {
		to.row = 0
	}
	if (int(uintptr(to.start))|to.row|length*size)%cacheLine != 0 {
		return false
	}
	f.streamRows((*byte)(to.start), (*byte)(from.start), to.row, from.row, length*size/cacheLine, count)
	return true
}
