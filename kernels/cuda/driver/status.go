package driver

import (
	"errors"
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
)

// Status is a CUresult of the CUDA driver API.
type Status int32

// The statuses that weft looks at.
const (
	Success                  Status = 0
	OutOfMemory              Status = 2
	Deinitialized            Status = 4
	StubLibrary              Status = 34
	NoDevice                 Status = 100
	InvalidDevice            Status = 101
	InvalidImage             Status = 200
	PeerAccessUnsupported    Status = 217
	InvalidPTX               Status = 218
	UnsupportedPTX           Status = 222
	NotReady                 Status = 600
	IllegalAddress           Status = 700
	PeerAccessAlreadyEnabled Status = 704
	TooManyPeers             Status = 711
	LaunchFailed             Status = 719
	SystemDriverMismatch     Status = 803
)

// statusNames are those of cuda.h, without CUDA_ERROR_.
var statusNames = map[Status]string{
	0: "SUCCESS", 1: "INVALID_VALUE", 2: "OUT_OF_MEMORY", 3: "NOT_INITIALIZED", 4: "DEINITIALIZED", 34: "STUB_LIBRARY", 46: "DEVICE_UNAVAILABLE",
	100: "NO_DEVICE", 101: "INVALID_DEVICE", 102: "DEVICE_NOT_LICENSED", 200: "INVALID_IMAGE", 201: "INVALID_CONTEXT",
	205: "MAP_FAILED", 209: "NO_BINARY_FOR_GPU", 214: "ECC_UNCORRECTABLE", 215: "UNSUPPORTED_LIMIT", 216: "CONTEXT_ALREADY_IN_USE",
	217: "PEER_ACCESS_UNSUPPORTED", 218: "INVALID_PTX", 220: "NVLINK_UNCORRECTABLE", 221: "JIT_COMPILER_NOT_FOUND",
	222: "UNSUPPORTED_PTX_VERSION", 223: "JIT_COMPILATION_DISABLED", 300: "INVALID_SOURCE", 301: "FILE_NOT_FOUND",
	302: "SHARED_OBJECT_SYMBOL_NOT_FOUND", 303: "SHARED_OBJECT_INIT_FAILED", 304: "OPERATING_SYSTEM", 400: "INVALID_HANDLE",
	401: "ILLEGAL_STATE", 500: "NOT_FOUND", 600: "NOT_READY", 700: "ILLEGAL_ADDRESS", 701: "LAUNCH_OUT_OF_RESOURCES", 702: "LAUNCH_TIMEOUT",
	704: "PEER_ACCESS_ALREADY_ENABLED", 705: "PEER_ACCESS_NOT_ENABLED", 708: "PRIMARY_CONTEXT_ACTIVE", 709: "CONTEXT_IS_DESTROYED",
	710: "ASSERT", 711: "TOO_MANY_PEERS", 712: "HOST_MEMORY_ALREADY_REGISTERED", 713: "HOST_MEMORY_NOT_REGISTERED",
	714: "HARDWARE_STACK_ERROR", 715: "ILLEGAL_INSTRUCTION", 716: "MISALIGNED_ADDRESS", 717: "INVALID_ADDRESS_SPACE", 718: "INVALID_PC",
	719: "LAUNCH_FAILED", 800: "NOT_PERMITTED", 801: "NOT_SUPPORTED", 802: "SYSTEM_NOT_READY", 803: "SYSTEM_DRIVER_MISMATCH",
	804: "COMPAT_NOT_SUPPORTED_ON_DEVICE", 900: "STREAM_CAPTURE_UNSUPPORTED", 999: "UNKNOWN",
}

// String returns the name in cuda.h, such as "CUDA_ERROR_OUT_OF_MEMORY".
func (s Status) String() string {
	switch name, known := statusNames[s]; {
	case s == Success:
		return "CUDA_SUCCESS"
	case known:
		return "CUDA_ERROR_" + name
	}
	return fmt.Sprintf("CUresult(%d)", int32(s))
}

// Sticky reports whether all further work of the device fails after s: its context is lost, which the CUDA driver mends in a new
// process alone.
func (s Status) Sticky() bool {
	switch s {
	case Deinitialized, 214, 220, IllegalAddress, 702, 709, 710, 714, 715, 716, 717, 718, LaunchFailed, 999:
		return true
	}
	return false
}

// Error is a call that the driver refused, or that returned the failure of work enqueued before.
type Error struct {
	Call   string // "cuMemAlloc_v2"
	Status Status
}

// Error returns one line, such as "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY".
func (e *Error) Error() string { return e.Call + ": " + e.Status.String() }

// Is makes errors.Is find fault.ErrOutOfMemory where memory was lacking, and otherwise fault.ErrDevice.
func (e *Error) Is(target error) bool {
	if e.Status == OutOfMemory {
		return target == fault.ErrOutOfMemory
	}
	return target == fault.ErrDevice
}

// BLASStatus is a cublasStatus_t.
type BLASStatus int32

// blasNames are those of cublas_api.h, without CUBLAS_STATUS_.
var blasNames = map[BLASStatus]string{
	0: "SUCCESS", 1: "NOT_INITIALIZED", 3: "ALLOC_FAILED", 7: "INVALID_VALUE", 8: "ARCH_MISMATCH", 11: "MAPPING_ERROR",
	13: "EXECUTION_FAILED", 14: "INTERNAL_ERROR", 15: "NOT_SUPPORTED", 16: "LICENSE_ERROR",
}

// The statuses by which cuBLAS tells that it does not take a problem.
const (
	BLASInvalidValue BLASStatus = 7
	BLASArchMismatch BLASStatus = 8
	BLASNotSupported BLASStatus = 15
)

// blasOutOfMemory is CUBLAS_STATUS_ALLOC_FAILED.
const blasOutOfMemory BLASStatus = 3

// String returns the name in cublas_api.h, such as "CUBLAS_STATUS_INVALID_VALUE".
func (s BLASStatus) String() string {
	if name, known := blasNames[s]; known {
		return "CUBLAS_STATUS_" + name
	}
	return fmt.Sprintf("cublasStatus_t(%d)", int32(s))
}

// BLASError is a call that cuBLAS refused.
type BLASError struct {
	Call   string // "cublasSgemm_v2"
	Status BLASStatus
}

// Error returns one line, such as "cublasSgemm_v2: CUBLAS_STATUS_INVALID_VALUE".
func (e *BLASError) Error() string { return e.Call + ": " + e.Status.String() }

// Is makes errors.Is find fault.ErrOutOfMemory where memory was lacking, and otherwise fault.ErrDevice.
func (e *BLASError) Is(target error) bool {
	if e.Status == blasOutOfMemory {
		return target == fault.ErrOutOfMemory
	}
	return target == fault.ErrDevice
}

// Unsupported returns err, which wraps errors.ErrUnsupported too if it has one of the given statuses.
func Unsupported(err error, statuses ...BLASStatus) error {
	if refused, ok := err.(*BLASError); ok && slices.Contains(statuses, refused.Status) {
		return fmt.Errorf("%w: %w", err, errors.ErrUnsupported)
	}
	return err
}
