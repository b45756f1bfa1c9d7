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
		"CUDNN_STATUS_SUCCESS":                           DNNStatus{9, 0}.String(),
		"cudnnStatus_t(3) of cuDNN 9":                    DNNStatus{9, 3}.String(),
		"cudnnCreate: CUDNN_STATUS_BAD_PARAM":            (&DNNError{"cudnnCreate", DNNStatus{8, 3}, ""}).Error(),
		"cudnnCreate: CUDNN_STATUS_BAD_PARAM: no handle": (&DNNError{"cudnnCreate", DNNStatus{9, 2000}, "no handle"}).Error(),
	} {
		require.Equal(t, want, got)
	}
}

func TestErrorsTellWhetherMemoryWasLacking(t *testing.T) {
	for _, err := range []error{&Error{"", OutOfMemory}, &BLASError{"", blasOutOfMemory}, &DNNError{"", DNNStatus{8, 2}, ""}, &DNNError{"", DNNStatus{9, 4004}, ""}} {
		require.ErrorIs(t, err, fault.ErrOutOfMemory)
		require.False(t, errors.Is(err, fault.ErrDevice))
	}
	for _, err := range []error{&Error{"", LaunchFailed}, &BLASError{"", 7}, &DNNError{"", DNNStatus{8, 4}, ""}, &DNNError{"", DNNStatus{9, 2}, ""}} {
		require.ErrorIs(t, err, fault.ErrDevice)
		require.False(t, errors.Is(err, fault.ErrOutOfMemory))
	}
}

func TestErrorsOfNVRTCTellWhetherTheProgramIsWrong(t *testing.T) {
	reasons := []error{fault.ErrOutOfMemory, fault.ErrParameter, fault.ErrDevice}
	for status, want := range map[CompileStatus]error{
		1: fault.ErrOutOfMemory, 2: fault.ErrDevice, 3: fault.ErrParameter, 4: fault.ErrDevice, 5: fault.ErrParameter, 6: fault.ErrParameter, 7: fault.ErrDevice,
		8: fault.ErrParameter, 9: fault.ErrDevice, 10: fault.ErrParameter, 11: fault.ErrDevice, 99: fault.ErrDevice,
	} {
		for _, reason := range reasons {
			require.Equal(t, reason == want, errors.Is(&CompileError{Call: "nvrtcCompileProgram", Status: status}, reason), status)
		}
	}
}

func TestWhatCuDNNDoesNotDoIsUnsupported(t *testing.T) {
	for status, want := range map[DNNStatus]bool{{8, 9}: true, {8, 6}: true, {8, 11}: true, {8, 12}: false, {9, 3000}: true, {9, 3007}: true, {9, 9}: false, {9, 2000}: false, {8, 3}: false} {
		err := error(&DNNError{"", status, ""})
		require.Equal(t, want, errors.Is(err, errors.ErrUnsupported), status)
		require.Equal(t, !want, errors.Is(err, fault.ErrDevice), status)
	}
}

func TestWhatCuBLASDoesNotTakeIsUnsupportedWhereItIsSaid(t *testing.T) {
	err := error(&BLASError{"cublasLtCreate", BLASInvalidValue})
	require.False(t, errors.Is(err, errors.ErrUnsupported))
	require.False(t, errors.Is(Unsupported(err, BLASNotSupported), errors.ErrUnsupported))
	refused := Unsupported(err, BLASNotSupported, BLASInvalidValue)
	require.ErrorIs(t, refused, errors.ErrUnsupported)
	require.ErrorIs(t, refused, fault.ErrDevice)
	require.NoError(t, Unsupported(nil, BLASNotSupported))
}

func TestLostContextsAreSticky(t *testing.T) {
	for s, want := range map[Status]bool{
		Success: false, OutOfMemory: false, NotReady: false, 701: false, IllegalAddress: true, LaunchFailed: true, 710: true, Deinitialized: true,
	} {
		require.Equal(t, want, s.Sticky(), s)
	}
}
