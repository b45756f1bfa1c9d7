package storage

import (
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// Blob is Caffe's pair of arrays of one shape: data, and diff for its gradient. The memory of each is zero until
// written, and diff has none until it is asked for. A Blob is used by one goroutine at a time; the operations on its
// views may come from any.
type Blob struct {
	engine     engine.Engine
	dtype      dtype.DType
	shape      []int
	data, diff *Synced
}

// NewBlob returns a blob of the given element type and shape.
func NewBlob(e engine.Engine, d dtype.DType, shape ...int) (*Blob, error) {
	b := &Blob{engine: e, dtype: d}
	if err := b.Reshape(shape...); err != nil {
		return nil, err
	}
	return b, nil
}

// Shape returns the shape. It must not be changed.
func (b *Blob) Shape() []int { return b.shape }

// Data returns a view of the data.
func (b *Blob) Data() View { return b.view(b.data) }

// Diff returns a view of the diff.
func (b *Blob) Diff() View {
	if b.diff == nil {
		b.diff = NewSynced(b.engine, b.data.Bytes())
	}
	return b.view(b.diff)
}

func (b *Blob) view(s *Synced) View {
	return View{Synced: s, DType: b.dtype, Shape: b.shape, Strides: RowMajor(b.shape)}
}

// Reshape changes the shape. Memory is replaced by fresh memory only if it is too small, which also ends sharing with
// another blob; it never shrinks.
func (b *Blob) Reshape(shape ...int) error {
	if problem := ShapeProblem(b.dtype, shape); problem != "" {
		return &fault.Error{Operator: "Blob.Reshape", Detail: problem, Shapes: [][]int{shape}, Cause: fault.ErrShape, Site: fault.Here(1)}
	}
	b.shape = slices.Clone(shape)
	bytes := Count(shape) * b.dtype.Size()
	if b.data == nil || bytes > b.data.Bytes() {
		b.data = NewSynced(b.engine, bytes)
	}
	if b.diff != nil && bytes > b.diff.Bytes() {
		b.diff = nil
	}
	return nil
}

// ShareData makes b see the data of other, which must have as many elements of the same type and the same engine.
func (b *Blob) ShareData(other *Blob) error {
	if err := b.matches("Blob.ShareData", other); err != nil {
		return err
	}
	b.data = other.data
	return nil
}

// ShareDiff makes b see the diff of other, which must have as many elements of the same type and the same engine.
func (b *Blob) ShareDiff(other *Blob) error {
	if err := b.matches("Blob.ShareDiff", other); err != nil {
		return err
	}
	b.diff = other.Diff().Synced
	return nil
}

func (b *Blob) matches(operation string, other *Blob) error {
	if b.engine != other.engine {
		return &fault.Error{Operator: operation, Detail: "the blobs belong to two engines", Cause: fault.ErrMisuse, Site: fault.Here(2)}
	}
	if b.dtype == other.dtype && Count(b.shape) == Count(other.shape) {
		return nil
	}
	return &fault.Error{
		Operator: operation, Detail: "the blobs differ in count or dtype", Cause: fault.ErrShape, Site: fault.Here(2),
		Shapes: [][]int{b.shape, other.shape}, DTypes: []dtype.DType{b.dtype, other.dtype},
	}
}
