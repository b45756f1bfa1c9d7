package driver

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
)

// PathVariable names folders, separated as in PATH, in which the libraries of CUDA are looked for before everywhere else.
const PathVariable = "WEFT_CUDA_PATH"

// TF32Variable set to 1 lets products of float32 matrices round their elements to TF32, which has the 10 bits of
// float16 behind the point: they are faster on GPUs that have it, of compute capability 8.0 or more.
const TF32Variable = "WEFT_CUDA_TF32"

// PeersVariable set to 0 makes copies between GPUs go by way of the host; they are made over the link of the GPUs,
// where the driver lets them, if it is not set.
const PeersVariable = "WEFT_PEERS"

// Handles of what a binding has made.
type (
	Address  uint64 // of device memory
	Stream   uintptr
	Event    uintptr
	Module   uintptr
	Function uintptr
	Graph    uintptr
)

// Driver is a binding of the CUDA driver.
type Driver interface {
	// Version returns the newest CUDA version that the driver supports, 1000 major + 10 minor: 12040 for 12.4.
	Version() int
	// Count returns how many devices there are.
	Count() (int, error)
	// Describe returns what device is.
	Describe(device int) (Properties, error)
	// Open retains the primary context of device, which other libraries in the process share.
	Open(device int) (Context, error)
}

// Opener binds the CUDA driver, and returns what was looked for, also with an error.
type Opener func() (Driver, []Library, error)

// Library is one library that was looked for.
type Library struct {
	Name    string // what it is: "driver", "cuBLAS", "cuBLASLt", "cuDNN", "NVRTC"
	File    string // that was loaded; empty if none was
	Problem string // why not
}

// Properties describe a device.
type Properties struct {
	Name           string
	Major, Minor   int // compute capability
	Processors     int // multiprocessors
	Memory         int // bytes
	ThreadsInBlock int // at most
}

// Pool is the memory that a context has taken from the system for Allocate.
type Pool struct {
	Used, MostUsed         int // bytes that Allocate has handed out, now and at most
	Reserved, MostReserved int // bytes that were taken from the system
}

// Context is the use of one device. Work is enqueued on streams; its failures are returned by later calls.
type Context interface {
	// Close gives the context back.
	Close() error
	// Memory returns the bytes that are free and those that there are.
	Memory() (free, total int, err error)
	// Allocate returns device memory, aligned to at least 256 bytes, which every stream may use.
	Allocate(bytes int) (Address, error)
	// Free gives memory back, which no work uses any more. Without pools it waits for all work of the device.
	Free(p Address) error
	// Trim gives the system what is free.
	Trim() error
	// Pool returns what Allocate has. Where the device has no pools the error is errors.ErrUnsupported.
	Pool() (Pool, error)
	// Owner returns the number of the device whose memory is at p.
	Owner(p Address) (device int, err error)
	// Reach lets work of the context's streams use memory of peer, a context of another device. Where devices do not reach one another the
	// error is errors.ErrUnsupported.
	Reach(peer Context) error
	// AllocateHost returns page-locked host memory that all devices reach.
	AllocateHost(bytes int) (unsafe.Pointer, error)
	// FreeHost gives page-locked memory back.
	FreeHost(p unsafe.Pointer) error

	// NewStream returns a stream that does not wait for the default stream.
	NewStream() (Stream, error)
	// CloseStream gives a stream back.
	CloseStream(s Stream) error
	// Synchronize waits for the work of a stream.
	Synchronize(s Stream) error
	// NewEvent returns an event without times.
	NewEvent() (Event, error)
	// Record completes e when the work that s has so far is done.
	Record(e Event, s Stream) error
	// Follow makes later work of s wait for e.
	Follow(s Stream, e Event) error
	// Await waits for e on the host.
	Await(e Event) error
	// Reached reports whether e is complete.
	Reached(e Event) (bool, error)
	// CloseEvent gives an event back.
	CloseEvent(e Event) error

	// CopyIn enqueues a copy from the host to such a place as CopyOver takes. Ordinary memory may be read before the call
	// returns, page-locked memory is read later.
	CopyIn(dst Address, src unsafe.Pointer, bytes int, s Stream) error
	// CopyOut enqueues a copy to the host. With ordinary memory the call may wait for it.
	CopyOut(dst unsafe.Pointer, src Address, bytes int, s Stream) error
	// CopyOver enqueues a copy between places of the device, and of those that Reach was called for.
	CopyOver(dst, src Address, bytes int, s Stream) error
	// Zero enqueues that memory is set to zero.
	Zero(dst Address, bytes int, s Stream) error

	// Load compiles PTX for the device, or takes what a Compiler has made for it.
	Load(image string) (Module, error)
	// Function finds a kernel.
	Function(m Module, name string) (Function, error)
	// Launch enqueues a kernel with one argument, a structure that is copied before the call returns, whose blocks have so many bytes of
	// shared memory, up to 48 KiB, besides that which it declares a size for.
	Launch(f Function, blocks, threads, shared int, s Stream, argument unsafe.Pointer) error
	// AllowShared sets how many bytes of shared memory a block of a kernel may have besides that which it declares a size for, in place of
	// 48 KiB for both. No launch with more may be made meanwhile.
	AllowShared(f Function, bytes int) error
	// LaunchGrid enqueues a kernel of any number of arguments of up to 8 bytes, which are the low ones of the numbers.
	LaunchGrid(f Function, g device.Grid, s Stream, arguments []uint64) error

	// Capture makes s keep the work that it is given, in place of running it, until EndCapture. Where the driver has no graphs the error
	// is errors.ErrUnsupported.
	Capture(s Stream) error
	// EndCapture returns what s has kept. An error tells that some of it cannot be kept.
	EndCapture(s Stream) (Graph, error)
	// Replay enqueues work that was kept.
	Replay(g Graph, s Stream) error
	// CloseGraph gives a graph back.
	CloseGraph(g Graph) error

	// NewBLAS returns a handle of cuBLAS, whose work goes to s. It is used by one goroutine at a time.
	NewBLAS(s Stream) (BLAS, error)
	// NewAffine returns a handle of cuBLASLt, whose work goes to s, or that of 0 to no stream: it can but choose. It is used by one
	// goroutine at a time. Where there is no cuBLASLt the error is errors.ErrUnsupported.
	NewAffine(s Stream) (Affine, error)
	// NewDNN returns a handle of cuDNN, whose work goes to s, or that of 0 to no stream: it can but choose. It is used by one goroutine at
	// a time. Where there is no cuDNN the error is errors.ErrUnsupported.
	NewDNN(s Stream) (DNN, error)
}

// BLAS computes products of matrices on one stream.
type BLAS interface {
	// Multiply enqueues products. If cuBLAS does not take them the error wraps errors.ErrUnsupported.
	Multiply(p *Product) error
	// Close gives the handle back.
	Close() error
}

// Precision is the element type of the matrices of a product, and how it is computed.
type Precision uint8

// The precisions. Sums of elements of 16 bits are made in float32.
const (
	Float32 Precision = iota
	Float64
	Float16
	BFloat16
	TF32 // float32, whose elements are rounded to 10 bits behind the point
)

// Product is C = A·B for each of Count column-major matrices: C has M rows and N columns, A M rows and K columns.
type Product struct {
	Precision           Precision
	TransposeA          bool // A is given as its transpose
	TransposeB          bool
	M, N, K             int
	A, B, C             Address
	LeadA, LeadB, LeadC int // elements from one column to the next, as stored
	Count               int
	NextA, NextB, NextC int // elements from one matrix to the next
}
