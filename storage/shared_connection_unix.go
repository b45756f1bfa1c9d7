//go:build unix

package storage

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"golang.org/x/sys/unix"
)

// SendView writes v to conn, which must be a stream, with a descriptor of all of its memory, as SharedFile gives it. An array
// without elements has no memory, and no file.
func SendView(conn *net.UnixConn, v View, memory *os.File) error {
	if err := checkStream(conn); err != nil {
		return err
	}
	bytes, rights := 0, []byte(nil)
	if v.Count() > 0 {
		bytes, rights = v.Synced.Bytes(), unix.UnixRights(int(memory.Fd()))
	}
	message, err := encodeView(v, bytes)
	if err != nil {
		return err
	}
	sent, _, err := conn.WriteMsgUnix(message, rights, nil)
	if errors.Is(err, unix.ETOOMANYREFS) {
		return fmt.Errorf("%w: too many descriptors are on their way: %w", fault.ErrOutOfMemory, err)
	}
	if err == nil && sent < len(message) {
		_, err = conn.Write(message[sent:])
	}
	return err
}

// ReceiveView reads from conn what SendView wrote, and maps its memory, whose users e orders. Nothing of the message is trusted.
// The error is io.EOF if conn was closed and nothing came; it wraps ErrMalformed if something else came, and
// fault.ErrOutOfMemory if there is no room, which is mostly found before anything is read. After other errors conn may be in
// the middle of something, and is of no further use.
func ReceiveView(conn *net.UnixConn, e engine.Engine) (View, error) {
	if err := checkStream(conn); err != nil {
		return View{}, err
	}
	if err := receiving.makeRoom(); err != nil { // before anything is read: descriptors that find no room are lost
		return View{}, err
	}
	r := &messageReader{conn: conn}
	defer r.close()
	head := make([]byte, messageHead)
	if _, err := io.ReadFull(r, head); err != nil {
		return View{}, err
	}
	size, err := bodySize(head)
	if err != nil {
		return View{}, err
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(r, body); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return View{}, err
	}
	v, bytes, err := decodeView(head, body)
	if err != nil {
		return View{}, err
	}
	if want := min(bytes, 1); len(r.descriptors) != want {
		return View{}, malformed("%d descriptors, not %d", len(r.descriptors), want)
	}
	if bytes == 0 {
		v.Synced = NewSynced(e, 0)
		return v, nil
	}
	descriptor := r.descriptors[0]
	r.descriptors = nil
	block, err := receiveBlock(descriptor, bytes)
	if err != nil {
		return View{}, err
	}
	v.Synced = NewSyncedFrom(e, device.CPUShared(0), block, bytes)
	return v, nil
}

func checkStream(conn *net.UnixConn) error {
	if conn == nil {
		return fmt.Errorf("%w: the connection is nil", fault.ErrMisuse)
	}
	if local := conn.LocalAddr(); local != nil && local.Network() != "unix" {
		return fmt.Errorf("%w: arrays travel on streams, of the network unix, not %s", fault.ErrMisuse, local.Network())
	}
	return nil
}

// messageReader reads from a connection and collects the descriptors that come along.
type messageReader struct {
	conn        *net.UnixConn
	descriptors []int
}

// moreDescriptors is the most that a message of Linux holds: none gets lost because it was not expected.
const moreDescriptors = 253

// Read implements io.Reader.
func (r *messageReader) Read(p []byte) (int, error) {
	control := make([]byte, unix.CmsgSpace(4*moreDescriptors))
	n, controls, flags, _, err := r.conn.ReadMsgUnix(p, control)
	r.collect(control[:controls])
	switch {
	case errors.Is(err, io.EOF):
		return n, io.EOF
	case err == nil && flags&unix.MSG_CTRUNC != 0:
		err = fmt.Errorf("%w: a descriptor of shared memory was lost: %w", fault.ErrOutOfMemory, openFiles(unix.EMFILE))
	}
	return n, err
}

func (r *messageReader) collect(control []byte) {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return
	}
	for i := range messages {
		if descriptors, err := unix.ParseUnixRights(&messages[i]); err == nil {
			r.descriptors = append(r.descriptors, descriptors...)
		}
	}
}

// close closes the descriptors that nobody took.
func (r *messageReader) close() {
	for _, d := range r.descriptors {
		closeDescriptor(d)
	}
}
