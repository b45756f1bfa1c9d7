package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/ops"
)

func TestOperatorsAreFoundByTheirVariables(t *testing.T) {
	names, err := goNames("../../ops", ops.All())
	require.NoError(t, err)
	for operator, name := range map[string]string{"argmax": "ArgMax", "exp": "Exp", "matmul": "MatMul", "where": "Where", "sgd": "SGD"} {
		require.Equal(t, name, names[operator])
	}
	_, err = goNames("../../ops", append(ops.All(), &ops.Operator{Name: "unheard of"}))
	require.ErrorContains(t, err, "unheard of")
}

func TestEveryFormGivesItsMethods(t *testing.T) {
	operators := []*ops.Operator{
		{Name: "u", Doc: "one", Form: ops.FormUnary, Inputs: []string{"x"}},
		{Name: "b", Doc: "two", Form: ops.FormBinary, Inputs: []string{"a", "b"}},
		{Name: "r", Doc: "less", Form: ops.FormReduction, Inputs: []string{"x"}},
		{Name: "o", Doc: "other"},
	}
	source, err := methodsFile(operators, map[string]string{"u": "U", "b": "B", "r": "R", "o": "O"})
	require.NoError(t, err)
	for _, method := range []string{") U()", "UInto(", ") B(b *Array)", "BScalar(", "BInto(", ") R(axes ...int)", "RKeepDims(", "RInto("} {
		require.Contains(t, string(source), method)
	}
	require.NotContains(t, string(source), "O(")
	table := string(indexFile(operators))
	for _, op := range operators {
		require.Contains(t, table, "| `"+op.Name+"` |")
	}
}

func TestWrappedCommentsKeepTheirWords(t *testing.T) {
	comment := "// " + strings.Repeat("words − ", 60)
	wrapped := string(wrapComments([]byte(comment + "\ncode()\n")))
	lines := strings.Split(strings.TrimSuffix(wrapped, "\ncode()\n"), "\n")
	words := []string{}
	for _, line := range lines {
		require.LessOrEqual(t, len([]rune(line)), 120)
		words = append(words, strings.Fields(strings.TrimPrefix(line, "//"))...)
	}
	require.Equal(t, strings.Fields(strings.TrimPrefix(comment, "//")), words)
}

func TestEnvironmentVariablesAreDocumentedConstants(t *testing.T) {
	write := func(t *testing.T, source string) string {
		folder := t.TempDir()
		require.NoError(t, os.MkdirAll(filepath.Join(folder, "part"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "part", "a.go"), []byte("package part\n\n"+source), 0o600))
		return folder
	}
	found, err := environment(write(t, "// speedVariable is how fast\n// it goes.\nconst speedVariable = \"WEFT_SPEED\"\n"))
	require.NoError(t, err)
	require.Equal(t, []variable{{"WEFT_SPEED", "is how fast it goes.", "part"}}, found)
	require.Contains(t, string(environmentFile(found)), "| `WEFT_SPEED` | `part` | is how fast it goes. |")
	for name, source := range map[string]string{
		"no comment":  "const speedVariable = \"WEFT_SPEED\"\n",
		"no constant": "var speed = os.Getenv(\"WEFT_SPEED\")\n",
	} {
		_, err := environment(write(t, source))
		require.ErrorContains(t, err, "WEFT_SPEED", name)
		require.ErrorContains(t, err, "a.go:3", name)
	}
}

func TestEveryVariableOfTheLibraryIsDocumented(t *testing.T) {
	found, err := environment("../..")
	require.NoError(t, err)
	names := []string{}
	for _, v := range found {
		names = append(names, v.name)
	}
	require.Subset(t, names, []string{"WEFT_DATA", "WEFT_ENGINE", "WEFT_NUM_THREADS"})
}
