package weft_test

import (
	"os"
	"os/exec"
	"path/filepath"
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

func TestProgramInReadmePrintsWhatReadmeSays(t *testing.T) {
	program := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(program, []byte(fenced(t, "go")), 0o600))
	out, err := exec.Command("go", "run", program).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, fenced(t, "text"), string(out))
}

func TestReadmeIsShort(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(text), "\n"), 150)
}
