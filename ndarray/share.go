package ndarray

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/storage"
)

// Share passes a to the process at the other end of conn, which takes it with Receive, without a copy: both have the same
// memory, and each sees what the other writes. Share waits until the operators called on a so far are done. It returns the
// error that sticks to a, an error of conn, one that wraps fault.ErrOutOfMemory if the process has too many files open, or one
// that wraps fault.ErrDevice on Windows. It panics with *Error if a tape watches a or has saved its memory.
//
// Only memory of cpu_shared can be passed on. An array elsewhere is first copied to cpu_shared(0), as To does; from then on the
// handle to use is the one that To returns:
//
//	x = x.To(device.CPUShared(0))
//
// Read, Write, Values and operators on that handle use the shared memory itself. Operators on handles on other devices work on
// copies of it, which are refreshed after this process has written the array, but not after the other process has: call an
// empty Write then. A view is passed on with all of the memory that it is a part of. Memory that is passed on twice becomes two
// arrays there.
//
// Operators of one process are ordered, those of two are not: the processes must tell each other when they have written, by
// conn or otherwise, and wait for their own operators with Array.Wait before they do. Conn must be a stream, as returned by
// StartChild and Parent. Other bytes may be sent between arrays, and must be read completely; only one goroutine may send at a
// time.
//
// The memory exists as long as one of the processes has an array on it. Nothing is left of it when they end, however they do.
func Share(conn *net.UnixConn, a *Array) error {
	checkNotNil("Share", a)
	if a.Detach() != a {
		fail("Share", fault.ErrMisuse, "the array is watched by a tape", a)
	}
	if err := share(conn, a); err != nil {
		return shareError("Share", err, a)
	}
	return nil
}

func share(conn *net.UnixConn, a *Array) error {
	if err := device.Check(device.CPUShared(0)); err != nil {
		return fmt.Errorf("%w: %w", fault.ErrDevice, err)
	}
	if a.Device().Kind != device.KindCPUShared {
		a = a.To(device.CPUShared(0))
	}
	view := a.tensor().View()
	memory := onAll(a.Env(), view.Synced, dtype.Uint8, []int{view.Synced.Bytes()})
	var file *os.File
	var refused error // to open the file; the error of a write would stick to the array
	// The other process may write from now on, so this is a write: readers are waited for, and copies elsewhere are outdated.
	err := memory.visit(context.Background(), engine.Update, false, func(data []byte) error {
		if len(data) > 0 {
			file, refused = storage.SharedFile(data)
		}
		return nil
	})
	if err := cmp.Or(err, refused); err != nil {
		return err
	}
	defer file.Close()
	return storage.SendView(conn, view, file)
}

// Receive returns the array that the process at the other end of conn has passed on by Share, on cpu_shared(0). It
// waits for one. The error is io.EOF if conn was closed instead. It wraps ErrFormat if something came that does not
// describe an array, whose memory could be taken away, or that holds bools which are neither 0 nor 1, and
// fault.ErrOutOfMemory if the process has no room for another array; what is sent is not trusted. Only one goroutine
// may read from conn at a time; after other errors than io.EOF it is of no further use.
func Receive(conn *net.UnixConn) (*Array, error) { return receive("Receive", DefaultEnv(), conn) }

// ReceiveIn is Receive for an array in env, but for the device.
func ReceiveIn(env *Env, conn *net.UnixConn) (*Array, error) { return receive("ReceiveIn", env, conn) }

func receive(operator string, env *Env, conn *net.UnixConn) (*Array, error) {
	checkEnv(operator, env)
	view, err := storage.ReceiveView(conn, env.Engine())
	switch {
	case err == nil && view.DType == dtype.Bool:
		return receivedBools(operator, env, view)
	case err == nil:
		return (*Array)(ops.NewTensor(view, env.WithDevice(device.CPUShared(0)))), nil
	case err == io.EOF:
		return nil, err
	case errors.Is(err, storage.ErrMalformed):
		err = fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return nil, shareError(operator, err)
}

// receivedBools is the end of receive for bools, of which kernels know those that are 0 or 1.
func receivedBools(operator string, env *Env, view storage.View) (*Array, error) {
	received, bytes := ops.NewTensor(view, env.WithDevice(device.CPUShared(0))), view
	bytes.DType = dtype.Uint8
	if view.Count() > 0 { // What looks at them belongs to no scope, capture or context of the caller's.
		plain := ops.NewEnv(env.Engine()).WithDevice(device.CPUShared(0))
		switch largest, err := Item[uint8]((*Array)(ops.NewTensor(bytes, plain)).Max()); {
		case err != nil:
			return nil, shareError(operator, err)
		case largest > 1:
			return nil, shareError(operator, fmt.Errorf("%w: %d is no bool", ErrFormat, largest))
		}
	}
	return (*Array)(received), nil
}

// shareError returns the *Error with the given cause; what is one stays what it is.
func shareError(operator string, cause error, operands ...*Array) error {
	var sticky *Error
	if errors.As(cause, &sticky) {
		return cause
	}
	e := &Error{Operator: operator, Detail: cause.Error(), Cause: cause, Site: fault.Here(1)}
	for _, a := range operands {
		e.Shapes, e.DTypes = append(e.Shapes, a.Shape()), append(e.DTypes, a.DType())
	}
	return e
}
