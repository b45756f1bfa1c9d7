// Command fused finds products that the compiler fuses with a sum although nobody has asked for that. Results are to have the same
// bits on every processor; Go may compute x*y + z with one rounding, and does on arm64, but never float64(x*y) + z. It compiles the
// packages that it is given for arm64, and prints each line of them with such an instruction, unless the line calls math.FMA or a
// function for that, or is known to be harmless.
//
// The exit status is 1 when there is such a line, or when a harmless one is no longer there, and 2 when the packages do not compile.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

func main() {
	lines, err := compile(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "fused:", err)
		os.Exit(2)
	}
	problems, err := check(lines, harmless, os.ReadFile)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fused:", err)
		os.Exit(2)
	}
	for _, problem := range problems {
		fmt.Println(problem)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
}

// compile returns the lines of packages that have an instruction of arm64 that fuses a product with a sum.
func compile(packages []string) (map[place]bool, error) {
	command := exec.Command("go", append([]string{"build", "-gcflags=-S"}, packages...)...)
	command.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	listing, err := command.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	lines := map[place]bool{}
	scanner := bufio.NewScanner(listing)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		if at, found := fusedAt(scanner.Text()); found {
			lines[at] = true
		}
	}
	_, rest := io.Copy(io.Discard, listing) // The compiler waits for a reader.
	if err := errors.Join(scanner.Err(), rest, command.Wait()); err != nil {
		return nil, fmt.Errorf("GOARCH=arm64 %v: %w", command.Args, err)
	}
	return lines, nil
}
