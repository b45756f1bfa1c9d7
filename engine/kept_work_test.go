package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeptWorkIsNamedByItsOperations(t *testing.T) {
	for want, names := range map[string][]string{
		"bulk of 1: add":              {"add"},
		"bulk of 4: add, mul":         {"add", "mul", "add", "add"},
		"bulk of 5: add, mul, exp, …": {"add", "mul", "exp", "add", "log"},
	} {
		var operations []Operation
		for _, name := range names {
			operations = append(operations, Operation{Name: name})
		}
		require.Equal(t, want, keptName(operations))
	}
}
