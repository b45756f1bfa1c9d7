package driver

import (
	"errors"
	"fmt"

	"github.com/weft-nd/weft/fault"
)

// DNNStatus is a cudnnStatus_t of a major version of cuDNN: 9 has other numbers than 8.
type DNNStatus struct {
	Major  int
	Number int32
}

// dnnNames are those of cudnn_ops_infer.h of version 8 and of cudnn_graph.h of version 9, without CUDNN_STATUS_.
var dnnNames = map[int]map[int32]string{
	8: {
		0: "SUCCESS", 1: "NOT_INITIALIZED", 2: "ALLOC_FAILED", 3: "BAD_PARAM", 4: "INTERNAL_ERROR", 5: "INVALID_VALUE", 6: "ARCH_MISMATCH",
		7: "MAPPING_ERROR", 8: "EXECUTION_FAILED", 9: "NOT_SUPPORTED", 10: "LICENSE_ERROR", 11: "RUNTIME_PREREQUISITE_MISSING",
		12: "RUNTIME_IN_PROGRESS", 13: "RUNTIME_FP_OVERFLOW", 14: "VERSION_MISMATCH",
	},
	9: {
		0: "SUCCESS", 1001: "NOT_INITIALIZED", 1002: "SUBLIBRARY_VERSION_MISMATCH", 1003: "SERIALIZATION_VERSION_MISMATCH", 1004: "DEPRECATED",
		1005: "LICENSE_ERROR", 1006: "RUNTIME_IN_PROGRESS", 1007: "RUNTIME_FP_OVERFLOW", 1008: "SUBLIBRARY_LOADING_FAILED",
		2000: "BAD_PARAM", 2002: "BAD_PARAM_NULL_POINTER", 2003: "BAD_PARAM_MISALIGNED_POINTER", 2004: "BAD_PARAM_NOT_FINALIZED",
		2005: "BAD_PARAM_OUT_OF_BOUND", 2006: "BAD_PARAM_SIZE_INSUFFICIENT", 2007: "BAD_PARAM_STREAM_MISMATCH", 2008: "BAD_PARAM_SHAPE_MISMATCH",
		2009: "BAD_PARAM_DUPLICATED_ENTRIES", 2010: "BAD_PARAM_ATTRIBUTE_TYPE", 2011: "BAD_PARAM_CUDA_GRAPH_MISMATCH", 2012: "BAD_PARAM_DESCRIPTOR_TYPE",
		3000: "NOT_SUPPORTED", 3001: "NOT_SUPPORTED_GRAPH_PATTERN", 3002: "NOT_SUPPORTED_SHAPE", 3003: "NOT_SUPPORTED_DATA_TYPE",
		3004: "NOT_SUPPORTED_LAYOUT", 3005: "NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER", 3006: "NOT_SUPPORTED_INCOMPATIBLE_CUDART",
		3007: "NOT_SUPPORTED_ARCH_MISMATCH", 3008: "NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING", 3009: "NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE",
		3010: "NOT_SUPPORTED_SHARED_MEMORY_INSUFFICIENT", 3011: "NOT_SUPPORTED_PADDING", 3012: "NOT_SUPPORTED_BAD_LAUNCH_PARAM",
		3013: "NOT_SUPPORTED_CUDA_GRAPH_NATIVE_API", 3014: "NOT_SUPPORTED_INVALID_DYNAMIC_SHAPE",
		4000: "INTERNAL_ERROR", 4001: "INTERNAL_ERROR_COMPILATION_FAILED", 4002: "INTERNAL_ERROR_UNEXPECTED_VALUE",
		4003: "INTERNAL_ERROR_HOST_ALLOCATION_FAILED", 4004: "INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED", 4005: "INTERNAL_ERROR_BAD_LAUNCH_PARAM",
		4006: "INTERNAL_ERROR_TEXTURE_CREATION_FAILED",
		5000: "EXECUTION_FAILED", 5001: "EXECUTION_FAILED_CUDA_DRIVER", 5002: "EXECUTION_FAILED_CUBLAS", 5003: "EXECUTION_FAILED_CUDART",
		5004: "EXECUTION_FAILED_CURAND",
	},
}

// String returns the name in cuDNN's headers, such as "CUDNN_STATUS_BAD_PARAM".
func (s DNNStatus) String() string {
	if name, known := dnnNames[s.Major][s.Number]; known {
		return "CUDNN_STATUS_" + name
	}
	return fmt.Sprintf("cudnnStatus_t(%d) of cuDNN %d", s.Number, s.Major)
}

// IsOutOfMemory reports whether memory of the device or of the host was lacking.
func (s DNNStatus) IsOutOfMemory() bool {
	if s.Major == 8 {
		return s.Number == 2
	}
	return s.Number == 4003 || s.Number == 4004
}

// IsNotSupported reports whether cuDNN does not do what was asked for, or not on this device.
func (s DNNStatus) IsNotSupported() bool {
	if s.Major == 8 {
		return s.Number == 6 || s.Number == 9 || s.Number == 11
	}
	return s.Number/1000 == 3
}

// DNNError is a call that cuDNN refused.
type DNNError struct {
	Call   string // "cudnnConvolutionForward"
	Status DNNStatus
	Detail string // what cuDNN says of it besides; empty for version 8
}

// Error returns one line, such as "cudnnConvolutionForward: CUDNN_STATUS_BAD_PARAM".
func (e *DNNError) Error() string {
	text := e.Call + ": " + e.Status.String()
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Is makes errors.Is find fault.ErrOutOfMemory where memory was lacking, errors.ErrUnsupported where cuDNN does not do what was asked
// for, and otherwise fault.ErrDevice.
func (e *DNNError) Is(target error) bool {
	switch {
	case e.Status.IsOutOfMemory():
		return target == fault.ErrOutOfMemory
	case e.Status.IsNotSupported():
		return target == errors.ErrUnsupported
	}
	return target == fault.ErrDevice
}
