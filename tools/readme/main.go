// Command readme checks that continuous integration runs what README.md tells people to run. It is called in the root of
// the module with the path of the script that continuous integration executes.
//
// A command shown in a block fenced as console that begins with "make " or "go run " must be one that a line of the
// script beginning with "step " runs, perhaps with more arguments; a step that calls make also runs what `make -n` lists.
// Commands that no step runs go to the standard output. The exit status is 0 without any, 1 with some, and 2 when a file
// cannot be read or make refuses a step.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

const document = "README.md"

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("usage: readme SCRIPT"))
	}
	markdown, err := os.ReadFile(document)
	if err != nil {
		fail(err)
	}
	script, err := os.ReadFile(os.Args[1])
	if err != nil {
		fail(err)
	}
	steps := Steps(string(script))
	for _, step := range steps {
		recipes, err := recipesOf(step)
		if err != nil {
			fail(err)
		}
		steps = append(steps, recipes...)
	}
	status := 0
	for _, command := range Shown(string(markdown)) {
		if !Runs(steps, command) {
			fmt.Printf("%s shows `%s`, which no step of %s runs\n", document, command, os.Args[1])
			status = 1
		}
	}
	os.Exit(status)
}

// recipesOf returns the commands that make runs for a step, none for a step that does not call make.
func recipesOf(step string) ([]string, error) {
	arguments, found := strings.CutPrefix(step, "make ")
	if !found {
		return nil, nil
	}
	output, err := exec.Command("sh", "-c", "make -n "+arguments).Output()
	if err != nil {
		return nil, fmt.Errorf("make -n %s: %w", arguments, err)
	}
	return strings.Split(strings.TrimSpace(string(output)), "\n"), nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "readme:", err)
	os.Exit(2)
}
