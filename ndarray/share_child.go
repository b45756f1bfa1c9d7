package ndarray

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"

	"github.com/weft-nd/weft/fault"
)

// parentVariable is set by ndarray.StartChild, to the descriptor of the child's connection to its parent.
const parentVariable = "WEFT_PARENT"

// StartChild starts cmd, as its Start method does, and returns a connection to the child, which has its end by Parent. Arrays are
// passed over it by Share and Receive, in both directions; when the child ends, Receive returns io.EOF. The caller closes the
// connection, and waits for cmd. It returns the error of Start, or on Windows one that wraps fault.ErrDevice.
func StartChild(cmd *exec.Cmd) (*net.UnixConn, error) {
	if cmd == nil {
		return nil, shareError("StartChild", fmt.Errorf("%w: the command is nil", fault.ErrMisuse))
	}
	own, theirs, err := connected()
	if err != nil {
		return nil, shareError("StartChild", err)
	}
	defer theirs.Close() // once the child has its copy, so that its end is seen
	const first = 3      // the descriptor of the first of the extra files
	cmd.Env = append(cmd.Environ(), fmt.Sprintf("%s=%d", parentVariable, first+len(cmd.ExtraFiles)))
	cmd.ExtraFiles = append(cmd.ExtraFiles, theirs)
	if err := cmd.Start(); err != nil {
		own.Close()
		return nil, shareError("StartChild", err)
	}
	return own, nil
}

// Parent returns the connection to the process that started this one by StartChild, the same each time. In another process it
// returns an error that wraps fault.ErrMisuse.
func Parent() (*net.UnixConn, error) { return parent() }

var parent = sync.OnceValues(func() (*net.UnixConn, error) {
	text, found := os.LookupEnv(parentVariable)
	if !found {
		return nil, shareError("Parent", fmt.Errorf("%w: this process was not started by StartChild", fault.ErrMisuse))
	}
	os.Unsetenv(parentVariable) // the children of this process have another parent
	descriptor, err := strconv.Atoi(text)
	if err != nil || descriptor < 3 {
		return nil, shareError("Parent", fmt.Errorf("%w: %s=%q names no descriptor", fault.ErrMisuse, parentVariable, text))
	}
	conn, err := connectionOf(os.NewFile(uintptr(descriptor), "parent"))
	if err != nil {
		return nil, shareError("Parent", fmt.Errorf("%w: %s=%q names no connection: %w", fault.ErrMisuse, parentVariable, text, err))
	}
	return conn, nil
})

// connectionOf returns the connection that file is, and closes file.
func connectionOf(file *os.File) (*net.UnixConn, error) {
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, err
	}
	stream, ok := conn.(*net.UnixConn)
	if !ok {
		conn.Close()
		return nil, fmt.Errorf("it is one of the network %s", conn.LocalAddr().Network())
	}
	return stream, nil
}
