package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheArrayAPITableNamesWhatIsThere(t *testing.T) {
	m, err := newModule("../..")
	require.NoError(t, err)
	present, all, seen := 0, 0, map[string]bool{}
	for _, s := range arrayAPI {
		found, err := m.counterparts(s)
		require.NoError(t, err, s.title)
		for _, c := range found {
			require.False(t, seen[s.title+c.name], "%s is there twice", c.name)
			seen[s.title+c.name] = true
			if all++; c.absent == "" {
				present++
				require.NotEmpty(t, c.file)
			} else {
				require.NotEmpty(t, c.absent)
			}
		}
	}
	require.Equal(t, 198, all, "names of the standard")
	t.Logf("%d of %d are present", present, all)
}

func TestMistakesInTheArrayAPITableAreFound(t *testing.T) {
	m := &module{"../..", map[string]string{"TestX": "ndarray"}, map[string]map[string]string{}}
	for text, problem := range map[string]string{
		"abs Array.Abz TestX": "no Abz", "abs Abs TestX": "no Abs", "abs Array.Abs TestY": "no test TestY", "e math.Eh TestX": "no Eh", "x nowhere.X TestX": "no X",
	} {
		_, err := m.counterparts(section{pkg: "ndarray", names: []string{text}})
		require.ErrorContains(t, err, problem[:2], text)
		require.ErrorContains(t, err, problem[3:], text)
	}
	found, err := m.counterparts(section{pkg: "ndarray", test: "TestX", names: []string{"abs Array.Abs", "conj - not yet"}})
	require.NoError(t, err)
	require.Equal(t, []counterpart{
		{name: "abs", identifier: "ndarray.Array.Abs", file: "ndarray/operators_gen.go", test: "TestX"}, {name: "conj", absent: "not yet"},
	}, found)
}
