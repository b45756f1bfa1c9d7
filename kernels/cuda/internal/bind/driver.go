//go:build linux && (amd64 || arm64)

package bind

import (
	"bytes"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// driverCalls are the functions of libcuda.so.1. Their signatures are the same from CUDA 11.4 on.
type driverCalls struct {
	Init               symbol `c:"cuInit"`
	DriverGetVersion   symbol `c:"cuDriverGetVersion"`
	DeviceGetCount     symbol `c:"cuDeviceGetCount"`
	DeviceGet          symbol `c:"cuDeviceGet"`
	DeviceGetName      symbol `c:"cuDeviceGetName"`
	DeviceGetAttribute symbol `c:"cuDeviceGetAttribute"`
	DeviceTotalMem     symbol `c:"cuDeviceTotalMem_v2"`
	PrimaryRetain      symbol `c:"cuDevicePrimaryCtxRetain"`
	PrimaryRelease     symbol `c:"cuDevicePrimaryCtxRelease_v2"`
	SetCurrent         symbol `c:"cuCtxSetCurrent"`
	MemGetInfo         symbol `c:"cuMemGetInfo_v2"`
	MemAlloc           symbol `c:"cuMemAlloc_v2"`
	MemFree            symbol `c:"cuMemFree_v2"`
	MemHostAlloc       symbol `c:"cuMemHostAlloc"`
	MemFreeHost        symbol `c:"cuMemFreeHost"`
	StreamCreate       symbol `c:"cuStreamCreate"`
	StreamDestroy      symbol `c:"cuStreamDestroy_v2"`
	StreamSynchronize  symbol `c:"cuStreamSynchronize"`
	StreamWaitEvent    symbol `c:"cuStreamWaitEvent"`
	EventCreate        symbol `c:"cuEventCreate"`
	EventRecord        symbol `c:"cuEventRecord"`
	EventSynchronize   symbol `c:"cuEventSynchronize"`
	EventQuery         symbol `c:"cuEventQuery"`
	EventDestroy       symbol `c:"cuEventDestroy_v2"`
	MemcpyHtoDAsync    symbol `c:"cuMemcpyHtoDAsync_v2"`
	MemcpyDtoHAsync    symbol `c:"cuMemcpyDtoHAsync_v2"`
	MemcpyAsync        symbol `c:"cuMemcpyAsync"`
	MemsetD8Async      symbol `c:"cuMemsetD8Async"`
	ModuleLoadData     symbol `c:"cuModuleLoadData"`
	ModuleGetFunction  symbol `c:"cuModuleGetFunction"`
	FuncSetAttribute   symbol `c:"cuFuncSetAttribute"`
	LaunchKernel       symbol `c:"cuLaunchKernel"`
	PointerAttribute   symbol `c:"cuPointerGetAttribute"`
	CanAccessPeer      symbol `c:"cuDeviceCanAccessPeer"`
	EnablePeerAccess   symbol `c:"cuCtxEnablePeerAccess"`
}

// Attributes of devices, and flags, as cuda.h numbers them.
const (
	attributeThreadsInBlock = 1
	attributeProcessors     = 16
	attributeMajor          = 75
	attributeMinor          = 76
	attributePools          = 115

	pointerDevice   = 9 // of CUpointer_attribute
	attributeShared = 8 // of CUfunction_attribute: the most dynamic shared memory

	hostPortable       = 1 // page-locked for all contexts
	streamNonBlocking  = 1
	eventDisableTiming = 2
)

// Version implements driver.Driver.
func (d *cudaDriver) Version() int { return d.version }

// Count implements driver.Driver.
func (d *cudaDriver) Count() (int, error) {
	var count int32
	err := check(d.calls.DeviceGetCount, d.calls.DeviceGetCount.call(uintptr(unsafe.Pointer(&count))))
	return int(count), err
}

// Describe implements driver.Driver.
func (d *cudaDriver) Describe(device int) (p driver.Properties, err error) {
	ordinal, err := d.ordinal(device)
	if err != nil {
		return p, err
	}
	name := make([]byte, 256)
	if err := check(d.calls.DeviceGetName, d.calls.DeviceGetName.call(uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)), ordinal)); err != nil {
		return p, err
	}
	p.Name = string(name[:max(0, bytes.IndexByte(name, 0))])
	var total uint64
	if err := check(d.calls.DeviceTotalMem, d.calls.DeviceTotalMem.call(uintptr(unsafe.Pointer(&total)), ordinal)); err != nil {
		return p, err
	}
	p.Memory = int(total)
	for attribute, field := range map[uintptr]*int{
		attributeThreadsInBlock: &p.ThreadsInBlock, attributeProcessors: &p.Processors, attributeMajor: &p.Major, attributeMinor: &p.Minor,
	} {
		if *field, err = d.attribute(attribute, ordinal); err != nil {
			return p, err
		}
	}
	return p, nil
}

// attribute returns an attribute of a CUdevice.
func (d *cudaDriver) attribute(attribute, ordinal uintptr) (int, error) {
	var value int32
	err := check(d.calls.DeviceGetAttribute, d.calls.DeviceGetAttribute.call(uintptr(unsafe.Pointer(&value)), attribute, ordinal))
	return int(value), err
}

// ordinal returns the CUdevice with a number.
func (d *cudaDriver) ordinal(device int) (uintptr, error) {
	var ordinal int32
	err := check(d.calls.DeviceGet, d.calls.DeviceGet.call(uintptr(unsafe.Pointer(&ordinal)), uintptr(device)))
	return uintptr(ordinal), err
}

// Open implements driver.Driver.
func (d *cudaDriver) Open(device int) (driver.Context, error) {
	ordinal, err := d.ordinal(device)
	if err != nil {
		return nil, err
	}
	c := &context{driver: d, ordinal: ordinal}
	if err := check(d.calls.PrimaryRetain, d.calls.PrimaryRetain.call(uintptr(unsafe.Pointer(&c.handle)), ordinal)); err != nil {
		return nil, err
	}
	c.openPool()
	return c, nil
}
