// Command fused finds products that the compiler fuses with a sum although nobody has asked for that. Results are to have the same
// bits on every processor; Go may compute x*y + z with one rounding, and does on arm64, but never float64(x*y) + z. It compiles the
// packages that it is given for arm64, and prints each line of them with such an instruction, unless the line calls math.FMA or a
// function for that, or is known to be harmless.
//
// The exit status is 1 when there is such a line, or when a harmless one is no longer there, and 2 when the packages do not compile.
package main

import (
	"fmt"
	"os"
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
