package ndarray

import (
	"fmt"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/storage"
)

// Blob is Caffe's pair of arrays of one shape: data, and diff for its gradient. Both are zero until written, and have no memory
// until then. They keep memory for the largest shape that they ever had, so that a Blob whose size varies rarely allocates.
//
// Nothing here waits: what is computed is pushed, runs on the device of the Env, and its errors stick to what it writes and
// what it returns. A mistake in a call panics with *Error and leaves the Blob as it is. A Blob is used by one goroutine at a
// time; the arrays that it returns may be used by any. Blobs are made by NewBlob and NewBlobIn; the zero Blob must not be used.
type Blob struct {
	env  *Env
	blob *storage.Blob
}

// NewBlob returns a blob of the given shape, of the dtype of T, in the default Env; without a shape it has no axes and one
// element. It panics with *Error if no array has that shape.
func NewBlob[T dtype.Element](shape ...int) *Blob {
	return newBlob("NewBlob", DefaultEnv(), dtype.Of[T](), shape)
}

// NewBlobIn is NewBlob for a blob of element type d in env.
func NewBlobIn(env *Env, d dtype.DType, shape ...int) *Blob {
	checkEnv("NewBlobIn", env)
	return newBlob("NewBlobIn", env, d, shape)
}

func newBlob(operator string, env *Env, d dtype.DType, shape []int) *Blob {
	checkShape(operator, d, shape)
	return &Blob{env, storage.NewBlob(env.Engine(), d, shape...)}
}

// Env returns the Env that b computes in.
func (b *Blob) Env() *Env { return b.env }

// To returns a handle on the same blob that computes on d: what one does to the shape or the contents, the other sees. The
// contents are copied when d needs them. It panics with *Error if this machine has no such device.
func (b *Blob) To(d device.Device) *Blob { return &Blob{b.env.WithDevice(d), b.blob} }

// Data returns the array of the data in its present shape. Writes to it go through; after a Reshape that needs more memory
// it keeps the old one.
func (b *Blob) Data() *Array { return (*Array)(ops.NewTensor(b.blob.Data(), b.env)) }

// Diff returns the array of the diff; see Data.
func (b *Blob) Diff() *Array { return (*Array)(ops.NewTensor(b.blob.Diff(), b.env)) }

// Reshape changes the shape. Memory that is too small is replaced by fresh memory, whose contents are zero and which no
// other blob shares; data and diff are told apart. Otherwise the contents stay, row-major. It panics with *Error if no
// array has that shape.
func (b *Blob) Reshape(shape ...int) { b.blob.Reshape(shape...) }

// ReshapeLike gives b the shape of other; see Reshape.
func (b *Blob) ReshapeLike(other *Blob) { b.blob.ReshapeLike(other.given("Blob.ReshapeLike")) }

// ShareData makes the data of other those of b too. It panics with *Error if the blobs differ in count, dtype or engine.
func (b *Blob) ShareData(other *Blob) { b.blob.ShareData(other.given("Blob.ShareData")) }

// ShareDiff makes the diff of other that of b too. It panics as ShareData does.
func (b *Blob) ShareDiff(other *Blob) { b.blob.ShareDiff(other.given("Blob.ShareDiff")) }

// CopyFrom copies the data of source, or its diff, to b. If the shapes differ, b gets that of source if reshape is set;
// otherwise that panics with *Error, as does another dtype or engine.
func (b *Blob) CopyFrom(source *Blob, diff, reshape bool) {
	b.blob.CopyFrom(b.env.Device(), source.given("Blob.CopyFrom"), diff, reshape)
}

// given returns the blob of b, an operand.
func (b *Blob) given(operator string) *storage.Blob {
	if b == nil {
		fail(operator, fault.ErrMisuse, "the other blob is nil")
	}
	return b.blob
}

// SetData makes the memory at p, on d, the data of b, and of the blobs that share them; it holds the elements already.
// Earlier operations use the memory from before, which is freed behind them if it is weft's. With a nil free, p is lent: it
// must stay valid until nothing uses the data any more. Otherwise free is called exactly once, on a goroutine of its own, when
// nothing does: behind the operations that use p where other memory is set, else after the collector has found that b, and the
// arrays of the data, were dropped. If the memory of b is larger than its elements, data and diff both get fresh memory first. It
// panics with *Error if p is nil, not aligned, not on d, or what it replaces was saved by a tape; then p stays the caller's.
func (b *Blob) SetData(d device.Device, p device.Pointer, free func()) { b.blob.SetData(d, p, free) }

// SetDiff is SetData for the diff.
func (b *Blob) SetDiff(d device.Device, p device.Pointer, free func()) { b.blob.SetDiff(d, p, free) }

// AdoptData makes the elements themselves, row-major, the data of b, on cpu(0): see SetData, to which they are lent, and Adopt
// for when the caller may touch them. It panics with *Error if they are not as many as b has, or the dtype of b is not that of T.
// The memory of a mapped file is better given to SetData, which tells by free when it may be unmapped.
func AdoptData[T dtype.Element](b *Blob, elements []T) {
	b.blob.SetData(device.CPU(0), elementsOfBlob("AdoptData", b, elements), nil)
}

// AdoptDiff is AdoptData for the diff.
func AdoptDiff[T dtype.Element](b *Blob, elements []T) {
	b.blob.SetDiff(device.CPU(0), elementsOfBlob("AdoptDiff", b, elements), nil)
}

func elementsOfBlob[T dtype.Element](operator string, b *Blob, elements []T) device.Pointer {
	if b == nil {
		fail(operator, fault.ErrMisuse, "the blob is nil")
	}
	checkElement[T](operator, b.Data())
	if len(elements) != b.Count() {
		fail(operator, fault.ErrShape, fmt.Sprintf("%d elements, but the blob has %d", len(elements), b.Count()), b.Data())
	}
	return device.Pointer{Host: unsafe.Pointer(unsafe.SliceData(elements))}
}

// DataAt returns the element of the data at indices; those missing at the end are zero. It waits for the data, and returns
// the error that sticks to them. It panics with *Error as Offset does, or if the dtype of b is not that of T.
func DataAt[T dtype.Element](b *Blob, indices ...int) (T, error) {
	return At[T](b.Data().Reshape(-1), b.Offset(indices...))
}

// DiffAt is DataAt for the diff.
func DiffAt[T dtype.Element](b *Blob, indices ...int) (T, error) {
	return At[T](b.Diff().Reshape(-1), b.Offset(indices...))
}
