package cpu

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheMapNamesTheFirstWordOfEveryFile(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	_, places, found := strings.Cut(string(doc), "# Where things are")
	require.True(t, found)
	places, _, _ = strings.Cut(places, "# Contract")
	words := regexp.MustCompile(`[a-z]+`).FindAllString(places, -1)
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		if word, _, _ := strings.Cut(strings.TrimSuffix(file, ".go"), "_"); file != "doc.go" && !strings.HasSuffix(file, "_test.go") {
			require.Contains(t, words, word, file)
		}
	}
}
