package storage

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
)

// smallest is memory of up to one cache line, with all that belongs to it in one object of Go's heap: two thirds of the time of
// making and dropping a small array is the allocator's.
type smallest struct {
	synced Synced
	block  Block
	sizes  [2 * smallRank]int // shape and strides of the first view
	_      [memoryOffset - unsafe.Sizeof(Synced{}) - unsafe.Sizeof(Block{}) - 2*smallRank*unsafe.Sizeof(0)]byte
	memory [alignment]byte
}

// smallRank is the largest number of axes of a view that lies with its memory.
const smallRank = 2

// memoryOffset is a multiple of the alignment. So is the size of a smallest, and Go aligns such objects to it.
const memoryOffset = 256

// NewViewOf returns a row-major view of new memory whose replica on cpu(0) has the contents of data, which are copied; they must
// fill the shape. See NewBlockFor, also for the error.
func NewViewOf(e engine.Engine, d dtype.DType, data []byte, shape []int) (View, error) {
	host := device.CPU(0)
	if len(data) == 0 || len(data) > alignment || len(shape) > smallRank || engine.Sanitizing() {
		b, err := NewBlockFor(e, host, len(data))
		if err != nil {
			return View{}, err
		}
		copy(b.Pointer().Bytes(len(data)), data)
		return NewView(NewSyncedFrom(e, host, b, len(data)), d, shape), nil
	}
	s := new(smallest)
	copy(s.memory[:], data)
	s.block = Block{pointer: device.Pointer{Host: unsafe.Pointer(&s.memory)}, bytes: len(data)}
	s.synced.start(e, len(data))
	s.synced.fillFirst(host, &s.block)
	return rowMajor(&s.synced, d, shape, s.sizes[:2*len(shape)]), nil
}

// sized is memory in an object of its own, with what most views of all of it need.
type sized struct {
	synced  Synced
	strides [2 * smallRank]int
}

// NewViewFor returns a row-major view of new memory, zero until written, for an operation on a device that writes it. The view
// keeps shape, which must not be changed any more.
func NewViewFor(e engine.Engine, on device.Device, d dtype.DType, shape []int) View {
	rank, bytes := len(shape), Count(shape)*d.Size()
	var synced *Synced
	var strides []int
	switch {
	case rank > 2*smallRank:
		synced, strides = NewSynced(e, bytes), make([]int, rank)
	case bytes == 0 || bytes > alignment || on.Kind != device.KindCPU || engine.Sanitizing():
		s := new(sized)
		s.synced.start(e, bytes)
		synced, strides = &s.synced, s.strides[:rank:rank]
	default:
		s := new(smallest)
		s.block = Block{pointer: device.Pointer{Host: unsafe.Pointer(&s.memory)}, bytes: bytes}
		s.synced.start(e, bytes)
		s.synced.first = Replica{device: on, exists: true, block: &s.block, bytes: bytes}
		synced, strides = &s.synced, s.sizes[:rank:rank]
	}
	setRowMajor(strides, shape)
	return View{Synced: synced, DType: d, Shape: shape, Strides: strides}
}
