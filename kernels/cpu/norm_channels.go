package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/parallel"
)

// channels is how an array is cut whose elements of one channel have one scale. Elements that are normalised together are a
// block, made of samples of equal length. Either a block is a channel, or each of its samples is one. Samples are cut into
// pieces, and large blocks, or few, into segments of whole pieces for threads to share. All this depends on shapes alone.
type channels struct {
	blocks, samples, length int // elements of a block are samples·length
	groups                  int // blocks after which channels come again, where samples are channels; otherwise 0
	perSample, pieces       int // pieces of a sample, and of a block
	segment, segments       int // pieces of a segment, and segments of a block
}

const (
	// pieceElements is the length of pieces of long samples.
	pieceElements = 1 << 14
	// shortSample is the length below which the samples of one channel are taken together: to copy them to one piece takes less than to
	// begin with each.
	shortSample = 128
	// Blocks are not cut up to wholeBlock elements, nor are they up to segmentElements where there are fewer than manyBlocks.
	wholeBlock, manyBlocks = 1 << 18, 16
	segmentElements        = 1 << 16
)

// newChannels cuts an array of the given shape, of which the first axes count blocks, and the next one samples.
func newChannels(shape []int, axes, groups int) *channels {
	n := &channels{blocks: product(shape[:axes]), samples: shape[axes], length: product(shape[axes+1:]), groups: groups}
	if groups == 0 && n.length < shortSample {
		n.samples, n.length = 1, n.samples*n.length
	}
	n.perSample = (n.length + pieceElements - 1) / pieceElements
	n.pieces = n.samples * n.perSample
	n.segment = max(n.pieces, 1)
	if count := n.samples * n.length; count > wholeBlock || n.blocks < manyBlocks && count > segmentElements {
		n.segment = max(1, segmentElements/min(n.length, pieceElements))
	}
	n.segments = (n.pieces + n.segment - 1) / n.segment
	return n
}

// piece returns the place of a piece in its block.
func (n *channels) piece(i int) (lo, count int) {
	begin := i % n.perSample * pieceElements
	return i/n.perSample*n.length + begin, min(pieceElements, n.length-begin)
}

// piecesOf returns the first piece of a segment, and the one behind the last.
func (n *channels) piecesOf(segment int) (from, to int) {
	return segment * n.segment, min((segment+1)*n.segment, n.pieces)
}

// channel returns the channel of a piece.
func (n *channels) channel(block, piece int) int {
	if n.groups == 0 {
		return block
	}
	return block%n.groups*n.samples + piece/n.perSample
}

// run measures all segments of a block, finishes the block, and computes its segments: block by block, so that it is in the
// cache, where blocks are not cut. Each goroutine has functions of its own.
func (n *channels) run(t *parallel.Thread, nanoseconds float64, finish func(block int), functions func() (measure, compute func(block, segment int))) {
	if n.segments == 0 {
		for block := range n.blocks {
			finish(block)
		}
		return
	}
	cost := nanoseconds * float64(n.samples*n.length/n.segments)
	if n.segments == 1 {
		t.ForCost(n.blocks, 2*cost, func(_ *parallel.Thread, lo, hi int) {
			measure, compute := functions()
			for block := lo; block < hi; block++ {
				measure(block, 0)
				finish(block)
				compute(block, 0)
			}
		})
		return
	}
	t.ForCost(n.blocks*n.segments, cost, func(_ *parallel.Thread, lo, hi int) {
		measure, _ := functions()
		for unit := lo; unit < hi; unit++ {
			measure(unit/n.segments, unit%n.segments)
		}
	})
	for block := range n.blocks {
		finish(block)
	}
	t.ForCost(n.blocks*n.segments, cost, func(_ *parallel.Thread, lo, hi int) {
		_, compute := functions()
		for unit := lo; unit < hi; unit++ {
			compute(unit/n.segments, unit%n.segments)
		}
	})
}

// pieces reads or writes a view piece by piece.
type pieces[T any] struct {
	*channels
	inner  stretches[T]
	blocks *nest
	cursor cursor
	at     int // the block that cursor is at

	held             []T // the piece that was read last, where it was gathered
	ofBlock, ofPiece int
}

func newPieces[T any](n *channels, v device.View, axes int) *pieces[T] {
	inner := newStretches[T](part(v, axes, len(v.Shape)), max(1, n.length))
	return &pieces[T]{channels: n, inner: inner, blocks: newOrderedNest(part(v, 0, axes)), at: -1}
}

// address returns that of a block.
func (p *pieces[T]) address(block int) unsafe.Pointer {
	if p.at != block {
		p.cursor.seek(p.blocks, block)
		p.at = block
	}
	return p.cursor.pointer(0)
}

// read returns the elements of a piece, room memory for them, which put writes to where it belongs. What is read is not written by way of
// the same pieces: what is computed of a block after it was measured finds there what was gathered last.

func (p *pieces[T]) read(block, i int) []T {
	if p.held != nil && p.ofBlock == block && p.ofPiece == i {
		return p.held
	}
	lo, count := p.piece(i)
	row := p.inner.at(p.address(block), lo, count)
	if !p.inner.direct {
		p.held, p.ofBlock, p.ofPiece = row, block, i
	}
	return row
}

func (p *pieces[T]) room(block, i int) []T {
	lo, count := p.piece(i)
	return p.inner.room(p.address(block), lo, count)
}

func (p *pieces[T]) put(block, i int) {
	lo, count := p.piece(i)
	p.inner.put(p.address(block), lo, count)
}
