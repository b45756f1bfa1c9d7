package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGuidesShowTheRowsThatAreTested(t *testing.T) {
	for _, g := range guides {
		page, err := guideFile("../..", g)
		require.NoError(t, err)
		current, err := os.ReadFile("../../docs/coming-from-" + g.name + ".md")
		require.NoError(t, err)
		require.Equal(t, string(page), string(current), "make generate")
		source, err := readGuide("../../examples/guides/"+g.name+"_test.go", g.name)
		require.NoError(t, err)
		tested := 0
		for _, section := range source.rows {
			_, rows, err := source.section(section)
			require.NoError(t, err)
			tested += len(rows)
		}
		shown := strings.Count(string(current), "\n| ") - len(source.rows) // less the headings
		require.Equal(t, tested, shown, g.library)
	}
}

func TestCellsShowCodeWithoutWhatOnlyLooks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x_test.go")
	require.NoError(t, os.WriteFile(path, []byte(`package x
// Intro.
var xGuide = []section[row]{{"T", []row{
	{"a += 1; a", func() any { a.Add(1); return a }, "one|two"},
	{"f(a)", func() (any, error) { return f(a) }, ""},
	{"p = g(); h(p)", func() (any, error) {
		p := g()
		return h(p | 1), nil
	}, ""},
}}}
`), 0o600))
	s, err := readGuide(path, "x")
	require.NoError(t, err)
	require.Equal(t, "Intro.\n", s.intro)
	title, rows, err := s.section(s.rows[0])
	require.NoError(t, err)
	require.Equal(t, "T", title)
	for i, want := range [][2]string{{"`a += 1`", "`a.Add(1)`"}, {"`f(a)`", "`f(a)`"}, {"`p = g(); h(p)`", "`p := g()`<br>`h(p \\| 1)`"}} {
		for side, text := range want {
			shown, err := s.cell(rows[i].Elts[side])
			require.NoError(t, err)
			require.Equal(t, text, shown)
		}
	}
	_, err = readGuide(path, "y")
	require.ErrorContains(t, err, "no variable yGuide")
	_, err = s.cell(rows[0])
	require.ErrorContains(t, err, "want a text")
}
