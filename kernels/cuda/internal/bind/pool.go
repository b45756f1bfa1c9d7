//go:build linux && (amd64 || arm64)

package bind

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// poolCalls are the functions of pools of memory, which some drivers may not have.
type poolCalls struct {
	Create       symbol `c:"cuMemPoolCreate"`
	Destroy      symbol `c:"cuMemPoolDestroy"`
	TrimTo       symbol `c:"cuMemPoolTrimTo"`
	SetAccess    symbol `c:"cuMemPoolSetAccess"`
	GetAttribute symbol `c:"cuMemPoolGetAttribute"`
	SetAttribute symbol `c:"cuMemPoolSetAttribute"`
	Allocate     symbol `c:"cuMemAllocFromPoolAsync"`
	Free         symbol `c:"cuMemFreeAsync"`
}

// pool is the memory of a context. The driver takes and gives it in the order of a stream, which has no other work: so nothing waits for
// what other streams do, as cuMemAlloc and cuMemFree may.
type pool struct {
	handle uintptr
	stream driver.Stream
}

// Numbers of CUmemPool_attribute.
const (
	poolThreshold    = 4
	poolReserved     = 5
	poolMostReserved = 6
	poolUsed         = 7
	poolMostUsed     = 8
)

// openPool makes the pool of c, where the device has pools.
func (c *context) openPool() {
	calls := &c.driver.pools
	if calls.Create.address == 0 {
		return
	}
	if has, err := c.driver.attribute(attributePools, c.ordinal); err != nil || has == 0 {
		return
	}
	var properties [88]byte // a CUmemPoolProps
	const pinned, onDevice = 1, 1
	binary.NativeEndian.PutUint32(properties[0:], pinned)
	binary.NativeEndian.PutUint32(properties[8:], onDevice)
	binary.NativeEndian.PutUint32(properties[12:], uint32(c.ordinal))
	p := &pool{}
	if c.call(calls.Create, uintptr(unsafe.Pointer(&p.handle)), uintptr(unsafe.Pointer(&properties))) != nil {
		return // cuMemAlloc tells what is wrong, if anything is
	}
	var err error
	if p.stream, err = c.NewStream(); err != nil {
		_ = c.call(calls.Destroy, p.handle)
		return
	}
	keep := uint64(math.MaxUint64) // what is free, which a pool otherwise gives back whenever a stream is waited for: Trim does
	_ = c.call(calls.SetAttribute, p.handle, poolThreshold, uintptr(unsafe.Pointer(&keep)))
	c.pool = p
}

func (c *context) closePool() error {
	if c.pool == nil {
		return nil
	}
	return errors.Join(c.CloseStream(c.pool.stream), c.call(c.driver.pools.Destroy, c.pool.handle))
}

// allocateFromPool waits for the stream of the pool alone: then all streams may use the memory.
func (c *context) allocateFromPool(bytes int) (driver.Address, error) {
	var p uint64
	err := c.call(c.driver.pools.Allocate, uintptr(unsafe.Pointer(&p)), uintptr(bytes), c.pool.handle, uintptr(c.pool.stream))
	if err == nil {
		err = c.Synchronize(c.pool.stream)
	}
	return driver.Address(p), err
}

// Trim implements driver.Context.
func (c *context) Trim() error {
	if c.pool == nil {
		return nil
	}
	if err := c.Synchronize(c.pool.stream); err != nil {
		return err
	}
	return c.call(c.driver.pools.TrimTo, c.pool.handle, 0)
}

// Pool implements driver.Context.
func (c *context) Pool() (p driver.Pool, err error) {
	if c.pool == nil {
		return p, fmt.Errorf("the device has no pools of memory: %w", errors.ErrUnsupported)
	}
	for attribute, field := range map[uintptr]*int{
		poolReserved: &p.Reserved, poolMostReserved: &p.MostReserved, poolUsed: &p.Used, poolMostUsed: &p.MostUsed,
	} {
		var bytes uint64
		if err := c.call(c.driver.pools.GetAttribute, c.pool.handle, attribute, uintptr(unsafe.Pointer(&bytes))); err != nil {
			return p, err
		}
		*field = int(bytes)
	}
	return p, nil
}
