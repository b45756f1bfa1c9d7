package main

import (
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
