package distribution

// numbers gives the 64-bit values of one element after the other, draw after draw from base on. Those of the first two
// draws of a block of elements are computed together.
type numbers struct {
	Source
	base    uint16
	element uint64
	draw    uint16 // behind base

	first  uint64 // number of the first element of the block
	count  int    // elements of the block; 0 where there is none
	filled int    // draws that values has
	values [2][BlockSize]uint64
}

// begin makes the next value the first draw of an element, which is in the block if there is one.
func (n *numbers) begin(element uint64) { n.element, n.draw = element, 0 }

// next returns the value of the next draw.
func (n *numbers) next() uint64 {
	draw := n.draw
	n.draw++
	if n.count == 0 || int(draw) >= len(n.values) {
		return n.value(n.element, n.base+draw)
	}
	if int(draw) >= n.filled {
		n.wide(n.values[draw][:n.count], n.first, n.base+draw)
		n.filled = int(draw) + 1
	}
	return n.values[draw][n.element-n.first]
}

// fraction returns the next value as a multiple of 2^-53 in [0, 1).
func (n *numbers) fraction() float64 { return float64(n.next()>>11) * 0x1p-53 }

// middle returns the next value as an odd multiple of 2^-53: in (0, 1), and symmetric about 1/2.
func (n *numbers) middle() float64 { return (float64(n.next()>>12) + 0.5) * 0x1p-52 }

// counting fills dst, the elements of a block, by draw.
func counting(dst []int64, s Source, first uint64, draw func(n *numbers, i int) int64) {
	n := numbers{Source: s, first: first, count: len(dst)}
	n.fill(dst, draw)
}

// fill fills dst, the elements of the block, by draw.
func (n *numbers) fill(dst []int64, draw func(n *numbers, i int) int64) {
	for i := range dst {
		n.begin(n.first + uint64(i))
		dst[i] = draw(n, i)
	}
}
