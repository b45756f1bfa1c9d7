package storage

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// Blob is Caffe's pair of arrays of one shape: data, and diff for its gradient. The memory of each is zero until
// written, and diff has none until it is asked for. Data and diff each keep the largest size that they ever had.
//
// A mistake in a call panics with *fault.Error, and leaves the Blob as it is. A Blob is used by one goroutine at a time; the
// operations on its views may come from any. The zero Blob has no elements and cannot be given any.
type Blob struct {
	engine     engine.Engine
	dtype      dtype.DType
	shape      []int
	data, diff *Synced
}

// NewBlob returns a blob of the given element type and shape.
func NewBlob(e engine.Engine, d dtype.DType, shape ...int) *Blob {
	b := &Blob{engine: e, dtype: d}
	b.reshape("NewBlob", shape)
	return b
}

// DType returns the element type.
func (b *Blob) DType() dtype.DType { return b.dtype }

// Data returns a view of the data.
func (b *Blob) Data() View { return b.view(b.data) }

// Diff returns a view of the diff.
func (b *Blob) Diff() View {
	if b.diff == nil {
		b.diff = NewSynced(b.engine, b.data.Bytes())
	}
	return b.view(b.diff)
}

// HasDiff reports whether the diff was asked for since b got its memory; if not, it is zero.
func (b *Blob) HasDiff() bool { return b.diff != nil }

func (b *Blob) view(s *Synced) View {
	return View{Synced: s, DType: b.dtype, Shape: b.shape, Strides: RowMajor(b.shape)}
}

// Reshape changes the shape. The memory of data, or of diff, is replaced by fresh memory if it is too small, and only
// then, which also ends sharing with another blob; it never shrinks.
func (b *Blob) Reshape(shape ...int) { b.reshape("Blob.Reshape", shape) }

// ReshapeLike gives b the shape of other; see Reshape.
func (b *Blob) ReshapeLike(other *Blob) { b.reshape("Blob.ReshapeLike", other.shape) }

func (b *Blob) reshape(operation string, shape []int) {
	b.checkMade(operation)
	if problem := ShapeProblem(b.dtype, shape); problem != "" {
		b.fail(operation, fault.ErrShape, problem)
	}
	b.shape = slices.Clone(shape)
	bytes := Count(shape) * b.dtype.Size()
	if b.data == nil || bytes > b.data.Bytes() {
		b.data = NewSynced(b.engine, bytes)
	}
	if b.diff != nil && bytes > b.diff.Bytes() {
		b.diff = nil
	}
}

// ShareData makes b see the data of other, which must have as many elements of the same type and the same engine.
func (b *Blob) ShareData(other *Blob) {
	b.checkMatch("Blob.ShareData", other)
	b.data = other.data
}

// ShareDiff makes b see the diff of other, which must have as many elements of the same type and the same engine.
func (b *Blob) ShareDiff(other *Blob) {
	b.checkMatch("Blob.ShareDiff", other)
	b.diff = other.Diff().Synced
}

// SetData makes the memory at p, on d, the data of b and of all blobs that share it: the elements of b, row-major, which
// are there already. It is lent if free is nil and handed over otherwise; see Synced.SetMemory, which also tells what
// panics. If the memory of b has another size than its elements, data and diff both get fresh memory first.
func (b *Blob) SetData(d device.Device, p device.Pointer, free func()) {
	if s, fresh := b.setMemory("Blob.SetData", b.data, d, p, free); fresh {
		b.data, b.diff = s, nil
	}
}

// SetDiff is SetData for the diff.
func (b *Blob) SetDiff(d device.Device, p device.Pointer, free func()) {
	s, fresh := b.setMemory("Blob.SetDiff", b.diff, d, p, free)
	if fresh && b.data.Bytes() != s.Bytes() {
		b.data = NewSynced(b.engine, s.Bytes())
	}
	b.diff = s
}

// setMemory makes p the memory of s, or of a new Synced if s has another size than the elements of b.
func (b *Blob) setMemory(operation string, s *Synced, d device.Device, p device.Pointer, free func()) (set *Synced, fresh bool) {
	b.checkMade(operation)
	if alignment := min(b.dtype.Size(), 8); (uintptr(p.Host)|p.Address)%uintptr(alignment) != 0 {
		b.fail(operation, fault.ErrMisuse, fmt.Sprintf("the memory is not aligned to %d bytes", alignment))
	}
	if bytes := b.Count() * b.dtype.Size(); s == nil || s.Bytes() != bytes {
		s, fresh = NewSynced(b.engine, bytes), true
	}
	s.SetMemory(d, p, free, fault.Here(2))
	return s, fresh
}

func (b *Blob) checkMade(operation string) {
	if b.engine == nil {
		b.fail(operation, fault.ErrMisuse, "the blob was not made by NewBlob")
	}
}

// checkMatch panics unless b and other can share memory.
func (b *Blob) checkMatch(operation string, other *Blob) {
	b.checkKin(operation, other)
	if b.Count() != other.Count() {
		b.fail(operation, fault.ErrShape, fmt.Sprintf("the other blob has %d elements, not %d", other.Count(), b.Count()), other)
	}
}

// checkKin panics unless b and other have one engine and one element type.
func (b *Blob) checkKin(operation string, other *Blob) {
	b.checkMade(operation)
	if b.engine != other.engine {
		b.fail(operation, fault.ErrMisuse, "the blobs belong to two engines", other)
	}
	if b.dtype != other.dtype {
		b.fail(operation, fault.ErrDType, "the blobs differ in dtype", other)
	}
}

func (b *Blob) fail(operation string, cause error, detail string, others ...*Blob) {
	e := &fault.Error{Operator: operation, Detail: detail, Cause: cause, Site: fault.Here(2)}
	for _, blob := range append([]*Blob{b}, others...) {
		e.Shapes, e.DTypes = append(e.Shapes, blob.shape), append(e.DTypes, blob.dtype)
	}
	panic(e)
}
