package parallel

import (
	"math"
	"math/bits"
	"slices"
)

// Block is a box of a space of indices: those with Lo[axis] <= index[axis] < Hi[axis] for every axis.
type Block struct{ Lo, Hi []int }

// Chunks returns how many chunks n items are divided into for a number of threads, with Numba's rounding: for chunk size 0 as
// many as threads, otherwise n/size, rounded down, but no fewer than threads; and never more than items.
func Chunks(n, threads, size int) int {
	if size > 0 {
		threads = max(threads, n/size)
	}
	return max(0, min(n, threads))
}

// Divide cuts the space of indices 0 <= index[axis] < shape[axis] into at most count blocks that cover it, each index once. No
// block is empty; a space of no items has none, and one without axes has one item.
//
// Along a single axis the blocks are as even as possible, larger ones first. Otherwise the blocks are shared out along the
// longest axis, in proportion to its length among those longer than one, and each part is divided along the next longest: the
// rules of Numba's gufunc scheduler, except that an axis gets no more parts than it is long. The order is that of the indices
// along the longest axis first.
func Divide(shape []int, count int) []Block {
	items := volume(shape)
	if count = min(count, items); count < 1 {
		return nil
	}
	d := division{shape: shape, axes: make([]int, len(shape)), blocks: make([]Block, 0, count)}
	d.lo, d.hi = make([]int, len(shape)), append([]int{}, shape...)
	if len(shape) == 1 {
		for i := range count {
			d.lo[0], d.hi[0] = evenly(shape[0], count, i), evenly(shape[0], count, i+1)
			d.emit()
		}
		return d.blocks
	}
	for axis := range d.axes {
		d.axes[axis] = axis
	}
	slices.SortStableFunc(d.axes, func(a, b int) int { return shape[b] - shape[a] })
	d.divide(0, count)
	return d.blocks
}

// evenly returns where part i begins if n items are cut into count parts, the larger ones first.
func evenly(n, count, i int) int { return i*(n/count) + min(i, n%count) }

// volume returns how many items a space has; math.MaxInt where they cannot be counted.
func volume(shape []int) int {
	items := uint(1)
	overflow := false
	for _, length := range shape {
		if length <= 0 {
			return 0
		}
		high, low := bits.Mul(items, uint(length))
		overflow = overflow || high > 0 || low > math.MaxInt
		items = low
	}
	if overflow {
		return math.MaxInt
	}
	return int(items)
}

// division is a space that is being divided: lo and hi are the block at hand.
type division struct {
	shape  []int
	axes   []int // from the longest
	lo, hi []int
	blocks []Block
}

func (d *division) emit() {
	d.blocks = append(d.blocks, Block{slices.Clone(d.lo), slices.Clone(d.hi)})
}

// divide cuts the block at hand along the axes from a place in their order on, for count threads.
func (d *division) divide(place, count int) {
	if count == 1 || place == len(d.axes) {
		d.emit()
		return
	}
	axis := d.axes[place]
	length := d.shape[axis]
	divisions := min(d.divisions(place, count), length)
	from, remaining := 0, count
	for i := range divisions {
		left := divisions - i
		threads := remaining / left
		part := length - from
		if left > 1 {
			// Every division has an item, and leaves one for each that follows.
			part = max(1, min(scaled(part, threads, remaining), part-left+1))
		}
		d.lo[axis], d.hi[axis] = from, from+part
		d.divide(place+1, threads)
		from += part
		remaining -= threads
	}
	d.lo[axis], d.hi[axis] = 0, length
}

// divisions returns how many parts an axis is cut into, to make count blocks in all.
func (d *division) divisions(place, count int) int {
	total := 0.0
	for _, axis := range d.axes[place:] {
		if d.shape[axis] > 1 {
			total += float64(d.shape[axis])
		}
	}
	if total == 0 {
		return count
	}
	return max(1, int(math.Floor(float64(count)*(float64(d.shape[d.axes[place]])/total)+0.5)))
}

// scaled returns n*numerator/denominator, rounded down, for numerator <= denominator.
func scaled(n, numerator, denominator int) int {
	high, low := bits.Mul(uint(n), uint(numerator))
	quotient, _ := bits.Div(high, low, uint(denominator))
	return int(quotient)
}

// ForBlocks runs body for boxes lo <= index < hi that cover the space 0 <= index[axis] < shape[axis], each index once, and
// returns when all have run, in all other respects like [Thread.For]. The boxes are those of [Divide], as many as [Chunks]
// gives for the number of items, the mask and the chunk size of t. The body must not change or keep lo and hi.
func (t *Thread) ForBlocks(shape []int, body func(t *Thread, lo, hi []int)) {
	blocks := Divide(shape, Chunks(volume(shape), t.mask, t.chunk))
	t.loop(len(blocks), min(t.chunk, 1), false, 0, func(t *Thread, first, last int) {
		for _, block := range blocks[first:last] {
			body(t, block.Lo, block.Hi)
		}
	})
}
