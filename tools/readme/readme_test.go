package main

import (
	"slices"
	"testing"
)

func TestShownCommandsAreThoseOfConsoleBlocks(t *testing.T) {
	markdown := "# weft\n" +
		"Run `make nothing`:\n" +
		"```console\n$ make mnist\ntest accuracy: 0.97\nmake test   # a few minutes\n$ go run ./examples/mnist -epochs 1\n$ go version\n```\n" +
		"make prose\n" +
		"```go\nmake source\n```\n" +
		"````\n```console\nmake quoted\n```\n````\n" +
		"```console title\n  make indented \n```\n"
	want := []string{"make mnist", "make test", "go run ./examples/mnist -epochs 1", "make indented"}
	if got := Shown(markdown); !slices.Equal(got, want) {
		t.Errorf("Shown = %q; want %q", got, want)
	}
}

func TestStepsAreTheArgumentsOfStepLines(t *testing.T) {
	script := "step() {\n\t\"$@\"\n}\nmake build\n# step make comment\nstep make test\nif true; then\n\tstep make race ARGS=\"-short\" | tee log\nfi\n"
	want := []string{"make test", `make race ARGS="-short"`}
	if got := Steps(script); !slices.Equal(got, want) {
		t.Errorf("Steps = %q; want %q", got, want)
	}
}

func TestAStepRunsACommandWithItsWordsFirst(t *testing.T) {
	steps := []string{`make mnist ARGS="-epochs 1"`, "go run ./examples/mnist -epochs 1", "make test"}
	for command, want := range map[string]bool{
		"make test":                         true,
		"make mnist":                        true,
		"make mnist ARGS='-epochs 1'":       true,
		"go run ./examples/mnist":           true,
		"go run ./examples/mnist -epochs 1": true,
		"go run ./examples/mnist -epochs 9": false,
		"make test ARGS=-v":                 false,
		"make tes":                          false,
		"make lint":                         false,
	} {
		if got := Runs(steps, command); got != want {
			t.Errorf("Runs(%q) = %v; want %v", command, got, want)
		}
	}
}
