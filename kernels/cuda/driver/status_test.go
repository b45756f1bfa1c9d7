package driver

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/fault"
)

func TestStatusesHaveTheNamesOfCUDA(t *testing.T) {
	for want, got := range map[string]string{
		"CUDA_SUCCESS":                                   Success.String(),
		"CUDA_ERROR_ILLEGAL_ADDRESS":                     IllegalAddress.String(),
		"CUresult(4711)":                                 Status(4711).String(),
		"cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY":        (&Error{"cuMemAlloc_v2", OutOfMemory}).Error(),
		"CUBLAS_STATUS_SUCCESS":                          BLASStatus(0).String(),
		"cublasStatus_t(99)":                             BLASStatus(99).String(),
		"cublasSgemm_v2: CUBLAS_STATUS_EXECUTION_FAILED": (&BLASError{"cublasSgemm_v2", 13}).Error(),
	} {
		require.Equal(t, want, got)
	}
}

func TestErrorsTellWhetherMemoryWasLacking(t *testing.T) {
	for _, err := range []error{&Error{"", OutOfMemory}, &BLASError{"", blasOutOfMemory}} {
		require.ErrorIs(t, err, fault.ErrOutOfMemory)
		require.False(t, errors.Is(err, fault.ErrDevice))
	}
	for _, err := range []error{&Error{"", LaunchFailed}, &BLASError{"", 7}} {
		require.ErrorIs(t, err, fault.ErrDevice)
		require.False(t, errors.Is(err, fault.ErrOutOfMemory))
	}
}

func TestLostContextsAreSticky(t *testing.T) {
	for s, want := range map[Status]bool{
		Success: false, OutOfMemory: false, NotReady: false, 701: false, IllegalAddress: true, LaunchFailed: true, 710: true, Deinitialized: true,
	} {
		require.Equal(t, want, s.Sticky(), s)
	}
}
