package storage

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
)

// Small is memory of kind cpu in Go's heap, together with its Synced, replica and block, to be embedded in a larger object: two
// thirds of the time of making and dropping a small array is the allocator's. A view of it keeps the whole object alive. It is
// not to be copied.
type Small struct {
	synced Synced
	first  Replica
	block  Block
	sizes  [2 * smallRank]int // shape and strides of the first view, if they fit
}

// smallRank is the largest number of axes of a view that lies with its memory.
const smallRank = 2

// SmallBytes is the size up to which the memory itself should also be part of the object, aligned to that size: a cache line.
const SmallBytes = alignment

// Origin is where the contents of new memory come from.
type Origin uint8

// The origins.
const (
	Awaited Origin = iota // from an operation that is pushed next, or from the first caller of Small.Claim
	Given                 // from the program: they are there
)

// FitsSmall reports whether an array of so many bytes can be a Small on d: whether no manager has to know of it.
func FitsSmall(d device.Device, bytes int) bool {
	return bytes > 0 && bytes <= smallBlock && d.Kind == device.KindCPU && !engine.Sanitizing()
}

// Start initialises s with the given size, on a device for which FitsSmall holds. Memory is the address, aligned to 64; if it
// is nil, s gets memory of its own with undefined contents, which if Awaited is allocated only when Claim, or the operation,
// asks for it. Start sets view to the row-major view of the bytes, with a copy of shape.
func (s *Small) Start(e engine.Engine, on device.Device, memory unsafe.Pointer, bytes int, origin Origin, view *View, d dtype.DType, shape []int) {
	first := &s.first
	s.synced.start(e, first, bytes)
	first.existOn(on)
	if memory != nil {
		s.block.pointer.Host = memory
		first.block = &s.block
	} else if origin != Awaited {
		s.Claim()
	}
	if origin == Given {
		first.generation = s.synced.generation
	}
	rank, sizes := len(shape), s.sizes[:]
	if rank > smallRank || bytes > SmallBytes { // Whoever keeps the shape is not to keep much memory.
		sizes = make([]int, 2*rank)
	}
	copy(sizes, shape)
	setRowMajor(sizes[rank:2*rank], shape)
	view.Synced, view.DType, view.Shape, view.Strides = &s.synced, d, sizes[:rank:rank], sizes[rank:2*rank:2*rank]
}

// Claim returns the memory of s, with undefined contents if it had none. Memory that is Awaited is written by the caller of
// Claim before anybody else knows of s, without an operation; see Conclude.
func (s *Small) Claim() unsafe.Pointer {
	if s.first.block == nil {
		s.block.take(s.first.bytes)
		s.first.block = &s.block
	}
	return s.first.block.pointer.Host
}

// Unclaim gives back what Claim has returned, when s is not to be used.
func (s *Small) Unclaim() { s.block.recycle(s.first.bytes) }

// Conclude tells that the memory that Claim has returned is written, by a write that counts, but was not pushed; see
// engine.Engine.TryAlone.
func (s *Small) Conclude() {
	s.first.computed = true
	s.synced.generation++
	s.first.generation = s.synced.generation
}

// NewViewOf returns a row-major view of new memory whose replica on cpu(0) has the contents of data, which are copied; they must
// fill the shape. See NewBlockFor, also for the error.
func NewViewOf(e engine.Engine, d dtype.DType, data []byte, shape []int) (View, error) {
	host := device.CPU(0)
	b, err := NewBlockFor(e, host, len(data))
	if err != nil {
		return View{}, err
	}
	copy(b.Pointer().Bytes(len(data)), data)
	return NewView(NewSyncedFrom(e, host, b, len(data)), d, shape), nil
}

// sized is a replica together with the shape and strides that most views of all of its memory need. It is not part of its
// Synced, because pending operations keep the replica alive, and nothing else of the Synced.
type sized struct {
	replica Replica
	strides [sizedRank]int
}

// sizedRank is the largest number of axes of a view that lies with a sized.
const sizedRank = 4

// NewViewFor returns a row-major view of new memory, zero until written, for an operation that writes it. The view keeps shape, which must
// not be changed any more, and is no part of what holds memory: whoever keeps the shape is not to keep that.
func NewViewFor(e engine.Engine, d dtype.DType, shape []int) View {
	rank, memory := len(shape), new(sized)
	strides := memory.strides[:]
	if rank > sizedRank {
		strides = make([]int, rank)
	}
	strides = strides[:rank:rank]
	setRowMajor(strides, shape)
	return View{Synced: newSynced(e, &memory.replica, Count(shape)*d.Size()), DType: d, Shape: shape, Strides: strides}
}
