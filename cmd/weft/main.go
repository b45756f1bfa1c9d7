// Weft tells about this machine what programs that use weft see of it.
//
//	weft devices    lists the devices, and why there are no others
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/weft-nd/weft/kernels/cuda"
)

const usage = "usage: weft devices"

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "weft:", err)
		os.Exit(2)
	}
}

func run(arguments []string, w io.Writer) error {
	if len(arguments) != 1 || arguments[0] != "devices" {
		return fmt.Errorf("%s", usage)
	}
	if _, err := fmt.Fprintf(w, "%-8s %s/%s, %d processors\n", "cpu(0)", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()); err != nil {
		return err
	}
	return cuda.Report(w)
}
