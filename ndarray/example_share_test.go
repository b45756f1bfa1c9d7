//go:build unix && (amd64 || darwin)

package ndarray_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/weft-nd/weft/device"
	nd "github.com/weft-nd/weft/ndarray"
)

// A parent passes an array to its child, which changes it in place. Here one program is both.
func ExampleShare() {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "EXAMPLE_CHILD=1")
	conn, err := nd.StartChild(child)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := nd.FromSlice([]float32{1, 2, 3}).To(device.CPUShared(0))
	if err := nd.Share(conn, x); err != nil { // not a copy: the memory itself
		fmt.Println(err)
	}
	_, err = io.ReadFull(conn, make([]byte, 1)) // the child has written
	fmt.Println(x, err)
	fmt.Println(child.Wait())
	// Output:
	// [1. 4. 9.] <nil>
	// <nil>
}

func work() error {
	conn, err := nd.Parent()
	if err != nil {
		return err
	}
	x, err := nd.Receive(conn)
	if err != nil {
		return err
	}
	nd.SquareInto(x, x)
	if err := x.Wait(context.Background()); err != nil {
		return err
	}
	_, err = conn.Write([]byte{1}) // tells that x is written
	return err
}

func init() {
	if os.Getenv("EXAMPLE_CHILD") != "" {
		if err := work(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}
