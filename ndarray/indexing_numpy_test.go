package ndarray_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	nd "github.com/weft-nd/weft/ndarray"
)

// TestTextSelectsWhatNumPyDoes reads testdata/indexing_numpy.json, which the program beside it has written with NumPy.
func TestTextSelectsWhatNumPyDoes(t *testing.T) {
	text, err := os.ReadFile("testdata/indexing_numpy.json")
	require.NoError(t, err)
	var cases []struct {
		Shape, Result, Values []int
		Index                 string
		View                  bool
	}
	require.NoError(t, json.Unmarshal(text, &cases))
	require.Len(t, cases, 500)
	for _, c := range cases {
		name := c.Index + " of " + jsonText(t, c.Shape)
		a := nd.Arange(0, countOf(c.Shape), 1).Reshape(c.Shape...)
		if c.Result == nil {
			require.Error(t, nd.Try(func() { a.Index(c.Index) }), name)
			continue
		}
		selected := a.Index(c.Index)
		require.Equal(t, c.Result, selected.Shape(), name)
		require.Equal(t, c.Values, values[int](t, selected), name)
		if selected.Count() == 0 {
			continue
		}
		before := values[int](t, a)[c.Values[0]]
		selected.SetSlice(nd.Weak(-1))
		require.Equal(t, c.View, values[int](t, a)[before] == -1, name)
	}
}

func jsonText(t *testing.T, v any) string {
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

func countOf(shape []int) int {
	count := 1
	for _, n := range shape {
		count *= n
	}
	return count
}
