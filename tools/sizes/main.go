// Command sizes prints, for every library package of the module in the working folder, the number of its files and lines
// and the median length of a file, and points out files of more than 500 lines. Tests and generated files are left out.
// The exit status is 1 when a file written by hand, a test or a program included, exceeds 700 lines, and 2 when the
// files cannot be read.
package main

import (
	"fmt"
	"os"
)

func main() {
	files, err := Count(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(2)
	}
	if Report(os.Stdout, files) > 0 {
		os.Exit(1)
	}
}
