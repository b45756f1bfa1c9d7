// Fakecuda writes the libraries of the fake CUDA driver into a folder, for programs that are linked with them:
//
//	go run github.com/weft-nd/weft/kernels/cuda/cudatest/fakecuda FOLDER
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/weft-nd/weft/kernels/cuda/cudatest"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "fakecuda:", err)
		os.Exit(2)
	}
}

func run(arguments []string) error {
	if len(arguments) != 1 {
		return errors.New("usage: fakecuda FOLDER")
	}
	if err := os.MkdirAll(arguments[0], 0o755); err != nil {
		return err
	}
	return cudatest.Write(arguments[0])
}
