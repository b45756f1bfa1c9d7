package main

import (
	"slices"
	"strings"
)

// Shown returns the commands in a Markdown text that readers are told to run: the lines of blocks fenced as console that
// begin with "make " or "go run ", with or without the prompt "$ ", and without comments.
func Shown(markdown string) []string {
	var commands []string
	fence, console := "", false
	for line := range strings.Lines(markdown) {
		line = strings.TrimSpace(line)
		marker := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(marker) >= 3:
			language, _, _ := strings.Cut(strings.TrimSpace(line[len(marker):]), " ")
			fence, console = marker, language == "console"
		case fence != "" && line == marker && len(marker) >= len(fence):
			fence = ""
		case fence != "" && console:
			command, _, _ := strings.Cut(strings.TrimPrefix(line, "$ "), " #")
			if strings.HasPrefix(command, "make ") || strings.HasPrefix(command, "go run ") {
				commands = append(commands, strings.TrimSpace(command))
			}
		}
	}
	return commands
}

// Steps returns the commands of a script, the arguments of its lines that begin with "step ".
func Steps(script string) []string {
	var steps []string
	for line := range strings.Lines(script) {
		if step, found := strings.CutPrefix(strings.TrimSpace(line), "step "); found {
			step, _, _ = strings.Cut(step, " |")
			steps = append(steps, strings.TrimSpace(step))
		}
	}
	return steps
}

// Runs reports whether one of the steps runs the command: whether it is the command, or the command with more arguments.
func Runs(steps []string, command string) bool {
	wanted := words(command)
	return slices.ContainsFunc(steps, func(step string) bool {
		run := words(step)
		return len(run) >= len(wanted) && slices.Equal(run[:len(wanted)], wanted)
	})
}

var unquote = strings.NewReplacer(`"`, "", `'`, "")

// words splits a command at its spaces, those within quotes too, which is enough to compare two commands.
func words(command string) []string {
	return strings.Fields(unquote.Replace(command))
}
