package gorgonia

import (
	"fmt"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda"
	"github.com/weft-nd/weft/kernels/cuda/driver"
	"gorgonia.org/cu"
)

func init() { cuda.Bind(Open) }

// oldest is the oldest version of CUDA whose driver has all functions that are called.
const oldest = 11040

// cuDriver is the driver that gorgonia.org/cu has initialised.
type cuDriver struct{}

// Open returns the driver that the program is linked with. It implements driver.Opener.
func Open() (driver.Driver, []driver.Library, error) {
	libraries := []driver.Library{
		{Name: "driver", File: "libcuda, linked by gorgonia.org/cu"},
		{Name: "cuBLAS", File: "libcublas, linked by gorgonia.org/cu/blas"},
		{Name: "cuBLASLt", Problem: noLt},
		{Name: "cuDNN", Problem: noDNN},
	}
	if version := cu.Version(); version < oldest {
		libraries[0].Problem = fmt.Sprintf("it supports CUDA %d.%d, and %d.%d is needed", version/1000, version%1000/10, oldest/1000, oldest%1000/10)
		return nil, libraries, fmt.Errorf("%w: the CUDA driver is too old: %s", fault.ErrDevice, libraries[0].Problem)
	}
	return cuDriver{}, libraries, nil
}

// Version implements driver.Driver.
func (cuDriver) Version() int { return cu.Version() }

// Count implements driver.Driver.
func (cuDriver) Count() (int, error) {
	count, err := cu.NumDevices()
	return count, check("cuDeviceGetCount", err)
}

// Describe implements driver.Driver.
func (cuDriver) Describe(device int) (p driver.Properties, err error) {
	d, err := cu.GetDevice(device)
	if err != nil {
		return p, check("cuDeviceGet", err)
	}
	if p.Name, err = d.Name(); err != nil {
		return p, check("cuDeviceGetName", err)
	}
	memory, err := d.TotalMem()
	if err != nil {
		return p, check("cuDeviceTotalMem", err)
	}
	p.Memory = int(memory)
	for attribute, field := range map[cu.DeviceAttribute]*int{
		cu.MaxThreadsPerBlock: &p.ThreadsInBlock, cu.MultiprocessorCount: &p.Processors,
		cu.ComputeCapabilityMajor: &p.Major, cu.ComputeCapabilityMinor: &p.Minor,
	} {
		if *field, err = d.Attribute(attribute); err != nil {
			return p, check("cuDeviceGetAttribute", err)
		}
	}
	return p, nil
}

// Open implements driver.Driver.
func (cuDriver) Open(device int) (driver.Context, error) {
	d, err := cu.GetDevice(device)
	if err != nil {
		return nil, check("cuDeviceGet", err)
	}
	handle, err := d.RetainPrimaryCtx()
	if err != nil {
		return nil, check("cuDevicePrimaryCtxRetain", err)
	}
	return &context{device: d, handle: handle}, nil
}
