//go:build linux && (amd64 || arm64)

package bind

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// Owner implements driver.Context.
func (c *context) Owner(p driver.Address) (device int, err error) {
	var ordinal int32
	err = c.call(c.driver.calls.PointerAttribute, uintptr(unsafe.Pointer(&ordinal)), pointerDevice, uintptr(p))
	return int(ordinal), err
}

// Reach implements driver.Context.
func (c *context) Reach(peer driver.Context) error {
	other, calls := peer.(*context), &c.driver.calls
	var can int32
	if err := c.call(calls.CanAccessPeer, uintptr(unsafe.Pointer(&can)), c.ordinal, other.ordinal); err != nil {
		return err
	}
	if can == 0 {
		return fmt.Errorf("the devices are not peers: %w", errors.ErrUnsupported)
	}
	var refused *driver.Error
	switch err := c.call(calls.EnablePeerAccess, other.handle, 0); {
	case err == nil:
	case !errors.As(err, &refused):
		return err
	case refused.Status == driver.PeerAccessAlreadyEnabled: // by others in the process
	case refused.Status == driver.PeerAccessUnsupported || refused.Status == driver.TooManyPeers:
		return fmt.Errorf("%w: %w", err, errors.ErrUnsupported)
	default:
		return err
	}
	if other.pool == nil {
		return nil
	}
	const onDevice, readAndWrite = 1, 3
	access := [3]int32{onDevice, int32(c.ordinal), readAndWrite} // a CUmemAccessDesc
	return other.call(c.driver.pools.SetAccess, other.pool.handle, uintptr(unsafe.Pointer(&access)), 1)
}
