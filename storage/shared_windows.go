package storage

import (
	"fmt"
	"net"
	"os"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// errNotShared is what device.Check says of cpu_shared here, before anything asks for its memory.
func errNotShared() error {
	return fmt.Errorf("%w: %w", fault.ErrDevice, device.Check(device.CPUShared(0)))
}

func newSharedFile(int) (int, error) { return 0, errNotShared() }

func mapShared(_, _ int) (unsafe.Pointer, error) { return nil, errNotShared() }

func unmapShared(unsafe.Pointer, int) error { return errNotShared() }

func closeDescriptor(int) {}

// SharedFile returns an error that wraps fault.ErrDevice: Windows has no cpu_shared.
func SharedFile([]byte) (*os.File, error) { return nil, errNotShared() }

// SendView returns an error that wraps fault.ErrDevice: Windows has no cpu_shared.
func SendView(*net.UnixConn, View, *os.File) error { return errNotShared() }

// ReceiveView returns an error that wraps fault.ErrDevice: Windows has no cpu_shared.
func ReceiveView(*net.UnixConn, engine.Engine) (View, error) { return View{}, errNotShared() }
