package weft_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fenced returns the first block of README.md in the given language.
func fenced(t *testing.T, language string) string {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "```"+language+"\n")
	require.True(t, found, "README.md has no %s block", language)
	block, _, _ := strings.Cut(rest, "```")
	return block
}

func TestProgramInReadmePrintsWhatReadmeSaysInAModuleOfItsOwn(t *testing.T) {
	root, err := os.Getwd()
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "main.go"), []byte(fenced(t, "go")), 0o600))
	run := func(words ...string) string {
		t.Helper()
		command := exec.Command(words[0], words[1:]...)
		command.Dir, command.Env = folder, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off", "GOWORK=off")
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	run("go", "mod", "init", "program")
	run("go", "mod", "edit", "-replace=github.com/weft-nd/weft="+root) // this version
	run(strings.Fields(fenced(t, "sh"))...)
	require.Equal(t, fenced(t, "text"), run("go", "run", "."))
}

func TestContributingQuotesTheSource(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return strings.Join(strings.Fields(string(text)), " ")
	}
	source := read("kernels/cpu/activation.go") + read("kernels/cpu/transcendental.go") + read("ops/transcendental.go") + read("ops/operators_test.go")
	text, err := os.ReadFile("CONTRIBUTING.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	require.Len(t, blocks, 4)
	for _, block := range blocks {
		for line := range strings.Lines(block[1]) {
			require.True(t, strings.Contains(source, strings.Join(strings.Fields(line), " ")), line)
		}
	}
}

func TestReadmeIsShort(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(text), "\n"), 150)
}

// The documentation of packages with many files tells where things are by the first words of their names.
func TestMapsOfPackagesNameTheFirstWordOfEveryFile(t *testing.T) {
	for _, folder := range []string{"engine", "storage", "kernels/cpu"} {
		doc, err := os.ReadFile(filepath.Join(folder, "doc.go"))
		require.NoError(t, err)
		_, places, found := strings.Cut(string(doc), "# Where things are")
		require.True(t, found, folder)
		places, _, _ = strings.Cut(places, "\n// # ")
		words := regexp.MustCompile(`[a-z]+`).FindAllString(places, -1)
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".go")
			if word, _, _ := strings.Cut(name, "_"); name != "doc" && !strings.HasSuffix(name, "_test") {
				require.Contains(t, words, word, file)
			}
		}
	}
}
