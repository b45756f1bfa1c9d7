package storage

import "math/bits"

// Sizes are counted in pages of 4096 bytes. Up to 16 pages every size is a class of its own; from there on each power of two is
// divided into 16 classes, so that rounding up loses at most one part in 16.
const (
	classPage  = 4096
	classSteps = 16
	classCount = 13 * 64 // more than there are
)

// roundToClass returns the smallest size of a class that is not below bytes; it overflows for sizes that no system has.
func roundToClass(bytes int) int {
	pages := uint(bytes+classPage-1) / classPage
	if pages <= classSteps {
		return int(max(pages, 1)) * classPage
	}
	shift := bits.Len(pages-1) - 5
	return int((pages-1)>>shift+1) << shift * classPage
}

// classOf returns the class of the largest size that is not above bytes, a multiple of the page.
func classOf(bytes int) int {
	pages := uint(bytes) / classPage
	if pages < classSteps {
		return int(pages)
	}
	shift := bits.Len(pages) - 5
	return shift*classSteps + int(pages>>shift)
}

// bins are lists of free pieces by size class, with a bit for each list that is not empty.
type bins struct {
	lists [classCount]*chunk
	used  [classCount / 64]uint64
}

// insert adds c.
func (b *bins) insert(c *chunk) {
	class := classOf(c.bytes)
	head := b.lists[class]
	c.piece.later, c.piece.earlier = head, nil
	if head != nil {
		head.piece.earlier = c
	}
	b.lists[class] = c
	b.used[class/64] |= 1 << (class % 64)
}

// remove takes c, which is there.
func (b *bins) remove(c *chunk) {
	class := classOf(c.bytes)
	if c.piece.later != nil {
		c.piece.later.piece.earlier = c.piece.earlier
	}
	if c.piece.earlier != nil {
		c.piece.earlier.piece.later = c.piece.later
	} else if b.lists[class] = c.piece.later; c.piece.later == nil {
		b.used[class/64] &^= 1 << (class % 64)
	}
	c.piece.later, c.piece.earlier = nil, nil
}

// fit returns a smallest piece, by class, of at least bytes, which is the size of a class; nil if there is none.
func (b *bins) fit(bytes int) *chunk {
	class := classOf(bytes)
	for word, mask := class/64, ^uint64(0)<<(class%64); word < len(b.used); word, mask = word+1, ^uint64(0) {
		if found := b.used[word] & mask; found != 0 {
			return b.lists[word*64+bits.TrailingZeros64(found)]
		}
	}
	return nil
}

// each yields all pieces; body may remove the piece that it is given.
func (b *bins) each(body func(c *chunk)) {
	for class := range b.lists {
		for c := b.lists[class]; c != nil; {
			following := c.piece.later
			body(c)
			c = following
		}
	}
}
